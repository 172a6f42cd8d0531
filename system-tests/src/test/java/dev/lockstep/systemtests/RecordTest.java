package dev.lockstep.systemtests;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.lockstep.capture.Capture;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Real clients through {@code replay record} get the same answers, and the capture has every byte of their requests.
 */
final class RecordTest {
    private static final String USER = "/user/00000000-0000-8000-8000-000000000007";

    @TempDir
    Path directory;

    private static TargetApp app;
    private Replay recorder;
    private int port;

    @BeforeAll
    static void startApp() throws Exception {
        app = new TargetApp();
    }

    @AfterAll
    static void stopApp() {
        if (app != null) {
            app.close();
        }
    }

    @AfterEach
    void stop() {
        if (recorder != null) {
            recorder.close();
        }
    }

    @Test
    @Tag("full")
    void givesCurlTheSameAnswers() throws Exception {
        record("capture.bin");
        List<List<String>> requests = List.of(
                List.of(USER),
                List.of("-I", USER),
                List.of(
                        "-X",
                        "PUT",
                        "-d",
                        "{\"name\":\"A\",\"email\":\"a@example.org\",\"city\":\"B\",\"age\":3}",
                        USER),
                List.of(
                        "-X",
                        "PUT",
                        "-H",
                        "Transfer-Encoding: chunked",
                        "-H",
                        "Expect: 100-continue",
                        "-d",
                        "{\"name\":\"A\",\"email\":\"a@example.org\",\"city\":\"B\",\"age\":4}",
                        USER),
                List.of("--http1.0", USER),
                List.of("/user/no-such-id"),
                List.of("/timeline/00000000-0000-8000-8000-000000000007?n=100"));
        for (List<String> request : requests) {
            assertEquals(curl(app.address(), request), curl("127.0.0.1:" + port, request), request.toString());
        }
        try (Capture capture = stopAndOpen("capture.bin")) {
            assertEquals(requests.size(), capture.requestCount());
            assertTrue(bytes(capture).contains("HEAD " + USER + " HTTP/1.1\r\nHost: 127.0.0.1:" + port + "\r\n"));
            assertTrue(bytes(capture).contains("\r\n0\r\n\r\n"));
        }
        assertEquals(
                "rw-------",
                PosixFilePermissions.toString(Files.getPosixFilePermissions(directory.resolve("capture.bin"))));
    }

    @Test
    void keepsEveryByteOfAPipeliningClient() throws Exception {
        record("capture.bin");
        StringBuilder sent = new StringBuilder();
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
            InputStream in = socket.getInputStream();
            for (int batch = 0; batch < 50; batch++) {
                StringBuilder requests = new StringBuilder();
                for (int i = 0; i < 10; i++) {
                    requests.append("GET /users/").append(batch * 10 + i).append(" HTTP/1.1\r\nHost: x\r\n\r\n");
                }
                socket.getOutputStream().write(requests.toString().getBytes(StandardCharsets.US_ASCII));
                sent.append(requests);
                awaitAnswers(in, 10);
            }
        }
        try (Capture capture = stopAndOpen("capture.bin")) {
            assertEquals(500, capture.requestCount());
            assertEquals(sent.toString(), bytes(capture));
        }
        assertTrue(recorder.stdout().contains("500 requests"), recorder.toString());
        assertTrue(recorder.stdout().contains("Missed nothing"), recorder.toString());
    }

    @Test
    @Tag("full")
    void recordsAllThatWrkAndH2loadSend() throws Exception {
        assumeTrue(installed("wrk"), "no wrk");
        assumeTrue(installed("h2load"), "no h2load");
        record("capture.bin");
        String url = "http://127.0.0.1:" + port + USER;

        String h2load = output("h2load", "--h1", "-n2000", "-c10", "-t1", url);
        Matcher succeeded =
                Pattern.compile("(\\d+) succeeded, 0 failed, 0 errored").matcher(h2load);
        assertTrue(succeeded.find(), h2load);
        assertEquals("2000", succeeded.group(1));
        String wrk = output("wrk", "-t1", "-c8", "-d1s", "--timeout", "60s", url);
        Matcher requests = Pattern.compile("(\\d+) requests in").matcher(wrk);
        assertTrue(requests.find() && !wrk.contains("Socket errors") && !wrk.contains("Non-2xx"), wrk);

        try (Capture capture = stopAndOpen("capture.bin")) {
            long expected = 2000 + Long.parseLong(requests.group(1));
            // At its end wrk drops one request in flight on each connection.
            assertTrue(
                    capture.requestCount() >= expected && capture.requestCount() <= expected + 8,
                    capture.requestCount() + " requests recorded, " + expected + " answered");
        }
        assertTrue(recorder.stdout().contains("Missed nothing"), recorder.toString());
    }

    @Test
    @Tag("full")
    void goesOnServingWhenTheDiskIsFull() throws Exception {
        Path disk = Files.createDirectory(directory.resolve("disk"));
        assumeTrue(
                run("mount", "-t", "tmpfs", "-o", "size=256k", "tmpfs", disk.toString()) == 0, "cannot mount a tmpfs");
        try {
            record("disk/capture.bin");
            String body = "x".repeat(30_000);
            String put = "PUT " + USER + " HTTP/1.1\r\nHost: x\r\nContent-Length: " + body.length() + "\r\n\r\n" + body;
            try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
                for (int i = 0; i < 40; i++) {
                    socket.getOutputStream().write(put.getBytes(StandardCharsets.US_ASCII));
                    awaitAnswers(socket.getInputStream(), 1);
                }
                recorder.awaitStderr("No space left");
                socket.getOutputStream().write(put.getBytes(StandardCharsets.US_ASCII));
                awaitAnswers(socket.getInputStream(), 1);
            }
            recorder.signal("TERM");
            assertEquals(1, recorder.exitCode(), recorder.toString());
            try (Capture capture = Capture.open(disk.resolve("capture.bin"))) {
                assertTrue(capture.requestCount() > 0 && capture.requestCount() < 41, "" + capture.requestCount());
                assertEquals(put, bytes(capture).substring(0, put.length()));
            }
        } finally {
            recorder.close();
            assertEquals(0, run("umount", "--lazy", disk.toString()));
        }
    }

    @Test
    @Tag("full")
    void leavesAReadableFileWhenKilled() throws Exception {
        record("capture.bin");
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
            socket.getOutputStream()
                    .write("GET /users/1 HTTP/1.1\r\nHost: x\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
            awaitAnswers(socket.getInputStream(), 1);
            Replay.await(() -> {
                try (Capture capture = Capture.open(directory.resolve("capture.bin"))) {
                    return capture.requestCount() == 1;
                }
            });
            recorder.signal("KILL");
            recorder.exitCode();
        }

        try (Capture capture = Capture.open(directory.resolve("capture.bin"))) {
            assertEquals(1, capture.requestCount());
        }
        Replay replay = Replay.run(
                directory,
                "--targets=a=" + app.address(),
                "--warmup=0",
                "--max-lag=10s",
                "--output=full",
                "-o",
                "run",
                "capture.bin");
        assertEquals(0, replay.exitCode(), replay.toString());
        assertTrue(replay.stdout().contains("capture was cut short"), replay.toString());
    }

    @Test
    @Tag("full")
    void survivesAnUpstreamThatIsDown() throws Exception {
        try (Socket unused = new Socket()) {
            // A bound port on which nobody listens; the kernel gives it to nobody else.
            unused.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
            record("capture.bin", "127.0.0.1:" + unused.getLocalPort());
            try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
                socket.setSoTimeout(60_000);
                int end;
                try {
                    end = socket.getInputStream().read();
                } catch (IOException reset) {
                    end = -1;
                }
                assertEquals(-1, end);
            }
        }
        recorder.signal("TERM");

        recorder.exitCode();
        assertTrue(recorder.stdout().contains("did not accept 1 connection"), recorder.toString());
    }

    private void record(String file) throws Exception {
        record(file, app.address());
    }

    private void record(String file, String upstream) throws Exception {
        recorder = Replay.start(directory, "record", "--listen", "127.0.0.1:0", "--upstream", upstream, "-o", file);
        Pattern listening = Pattern.compile("Recording 127\\.0\\.0\\.1:(\\d+) ->");
        Replay.await(() -> listening.matcher(said()).find() || !recorder.isAlive());
        Matcher found = listening.matcher(said());
        assertTrue(found.find(), recorder.toString());
        port = Integer.parseInt(found.group(1));
    }

    private String said() {
        try {
            return recorder.stderr();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private Capture stopAndOpen(String file) throws Exception {
        recorder.signal("TERM");
        assertEquals(0, recorder.exitCode(), recorder.toString());
        return Capture.open(directory.resolve(file));
    }

    private static String bytes(Capture capture) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        for (long request = 0; request < capture.requestCount(); request++) {
            for (int fragment = 0; fragment < capture.fragments(request); fragment++) {
                ByteBuffer mapping = capture.mapping(capture.mapping(request, fragment));
                byte[] piece = new byte[capture.fragmentLength(request, fragment)];
                mapping.position(capture.offset(request, fragment));
                mapping.get(piece);
                bytes.writeBytes(piece);
            }
        }
        return bytes.toString(StandardCharsets.ISO_8859_1);
    }

    /** Reads until so many whole answers have come. */
    private static void awaitAnswers(InputStream in, int answers) throws IOException {
        StringBuilder read = new StringBuilder();
        byte[] buffer = new byte[64 * 1024];
        while (!complete(read, answers)) {
            int length = in.read(buffer);
            if (length < 0) {
                throw new IOException("closed after " + read);
            }
            read.append(new String(buffer, 0, length, StandardCharsets.ISO_8859_1));
        }
    }

    private static boolean complete(StringBuilder read, int answers) {
        int at = 0;
        for (int i = 0; i < answers; i++) {
            int end = read.indexOf("\r\n\r\n", at);
            if (end < 0) {
                return false;
            }
            Matcher length = Pattern.compile("(?i)content-length: (\\d+)").matcher(read.substring(at, end));
            at = end + 4 + (length.find() ? Integer.parseInt(length.group(1)) : 0);
        }
        return at <= read.length();
    }

    private static String curl(String address, List<String> request) throws Exception {
        List<String> command = new ArrayList<>(List.of("curl", "-sS", "-i", "--max-time", "60"));
        command.addAll(request.subList(0, request.size() - 1));
        command.add("http://" + address + request.get(request.size() - 1));
        return output(command.toArray(new String[0]));
    }

    private static boolean installed(String program) throws Exception {
        return run("sh", "-c", "command -v " + program) == 0;
    }

    private static int run(String... command) throws Exception {
        return new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .start()
                .waitFor();
    }

    private static String output(String... command) throws Exception {
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.ISO_8859_1);
        assertTrue(process.waitFor(120, TimeUnit.SECONDS), String.join(" ", command));
        return output;
    }
}
