package dev.lockstep.systemtests;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;

import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** A run of {@code ./replay} as a process of its own, as a user starts it. */
final class Replay implements AutoCloseable {
    static final Path ROOT =
            Path.of(System.getProperty("lockstep.root")).toAbsolutePath().normalize();
    static final Path SAMPLE = ROOT.resolve("samples/users.bin");

    /**
     * Of Lockstep's own JVM: as with the tests', what lives for seconds pays for C2 and gets nothing back, nor does
     * what times nothing from a second in which it warms itself up.
     */
    static final Map<String, String> ENVIRONMENT =
            Map.of("LOCKSTEP_JAVA_OPTS", "-XX:TieredStopAtLevel=1 -Dlockstep.selfWarmUpMs=20");

    private static final long LONGEST_RUN_S = 180;
    /** A variable of the environment, which all that a run starts inherits. */
    private static final String MARK = "LOCKSTEP_TEST_RUN";

    private final String mark;
    private final Process process;
    private final Path stdout;
    private final Path stderr;

    private Replay(String mark, Process process, Path stdout, Path stderr) {
        this.mark = mark;
        this.process = process;
        this.stdout = stdout;
        this.stderr = stderr;
    }

    /** The directory is its working directory. */
    static Replay start(Path directory, String... arguments) throws IOException {
        List<String> command = new ArrayList<>(List.of(ROOT.resolve("replay").toString()));
        command.addAll(List.of(arguments));
        Path stdout = Files.createTempFile(directory, "stdout", ".txt");
        Path stderr = Files.createTempFile(directory, "stderr", ".txt");
        String mark = MARK + "=" + UUID.randomUUID();
        ProcessBuilder builder = new ProcessBuilder(command)
                .directory(directory.toFile())
                .redirectOutput(stdout.toFile())
                .redirectError(stderr.toFile());
        builder.environment().put(MARK, mark.substring(MARK.length() + 1));
        builder.environment().putAll(ENVIRONMENT);
        return new Replay(mark, builder.start(), stdout, stderr);
    }

    /** Starts it and waits for its end. */
    static Replay run(Path directory, String... arguments) throws IOException, InterruptedException {
        Replay replay = start(directory, arguments);
        replay.exitCode();
        return replay;
    }

    int exitCode() throws InterruptedException {
        return exitCode(LONGEST_RUN_S);
    }

    int exitCode(long longestS) throws InterruptedException {
        if (!process.waitFor(longestS, TimeUnit.SECONDS)) {
            process.destroyForcibly();
            fail("not done after " + longestS + " s: " + this);
        }
        return process.exitValue();
    }

    long pid() {
        return process.pid();
    }

    boolean isAlive() {
        return process.isAlive();
    }

    String stdout() throws IOException {
        return Files.readString(stdout);
    }

    String stderr() throws IOException {
        return Files.readString(stderr);
    }

    /** Standard output, which must be one JSON document. */
    JsonNode json() throws IOException {
        return new ObjectMapper()
                .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
                .readTree(stdout());
    }

    /** Waits until standard error holds the text. */
    void awaitStderr(String text) throws Exception {
        await(() -> {
            try {
                return stderr().contains(text) || !isAlive();
            } catch (IOException e) {
                throw new AssertionError(e);
            }
        });
        assertTrue(stderr().contains(text), "ended before it said \"" + text + "\": " + this);
    }

    /** Sends a signal such as INT or KILL to this process, not to its group. */
    void signal(String name) throws Exception {
        Replay.signal(pid(), name);
    }

    static void signal(long pid, String name) throws Exception {
        Process kill = new ProcessBuilder("kill", "-" + name, Long.toString(pid)).start();
        assertEquals(0, kill.waitFor());
    }

    /** Expects the exit code and one line on standard error with all of the words. */
    void assertRefused(int exitCode, String... words) throws Exception {
        assertEquals(exitCode, exitCode(), toString());
        List<String> lines = stderr().lines().filter(line -> !line.isBlank()).collect(Collectors.toList());
        assertEquals(1, lines.size(), "one line expected: " + this);
        for (String word : words) {
            assertTrue(lines.get(0).contains(word), "\"" + word + "\" expected in: " + lines.get(0));
        }
        assertEquals("", stdout(), toString());
    }

    static void await(BooleanSupplier condition) throws InterruptedException {
        long endNs = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() > endNs) {
                fail("waited 60 s in vain");
            }
            TimeUnit.MILLISECONDS.sleep(20);
        }
    }

    /** What this run started and what still lives, itself among it, each as pid and command line. */
    private List<String> processes() {
        return ProcessHandle.allProcesses()
                .filter(handle -> environment(handle.pid()).contains(mark))
                .map(handle -> handle.pid() + " " + handle.info().commandLine().orElse(""))
                .collect(Collectors.toList());
    }

    /** As the process was started with; empty where it has just ended or is somebody else's. */
    private static List<String> environment(long pid) {
        try {
            return List.of(Files.readString(Path.of("/proc/" + pid + "/environ"), StandardCharsets.ISO_8859_1)
                    .split("\0"));
        } catch (IOException e) {
            return List.of();
        }
    }

    /** Control groups that this run left behind. */
    List<Path> controlGroups() throws IOException {
        Path mount = Path.of("/sys/fs/cgroup");
        if (!Files.isDirectory(mount)) {
            return List.of();
        }
        try (Stream<Path> paths = Files.walk(mount, 8)) {
            return paths.filter(path -> path.getFileName().toString().startsWith("lockstep-" + pid() + "."))
                    .collect(Collectors.toList());
        } catch (UncheckedIOException e) {
            // A group of another process was removed during the walk.
            return controlGroups();
        }
    }

    void assertNothingLeft() throws Exception {
        await(() -> processes().isEmpty());
        assertEquals(List.of(), controlGroups());
    }

    @Override
    public String toString() {
        try {
            return "exit " + (isAlive() ? "none yet" : process.exitValue()) + "\n--- stdout\n" + stdout()
                    + "\n--- stderr\n" + stderr();
        } catch (IOException e) {
            return e.toString();
        }
    }

    /** Kills the process if it still runs. */
    @Override
    public void close() {
        process.destroyForcibly();
    }
}
