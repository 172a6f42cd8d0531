package dev.lockstep.cli.replay;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.lockstep.cli.TestingCommandLine;
import dev.lockstep.cli.TestingService;
import dev.lockstep.cli.command.ExitCode;
import dev.lockstep.measurement.LoadCounts;
import dev.lockstep.measurement.Pace;
import dev.lockstep.results.Output;
import dev.lockstep.results.RunResult;
import dev.lockstep.results.TargetExit;
import dev.lockstep.results.TargetResult;
import dev.lockstep.results.TargetSchedule;
import dev.lockstep.results.directory.RunDirectoryReader;
import dev.lockstep.run.TestingCapture;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Whole runs against servers that run already; those that start JVMs are in system-tests. */
@Timeout(60)
final class ReplayCommandTest {
    private static final long MS = 1_000_000;

    @TempDir
    private Path folder;

    private TestingService service;
    private final TestingCommandLine line = new TestingCommandLine();

    @BeforeEach
    void startService() throws IOException {
        service = new TestingService();
    }

    @AfterEach
    void stopService() {
        service.close();
    }

    @Test
    void replaysACaptureOnceAtItsRecordedPace() {
        Path capture = TestingCapture.gets(folder.resolve("capture.bin"), 3, 30, 10 * MS);

        int exitCode = run(capture, "--targets", "svc=" + service.address(), "--warmup", "0");

        assertEquals(ExitCode.DONE, exitCode, line.err());
        RunResult result = result();
        assertEquals(Pace.RECORDED, result.plan().pace());
        TargetResult target = result.targets().get(0);
        assertEquals(30, target.counts().get().completed);
        assertEquals(3, target.counts().get().connections);
        assertEquals(
                result.plan().capture().streamSha256(),
                target.streamDigest().get().sha256());
        for (int i = 0; i < 30; i++) {
            assertEquals(1, service.requests("/" + i));
        }
        assertTrue(line.out().contains("Summary:"), line.out());
        assertTrue(line.err().contains("svc: ready at " + service.address()), line.err());
        assertTrue(line.out().contains("\nVALID. Run directory: " + folder.resolve("run") + "\n"), line.out());
    }

    @Test
    void warmsUpBeforeItCounts() {
        Path capture = TestingCapture.gets(folder.resolve("capture.bin"), 1, 5, 10 * MS);

        int exitCode = run(capture, "--targets", "svc=" + service.address(), "--warmup", "300ms");

        assertEquals(ExitCode.DONE, exitCode, line.err());
        assertEquals(5, result().targets().get(0).counts().get().completed);
        assertTrue(service.requests("/0") > 1, "requests of the warm-up");
    }

    @Test
    void sendsAsManyRequestsOverAsManyConnectionsAsHeyWould() {
        Path capture = TestingCapture.gets(folder.resolve("capture.bin"), 3, 7, 10 * MS);

        int exitCode = run(capture, "--targets", "svc=" + service.address(), "--warmup", "0", "-n", "40", "-c", "4");

        assertEquals(ExitCode.DONE, exitCode, line.err());
        RunResult result = result();
        assertEquals(Pace.MAX, result.plan().pace());
        assertEquals(40, result.targets().get(0).counts().get().completed);
        assertEquals(4, result.targets().get(0).counts().get().connections);
    }

    @Test
    void sendsAtAConstantRateForAsLongAsIsAsked() {
        Path capture = TestingCapture.gets(folder.resolve("capture.bin"), 1, 7, 10 * MS);

        int exitCode = run(
                capture,
                "--targets",
                "svc=" + service.address(),
                "--warmup",
                "0",
                "-q",
                "100",
                "-z",
                "500ms",
                "-c",
                "2");

        assertEquals(ExitCode.DONE, exitCode, line.err());
        // What a machine that is a second late has not sent at the end, it counts.
        LoadCounts counts = result().targets().get(0).counts().get();
        assertEquals(50, counts.completed + counts.unsent);
    }

    @Test
    void givesTargetsTheirTurnsAndTheSameRequests() throws IOException {
        Path capture = TestingCapture.gets(folder.resolve("capture.bin"), 2, 40, 10 * MS);
        try (TestingService other = new TestingService()) {
            int exitCode = run(
                    capture,
                    "--targets",
                    "a=" + service.address() + ",b=" + other.address(),
                    "--warmup",
                    "0",
                    "--schedule",
                    "alternate",
                    "--rounds",
                    "4");

            assertEquals(ExitCode.DONE, exitCode, line.err());
            RunResult result = result();
            assertEquals(TargetSchedule.ALTERNATE, result.plan().schedule());
            for (TargetResult target : result.targets()) {
                assertEquals(40, target.counts().get().completed);
                assertEquals(4, target.rounds().getAsInt());
                assertEquals(
                        result.plan().capture().streamSha256(),
                        target.streamDigest().get().sha256());
            }
            List<String> turns = new ArrayList<>();
            for (String text : line.err().split("\n")) {
                if (text.contains(": round ")) {
                    turns.add(text.substring(0, 1));
                }
            }
            assertEquals(List.of("a", "b", "b", "a", "a", "b", "b", "a"), turns);
        }
    }

    @Test
    void printsTheDocumentAloneWhenAskedForJson() throws IOException {
        Path capture = TestingCapture.gets(folder.resolve("capture.bin"), 1, 5, 1 * MS);

        int exitCode = run(capture, "--targets", "svc=" + service.address(), "--warmup", "0", "--json");

        assertEquals(ExitCode.DONE, exitCode, line.err());
        assertEquals(
                Files.readString(folder.resolve("run/run.json")).strip(),
                line.out().strip());
    }

    /** The exit code was all there was to see. */
    @Test
    void saysOnStandardErrorWhichConditionsFailWhereThereIsNoText() throws IOException {
        Path capture = TestingCapture.gets(folder.resolve("capture.bin"), 1, 5, 1 * MS);

        int exitCode = run(
                capture,
                "--targets",
                "svc=" + service.address(),
                "--warmup",
                "0",
                "--json",
                "--assert",
                "svc.errors == 0",
                "--assert",
                "svc.errors >= 0.5");

        assertEquals(ExitCode.FAILED, exitCode, line.err());
        assertTrue(line.err().contains("fails: svc.errors >= 0.5 ("), line.err());
        assertFalse(line.err().contains("svc.errors == 0"), line.err());
    }

    @Test
    void writesALinePerTargetForSpreadsheets() throws IOException {
        Path capture = TestingCapture.gets(folder.resolve("capture.bin"), 1, 5, 1 * MS);

        int exitCode = run(capture, "--targets", "svc=" + service.address(), "--warmup", "0");

        assertEquals(ExitCode.DONE, exitCode, line.err());
        assertTrue(Files.readString(folder.resolve("run/report.html")).contains("streamSha256"));
        List<String> lines = Files.readAllLines(folder.resolve("run/summary.csv"));
        assertEquals(2, lines.size(), lines.toString());
        assertTrue(lines.get(0).startsWith("status,name,"), lines.get(0));
        assertTrue(lines.get(1).startsWith("VALID,svc,"), lines.get(1));
    }

    @Test
    void takesADeathOnceReadyForAResultAndOneBeforeForAFailure() {
        Path capture = TestingCapture.gets(folder.resolve("capture.bin"), 1, 5, 1 * MS);
        run(capture, "--targets", "svc=" + service.address(), "--warmup", "0");
        TargetResult measured = result().targets().get(0);
        TargetResult.Builder ready = TargetResult.builder("svc").startupNs(800 * MS);
        TargetResult.Builder neverReady = TargetResult.builder("svc");

        assertEquals(ExitCode.DONE, ReplayCommand.exitCode(resultOf(measured)));
        assertEquals(
                ExitCode.DONE,
                ReplayCommand.exitCode(resultOf(ready.exit(killed("warm-up")).build())));
        assertEquals(
                ExitCode.FAILED,
                ReplayCommand.exitCode(resultOf(neverReady.exit(killed("start")).build())));
        assertEquals(
                ExitCode.FAILED,
                ReplayCommand.exitCode(
                        resultOf(TargetResult.builder("svc").startupNs(800 * MS).build())));
    }

    private static TargetExit killed(String phase) {
        return TargetExit.builder().exitCode(137).phase(phase).oomKilled(true).build();
    }

    private RunResult resultOf(TargetResult target) {
        RunResult run = result();
        return RunResult.builder(run.plan())
                .startedAt(run.startedAt())
                .finishedAt(run.finishedAt())
                .environment(run.environment())
                .target(target)
                .build();
    }

    @Test
    void refusesToReplaceARunUnlessForced() {
        Path capture = TestingCapture.gets(folder.resolve("capture.bin"), 1, 5, 1 * MS);
        String target = "svc=" + service.address();
        assertEquals(ExitCode.DONE, run(capture, "--targets", target, "--warmup", "0"), line.err());

        assertEquals(ExitCode.FAILED, run(capture, "--targets", target, "--warmup", "0"));
        assertTrue(
                line.err()
                        .endsWith(
                                "replay: " + folder.resolve("run") + ": expected an empty or new directory, found an "
                                        + "earlier run in it; choose another with -o or replace the earlier run with --force\n"),
                line.err());

        assertEquals(ExitCode.DONE, run(capture, "--targets", target, "--warmup", "0", "--force"), line.err());
    }

    @Test
    void saysInvalidWhenItsOwnSendsWereLate() {
        Path capture = TestingCapture.gets(folder.resolve("capture.bin"), 1, 20, 1 * MS);

        int exitCode = run(capture, "--targets", "svc=" + service.address(), "--warmup", "0", "--max-lag", "1ns");

        assertEquals(ExitCode.INVALID, exitCode, line.err());
        assertTrue(line.out().startsWith("INVALID: "), line.out());
    }

    @Test
    void endsEarlyAndPrintsWhatWasMeasuredOnASignal() throws Exception {
        Path capture = TestingCapture.gets(folder.resolve("capture.bin"), 1, 10, 10 * MS);
        CompletableFuture<Integer> exitCode = CompletableFuture.supplyAsync(
                () -> run(capture, "--targets", "svc=" + service.address(), "--warmup", "0", "-q", "100", "-z", "1h"));
        while (service.requests("/9") < 2) {
            assertFalse(exitCode.isDone(), line.err());
            TimeUnit.MILLISECONDS.sleep(5);
        }

        line.interruption().request();

        assertEquals(ExitCode.DONE, exitCode.get(), line.err());
        assertTrue(result().interrupted());
        assertTrue(result().targets().get(0).counts().get().completed >= 20);
        TestingCommandLine help = new TestingCommandLine();
        help.execute("--help");
        assertTrue(help.out().replaceAll("\\s+", " ").contains("ended early (Ctrl-C) with figures"), help.out());
    }

    @Test
    void publishesMetricsWhileItRuns() throws Exception {
        Path capture = TestingCapture.gets(folder.resolve("capture.bin"), 1, 10, 10 * MS);
        String target = "svc=" + service.address();
        CompletableFuture<Integer> exitCode = CompletableFuture.supplyAsync(
                () -> run(capture, "--targets", target, "--warmup", "0", "-q", "100", "-z", "1h", "--metrics", "0"));
        String page = "";
        while (!page.contains("lockstep_target_completed_requests_total{target=\"svc\"} ")) {
            assertFalse(exitCode.isDone(), line.err());
            TimeUnit.MILLISECONDS.sleep(5);
            Matcher url = Pattern.compile("metrics: (http://127\\.0\\.0\\.1:\\d+/metrics)\\R")
                    .matcher(line.err());
            if (url.find()) {
                HttpRequest request =
                        HttpRequest.newBuilder(URI.create(url.group(1))).build();
                page = HttpClient.newHttpClient()
                        .send(request, HttpResponse.BodyHandlers.ofString())
                        .body();
            }
        }
        line.interruption().request();

        assertEquals(ExitCode.DONE, exitCode.get(), line.err());
        assertTrue(page.contains("lockstep_run_planned_measurement_seconds 3600.0\n"), page);
    }

    @Test
    void endsWithoutAResultOnASignalDuringWarmUp() throws Exception {
        Path capture = TestingCapture.gets(folder.resolve("capture.bin"), 1, 10, 10 * MS);
        CompletableFuture<Integer> exitCode = CompletableFuture.supplyAsync(
                () -> run(capture, "--targets", "svc=" + service.address(), "--warmup", "1h", "-q", "100"));
        while (service.requests("/9") < 1) {
            assertFalse(exitCode.isDone(), line.err());
            TimeUnit.MILLISECONDS.sleep(5);
        }

        line.interruption().request();

        assertEquals(ExitCode.FAILED, exitCode.get());
        assertTrue(line.err().endsWith("replay: ended before anything was measured\n"), line.err());
        assertFalse(Files.exists(folder.resolve("run/run.json")));
    }

    @Test
    void writesThePageOfARunWhoseTargetDiedWhileItStarted() throws IOException {
        Path capture = TestingCapture.gets(folder.resolve("capture.bin"), 1, 5, 1 * MS);
        Path targets = folder.resolve("targets.yaml");
        Files.writeString(targets, "targets:\n  - name: dies\n    command: [sh, -c, 'exit 3 # {port}']\n");

        int exitCode = run(capture, "--targets-file", targets.toString(), "--warmup", "0");

        assertEquals(ExitCode.FAILED, exitCode);
        String last = line.err().substring(line.err().lastIndexOf("target dies: "));
        assertTrue(last.startsWith("target dies: it ended before it was ready with exit code 3"), line.err());
        assertFalse(last.contains("replay: "), line.err());
        assertTrue(Files.exists(folder.resolve("run/report.html")));
    }

    @Test
    void tellsThatATargetDoesNotAnswer() throws IOException {
        Path capture = TestingCapture.gets(folder.resolve("capture.bin"), 1, 5, 1 * MS);
        try (Socket unused = new Socket()) {
            // Nobody listens on it, and nobody else is given it while it is bound.
            unused.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
            String address = "127.0.0.1:" + unused.getLocalPort();

            int exitCode = run(capture, "--targets", "svc=" + address, "--warmup", "0", "--ready-timeout", "200ms");

            assertEquals(ExitCode.FAILED, exitCode);
            String last = line.err().substring(line.err().lastIndexOf("replay: "));
            assertTrue(last.contains("svc") && last.contains(address) && last.contains("--ready-timeout"), line.err());
            assertTrue(
                    line.err()
                            .contains("\nsvc: waiting for " + address + " to answer, for 200 ms at most"
                                    + " (--ready-timeout)\nsvc: not there yet (connection refused); waiting for it to"
                                    + " answer, for 200 ms at most (--ready-timeout)\n"),
                    line.err());
        }
        assertEquals("", line.out());
        assertFalse(Files.exists(folder.resolve("run")), "nothing is left of a run that did not begin");
    }

    @Test
    void tellsWhatIsWrongWithTheCaptureBeforeAnythingStarts() throws IOException {
        Path foreign = Files.writeString(folder.resolve("foreign.bin"), "GET / HTTP/1.1\r\n\r\n");
        Path empty = Files.createFile(folder.resolve("empty.bin"));
        Path missing = folder.resolve("missing.bin");

        for (Path capture : List.of(foreign, empty, missing)) {
            TestingCommandLine attempt = new TestingCommandLine();
            int exitCode = attempt.execute(
                    "--targets",
                    "svc=" + service.address(),
                    "-o",
                    folder.resolve("run").toString(),
                    capture.toString());

            assertEquals(ExitCode.FAILED, exitCode);
            assertTrue(attempt.err().startsWith("replay: " + capture), attempt.err());
            assertEquals(1, attempt.err().lines().count(), attempt.err());
            assertFalse(Files.exists(folder.resolve("run")));
        }
    }

    @Test
    void refusesToSendOverAPoolWhatIsNoRequest() {
        Path capture = TestingCapture.stream(folder.resolve("capture.bin"), "hello");

        int exitCode = run(capture, "--targets", "svc=" + service.address(), "-c", "2");

        assertEquals(ExitCode.FAILED, exitCode);
        assertEquals(
                "replay: " + capture + ": expected complete requests to send over a pool, found none, but 5 bytes of"
                        + " opaque on 1 connection; leave -c and --pace out, and the recorded connections are replayed",
                line.err().strip());
        assertFalse(Files.exists(folder.resolve("run")));
    }

    @Test
    void replaysStreamsOnTheirRecordedConnections() {
        Path capture = TestingCapture.stream(folder.resolve("capture.bin"), "hello");

        int exitCode = run(capture, "--targets", "svc=" + service.address(), "--warmup", "0");

        assertEquals(ExitCode.DONE, exitCode, line.err());
        assertTrue(
                line.err().contains(capture + ": 5 bytes of opaque on 1 connection, in 0 ms; pace recorded"),
                line.err());
        assertEquals(5, result().targets().get(0).counts().orElseThrow().opaqueBytesSent);
    }

    @Test
    void keepsTheCommandThatAsksForTheSameRunWithoutSecrets() {
        Path capture = TestingCapture.gets(folder.resolve("capture.bin"), 1, 5, 1 * MS);
        String target = "svc=" + service.address();

        int exitCode = run(
                capture,
                "--targets=" + target,
                "--warmup=0",
                "--set-header=Authorization: Bearer secret",
                "--set-header",
                "X-Trace:",
                "--output",
                "short");

        assertEquals(ExitCode.DONE, exitCode, line.err());
        assertEquals(
                List.of(
                        "replay",
                        "--targets",
                        target,
                        "--warmup",
                        "0",
                        "-H",
                        "Authorization: ***",
                        "-H",
                        "X-Trace:",
                        "--max-lag",
                        "10s",
                        capture.toString()),
                result().plan().command());
        assertEquals(Optional.of(Output.SHORT), result().plan().output());
        assertFalse(line.out().contains("Summary:"), line.out());
        assertTrue(line.out().contains("\n  replay report --output full " + folder.resolve("run")), line.out());
    }

    @Test
    void sendsTheTokenThatACommandPrintsAndTellsNobody() throws Exception {
        Path capture = TestingCapture.gets(folder.resolve("capture.bin"), 1, 5, 1 * MS);

        int exitCode =
                run(capture, "--targets=svc=" + service.address(), "--warmup=0", "--token-command", "echo very-secret");

        assertEquals(ExitCode.DONE, exitCode, line.err());
        assertEquals(List.of("--token-command ***"), result().plan().rewrites());
        assertEquals(
                result().plan().capture().requests(),
                result().targets().get(0).rewrites().get(0).requests());
        assertTrue(result().plan().command().containsAll(List.of("--token-command", "***")));
        try (Stream<Path> files = Files.walk(folder.resolve("run"))) {
            for (Path file : files.filter(Files::isRegularFile).collect(Collectors.toList())) {
                assertFalse(
                        new String(Files.readAllBytes(file), StandardCharsets.ISO_8859_1).contains("very-secret"),
                        file::toString);
            }
        }
        assertFalse((line.out() + line.err()).contains("very-secret"));
    }

    @Test
    void failsInOneLineWhereACommandPrintsNoToken() {
        String capture =
                TestingCapture.gets(folder.resolve("capture.bin"), 1, 5, 1 * MS).toString();
        String target = "--targets=svc=" + service.address();

        assertEquals(ExitCode.FAILED, line.execute(target, "--token-command", "exit 7", capture));
        assertTrue(
                line.err()
                        .contains(
                                "--token-command: expected a token, found that the command failed with exit status 7\n"),
                line.err());
        assertEquals(ExitCode.USAGE, line.execute(target, "--token-every", "5m", capture));
    }

    /** A busy machine may make sends late, which is not what these tests are about unless they say so. */
    private int run(Path capture, String... args) {
        List<String> all = new ArrayList<>(List.of(args));
        if (!all.contains("--max-lag")) {
            all.addAll(List.of("--max-lag", "10s"));
        }
        all.addAll(List.of("-o", folder.resolve("run").toString(), capture.toString()));
        int exitCode = line.execute(all.toArray(new String[0]));
        line.assertReportPrintsTheSame(folder.resolve("run"), all.contains("--json"));
        return exitCode;
    }

    private RunResult result() {
        return RunDirectoryReader.read(folder.resolve("run"));
    }
}
