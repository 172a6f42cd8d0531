package dev.lockstep.launcher;

import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/** Finds programs as a shell would. Stateless; any thread. */
public final class Executables {
    private Executables() {}

    /** Returns the file that a command's first word means, if it is a program. */
    public static Optional<Path> find(String word) {
        if (word.contains("/")) {
            return Optional.of(Path.of(word).toAbsolutePath()).filter(Executables::isProgram);
        }
        String path = System.getenv().getOrDefault("PATH", "/usr/bin:/bin");
        for (String place : path.split(File.pathSeparator)) {
            Path file = Path.of(place.isEmpty() ? "." : place).resolve(word);
            if (isProgram(file)) {
                return Optional.of(file.toAbsolutePath());
            }
        }
        return Optional.empty();
    }

    private static boolean isProgram(Path file) {
        return Files.isRegularFile(file) && Files.isExecutable(file);
    }
}
