package dev.lockstep.cli.targets;

import dev.lockstep.cli.command.CliException;
import dev.lockstep.measurement.MeasurementException;
import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.List;
import java.util.Optional;

/**
 * Where the parts of Lockstep lie that are no Java code of this process: the target application and the Graal compiler.
 * Everything is found from the place of this class: a jar in an installation's folder {@code lib}, or a jar or a folder
 * of classes in a built source tree.
 */
public final class Installation {
    private final Path root;
    private final Path graal;
    private final Path targetApp;

    private Installation(Path root, Path graal, Path targetApp) {
        this.root = root;
        this.graal = graal;
        this.targetApp = targetApp;
    }

    /** Finds the installation, or the source tree, that this class was loaded from. */
    public static Installation locate() {
        try {
            return of(Paths.get(Installation.class
                    .getProtectionDomain()
                    .getCodeSource()
                    .getLocation()
                    .toURI()));
        } catch (URISyntaxException e) {
            throw new IllegalStateException(e);
        }
    }

    /**
     * Finds them from the jar, or the folder, that this class lies in.
     *
     * @throws CliException if that is neither in an installation nor in a source tree
     */
    static Installation of(Path classes) {
        for (Path folder = classes; folder != null; folder = folder.getParent()) {
            if (Files.isDirectory(folder.resolve("target-launcher"))) {
                return new Installation(
                        folder,
                        folder.resolve("target-launcher/target/graal"),
                        folder.resolve("target-app/target/lockstep/lib"));
            }
            if (Files.isDirectory(folder.resolve("target-app")) && Files.isDirectory(folder.resolve("graal"))) {
                return new Installation(folder, folder.resolve("graal"), folder.resolve("target-app"));
            }
        }
        throw new CliException(
                classes + " is neither in an installation of Lockstep nor in its source tree; install it "
                        + "whole (docs/installing.md), or run the source tree's ./replay");
    }

    /** Returns the folder whose subfolders hold the Graal compiler for each JDK. */
    public Path graalJars() {
        return graal;
    }

    /** Returns the command of the target application, with the launcher's placeholders. */
    public List<String> targetAppCommand() {
        return List.of("{java}", "{jvmOptions}", "-jar", targetAppJar().toString(), "--port", "{port}");
    }

    /** Returns the folder of the experiments, a folder each. */
    public Path experiments() {
        return root.resolve("experiments");
    }

    /** Returns the root of the source tree, or of the installation. */
    public Path root() {
        return root;
    }

    /**
     * Returns the jar of the target application.
     *
     * @throws CliException if it is not built
     */
    public Path targetAppJar() {
        return newestTargetApp()
                .orElseThrow(() -> new CliException(targetApp
                        + ": expected the target application's jar, found none; in a source tree, build with mvn"
                        + " -DskipTests package"));
    }

    /** Returns where the target application's jar is, or would be if it were built: not all that names it needs it. */
    public Path targetAppPlace() {
        return newestTargetApp().orElse(targetApp.resolve("lockstep-target-app.jar"));
    }

    private Optional<Path> newestTargetApp() {
        Path newest = null;
        try (DirectoryStream<Path> jars = Files.newDirectoryStream(targetApp, "lockstep-target-app*.jar")) {
            for (Path jar : jars) {
                if (newest == null || Files.getLastModifiedTime(jar).compareTo(Files.getLastModifiedTime(newest)) > 0) {
                    newest = jar;
                }
            }
        } catch (NoSuchFileException e) {
            return Optional.empty();
        } catch (IOException e) {
            throw new CliException(targetApp + ": cannot be read: " + MeasurementException.reason(e));
        }
        return Optional.ofNullable(newest);
    }
}
