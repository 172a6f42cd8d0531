package dev.lockstep.systemtests;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.lockstep.capture.Capture;
import dev.lockstep.capture.EncryptionKey;
import dev.lockstep.capture.OpenOptions;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The commands for captures: import, inspect, filter, verify, export, and all ways to record. Recorders are processes;
 * the other commands, two dozen of them, run in this JVM ({@link AllRecipesTest} starts such).
 */
@Tag("full")
final class CaptureToolsTest {
    private static final Path TEST_DATA =
            Path.of(System.getProperty("lockstep.root"), "test-data").toAbsolutePath();

    @TempDir
    Path directory;

    /** Null until a test asks for its address. */
    private TargetApp app;

    private final List<Replay> started = new ArrayList<>();

    private String appAddress() throws IOException {
        if (app == null) {
            app = new TargetApp();
        }
        return app.address();
    }

    @AfterEach
    void stop() {
        started.forEach(Replay::close);
        if (app != null) {
            app.close();
        }
    }

    @Test
    void takesPacketsThroughEveryCommand() throws Exception {
        Path packets = TEST_DATA.resolve("pcap-http/zeek/http__pipelined-requests.pcap");
        String capture = file("capture.bin");
        OwnJvm.run("import", packets.toString(), "-o", capture);
        JsonNode all = json("inspect", "--json", capture);
        assertEquals(5, all.get("requests").asInt());
        assertEquals(5, all.get("methods").get("GET").asInt());
        assertEquals(5, all.get("protocols").get("http/1").asInt());
        assertEquals(0, all.get("lost").get("requests").asInt());
        JsonNode connections = json("inspect", "--connections", "--json", capture);
        assertTrue(connections.toString().contains("\"sha256\":"), connections.toString());
        OwnJvm.run("verify", capture);

        OwnJvm.run("filter", "--limit", "2", capture, "-o", file("two.bin"));
        assertEquals(2, requests("two.bin"));
        OwnJvm.run("filter", capture, file("two.bin"), "--compress", "zstd", "-o", file("seven.bin"));
        assertEquals(7, requests("seven.bin"));
        for (String format : List.of("gor", "har", "pcap")) {
            OwnJvm.run("export", capture, "-o", file("out." + format));
            OwnJvm.run("import", file("out." + format), "-o", file(format + ".bin"));
            assertEquals(5, requests(format + ".bin"), format);
        }
        String printed = OwnJvm.run(
                "--targets=a=" + appAddress(),
                "--warmup=0",
                "--max-lag=10s",
                "--pace=max",
                "--output=full",
                "-o",
                file("run"),
                file("seven.bin"));
        assertTrue(printed.contains("7 requests"), printed);
    }

    @Test
    void seesOnTheInterfaceWhatTheProxySees() throws Exception {
        assumeTrue(mayCapture(), "no CAP_NET_RAW");
        String appPort = appAddress().substring(appAddress().indexOf(':') + 1);
        Replay passive = start("record", "-i", "lo", "--port", appPort, "-o", "passive.bin", "--no-redact");
        int port = record("--no-redact", "-o", "proxy.bin");
        Replay.await(() -> said(passive).contains("Recording lo"));
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
            for (int bytes : new int[] {10, 100_000, 300_000}) {
                String body = "x".repeat(bytes);
                send(socket, "PUT /users/1 HTTP/1.1\r\nHost: x\r\nContent-Length: " + bytes + "\r\n\r\n" + body);
            }
            StringBuilder pipelined = new StringBuilder();
            for (int i = 0; i < 10; i++) {
                pipelined.append("GET /users/").append(i).append(" HTTP/1.1\r\nHost: x\r\n\r\n");
            }
            send(socket, pipelined.toString(), 10);
        }
        String proxied = stop("proxy.bin");
        String seen = stop("passive.bin");

        assertEquals(proxied, seen);
        assertEquals(13, requests("passive.bin"));
    }

    @Test
    void keepsSecretsOffTheDisk() throws Exception {
        int port = record("-o", "capture.bin");
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
            String form = "name=A&password=S3cretForm";
            send(
                    socket,
                    "POST /user?api_key=S3cretQuery HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer S3cretBearer\r\n"
                            + "Cookie: session=S3cretCookie\r\nX-Api-Key: S3cretHeader\r\n"
                            + "Content-Type: application/x-www-form-urlencoded\r\nContent-Length: " + form.length()
                            + "\r\n\r\n" + form);
            String json = "{\"user\":\"A\",\"password\":\"S3cretJson\"}";
            send(
                    socket,
                    "POST /user HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: "
                            + json.length() + "\r\n\r\n" + json);
        }
        Replay recorder = started.get(started.size() - 1);
        recorder.signal("TERM");
        assertEquals(0, recorder.exitCode(), recorder.toString());

        byte[] file = Files.readAllBytes(directory.resolve("capture.bin"));
        String text = new String(file, StandardCharsets.ISO_8859_1);
        assertFalse(text.contains("S3cret"), "a secret is in the file");
        assertTrue(text.contains("POST /user?api_key="), "the rest of the request is not");
        assertTrue(recorder.stdout().contains("--no-redact"), recorder.toString());
        assertEquals(
                6,
                json("inspect", "--json", file("capture.bin"))
                        .get("redacted")
                        .get("values")
                        .asInt());
    }

    @Test
    void encryptsCompressesAndGoesOnAfterAKill() throws Exception {
        Path key = Files.createFile(
                directory.resolve("key"),
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
        Files.writeString(key, "0123456789abcdef".repeat(4));
        String[] options = {"-o", "capture.bin", "--key-file", "key", "--compress", "zstd"};
        int port = record(options);
        get(port, 3);
        OpenOptions encrypted = OpenOptions.defaults().encryption(EncryptionKey.fromFile(key));
        Replay.await(() -> {
            try (Capture capture = Capture.open(directory.resolve("capture.bin"), encrypted)) {
                return capture.requestCount() == 3;
            }
        });
        Replay killed = started.get(started.size() - 1);
        killed.signal("KILL");
        killed.exitCode();

        List<String> again = new ArrayList<>(List.of(options));
        again.add("--append");
        port = record(again.toArray(new String[0]));
        get(port, 4);
        Replay recorder = started.get(started.size() - 1);
        recorder.signal("TERM");
        assertEquals(0, recorder.exitCode(), recorder.toString());

        String text = new String(Files.readAllBytes(directory.resolve("capture.bin")), StandardCharsets.ISO_8859_1);
        assertFalse(text.contains("GET /users"), "the file is not encrypted");
        String capture = file("capture.bin");
        OwnJvm.assertRefused(1, List.of("inspect", capture), "capture.bin", "--key-file");
        assertEquals(
                7,
                json("inspect", "--json", "--key-file", key.toString(), capture)
                        .get("requests")
                        .asInt());
        OwnJvm.run("verify", capture);
        String printed = OwnJvm.run(
                "--targets=a=" + appAddress(),
                "--warmup=0",
                "--max-lag=10s",
                "--pace=max",
                "--key-file=" + key,
                "--output=full",
                "-o",
                file("run"),
                capture);
        assertTrue(printed.contains("7 requests"), printed);
    }

    @Test
    void findsAFlippedBit() throws Exception {
        OwnJvm.run("import", TEST_DATA.resolve("pcap-http/beats/http_post.pcap").toString(), "-o", file("capture.bin"));
        byte[] bytes = Files.readAllBytes(directory.resolve("capture.bin"));
        // In the first record: a slow import may have flushed the first block with that record alone.
        bytes[4168] ^= 4;
        Files.write(directory.resolve("bad.bin"), bytes);

        OwnJvm.assertRefused(1, List.of("verify", file("bad.bin")), "bad.bin", "4096");
    }

    @Test
    void refusesWhatItCannotImport() throws Exception {
        Files.writeString(directory.resolve("text.txt"), "neither\nnor\n");

        OwnJvm.assertRefused(1, List.of("import", file("text.txt"), "-o", file("x.bin")), "text.txt", "--format");
        OwnJvm.assertRefused(1, List.of("import", file("missing.pcap"), "-o", file("x.bin")), "missing.pcap");
        assertFalse(Files.exists(directory.resolve("x.bin")));
    }

    /** Stops the recorder of the file and returns what the recorded connections sent. */
    private String stop(String file) throws Exception {
        for (Replay recorder : started) {
            if (recorder.isAlive() && said(recorder).contains(" into " + file)) {
                recorder.signal("TERM");
                assertEquals(0, recorder.exitCode(), recorder.toString());
                assertTrue(recorder.stdout().contains("Missed nothing"), recorder.toString());
            }
        }
        StringBuilder streams = new StringBuilder();
        JsonNode list = json("inspect", "--connections", "--json", file(file));
        for (JsonNode connection : list.isArray() ? list : list.get("connections")) {
            streams.append(connection.get("requests"))
                    .append(' ')
                    .append(connection.get("sha256"))
                    .append('\n');
        }
        return streams.toString();
    }

    private int record(String... options) throws Exception {
        List<String> arguments =
                new ArrayList<>(List.of("record", "--listen", "127.0.0.1:0", "--upstream", appAddress()));
        arguments.addAll(List.of(options));
        Replay recorder = start(arguments.toArray(new String[0]));
        Pattern listening = Pattern.compile("Recording 127\\.0\\.0\\.1:(\\d+) ->");
        Replay.await(() -> listening.matcher(said(recorder)).find());
        Matcher port = listening.matcher(said(recorder));
        assertTrue(port.find());
        return Integer.parseInt(port.group(1));
    }

    /** As the library counts them, without a process for it. */
    private long requests(String file) {
        try (Capture capture = Capture.open(directory.resolve(file))) {
            return capture.requestCount();
        }
    }

    private Replay start(String... arguments) throws IOException {
        Replay replay = Replay.start(directory, arguments);
        started.add(replay);
        return replay;
    }

    private String file(String name) {
        return directory.resolve(name).toString();
    }

    private static JsonNode json(String... arguments) throws IOException {
        return new ObjectMapper().readTree(OwnJvm.run(arguments));
    }

    private static String said(Replay replay) {
        try {
            return replay.stderr();
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }

    private static boolean mayCapture() throws IOException {
        String status = Files.readString(Path.of("/proc/self/status"));
        Matcher effective = Pattern.compile("CapEff:\\s*([0-9a-f]+)").matcher(status);
        return effective.find() && (Long.parseUnsignedLong(effective.group(1), 16) & 1L << 13) != 0;
    }

    private static void get(int port, int requests) throws IOException {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
            for (int i = 0; i < requests; i++) {
                send(socket, "GET /users/" + i + " HTTP/1.1\r\nHost: x\r\n\r\n");
            }
        }
    }

    private static void send(Socket socket, String request) throws IOException {
        send(socket, request, 1);
    }

    /** Sends a request and reads so many answers. */
    private static void send(Socket socket, String request, int answers) throws IOException {
        socket.setSoTimeout(60_000);
        socket.getOutputStream().write(request.getBytes(StandardCharsets.ISO_8859_1));
        InputStream in = socket.getInputStream();
        for (int i = 0; i < answers; i++) {
            ByteArrayOutputStream head = new ByteArrayOutputStream();
            while (!head.toString(StandardCharsets.ISO_8859_1).endsWith("\r\n\r\n")) {
                int next = in.read();
                assertTrue(next >= 0, "the connection ended after: " + head);
                head.write(next);
            }
            Matcher length =
                    Pattern.compile("(?i)content-length: (\\d+)").matcher(head.toString(StandardCharsets.ISO_8859_1));
            if (length.find()) {
                in.readNBytes(Integer.parseInt(length.group(1)));
            }
        }
    }
}
