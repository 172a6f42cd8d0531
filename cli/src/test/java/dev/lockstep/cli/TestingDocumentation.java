package dev.lockstep.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The files of the source tree, for what is written about them. */
final class TestingDocumentation {
    private static final Set<String> PASSED_OVER = Set.of("target", "lockstep-runs", "node_modules");

    private TestingDocumentation() {}

    /** Returns the root of the source tree, where the script replay lies. */
    static Path root() {
        Path folder = Paths.get("").toAbsolutePath();
        while (!Files.exists(folder.resolve("replay"))) {
            folder = folder.getParent();
        }
        return folder;
    }

    static List<Path> pages() {
        return sources(".md");
    }

    /** Returns the files of the source tree whose names end so; nothing that a build or a run has made. */
    static List<Path> sources(String ending) {
        return files(root()).filter(file -> file.toString().endsWith(ending)).collect(Collectors.toList());
    }

    private static Stream<Path> files(Path folder) {
        try (Stream<Path> files = Files.list(folder)) {
            return files.sorted().collect(Collectors.toList()).stream().flatMap(TestingDocumentation::filesIn);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static Stream<Path> filesIn(Path file) {
        if (!Files.isDirectory(file)) {
            return Stream.of(file);
        }
        String name = file.getFileName().toString();
        return name.startsWith(".") || PASSED_OVER.contains(name) ? Stream.empty() : files(file);
    }

    /** Asserts that a file is what a test makes; {@code -Ddocs.write} writes it anew. */
    static void assertMade(String name, String made, Class<?> test) throws IOException {
        Path file = root().resolve(name);
        if (System.getProperty("docs.write") != null) {
            Files.writeString(file, made);
        }
        assertEquals(
                made,
                Files.exists(file) ? Files.readString(file) : "",
                name + " is old; write it anew: mvn -o -q -pl cli -am -Dtest=" + test.getSimpleName()
                        + " -Dsurefire.failIfNoSpecifiedTests=false -Ddocs.write test");
    }

    static String read(Path page) {
        try {
            return Files.readString(page);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
