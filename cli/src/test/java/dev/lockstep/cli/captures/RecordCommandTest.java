package dev.lockstep.cli.captures;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.lockstep.capture.Capture;
import dev.lockstep.capture.CaptureOptions;
import dev.lockstep.capture.CaptureWriter;
import dev.lockstep.cli.TestingCommandLine;
import dev.lockstep.cli.TestingService;
import dev.lockstep.cli.command.ExitCode;
import dev.lockstep.cli.command.Version;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URL;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
final class RecordCommandTest {
    private static final Pattern LISTENING = Pattern.compile("Recording 127\\.0\\.0\\.1:([0-9]+) -> ");

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
    void recordsUntilTheSignalAndSaysWhatItRecorded() throws Exception {
        Path file = folder.resolve("capture.bin");
        CompletableFuture<Integer> exitCode = start("-o", file.toString());
        int port = awaitPort(exitCode);
        assertEquals("/a", get(port, "/a"));
        assertEquals("/b", get(port, "/b"));

        line.interruption().request();

        assertEquals(ExitCode.DONE, exitCode.get(), line.err());
        assertTrue(line.out().contains("Recorded 2 requests ("), line.out());
        assertTrue(line.out().contains("Missed nothing\n"), line.out());
        assertTrue(
                line.out()
                        .endsWith("\nWhat is no credential stays in the file, personal data too (docs/redaction.md)\n"),
                line.out());
        try (Capture capture = Capture.open(file)) {
            assertEquals(2, capture.requestCount());
            assertTrue(capture.info().closedProperly());
            assertEquals(Version.number(), capture.info().toolVersion());
        }
    }

    @Test
    void tellsOfRequestsThatServersMayReadDifferently() throws Exception {
        CompletableFuture<Integer> exitCode =
                start("-o", folder.resolve("a.bin").toString(), "--requests", "1");
        try (Socket client = new Socket(InetAddress.getLoopbackAddress(), awaitPort(exitCode))) {
            client.getOutputStream()
                    .write(("POST /a HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n"
                                    + "\r\n0\r\n\r\n")
                            .getBytes(StandardCharsets.US_ASCII));

            assertEquals(ExitCode.DONE, exitCode.get(), line.err());
        }
        assertTrue(
                line.out()
                        .contains("\n1 request with a length that servers may read differently: recorded as chunked\n"),
                line.out());
    }

    @Test
    void endsByItselfAfterAsManyRequestsAsAsked() throws Exception {
        CompletableFuture<Integer> exitCode =
                start("-o", folder.resolve("a.bin").toString(), "--requests", "1");
        int port = awaitPort(exitCode);
        try {
            get(port, "/a");
        } catch (IOException ended) {
            // The recording may end before a slow service has answered.
        }

        assertEquals(ExitCode.DONE, exitCode.get(), line.err());
        assertTrue(line.out().contains("Recorded 1 request ("), line.out());
    }

    /** All that is recorded meanwhile would be more than was asked for. */
    @Test
    void waitsForAnswersOnlyWhileNoFurtherRequestsCome() throws Exception {
        AtomicLong requests = new AtomicLong(9_000);
        AtomicLong answerBytes = new AtomicLong();
        AtomicLong asked = new AtomicLong();
        CountDownLatch end = new CountDownLatch(1);

        RecordCommand.settle(requests::getAndIncrement, answerBytes::getAndIncrement, end);

        assertEquals(9_002, requests.get(), "it was looked at twice");

        RecordCommand.settle(() -> 9_000, () -> Math.min(asked.getAndIncrement(), 4), end);

        assertTrue(asked.get() > 4, "answers were let pass");
    }

    @Test
    void countsRequestsOfHttp2AmongThoseAskedFor() throws Exception {
        byte[] preface = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".getBytes(StandardCharsets.US_ASCII);
        byte[] settings = {0, 0, 0, 4, 0, 0, 0, 0, 0};
        // GET of / from x, which ends its stream.
        byte[] headers = {0, 0, 6, 1, 5, 0, 0, 0, 1, (byte) 0x82, (byte) 0x86, (byte) 0x84, 0x41, 1, 'x'};
        ByteArrayOutputStream sent = new ByteArrayOutputStream();
        sent.write(preface);
        sent.write(settings);
        sent.write(headers);
        CompletableFuture<Integer> exitCode =
                start("-o", folder.resolve("a.bin").toString(), "--requests", "1");
        try (Socket client = new Socket(InetAddress.getLoopbackAddress(), awaitPort(exitCode))) {
            client.getOutputStream().write(sent.toByteArray());

            assertEquals(ExitCode.DONE, exitCode.get(), line.err());
        }
        assertTrue(line.out().contains("Beside them 1 HTTP/2 request, "), line.out());
    }

    @Test
    void endsByItselfAfterTheTimeAsked() {
        assertEquals(
                ExitCode.DONE,
                start("-o", folder.resolve("a.bin").toString(), "--duration", "200ms")
                        .join(),
                line.err());
        assertTrue(line.out().contains("Recorded 0 requests (0 bytes) of 0 connections"), line.out());
    }

    @Test
    void refusesToReplaceAFileUnlessForced() throws IOException {
        Path file = Files.writeString(folder.resolve("a.bin"), "precious");

        assertEquals(
                ExitCode.FAILED,
                start("-o", file.toString(), "--duration", "50ms").join());
        assertTrue(line.err().startsWith("replay: " + file), line.err());
        assertTrue(line.err().contains("--force"), line.err());
        assertEquals(1, line.err().lines().count(), line.err());
        assertEquals("precious", Files.readString(file));

        assertEquals(
                ExitCode.DONE,
                start("-o", file.toString(), "--duration", "50ms", "--force").join(),
                line.err());
    }

    @Test
    void tellsThatTheFileCannotBeMadeBeforeItWarmsUp() {
        Path file = folder.resolve("none/a.bin");

        int exitCode = line.execute(
                "record",
                "--listen",
                "127.0.0.1:0",
                "--upstream",
                service.address(),
                "--warmup",
                "10ms",
                "-o",
                file + "");

        assertEquals(ExitCode.FAILED, exitCode);
        assertEquals("replay: " + file + ": cannot be created: its directory does not exist\n", line.err());
    }

    @Test
    void tellsThatThePortIsTaken() throws IOException {
        try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            String listen = "127.0.0.1:" + taken.getLocalPort();

            int exitCode = line.execute(
                    "record",
                    "--listen",
                    listen,
                    "--upstream",
                    service.address(),
                    "--warmup",
                    "10ms",
                    "-o",
                    folder.resolve("a") + "");

            assertEquals(ExitCode.FAILED, exitCode);
            assertTrue(line.err().startsWith("replay: ") && line.err().contains(listen), line.err());
            assertEquals(1, line.err().lines().count(), line.err());
        }
    }

    @Test
    void countsConnectionsThatTheServiceDidNotAccept() throws Exception {
        service.close();
        CompletableFuture<Integer> exitCode =
                start("-o", folder.resolve("a.bin").toString());
        try (Socket client = new Socket(InetAddress.getLoopbackAddress(), awaitPort(exitCode))) {
            assertEquals(-1, readEnd(client));
        }
        while (!line.err()
                .contains("replay: a connection to " + service.address() + " (--upstream) could not be made, ")) {
            assertFalse(exitCode.isDone(), line.err());
            TimeUnit.MILLISECONDS.sleep(5);
        }

        line.interruption().request();

        assertEquals(ExitCode.DONE, exitCode.get(), line.err());
        assertTrue(line.out().contains(service.address() + " did not accept 1 connection\n"), line.out());
    }

    @Test
    void saysThatItWarmsUpBeforeItListens() throws Exception {
        CompletableFuture<Integer> exitCode =
                start("-o", folder.resolve("a.bin").toString());
        awaitPort(exitCode);
        line.interruption().request();

        assertEquals(ExitCode.DONE, exitCode.get(), line.err());
        assertTrue(
                line.err().startsWith("Warming up for 10ms before it listens (--warmup 0: not at all)\nRecording "),
                line.err());
        assertTrue(line.out().startsWith("Recorded 0 requests"), "the result alone: " + line.out());
    }

    @Test
    void doesNotWarmUpForAFileThatIsBeingRecorded() throws Exception {
        Path live = folder.resolve("live.bin");
        try (CaptureWriter writer = CaptureWriter.create(live, CaptureOptions.defaults())) {
            for (String how : List.of("--force", "--append")) {
                assertEquals(ExitCode.FAILED, start("-o", live.toString(), how).get());
            }
            assertEquals(0, writer.totals().requests());
        }
        assertEquals(
                2,
                line.err()
                        .lines()
                        .filter(said -> said.contains("live.bin: is being recorded; stop that recorder"))
                        .count(),
                line.err());
        assertFalse(line.err().contains("Warming up"), line.err());
    }

    @Test
    void tellsThatTlsWithTheServiceFailed() throws Exception {
        String address;
        CompletableFuture<Integer> exitCode;
        try (ServerSocket plain = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            address = "127.0.0.1:" + plain.getLocalPort();
            exitCode = startFor(address, "-o", folder.resolve("a.bin").toString(), "--upstream-tls");
            try (Socket client = new Socket(InetAddress.getLoopbackAddress(), awaitPort(exitCode));
                    Socket accepted = plain.accept()) {
                accepted.getOutputStream()
                        .write("HTTP/1.1 400 Bad Request\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
                assertEquals(-1, readEnd(client));
            }
        }
        String problem = "TLS with " + address + " failed for 1 connection, which the client saw reset: ";
        while (!line.err().contains("replay: " + problem)) {
            assertFalse(exitCode.isDone(), line.err());
            TimeUnit.MILLISECONDS.sleep(5);
        }

        line.interruption().request();

        assertEquals(ExitCode.DONE, exitCode.get(), line.err());
        assertTrue(line.out().contains("\n" + problem), line.out());
        assertFalse(line.out().contains("Missed nothing"), line.out());
    }

    @Test
    void tellsThatAClientSpokeNoTls() throws Exception {
        CompletableFuture<Integer> exitCode =
                start("-o", folder.resolve("a.bin").toString(), "--tls-self-signed");
        try (Socket client = new Socket(InetAddress.getLoopbackAddress(), awaitPort(exitCode))) {
            client.getOutputStream().write("GET /secret HTTP/1.1\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
            while (readEnd(client) != -1) {}
        }
        while (!line.err().contains("TLS with clients failed for 1 connection")) {
            assertFalse(exitCode.isDone(), line.err());
            TimeUnit.MILLISECONDS.sleep(5);
        }

        line.interruption().request();

        assertEquals(ExitCode.DONE, exitCode.get(), line.err());
        assertTrue(line.out().contains("speak no TLS to this port: what came is not TLS\n"), line.out());
    }

    private static int readEnd(Socket client) {
        try {
            return client.getInputStream().read();
        } catch (IOException e) {
            // A reset says the same as the end of the stream.
            return -1;
        }
    }

    private CompletableFuture<Integer> start(String... args) {
        return startFor(service.address(), args);
    }

    private CompletableFuture<Integer> startFor(String upstream, String... args) {
        List<String> all = new ArrayList<>(
                List.of("record", "--listen", "127.0.0.1:0", "--upstream", upstream, "--warmup", "10ms"));
        all.addAll(List.of(args));
        return CompletableFuture.supplyAsync(() -> line.execute(all.toArray(new String[0])));
    }

    private int awaitPort(CompletableFuture<Integer> exitCode) throws InterruptedException {
        while (true) {
            Matcher listening = LISTENING.matcher(line.err());
            if (listening.find()) {
                return Integer.parseInt(listening.group(1));
            }
            assertFalse(exitCode.isDone(), line.err());
            TimeUnit.MILLISECONDS.sleep(5);
        }
    }

    private static String get(int port, String path) throws IOException {
        try (InputStream body = new URL("http://127.0.0.1:" + port + path).openStream()) {
            return new String(body.readAllBytes(), StandardCharsets.UTF_8);
        }
    }
}
