package dev.lockstep.cli.targets;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.lockstep.cli.command.CliException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class InstallationTest {
    @TempDir
    private Path folder;

    private Path made(String file) throws IOException {
        Path path = folder.resolve(file);
        Files.createDirectories(path.getParent());
        return Files.createFile(path);
    }

    @Test
    void findsItsPartsBesideTheFolderOfItsJar() throws IOException {
        Path jar = made("replay-1/lib/lockstep-cli.jar");
        Path app = made("replay-1/target-app/lockstep-target-app-1.jar");
        made("replay-1/graal/17/compiler.jar");

        Installation installation = Installation.of(jar);

        assertEquals(folder.resolve("replay-1/graal"), installation.graalJars());
        assertTrue(installation.targetAppCommand().contains(app.toString()));
    }

    @Test
    void findsItsPartsInASourceTree() throws IOException {
        Path jar = made("tree/cli/target/lockstep/lib/lockstep-cli.jar");
        Path app = made("tree/target-app/target/lockstep/lib/lockstep-target-app-1.jar");
        made("tree/target-launcher/pom.xml");

        Installation installation = Installation.of(jar);

        assertEquals(folder.resolve("tree/target-launcher/target/graal"), installation.graalJars());
        assertTrue(installation.targetAppCommand().contains(app.toString()));
    }

    @Test
    void namesThePlaceOfTheTargetApplicationThoughItIsNotBuilt() throws IOException {
        Path jar = made("tree/cli/target/lockstep/lib/lockstep-cli.jar");
        made("tree/target-launcher/pom.xml");
        Installation installation = Installation.of(jar);
        Path lib = folder.resolve("tree/target-app/target/lockstep/lib");

        assertEquals(lib.resolve("lockstep-target-app.jar"), installation.targetAppPlace());
        CliException refused = assertThrows(CliException.class, installation::targetAppJar);
        assertEquals(
                lib + ": expected the target application's jar, found none; in a source tree, build with mvn"
                        + " -DskipTests package",
                refused.getMessage());

        Path app = made("tree/target-app/target/lockstep/lib/lockstep-target-app-1.jar");
        assertEquals(app, installation.targetAppPlace());
    }

    /** The path stands in place of a reason in what Java throws. */
    @Test
    void saysWhyTheFolderOfTheTargetApplicationCannotBeRead() throws IOException {
        made("tree/target-launcher/pom.xml");
        Installation installation = Installation.of(made("tree/cli/target/lockstep/lib/lockstep-cli.jar"));
        Path lib = made("tree/target-app/target/lockstep/lib");

        CliException refused = assertThrows(CliException.class, installation::targetAppJar);

        assertEquals(lib + ": cannot be read: NotDirectoryException", refused.getMessage());
    }

    @Test
    void saysWhatToDoWhereTheJarWasTakenAway() throws IOException {
        Path jar = made("elsewhere/lockstep-cli.jar");

        CliException refused = assertThrows(CliException.class, () -> Installation.of(jar));

        assertTrue(refused.getMessage().contains("docs/installing.md"), refused.getMessage());
    }
}
