package dev.lockstep.recorder;

import static dev.lockstep.recorder.TestingClient.GET;
import static dev.lockstep.recorder.TestingClient.TIMEOUT_MS;
import static dev.lockstep.recorder.TestingClient.assertAnswer;
import static dev.lockstep.recorder.TestingClient.awaitTrue;
import static dev.lockstep.recorder.TestingClient.exchange;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.lockstep.capture.Capture;
import dev.lockstep.capture.CaptureOptions;
import dev.lockstep.capture.CloseReason;
import dev.lockstep.capture.ConnectionDetails;
import dev.lockstep.capture.Protocol;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;
import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLSocket;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What a recording may be told beyond its addresses: PROXY headers, limits, the protocol. */
final class ProxyOptionsTest extends ProxyFixture {
    private static final InetSocketAddress TRUE_CLIENT = new InetSocketAddress("192.0.2.7", 40_000);
    private static final InetSocketAddress TRUE_SERVER = new InetSocketAddress("198.51.100.1", 443);

    // ---- PROXY headers ----

    @ParameterizedTest
    @CsvSource({
        "epoll,V1,REQUIRED",
        "epoll,V2,REQUIRED",
        "epoll,V1,AUTO",
        "epoll,V2,AUTO",
        "nio,V1,REQUIRED",
        "nio,V2,AUTO"
    })
    void recordsTheClientThatTheHeaderNames(String transport, ProxyHeaderOut version, ProxyHeaderIn expected)
            throws Exception {
        server = new TestingServer(TestingServer::serveHttp);
        launch(transport, config().proxyHeaderIn(expected));
        byte[] header = ProxyHeader.encode(version, TRUE_CLIENT, TRUE_SERVER);

        try (Socket client = connect()) {
            client.getOutputStream().write(header);
            exchange(client);
            exchange(client);
        }
        try (Socket client = connect()) {
            for (byte b : header) {
                client.getOutputStream().write(b);
            }
            exchange(client);
        }
        try (Socket client = connect()) {
            client.getOutputStream().write(concat(header, Bytes.of(GET)));
            assertAnswer(client, GET, 0);
        }

        try (Capture capture = closeAndOpen()) {
            assertEquals(4, capture.requestCount());
            for (int request = 0; request < 4; request++) {
                assertEquals(GET, Bytes.text(Bytes.request(capture, request)));
            }
            for (int connection = 0; connection < 3; connection++) {
                assertEquals("192.0.2.7:40000", Bytes.clientAddress(capture, connection));
            }
            assertEquals(ConnectionDetails.NONE.withProxyHeader(header), details(capture));
            assertEquals(0, capture.info().opaqueBytes());
        }
        assertEquals(4L * GET.length(), proxy.status().clientBytes());
        assertEquals(0, proxy.status().refusedHeaders());
    }

    @Test
    void takesConnectionsWithoutAHeaderWhereItMayBeMissing() throws Exception {
        server = new TestingServer(TestingServer::serveHttp);
        launch("epoll", config().proxyHeaderIn(ProxyHeaderIn.AUTO));

        try (Socket client = connect()) {
            exchange(client);
        }

        try (Capture capture = closeAndOpen()) {
            assertTrue(Bytes.clientAddress(capture, 0).startsWith("127.0.0.1:"));
            assertEquals(ConnectionDetails.NONE, details(capture));
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"epoll", "nio"})
    void refusesAndCountsConnectionsWithoutAProperHeader(String transport) throws Exception {
        BlockingQueue<Integer> reached = new LinkedBlockingQueue<>();
        server = new TestingServer(socket -> reached.add(socket.getInputStream().read()));
        launch(transport, config().proxyHeaderIn(ProxyHeaderIn.REQUIRED));
        String[] wrong = {GET, "PROXY TCP4 nonsense\r\n" + GET, "PROXY"};

        for (String start : wrong) {
            assertThrows(IOException.class, () -> {
                try (Socket client = connect()) {
                    client.getOutputStream().write(Bytes.of(start));
                    client.shutdownOutput();
                    if (client.getInputStream().read() < 0) {
                        throw new IOException("ended");
                    }
                }
            });
        }
        awaitTrue(() -> proxy.status().refusedHeaders() == wrong.length);
        assertEquals(0, proxy.status().connections());
        assertTrue(reached.isEmpty());
    }

    @ParameterizedTest
    @CsvSource({"epoll,V1", "epoll,V2", "nio,V1", "nio,V2"})
    void tellsTheUpstreamWhoTheClientIs(String transport, ProxyHeaderOut version) throws Exception {
        BlockingQueue<String> received = new LinkedBlockingQueue<>();
        server = new TestingServer(
                socket -> received.add(Bytes.text(socket.getInputStream().readAllBytes())));
        launch(transport, config().proxyHeaderOut(version));

        InetSocketAddress own;
        try (Socket client = connect()) {
            own = (InetSocketAddress) client.getLocalSocketAddress();
            client.getOutputStream().write(Bytes.of(GET));
            client.shutdownOutput();
            String header = Bytes.text(ProxyHeader.encode(version, own, proxy.boundAddress()));
            assertEquals(header + GET, received.poll(TIMEOUT_MS, TimeUnit.MILLISECONDS));
        }

        try (Capture capture = closeAndOpen()) {
            assertEquals(GET, Bytes.text(Bytes.request(capture, 0)));
        }
    }

    @Test
    void passesOnWhoTheClientIs() throws Exception {
        BlockingQueue<String> received = new LinkedBlockingQueue<>();
        server = new TestingServer(
                socket -> received.add(Bytes.text(socket.getInputStream().readAllBytes())));
        launch("epoll", config().proxyHeaderIn(ProxyHeaderIn.REQUIRED).proxyHeaderOut(ProxyHeaderOut.V1));

        try (Socket client = connect()) {
            client.getOutputStream().write(ProxyHeader.encode(ProxyHeaderOut.V2, TRUE_CLIENT, TRUE_SERVER));
            client.getOutputStream().write(Bytes.of(GET));
            client.shutdownOutput();
            assertEquals(
                    "PROXY TCP4 192.0.2.7 198.51.100.1 40000 443\r\n" + GET,
                    received.poll(TIMEOUT_MS, TimeUnit.MILLISECONDS));
        }
    }

    @Test
    void takesAHeaderInFrontOfTls() throws Exception {
        TlsIdentity identity = TlsIdentity.selfSigned("shop.example", "localhost");
        byte[] header = ProxyHeader.encode(ProxyHeaderOut.V2, TRUE_CLIENT, TRUE_SERVER);
        server = new TestingServer(socket -> {
            byte[] passedOn = Bytes.read(socket.getInputStream(), header.length);
            assertArrayEquals(header, passedOn);
            TestingTls.serve(identity, TestingServer::serveHttp).play(socket);
        });
        launch(
                "epoll",
                config().proxyHeaderIn(ProxyHeaderIn.REQUIRED)
                        .proxyHeaderOut(ProxyHeaderOut.V2)
                        .clientTls(identity)
                        .upstreamTls(UpstreamTls.insecure()));

        Socket socket = connect();
        socket.getOutputStream().write(header);
        try (SSLSocket client = TestingTls.connect(socket, identity, "shop.example", "TLSv1.3")) {
            exchange(client);
        }

        try (Capture capture = closeAndOpen()) {
            assertEquals("192.0.2.7:40000", Bytes.clientAddress(capture, 0));
            assertEquals(GET, Bytes.text(Bytes.request(capture, 0)));
            assertEquals(
                    ConnectionDetails.tls("shop.example", null, "TLSv1.3").withProxyHeader(header), details(capture));
        }
        assertTrue(server.failures().isEmpty(), () -> server.failures().toString());
    }

    // ---- limits ----

    @ParameterizedTest
    @ValueSource(strings = {"epoll", "nio"})
    void refusesAndCountsConnectionsBeyondTheLimit(String transport) throws Exception {
        server = new TestingServer(TestingServer::serveHttp);
        launch(transport, config().maxConnections(2));

        try (Socket first = connect();
                Socket second = connect()) {
            exchange(first);
            exchange(second);
            assertThrows(IOException.class, () -> {
                try (Socket third = connect()) {
                    if (third.getInputStream().read() < 0) {
                        throw new IOException("ended");
                    }
                }
            });
            exchange(first);
        }
        awaitTrue(() -> proxy.status().openConnections() == 0);
        try (Socket later = connect()) {
            exchange(later);
        }
        assertEquals(1, proxy.status().refusedConnections());

        try (Capture capture = closeAndOpen()) {
            assertEquals(3, capture.connectionCount());
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"epoll", "nio"})
    void closesIdleConnections(String transport) throws Exception {
        server = new TestingServer(TestingServer::serveHttp);
        // A machine that stands still may make the client itself idle for too long.
        int idleMs = 200;
        while (!servesUntilIdle(transport, idleMs)) {
            idleMs *= 3;
        }

        try (Capture capture = closeAndOpen()) {
            assertEquals(1, capture.requestCount());
            assertEquals(CloseReason.TIMEOUT, capture.closeReason(0));
        }
    }

    /** Sends a request and waits for the end of the connection; returns whether there was an answer before. */
    private boolean servesUntilIdle(String transport, int idleMs) throws IOException {
        if (proxy != null) {
            proxy.close();
        }
        launch(transport, config().idleTimeout(Duration.ofMillis(idleMs)).overwrite(true));
        try (Socket client = connect()) {
            client.getOutputStream().write(Bytes.of(GET));
            byte[] answer = TestingServer.answer(GET, 0);
            byte[] found = client.getInputStream().readAllBytes();
            assertTrue(idleMs < TIMEOUT_MS || found.length > 0, "no answer");
            return Arrays.equals(answer, found);
        } catch (SocketException e) {
            return false;
        }
    }

    @Test
    void keepsServingWhenNothingMayBeBuffered() throws Exception {
        server = new TestingServer(TestingServer::serveHttp);
        launch(
                "epoll",
                config().captureOptions(
                                CaptureOptions.builder().blockBytes(4096).memoryBytes(8192)));
        int requests = 200;

        try (Socket client = connect()) {
            for (int i = 0; i < requests; i++) {
                exchange(client, Bytes.post("/" + i, 20_000, i), "POST /" + i + " HTTP/1.1\r\n", 20_000);
            }
        }

        awaitTrue(() -> proxy.status().openConnections() == 0);
        proxy.close();
        RecordingStatus status = proxy.status();
        assertEquals(requests, status.requests());
        assertEquals(requests, status.recordedRequests() + status.lostRequests());
        assertEquals(status.clientBytes(), status.recordedBytes() + status.lostBytes());
    }

    // ---- the protocol ----

    @Test
    void takesTheProtocolThatItIsTold() throws Exception {
        server = new TestingServer(TestingServer.echo());
        launch("epoll", config().protocol(Protocol.THRIFT_FRAMED_BINARY));
        byte[] call = {0, 0, 0, 17, (byte) 0x80, 1, 0, 1, 0, 0, 0, 4, 'p', 'i', 'n', 'g', 0, 0, 0, 1, 0};

        try (Socket client = connect()) {
            client.getOutputStream().write(call);
            assertArrayEquals(call, Bytes.read(client.getInputStream(), call.length));
        }

        try (Capture capture = closeAndOpen()) {
            assertEquals(Protocol.THRIFT_FRAMED_BINARY, capture.protocol(0));
        }
        assertEquals(1, proxy.status().requests());
    }

    private static byte[] concat(byte[] first, byte[] second) {
        byte[] both = Arrays.copyOf(first, first.length + second.length);
        System.arraycopy(second, 0, both, first.length, second.length);
        return both;
    }
}
