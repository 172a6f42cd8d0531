package dev.lockstep.fuzzing;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.fail;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Runs the kept corpus through every parser in each build. Jazzer looks for more, four parsers at a time, where
 * "fuzz.seconds" gives it a minute or more ({@code mvn verify -Pfull -pl fuzzing -am -Dfuzz.seconds=600}); in less it
 * only shows on two parsers that this works. What it finds that is new stays under target/fuzz and is copied to the
 * corpus by hand.
 */
class FuzzTest {
    private static final Path CORPUS = Path.of(System.getProperty("lockstep.fuzz.corpus"));
    private static final Path WORK = Path.of(System.getProperty("lockstep.fuzz.work"));
    private static final int SECONDS = Integer.parseInt(System.getProperty("lockstep.fuzz.seconds"));
    private static final String ONLY = System.getProperty("lockstep.fuzz.only");
    private static final int PROCESSES = 4;
    private static final int START_AND_END_SECONDS = 300;
    private static final int SHORTEST_SEARCH_SECONDS = 60;
    /** Each of them takes longer to start than to run for a second. */
    private static final Set<FuzzTargets> OF_EACH_BUILD = EnumSet.of(FuzzTargets.THRIFT, FuzzTargets.REDACTION);

    @ParameterizedTest
    @EnumSource(FuzzTargets.class)
    void survivesTheCorpus(FuzzTargets target) throws Exception {
        List<Path> inputs = corpus(target);
        if (inputs.isEmpty()) {
            fail("no corpus in " + CORPUS.resolve(target.folder()));
        }
        for (Path input : inputs) {
            try {
                target.parse(Files.readAllBytes(input));
            } catch (Throwable t) {
                fail(target + " fails on " + input, t);
            }
        }
        target.parse(new byte[0]);
    }

    @Test
    @Tag("full")
    void findsNothingNew() throws Exception {
        ExecutorService runners = Executors.newFixedThreadPool(PROCESSES);
        try {
            List<Future<?>> runs = new ArrayList<>();
            for (FuzzTargets target : FuzzTargets.all()) {
                if (SECONDS > 0 && isLookedAt(target)) {
                    runs.add(runners.submit(() -> fuzz(target)));
                }
            }
            for (Future<?> run : runs) {
                run.get();
            }
        } finally {
            runners.shutdownNow();
        }
    }

    private static boolean isLookedAt(FuzzTargets target) {
        return ONLY == null
                ? SECONDS >= SHORTEST_SEARCH_SECONDS || OF_EACH_BUILD.contains(target)
                : ONLY.equals(target.name());
    }

    private static Void fuzz(FuzzTargets target) throws IOException, InterruptedException {
        Path folder = WORK.resolve(target.folder());
        Path found = Files.createDirectories(folder.resolve("found"));
        Path log = folder.resolve("log.txt");
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx256m",
                "-XX:MaxDirectMemorySize=64m",
                "-Dlockstep.fuzz.target=" + target.name(),
                "-Dlockstep.testData=" + System.getProperty("lockstep.testData")));
        if (SECONDS < SHORTEST_SEARCH_SECONDS) {
            // What runs for a second is slower for the time that C2 takes to compile it.
            command.add("-XX:TieredStopAtLevel=1");
        }
        if (Runtime.version().feature() >= 21) {
            command.add("-XX:+EnableDynamicAgentLoading");
        }
        command.addAll(List.of(
                "-cp",
                System.getProperty("java.class.path"),
                "com.code_intelligence.jazzer.Jazzer",
                "--target_class=" + JazzerTarget.class.getName(),
                "--instrumentation_includes=dev.lockstep.**",
                "--custom_hook_includes=dev.lockstep.**",
                "--reproducer_path=" + folder,
                "-artifact_prefix=" + folder + "/",
                "-max_total_time=" + SECONDS,
                "-timeout=60",
                "-rss_limit_mb=2048",
                // A build goes the same way each time, so that chance does not fail it; a search goes another one (0).
                "-seed=" + (SECONDS < SHORTEST_SEARCH_SECONDS ? 1 : 0),
                "-print_final_stats=1",
                found.toString(),
                CORPUS.resolve(target.folder()).toString()));
        Process process = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(log.toFile())
                .start();
        try {
            if (!process.waitFor(SECONDS + START_AND_END_SECONDS, TimeUnit.SECONDS)) {
                fail(target + " did not end; see " + log);
            }
            assertEquals(0, process.exitValue(), () -> target + " failed; see " + log + ":\n" + tail(log));
        } finally {
            process.destroyForcibly();
        }
        return null;
    }

    private static String tail(Path log) {
        try {
            List<String> lines = Files.readAllLines(log, java.nio.charset.StandardCharsets.ISO_8859_1);
            return String.join("\n", lines.subList(Math.max(0, lines.size() - 40), lines.size()));
        } catch (IOException e) {
            return e.toString();
        }
    }

    private static List<Path> corpus(FuzzTargets target) throws IOException {
        Path folder = CORPUS.resolve(target.folder());
        if (!Files.isDirectory(folder)) {
            return List.of();
        }
        try (Stream<Path> files = Files.list(folder)) {
            return files.sorted().collect(java.util.stream.Collectors.toList());
        }
    }
}
