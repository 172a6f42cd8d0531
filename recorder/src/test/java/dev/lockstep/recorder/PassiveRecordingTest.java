package dev.lockstep.recorder;

import static dev.lockstep.recorder.TestingClient.GET;
import static dev.lockstep.recorder.TestingClient.awaitTrue;
import static dev.lockstep.recorder.TestingClient.exchange;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.lockstep.capture.Capture;
import dev.lockstep.capture.CaptureException;
import dev.lockstep.capture.CaptureReader;
import dev.lockstep.capture.CaptureRecord;
import dev.lockstep.capture.CloseReason;
import dev.lockstep.capture.Protocol;
import dev.lockstep.capture.RecordType;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What a passive recording promises, on the loopback interface of this machine; needs CAP_NET_RAW. */
@Timeout(60)
final class PassiveRecordingTest {
    /** How many bytes a client may send that the recorder has not yet seen. */
    private static final int AHEAD_BYTES = 16 << 20;

    @TempDir
    Path directory;

    private TestingServer server;
    private PassiveRecording recording;

    @BeforeEach
    void needsPacketSockets() {
        PacketSockets.assumeAllowed();
    }

    @AfterEach
    void stop() throws IOException {
        if (recording != null) {
            recording.close();
        }
        if (server != null) {
            server.close();
        }
    }

    // ---- recording ----

    @Test
    void recordsARequestAsItWasSent() throws Exception {
        serve(TestingServer::serveHttp);
        launch();

        try (Socket client = connect()) {
            exchange(client);
        }
        awaitTrue(() ->
                recording.status().connections() == 1 && recording.status().openConnections() == 0);

        try (Capture capture = closeAndOpen()) {
            assertEquals(1, capture.requestCount());
            assertEquals(1, capture.connectionCount());
            assertEquals(GET, Bytes.text(Bytes.request(capture, 0)));
            assertEquals(Protocol.HTTP1, capture.protocol(0));
            assertEquals(CloseReason.CLIENT_FIN, capture.closeReason(0));
            assertEquals("127.0.0.1:" + port(), Bytes.serverAddress(capture, 0));
            assertTrue(Bytes.clientAddress(capture, 0).startsWith("127.0.0.1:"));
            assertTrue(capture.info().closedProperly());
            assertEquals("test", capture.info().toolVersion());
            assertEquals(
                    "TCP port " + port() + " on interface lo", capture.info().listen());
        }
        RecordingStatus status = recording.status();
        assertEquals(1, status.connections());
        assertEquals(1, status.requests());
        assertEquals(GET.length(), status.clientBytes());
        assertEquals(TestingServer.answer(GET, 0).length, status.upstreamBytes());
        assertEquals(1, status.recordedRequests());
        assertEquals(GET.length(), status.recordedBytes());
        // SYN and FIN of both sides, the request and the answer; loopback shows each twice, and four acknowledgements.
        assertEquals(6, status.packets());
        assertNothingMissed();
    }

    @Test
    void recordsEveryPipelinedRequest() throws Exception {
        serve(TestingServer::serveHttp);
        launch();

        List<String> sent;
        try (Socket client = connect()) {
            sent = TestingClient.pipeline(client);
        }

        try (Capture capture = closeAndOpen()) {
            assertEquals(sent.size(), capture.requestCount());
            for (int i = 0; i < sent.size(); i++) {
                assertEquals(sent.get(i), Bytes.text(Bytes.request(capture, i)));
                assertEquals(i, capture.indexInConnection(i));
            }
        }
        assertNothingMissed();
    }

    @Test
    void recordsEveryPostOf100kB() throws Exception {
        recordsEveryPost(100_000);
    }

    @Test
    @Tag("full")
    void recordsEveryPostOf300kB() throws Exception {
        recordsEveryPost(300_000);
    }

    private void recordsEveryPost(int bodyBytes) throws Exception {
        serve(TestingServer::serveHttp);
        launch();
        // Of 300 kB more than the ring of 64 MiB takes.
        int requests = 300;

        try (Socket client = connect()) {
            for (int i = 0; i < requests; i++) {
                exchange(client, Bytes.post("/" + i, bodyBytes, i), "POST /" + i + " HTTP/1.1\r\n", bodyBytes);
                // A recorder that gets no processor for a while is waited for before its ring of 64 MiB is full.
                long seenAtLeast = i - AHEAD_BYTES / bodyBytes;
                awaitTrue(() -> recording.status().requests() > seenAtLeast);
            }
        }

        try (Capture capture = closeAndOpen()) {
            assertEquals(requests, capture.requestCount());
            for (int i = 0; i < requests; i++) {
                assertArrayEquals(Bytes.post("/" + i, bodyBytes, i), Bytes.request(capture, i));
            }
        }
        assertNothingMissed();
    }

    /** Clients talk to the proxy while packets to the proxy are recorded: the same traffic, two captures. */
    @Test
    void recordsTheSameAsTheProxy() throws Exception {
        serve(TestingServer::serveHttp);
        Path proxied = directory.resolve("proxied.bin");
        int clients = 20;
        try (RecordingProxy proxy = RecordingProxy.launch(RecordingConfig.builder()
                .listen(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
                .upstream(server.address())
                .capture(proxied)
                .build())) {
            recording = PassiveRecording.launch(
                    config().ports(proxy.boundAddress().getPort()).build());
            for (int i = 0; i < clients; i++) {
                try (Socket client = TestingClient.connect(proxy.boundAddress())) {
                    exchange(client);
                    exchange(client, Bytes.post("/" + i, 1000 * i, i), "POST /" + i + " HTTP/1.1\r\n", 1000 * i);
                    String chunked = "PUT /" + i + " HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n";
                    exchange(client, Bytes.of(chunked + "3\r\nabc\r\n0\r\n\r\n"), chunked, 3);
                    String head = "HEAD /" + i + " HTTP/1.0\r\n\r\n";
                    exchange(client, Bytes.of(head), head, 0);
                    client.getOutputStream().write(Bytes.of("GET /unfinished"));
                }
            }
            awaitTrue(() ->
                    proxy.status().openConnections() == 0 && proxy.status().connections() == clients);
        }

        try (Capture packets = closeAndOpen();
                Capture proxy = Capture.open(proxied)) {
            assertEquals(4 * clients, packets.requestCount());
            assertEquals(proxy.requestCount(), packets.requestCount());
            assertEquals(proxy.connectionCount(), packets.connectionCount());
            Map<String, Integer> byClient = new HashMap<>();
            for (int i = 0; i < clients; i++) {
                byClient.put(Bytes.clientAddress(proxy, i), i);
            }
            for (int i = 0; i < clients; i++) {
                int same = byClient.get(Bytes.clientAddress(packets, i));
                assertEquals(Bytes.serverAddress(proxy, same), Bytes.serverAddress(packets, i));
                assertEquals(proxy.requestCount(same), packets.requestCount(i));
                int bytes = GET.length() + Bytes.post("/" + i, 1000 * i, i).length;
                assertArrayEquals(
                        Arrays.copyOf(Bytes.clientStream(proxy, same, 1 << 16), bytes),
                        Arrays.copyOf(Bytes.clientStream(packets, i, 1 << 16), bytes));
            }
            assertEquals(proxy.info().dataBytes(), packets.info().dataBytes());
            assertEquals(proxy.info().incompleteRequests(), packets.info().incompleteRequests());
        }
        assertNothingMissed();
    }

    @Test
    void recordsSeveralServicesAndNothingElse() throws Exception {
        serve(TestingServer::serveHttp);
        try (TestingServer second = new TestingServer(TestingServer::serveHttp);
                TestingServer other = new TestingServer(TestingServer::serveHttp)) {
            recording = PassiveRecording.launch(
                    config().ports(port(), second.address().getPort()).build());

            for (TestingServer each : new TestingServer[] {server, second, other}) {
                try (Socket client = TestingClient.connect(each.address())) {
                    exchange(client);
                }
            }

            try (Capture capture = closeAndOpen()) {
                assertEquals(2, capture.requestCount());
                assertEquals("127.0.0.1:" + port(), Bytes.serverAddress(capture, 0));
                assertEquals("127.0.0.1:" + second.address().getPort(), Bytes.serverAddress(capture, 1));
            }
        }
    }

    @Test
    void recordsEveryInterfaceAtOnce() throws Exception {
        serve(TestingServer::serveHttp);
        recording = PassiveRecording.launch(
                config().interfaceName(PassiveConfig.ANY_INTERFACE).build());

        try (Socket client = connect()) {
            exchange(client);
            exchange(client, Bytes.post("/1", 100_000, 1), "POST /1 HTTP/1.1\r\n", 100_000);
        }

        try (Capture capture = closeAndOpen()) {
            assertEquals(2, capture.requestCount());
        }
        assertNothingMissed();
    }

    @Test
    void recordsConnectionsThatWereOpenBefore() throws Exception {
        serve(TestingServer::serveHttp);
        try (Socket client = connect()) {
            exchange(client, Bytes.of("GET /before HTTP/1.1\r\n\r\n"), "GET /before HTTP/1.1\r\n", 0);
            launch();
            exchange(client);
            exchange(client);
        }

        try (Capture capture = closeAndOpen()) {
            assertEquals(2, capture.requestCount());
            assertEquals(GET, Bytes.text(Bytes.request(capture, 0)));
            assertEquals("127.0.0.1:" + port(), Bytes.serverAddress(capture, 0));
            List<Boolean> alreadyOpen = new ArrayList<>();
            try (CaptureReader reader = CaptureReader.open(capture.path())) {
                for (CaptureRecord record = reader.next(); record != null; record = reader.next()) {
                    if (record.type() == RecordType.CONN_OPEN) {
                        alreadyOpen.add(record.connectionStart().alreadyOpen());
                    }
                }
            }
            assertEquals(List.of(true), alreadyOpen);
        }
    }

    /** Of a large answer only the first bytes are looked at; they are enough to see that nothing switched. */
    @Test
    void followsAConnectionWhoseUpgradeGotALargeAnswer() throws Exception {
        byte[] answer = Bytes.of("HTTP/1.1 200 OK\r\nContent-Length: 300000\r\n\r\n" + "x".repeat(300_000));
        String upgrade = "GET /u HTTP/1.1\r\nHost: h\r\nConnection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\n"
                + "HTTP2-Settings: AAMAAABkAAQCAAAAAAIAAAAA\r\n\r\n";
        serve(socket -> {
            Bytes.read(socket.getInputStream(), upgrade.length());
            socket.getOutputStream().write(answer);
            TestingServer.serveHttp(socket);
        });
        launch();

        try (Socket client = connect()) {
            client.getOutputStream().write(Bytes.of(upgrade));
            assertArrayEquals(answer, Bytes.read(client.getInputStream(), answer.length));
            exchange(client);
            exchange(client, Bytes.post("/1", 1000, 1), "POST /1 HTTP/1.1\r\n", 1000);
        }

        try (Capture capture = closeAndOpen()) {
            assertEquals(3, capture.requestCount());
            assertEquals(0, capture.info().opaqueBytes());
        }
        RecordingStatus status = recording.status();
        assertTrue(status.upstreamBytes() > answer.length, "upstream bytes " + status.upstreamBytes());
        assertNothingMissed();
    }

    @Test
    void seesThatAConnectionSwitchedItsProtocol() throws Exception {
        String upgrade = "GET /chat HTTP/1.1\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n";
        String switched = "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n";
        serve(socket -> {
            Bytes.read(socket.getInputStream(), upgrade.length());
            socket.getOutputStream().write(Bytes.of(switched));
            TestingServer.echo().play(socket);
        });
        launch();

        try (Socket client = connect()) {
            client.getOutputStream().write(Bytes.of(upgrade));
            Bytes.read(client.getInputStream(), switched.length());
            client.getOutputStream().write(Bytes.of(GET));
            Bytes.read(client.getInputStream(), GET.length());
        }

        try (Capture capture = closeAndOpen()) {
            assertEquals(1, capture.requestCount());
            assertEquals(Protocol.WEBSOCKET, capture.protocol(0));
            assertEquals(GET.length(), capture.info().opaqueBytes());
        }
    }

    @Test
    void tellsWhoResetAConnection() throws Exception {
        serve(socket -> {
            Bytes.read(socket.getInputStream(), GET.length());
            socket.setSoLinger(true, 0);
        });
        launch();

        try (Socket client = connect()) {
            client.getOutputStream().write(Bytes.of(GET));
            assertThrows(IOException.class, () -> Bytes.read(client.getInputStream(), 1));
        }

        try (Capture capture = closeAndOpen()) {
            assertEquals(1, capture.requestCount());
            assertEquals(CloseReason.SERVER_RESET, capture.closeReason(0));
        }
    }

    // ---- what cannot be seen ----

    @Test
    void countsWhatTheSnapLengthCutsOffAsMissing() throws Exception {
        serve(TestingServer::serveHttp);
        recording = PassiveRecording.launch(config().snapBytes(1000).build());
        int bodyBytes = 100_000;

        try (Socket client = connect()) {
            for (int i = 0; i < 5; i++) {
                exchange(client);
                exchange(client, Bytes.post("/" + i, bodyBytes, i), "POST /" + i + " HTTP/1.1\r\n", bodyBytes);
            }
            exchange(client);
        }

        try (Capture capture = closeAndOpen()) {
            long whole = 0;
            for (int i = 0; i < capture.requestCount(); i++) {
                whole += Bytes.text(Bytes.request(capture, i)).equals(GET) ? 1 : 0;
            }
            assertEquals(6, whole, "the requests that fit, behind bodies that do not too");
            assertEquals(whole, capture.requestCount());
        }
        RecordingStatus status = recording.status();
        assertTrue(status.gaps() >= 5, "gaps " + status.gaps());
        long sent = 6 * GET.length() + 5 * Bytes.post("/0", bodyBytes, 0).length;
        assertEquals(sent, status.clientBytes() + status.missedBytes());
        assertEquals(0, status.kernelDrops());
    }

    /** The reader stands still while more comes than the ring holds: what is lost is a gap, never a wrong request. */
    @Test
    void reportsWhatTheKernelHasNoRoomForAndRecordsNoWrongRequest() throws Exception {
        serve(TestingServer::serveHttp);
        CountDownLatch go = new CountDownLatch(1);
        recording = PassiveRecording.launch(config().ringBytes(1 << 20).build(), () -> {
            try {
                go.await();
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        });
        int before = 1000;
        int requests = 1500;
        int bodyBytes = 5_000;

        try (Socket client = connect();
                Socket quiet = connect()) {
            exchange(quiet);
            for (int i = 0; i < requests; i++) {
                if (i == before) {
                    go.countDown();
                    awaitTrue(() -> recording.status().kernelDrops() > 0
                            && recording.status().requests() > 0);
                    awaitStandstill();
                }
                exchange(client, Bytes.post("/" + i, bodyBytes, i), "POST /" + i + " HTTP/1.1\r\n", bodyBytes);
                if (i >= before && i % 50 == 49) {
                    // The small ring runs over again where the recorder gets no processor for a while.
                    awaitStandstill();
                }
            }
            exchange(quiet);
        }

        int recorded = 0;
        int afterwards = 0;
        try (Capture capture = closeAndOpen()) {
            assertEquals(recording.status().kernelDrops(), capture.info().missedPackets());
            for (int i = 0; i < capture.requestCount(); i++) {
                byte[] request = Bytes.request(capture, i);
                String head = Bytes.text(Arrays.copyOf(request, 20));
                if (head.startsWith("POST /")) {
                    int number = Integer.parseInt(head.substring(6, head.indexOf(' ', 6)));
                    assertArrayEquals(Bytes.post("/" + number, bodyBytes, number), request);
                    recorded++;
                    afterwards += number >= before ? 1 : 0;
                } else {
                    assertEquals(GET, Bytes.text(request));
                }
            }
        }
        RecordingStatus status = recording.status();
        assertTrue(recorded < before + afterwards, "something was lost");
        assertTrue(recorded > afterwards, "what came before the loss is there");
        // Nearly all.
        assertTrue(afterwards >= (requests - before) / 2, "what came after the loss is there: " + afterwards);
        assertTrue(status.kernelDrops() > 0);
        assertTrue(status.gaps() > 0);
        assertTrue(status.missedBytes() > 0);
    }

    /** Waits until the recorder has read all that the ring holds. */
    private void awaitStandstill() throws InterruptedException {
        long before;
        do {
            before = recording.status().requests();
            Thread.sleep(50);
        } while (recording.status().requests() != before);
    }

    // ---- beginning and end ----

    @Test
    void recordsWhatArrivedBeforeItWasClosed() throws Exception {
        serve(TestingServer::serveHttp);
        recording = PassiveRecording.launch(
                config().blockTimeout(Duration.ofSeconds(1)).build());

        try (Socket client = connect()) {
            exchange(client);

            try (Capture capture = closeAndOpen()) {
                assertEquals(1, capture.requestCount());
                assertEquals(CloseReason.RECORDING_ENDED, capture.closeReason(0));
            }
        }
        recording.close();
        assertEquals(1, recording.status().recordedRequests());
    }

    @Test
    void leavesAnExistingFileAloneWhenNotToldToOverwrite() throws Exception {
        serve(TestingServer::serveHttp);
        byte[] old = {1, 2, 3};
        Files.write(captureFile(), old);

        assertThrows(CaptureException.class, this::launch);

        assertArrayEquals(old, Files.readAllBytes(captureFile()));
        recording = PassiveRecording.launch(config().overwrite(true).build());
        recording.close();
        assertTrue(Files.size(captureFile()) > old.length);
    }

    @Test
    void saysThatThereIsNoSuchInterfaceAndTouchesNoFile() throws Exception {
        serve(TestingServer::serveHttp);

        RecorderException e = assertThrows(
                RecorderException.class,
                () -> PassiveRecording.launch(config().interfaceName("nosuch0").build()));

        assertTrue(
                e.getMessage().startsWith("cannot record interface nosuch0: there is none of that name; choose "),
                e.getMessage());
        assertTrue(e.getMessage().contains("lo"), e.getMessage());
        assertTrue(e.getMessage().endsWith(" or any"), e.getMessage());
        assertFalse(Files.exists(captureFile()));
    }

    // ---- helpers ----

    private void serve(TestingServer.Script script) throws IOException {
        server = new TestingServer(script);
    }

    private int port() {
        return server.address().getPort();
    }

    private Path captureFile() {
        return directory.resolve("capture.bin");
    }

    private PassiveConfig.Builder config() {
        return PassiveConfig.builder()
                .interfaceName("lo")
                .ports(port())
                .capture(captureFile())
                .toolVersion("test");
    }

    private void launch() {
        recording = PassiveRecording.launch(config().build());
    }

    private Capture closeAndOpen() {
        recording.close();
        assertNull(recording.status().captureFailure());
        return Capture.open(captureFile());
    }

    private void assertNothingMissed() {
        RecordingStatus status = recording.status();
        assertEquals(0, status.kernelDrops() + status.gaps() + status.missedBytes());
        assertEquals(0, status.lostConnections() + status.lostRequests() + status.lostBytes());
        assertNull(status.interfaceProblem());
    }

    private Socket connect() throws IOException {
        return TestingClient.connect(server.address());
    }
}
