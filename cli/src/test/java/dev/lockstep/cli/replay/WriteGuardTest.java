package dev.lockstep.cli.replay;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.lockstep.capture.Capture;
import dev.lockstep.capture.CaptureOptions;
import dev.lockstep.capture.CaptureWriter;
import dev.lockstep.capture.CloseReason;
import dev.lockstep.capture.Protocol;
import dev.lockstep.capture.RecordFlags;
import dev.lockstep.cli.TestingCommandLine;
import dev.lockstep.cli.TestingService;
import dev.lockstep.cli.command.ExitCode;
import dev.lockstep.launcher.TargetSpec;
import dev.lockstep.results.RunPlan;
import dev.lockstep.run.RequestCensus;
import dev.lockstep.run.WriteGuard;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The addresses are those of RFC 5737, which lead nowhere. */
final class WriteGuardTest {
    private static final InetSocketAddress ANY = new InetSocketAddress(InetAddress.getLoopbackAddress(), 40000);
    private static final long SECOND = 1_000_000_000;

    @TempDir
    private Path folder;

    private final TestingCommandLine line = new TestingCommandLine();

    @Test
    void refusesWhatMayChangeSomethingElsewhere() {
        Path capture = capture(Protocol.HTTP1, "192.0.2.2:80", "POST /a", "GET /b", "PUT /c", "POST /d");

        assertEquals(ExitCode.USAGE, replay(capture, "--targets", "prod=192.0.2.1:80"));

        assertEquals(
                "replay: " + capture
                        + ": 3 requests (POST 2, PUT 1) may change something at prod (192.0.2.1:80), which is"
                        + " neither on loopback nor started by Lockstep; add --allow-writes if they may, or keep the others"
                        + " with: replay filter --method GET,HEAD " + capture + " -o reads.bin; see replay --help",
                line.err().strip());
        assertFalse(Files.exists(folder.resolve("run")));
    }

    @Test
    void namesTheRecordedServiceItself() {
        Path capture = capture(Protocol.HTTP1, "192.0.2.1:80", "DELETE /a");

        assertEquals(ExitCode.USAGE, replay(capture, "--targets", "a=127.0.0.1:80,prod=192.0.2.1:80"));

        assertTrue(
                line.err().contains("at prod (192.0.2.1:80, the recorded service itself), which is neither"),
                line.err());
    }

    @Test
    void takesEveryThriftCallForAChange() {
        Path capture = capture(Protocol.THRIFT_FRAMED_JSON, null, "GET /a");

        try (Capture opened = Capture.open(capture)) {
            RequestCensus census = RequestCensus.of(opened, true);
            assertTrue(census.mayChange());
            assertTrue(census.describeChanging().startsWith("1 request ("), census.describeChanging());
        }
    }

    @Test
    void takesNoOffenceAtReadsOrAtLoopback() {
        Path reads = capture(Protocol.HTTP1, null, "GET /a", "HEAD /b", "OPTIONS /c", "TRACE /d");
        assertEquals(ExitCode.DONE, replay(reads, "--targets", "prod=192.0.2.1:80", "--dry-run"), line.err());
        assertFalse(line.out().contains("refused"), line.out());

        for (String local : new String[] {"127.0.0.1:80", "127.8.9.10:80", "[::1]:80", "localhost:80", "c2"}) {
            assertFalse(WriteGuard.isElsewhere(TargetSpec.parse(local, Map.of())), local);
        }
        for (String other :
                new String[] {"192.0.2.1:80", "[2001:db8::1]:80", "0.0.0.0:80", "no-such-host.invalid:80"}) {
            assertTrue(WriteGuard.isElsewhere(TargetSpec.parse(other, Map.of())), other);
        }
    }

    @Test
    void saysWhatWouldBeSentAndSendsNothing() throws IOException {
        Path capture = capture(Protocol.HTTP1, null, "POST /a", "GET /b", "GET /c");
        try (TestingService service = new TestingService()) {
            int exitCode = replay(
                    capture,
                    "--targets",
                    "svc=" + service.address() + ",prod=https://192.0.2.1",
                    "--dry-run",
                    "-q",
                    "3",
                    "--rounds",
                    "2");

            assertEquals(ExitCode.DONE, exitCode, line.err());
            assertEquals(0, service.requests("/a"));
            assertEquals(
                    String.join(
                            "\n",
                            "Dry run: nothing is sent.",
                            "Capture: " + capture + ", 3 requests on 1 connection in 2.0 s",
                            "  Protocols: http/1 3",
                            "  Methods: GET 2, POST 1",
                            "  Hosts: test 3",
                            "  May change something: 1 request (POST 1)",
                            "Each target: 3 requests at pace 3/s over 50 connections, 1.0 s long, after a warm-up of 10.0 s"
                                    + " with the same requests, in turns of 2 rounds",
                            "The whole run: about 22.0 s",
                            "Target svc: the server at " + service.address() + ", on loopback",
                            "Target prod: the server at 192.0.2.1:443 with TLS"),
                    unwrapped(line.out()).substring(0, unwrapped(line.out()).indexOf("\nWould be refused: ")));
            assertFalse(Files.exists(folder.resolve("run")));
        }
    }

    /** Joins lines that were cut to 80 columns; rows of a name and a value have their own indent. */
    private static String unwrapped(String text) {
        assertTrue(
                text.lines()
                        .allMatch(each -> each.length() <= 80 || !each.strip().contains(" ")),
                text);
        return text.replaceAll("\n  (?![A-Z][A-Za-z ]*: )", " ");
    }

    /** Two JVMs that differ in nothing else looked alike. */
    @Test
    void aDryRunSaysWhichJvmsAreCompared() {
        Path capture = capture(Protocol.HTTP1, null, "GET /a");
        String many = "a=-Da=" + "x".repeat(100) + " -Xss1m";

        assertEquals(
                ExitCode.DONE,
                replay(
                        capture,
                        "--targets",
                        "a=c2@17,b=c2@25",
                        "--dry-run",
                        "--memory",
                        "512m",
                        "--jvm-options",
                        many,
                        "--jvm-options",
                        "b=-Xss2m"),
                line.err());

        assertTrue(
                unwrapped(line.out())
                        .contains("\nTarget a: started by this run, profile c2, JDK 17, 2 JVM options, memory cap"
                                + " 512m\nTarget b: started by this run, profile c2, JDK 25, JVM options -Xss2m,"
                                + " memory cap 512m\n"),
                line.out());
    }

    @Test
    void aDryRunCountsBlocksOfServersThatRunAlready() {
        Path capture = capture(Protocol.HTTP1, null, "GET /a");

        assertEquals(
                ExitCode.DONE,
                replay(capture, "--targets", "p=127.0.0.1:9,q=127.0.0.1:10", "--dry-run", "--verdict"),
                line.err());

        assertTrue(unwrapped(line.out()).contains(", in each of at most 12 blocks\n"), line.out());
    }

    @Test
    void aDryRunSaysThatASoakIsTooShort() {
        Path capture = capture(Protocol.HTTP1, null, "GET /a");

        assertEquals(
                ExitCode.DONE, replay(capture, "--targets", "p=127.0.0.1:9", "--dry-run", "--soak", "3m"), line.err());

        assertTrue(
                unwrapped(line.out())
                        .contains("\nNote: a soak of 3 min 0 s is too short to look for leaks and drifts: "),
                line.out());
    }

    @Test
    void saysWhoIsProfiledAndCountsTheTimeOfIt() {
        Path capture = capture(Protocol.HTTP1, null, "GET /a");
        String args = "--targets c2,graal,p=127.0.0.1:9 --schedule together --dry-run -q 3 -z 5s --warmup 2s --profile"
                + " --profile-duration 7s";

        assertEquals(ExitCode.DONE, replay(capture, args.split(" ")), line.err());

        assertTrue(
                unwrapped(line.out())
                        .contains("\nAfter the run, each started once more and profiled for 7.0 s, after a warm-up of"
                                + " 2.0 s: c2, graal\nThe whole run: about 37.0 s\n"),
                line.out());
    }

    /** A comma stood before the colon. */
    @Test
    void saysHowThoseAreWarmedUpThatAreProfiled() {
        Path capture = capture(Protocol.HTTP1, null, "GET /a");
        String args = "--targets c2,graal --dry-run -q 3 -z 5s --profile --warmup-pace";

        for (String pace : List.of("max", "recorded")) {
            assertEquals(ExitCode.DONE, replay(capture, (args + " " + pace).split(" ")), line.err());
        }

        String out = unwrapped(line.out());
        String before = "profiled for 10.0 s, after a warm-up until it is steady, for ";
        assertTrue(out.contains(before + "38.0 s at most, first as fast as it answers: c2, graal\n"), out);
        assertTrue(out.contains(before + "5 min 0 s at most: c2, graal\n"), out);
    }

    @Test
    void saysTheSameAsJson() throws IOException {
        Path capture = capture(Protocol.HTTP1, null, "POST /a", "GET /b", "GET /c");

        assertEquals(
                ExitCode.DONE,
                replay(capture, "--targets", "prod=192.0.2.1:80", "--dry-run", "--json", "-q", "3"),
                line.err());

        String out = line.out();
        int census = out.indexOf(",\n  \"census\": ");
        assertTrue(out.startsWith("{\n  \"plan\": {\n"), out);
        RunPlan plan = RunPlan.fromJson(out.substring("{\n  \"plan\": ".length(), census));
        assertEquals("192.0.2.1:80", plan.targets().get(0).address().orElseThrow());
        assertEquals("3/s", plan.pace().toString());
        String refusal =
                capture + ": 1 request (POST 1) may change something at prod (192.0.2.1:80), which is neither on"
                        + " loopback nor started by Lockstep; add --allow-writes if they may, or keep the others with: replay"
                        + " filter --method GET,HEAD " + capture + " -o reads.bin";
        assertEquals(
                String.join(
                        "\n",
                        ",",
                        "  \"census\": {",
                        "    \"requests\": 3,",
                        "    \"protocols\": {",
                        "      \"http/1\": 3",
                        "    },",
                        "    \"methods\": {",
                        "      \"GET\": 2,",
                        "      \"POST\": 1",
                        "    },",
                        "    \"hosts\": {",
                        "      \"test\": 3",
                        "    },",
                        "    \"changing\": {",
                        "      \"POST\": 1",
                        "    },",
                        "    \"opaqueBytes\": 0",
                        "  },",
                        "  \"guard\": {",
                        "    \"refused\": true,",
                        "    \"reason\": \"" + refusal + "\"",
                        "  }",
                        "}",
                        ""),
                out.substring(census));
    }

    @Test
    void showsNoPasswordOfARequestToAProxy() throws IOException {
        Path capture = capture(Protocol.HTTP1, null, "GET http://ada:secret@shop.test:81/a");

        assertEquals(ExitCode.DONE, replay(capture, "--targets", "prod=192.0.2.1:80", "--dry-run"), line.err());
        assertTrue(line.out().contains("Hosts: shop.test:81 1"), line.out());
        assertFalse(line.out().contains("secret"), line.out());
    }

    @Test
    void remembersThatWritesWereAllowed() throws IOException {
        Path capture = capture(Protocol.HTTP1, null, "POST /a");

        assertEquals(
                ExitCode.DONE,
                replay(capture, "--targets", "prod=192.0.2.1:80", "--allow-writes", "--dry-run"),
                line.err());
        assertTrue(line.out().contains("Allowed (--allow-writes): "), line.out());
    }

    private int replay(Path capture, String... args) {
        String[] all = Arrays.copyOf(args, args.length + 3);
        all[args.length] = "-o";
        all[args.length + 1] = folder.resolve("run").toString();
        all[args.length + 2] = capture.toString();
        return line.execute(all);
    }

    private Path capture(Protocol protocol, String upstream, String... requestLines) {
        Path file = folder.resolve("capture.bin");
        long startNs = System.nanoTime();
        CaptureOptions.Builder options = CaptureOptions.builder();
        if (upstream != null) {
            options.upstream(upstream);
        }
        try (CaptureWriter writer = CaptureWriter.create(file, options.build())) {
            int connection = writer.openConnection(startNs, ANY, ANY);
            writer.protocol(connection, startNs, protocol);
            for (int i = 0; i < requestLines.length; i++) {
                byte[] request = (requestLines[i] + " HTTP/1.1\r\nHost: test\r\nContent-Length: 0\r\n\r\n")
                        .getBytes(StandardCharsets.US_ASCII);
                writer.data(
                        connection,
                        startNs + i * SECOND,
                        RecordFlags.MESSAGE_START | RecordFlags.MESSAGE_END,
                        ByteBuffer.wrap(request));
            }
            writer.closeConnection(connection, startNs + requestLines.length * SECOND, CloseReason.CLIENT_FIN);
        }
        return file;
    }
}
