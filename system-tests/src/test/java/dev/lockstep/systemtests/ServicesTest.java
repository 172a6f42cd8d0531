package dev.lockstep.systemtests;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.lockstep.cli.TestingCommandLine;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The services of docs/services.md take what was recorded from real clients, without an error. */
@Tag("full")
final class ServicesTest {
    private static final Path TWEETS = Replay.ROOT.resolve("samples/tweets.yaml");
    private static final Path FINAGLE = Replay.ROOT.resolve("services/finagle/target/lockstep/lib");
    private static final Path ECHO = Replay.ROOT.resolve("services/echo/target/lockstep");
    private static final long LONGEST_S = 120;

    @TempDir
    Path directory;

    private final List<Process> processes = new ArrayList<>();

    @AfterEach
    void stop() {
        processes.forEach(Process::destroyForcibly);
    }

    @Test
    void libthriftAndFinagleAnswerTheSampleAlike() throws Exception {
        JsonNode run = replay(
                List.of("--targets-file", TWEETS.toString(), "--targets", "c2,finagle-c2"),
                Replay.ROOT.resolve("samples/tweets.bin"),
                "--compare",
                "-n",
                "150",
                "-q",
                "50");

        assertNoErrors(run, 2);
        JsonNode comparison = run.path("targets").path(1).path("comparison");
        assertTrue(comparison.path("compared").asLong() > 0, comparison.toString());
        assertEquals(0, comparison.path("different").asLong(), comparison.toString());
    }

    @Test
    void finagleAnswersWhatItsOwnClientSent() throws Exception {
        java("-jar", FINAGLE.resolve("lockstep-finagle-0.1.0.jar").toString(), "--port", "0");
        int server = awaitPort(() -> Files.readString(out(0)), "://");
        for (String protocol : new String[] {"ttwitter", "thriftmux"}) {
            Path capture = directory.resolve(protocol + ".bin");
            record(server, protocol, capture);

            // The server that is up: a Finagle of its own takes seconds to start.
            assertNoErrors(replay(List.of("--targets", "finagle=127.0.0.1:" + server), capture), 1);
        }
    }

    /** Records what a Finagle client sends to the server. */
    private void record(int server, String protocol, Path capture) throws Exception {
        try (Replay recorder = Replay.start(
                directory,
                "record",
                "--listen",
                "127.0.0.1:0",
                "--upstream",
                "127.0.0.1:" + server,
                "-o",
                capture.toString())) {
            int listen = awaitPort(recorder::stderr, "Recording ");
            assertDone(java(
                    "-cp",
                    FINAGLE + "/*",
                    "dev.lockstep.finagle.FinagleClient",
                    "--port",
                    Integer.toString(listen),
                    "--protocol",
                    protocol,
                    "--seconds",
                    "1",
                    "--sessions",
                    "4"));
            recorder.signal("TERM");
            recorder.exitCode();
        }
    }

    @Test
    void everyNettySendsBackTheMadeCapture() throws Exception {
        Path capture = directory.resolve("echo.bin");
        assertDone(java(
                "-cp",
                ECHO + "/lockstep-echo-0.1.0.jar:" + ECHO + "/capture/*",
                "dev.lockstep.echo.EchoCapture",
                "--out",
                capture.toString(),
                "--connections",
                "100",
                "--messages",
                "10",
                "--rate",
                "1000"));

        List<String> targets = List.of(
                "--targets-file",
                Replay.ROOT.resolve("samples/echo.yaml").toString(),
                "--targets",
                "netty3,netty4-unpooled,netty4-pooled,netty42-adaptive");
        assertNoErrors(replay(targets, capture, "--compare"), 4);
    }

    /** Replays to targets, the first of which is the baseline, and returns run.json. */
    private JsonNode replay(List<String> targets, Path capture, String... more) throws Exception {
        Path run = directory.resolve("run");
        List<String> arguments = new ArrayList<>(targets);
        arguments.addAll(List.of("--warmup", "0", "--allow-writes", "--force", "-o", run.toString()));
        arguments.addAll(List.of(more));
        arguments.add(capture.toString());
        // In this JVM: what is looked at are the services.
        TestingCommandLine line = new TestingCommandLine();
        line.execute(arguments.toArray(new String[0]));
        assertTrue(Files.exists(run.resolve("run.json")), line::err);
        return new ObjectMapper().readTree(run.resolve("run.json").toFile());
    }

    private static void assertNoErrors(JsonNode run, int targets) {
        assertEquals(targets, run.path("targets").size());
        for (JsonNode target : run.path("targets")) {
            assertTrue(target.path("completed").asLong() > 0, target.toString());
            assertEquals(target.path("sent").asLong(), target.path("completed").asLong(), target.toString());
            assertEquals(0, target.path("errors").size(), target.toString());
        }
    }

    /** Starts a program on this JVM; what it prints goes to a file. */
    private Process java(String... arguments) throws IOException {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(List.of("-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"));
        command.addAll(List.of(arguments));
        Process process = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(out(processes.size()).toFile())
                .start();
        processes.add(process);
        return process;
    }

    private void assertDone(Process program) throws Exception {
        assertTrue(program.waitFor(LONGEST_S, TimeUnit.SECONDS));
        assertEquals(0, program.exitValue(), Files.readString(out(processes.indexOf(program))));
    }

    private Path out(int process) {
        return directory.resolve("out" + process + ".txt");
    }

    /** Waits for the port in what a server prints. */
    private static int awaitPort(Callable<String> output, String before) throws Exception {
        Pattern address = Pattern.compile(before + "127\\.0\\.0\\.1:(\\d+)");
        AtomicInteger port = new AtomicInteger();
        Replay.await(() -> {
            try {
                Matcher found = address.matcher(output.call());
                return found.find() && port.addAndGet(Integer.parseInt(found.group(1))) > 0;
            } catch (Exception e) {
                throw new AssertionError(e);
            }
        });
        return port.get();
    }
}
