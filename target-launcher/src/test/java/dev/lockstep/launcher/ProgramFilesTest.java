package dev.lockstep.launcher;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.List;
import java.util.jar.Attributes;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class ProgramFilesTest {
    @TempDir
    private Path folder;

    private Path jar;
    private Path library;
    private Path classes;

    @BeforeEach
    void makeFiles() throws IOException {
        folder = folder.toRealPath();
        jar = folder.resolve("app.jar");
        library =
                Files.writeString(Files.createDirectories(folder.resolve("lib")).resolve("a.jar"), "a");
        classes = Files.writeString(
                Files.createDirectories(folder.resolve("classes/x")).resolve("A.class"), "A");
        Files.writeString(folder.resolve("classes/app.log"), "grows");
        Manifest manifest = new Manifest();
        manifest.getMainAttributes().put(Attributes.Name.MANIFEST_VERSION, "1.0");
        manifest.getMainAttributes().put(Attributes.Name.CLASS_PATH, "lib/a.jar lib/none.jar");
        try (OutputStream out = Files.newOutputStream(jar);
                JarOutputStream entries = new JarOutputStream(out, manifest)) {
            entries.finish();
        }
    }

    private List<Path> of(String... words) {
        return ProgramFiles.of(List.of(words));
    }

    @Test
    void areTheJarWithWhatItsManifestNames() {
        assertEquals(
                List.of(jar, library, folder.resolve("lib/none.jar")),
                of(
                        "/none/bin/java",
                        "-Xmx1g",
                        "--add-opens",
                        "java.base/java.lang=ALL-UNNAMED",
                        "-jar",
                        jar + "",
                        "--data",
                        library + "",
                        "-cp",
                        classes + ""));
    }

    @Test
    void areThoseOfClassPathModulesAgentsAndArguments() {
        assertEquals(
                List.of(classes, library, folder.resolve("agent.jar"), folder.resolve("arguments")),
                of(
                        "/none/bin/java",
                        "-cp",
                        folder.resolve("classes") + ":" + folder.resolve("lib/*") + "::",
                        "--module-path=" + library,
                        "-javaagent:" + folder.resolve("agent.jar") + "=port=1",
                        "@" + folder.resolve("arguments"),
                        "Main",
                        "-p",
                        jar + ""));
    }

    /** What others take as arguments, such as a log, is nothing that makes them. */
    @Test
    void areTheProgramAloneWhereThatIsNoJava() {
        assertTrue(jar.toFile().setExecutable(true));
        assertEquals(List.of(jar), of(jar + "", "-jar", library + ""));
        assertEquals(List.of(Executables.find("sh").orElseThrow()), of("sh", "-c", "exec java -jar " + jar));
    }

    @Test
    void areToStayWhatTheyWereAtFirst() throws IOException {
        ProgramFiles files = new ProgramFiles();
        List<Path> both = List.of(library, folder.resolve("none"));
        files.require("c2", both);
        assertDoesNotThrow(() -> files.require("graal", both));
        String before = ProgramFiles.digest(both);
        // As by a build that makes the same bytes.
        Files.setLastModifiedTime(library, FileTime.fromMillis(1));
        assertDoesNotThrow(() -> files.require("graal", both));

        Files.writeString(library, "another");

        assertEquals(
                "target graal: " + library + " was replaced since it was first used here, so that figures would be of"
                        + " two programs; begin anew",
                assertThrows(ProgramReplacedException.class, () -> files.require("graal", both))
                        .getMessage());
        assertNotEquals(before, ProgramFiles.digest(both));
    }
}
