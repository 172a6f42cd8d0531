package dev.lockstep.cli.targets;

import dev.lockstep.cli.command.CliException;
import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.List;

/**
 * Where the parts of Lockstep lie that are no Java code of this process: the built target application and the Graal
 * compiler. Everything is found from the place of this class, in its jar or in the build's folder of classes.
 */
public final class Installation {
    private final Path root;

    private Installation(Path root) {
        this.root = root;
    }

    /** Finds the root of the source tree that this class was built in. */
    public static Installation locate() {
        Path here;
        try {
            here = Paths.get(Installation.class
                    .getProtectionDomain()
                    .getCodeSource()
                    .getLocation()
                    .toURI());
        } catch (URISyntaxException e) {
            throw new IllegalStateException(e);
        }
        Path folder = here;
        while (folder != null && !Files.isDirectory(folder.resolve("target-launcher"))) {
            folder = folder.getParent();
        }
        if (folder == null) {
            throw new CliException(here + " is not within a built source tree of Lockstep; run its ./replay");
        }
        return new Installation(folder);
    }

    /** Returns the folder whose subfolders hold the Graal compiler for each JDK. */
    public Path graalJars() {
        return root.resolve("target-launcher/target/graal");
    }

    /** Returns the command of the target application, with the launcher's placeholders. */
    public List<String> targetAppCommand() {
        return List.of("{java}", "{jvmOptions}", "-jar", targetAppJar().toString(), "--port", "{port}");
    }

    /** Returns the folder of the experiments, a folder each. */
    public Path experiments() {
        return root.resolve("experiments");
    }

    /** Returns the root of the source tree. */
    public Path root() {
        return root;
    }

    /** Returns the jar of the target application. */
    public Path targetAppJar() {
        Path folder = root.resolve("target-app/target/lockstep/lib");
        Path newest = null;
        try (DirectoryStream<Path> jars = Files.newDirectoryStream(folder, "lockstep-target-app*.jar")) {
            for (Path jar : jars) {
                if (newest == null || Files.getLastModifiedTime(jar).compareTo(Files.getLastModifiedTime(newest)) > 0) {
                    newest = jar;
                }
            }
        } catch (IOException e) {
            throw new CliException(folder + ": cannot be read; build with mvn -DskipTests package");
        }
        if (newest == null) {
            throw new CliException(folder + ": expected the target application's jar, found none; build with "
                    + "mvn -DskipTests package");
        }
        return newest;
    }
}
