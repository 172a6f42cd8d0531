package dev.lockstep.recorder;

import static dev.lockstep.recorder.TestingClient.GET;
import static dev.lockstep.recorder.TestingClient.awaitTrue;
import static dev.lockstep.recorder.TestingClient.exchange;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.lockstep.capture.Capture;
import dev.lockstep.capture.CloseReason;
import dev.lockstep.capture.ConnectionDetails;
import dev.lockstep.capture.Protocol;
import java.io.ByteArrayOutputStream;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLSocket;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** TLS on either side of the proxy: the ends see TLS that fits, the capture holds what is inside. */
final class TlsProxyTest extends ProxyFixture {
    private static final String NAME = "shop.example";
    private static final TlsIdentity PROXY = TlsIdentity.selfSigned(NAME, "127.0.0.1");
    private static final TlsIdentity SERVICE = TlsIdentity.selfSigned(NAME, "localhost");

    @ParameterizedTest
    @CsvSource({"epoll,TLSv1.3", "epoll,TLSv1.2", "nio,TLSv1.3"})
    void recordsWhatIsInside(String transport, String version) throws Exception {
        server = new TestingServer(TestingTls.serve(SERVICE, TestingServer::serveHttp, "http/1.1"));
        launch(transport, config().clientTls(PROXY).upstreamTls(trustingService()));
        int requests = 100;
        Random random = new Random(7);
        List<byte[]> sent = new ArrayList<>();

        try (SSLSocket client = connect(version, "h2", "http/1.1")) {
            assertEquals("http/1.1", client.getApplicationProtocol());
            for (int i = 0; i < requests; i++) {
                int bodyBytes = random.nextInt(i % 10 == 0 ? 300_000 : 3_000);
                byte[] post = Bytes.post("/" + i, bodyBytes, i);
                sent.add(post);
                exchange(client, post, "POST /" + i + " HTTP/1.1\r\n", bodyBytes);
            }
        }

        try (Capture capture = closeAndOpen()) {
            assertEquals(requests, capture.requestCount());
            for (int i = 0; i < requests; i++) {
                assertArrayEquals(sent.get(i), Bytes.request(capture, i));
            }
            assertEquals(Protocol.HTTP1, capture.protocol(0));
            assertEquals(CloseReason.CLIENT_FIN, capture.closeReason(0));
            assertEquals(ConnectionDetails.tls(NAME, "http/1.1", version), details(capture));
        }
        assertEquals(0, proxy.status().tlsFailures());
    }

    @ParameterizedTest
    @ValueSource(strings = {"epoll", "nio"})
    void agreesWithTheClientOnWhatTheUpstreamTakes(String transport) throws Exception {
        server = new TestingServer(TestingTls.serve(SERVICE, TestingServer.echo(), "h2", "http/1.1"));
        launch(transport, config().clientTls(PROXY).upstreamTls(trustingService()));
        String preface = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

        try (SSLSocket client = connect("TLSv1.3", "h2", "http/1.1")) {
            assertEquals("h2", client.getApplicationProtocol());
            client.getOutputStream().write(Bytes.of(preface));
            assertEquals(preface, Bytes.text(Bytes.read(client.getInputStream(), preface.length())));
        }

        try (Capture capture = closeAndOpen()) {
            assertEquals(Protocol.HTTP2, capture.protocol(0));
            assertEquals(ConnectionDetails.tls(NAME, "h2", "TLSv1.3"), details(capture));
        }
    }

    @Test
    void agreesOnNoProtocolWhereTheUpstreamDoesNot() throws Exception {
        server = new TestingServer(TestingTls.serve(SERVICE, TestingServer::serveHttp));
        launch("epoll", config().clientTls(PROXY).upstreamTls(trustingService()));

        try (SSLSocket client = connect("TLSv1.3", "h2", "http/1.1")) {
            assertEquals("", client.getApplicationProtocol());
            exchange(client);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"epoll", "nio"})
    void takesTlsOffInFrontOfAPlainService(String transport) throws Exception {
        server = new TestingServer(TestingServer::serveHttp);
        launch(transport, config().clientTls(PROXY));

        try (SSLSocket client = connect("TLSv1.3", "h2", "http/1.1")) {
            assertEquals("http/1.1", client.getApplicationProtocol());
            exchange(client);
        }

        try (Capture capture = closeAndOpen()) {
            assertEquals(GET, Bytes.text(Bytes.request(capture, 0)));
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"epoll", "nio"})
    void putsTlsOnForPlainClients(String transport) throws Exception {
        server = new TestingServer(TestingTls.serve(SERVICE, TestingServer::serveHttp));
        launch(transport, config().upstreamTls(trustingService()));

        try (Socket client = connect()) {
            exchange(client);
            client.shutdownOutput();
            assertEquals(-1, client.getInputStream().read());
        }

        try (Capture capture = closeAndOpen()) {
            assertEquals(GET, Bytes.text(Bytes.request(capture, 0)));
            assertEquals(ConnectionDetails.NONE, details(capture));
        }
    }

    @Test
    void passesALongAnswerAndItsEnd() throws Exception {
        byte[] answer = Bytes.post("/answer", 5_000_000, 7);
        server = new TestingServer(TestingTls.serve(SERVICE, socket -> {
            Bytes.read(socket.getInputStream(), GET.length());
            socket.getOutputStream().write(answer);
        }));
        launch("epoll", config().clientTls(PROXY).upstreamTls(trustingService()));

        try (SSLSocket client = connect("TLSv1.3")) {
            client.getOutputStream().write(Bytes.of(GET));
            assertArrayEquals(answer, client.getInputStream().readAllBytes());
        }

        try (Capture capture = closeAndOpen()) {
            assertEquals(CloseReason.SERVER_FIN, capture.closeReason(0));
        }
    }

    @Test
    void answersAClientThatHasEndedItsSide() throws Exception {
        byte[] answer = Bytes.post("/answer", 200_000, 7);
        server = new TestingServer(TestingTls.serve(SERVICE, socket -> {
            if (Bytes.text(socket.getInputStream().readAllBytes()).equals(GET)) {
                socket.getOutputStream().write(answer);
            }
        }));
        launch("epoll", config().clientTls(PROXY).upstreamTls(trustingService()));

        try (SSLSocket client = connect("TLSv1.3")) {
            client.getOutputStream().write(Bytes.of(GET));
            client.shutdownOutput();
            assertArrayEquals(answer, client.getInputStream().readAllBytes());
        }

        try (Capture capture = closeAndOpen()) {
            assertEquals(CloseReason.CLIENT_FIN, capture.closeReason(0));
        }
    }

    /** A reset must not reach a TLS client as a proper end: an answer without a length would seem whole. */
    @Test
    void doesNotEndTlsProperlyWhenTheServerResets() throws Exception {
        server = new TestingServer(socket -> {
            Bytes.read(socket.getInputStream(), GET.length());
            socket.getOutputStream().write(Bytes.of("half"));
            socket.getInputStream().read();
            socket.setSoLinger(true, 0);
        });
        launch("epoll", config().clientTls(PROXY));

        try (SSLSocket client = connect("TLSv1.3")) {
            client.getOutputStream().write(Bytes.of(GET));
            assertEquals("half", Bytes.text(Bytes.read(client.getInputStream(), 4)));
            client.getOutputStream().write('!');
            assertThrows(IOException.class, () -> client.getInputStream().read());
        }
    }

    /** A service that is killed in the middle of an answer sends a FIN and no end of TLS. */
    @ParameterizedTest
    @CsvSource({"true,21", "false,23"})
    void endsTlsProperlyOnlyWhereTheServerDoes(boolean properly, int lastType) throws Exception {
        server = new TestingServer(raw -> {
            TestingServer.Script script = TestingTls.serve(SERVICE, socket -> {
                Bytes.read(socket.getInputStream(), GET.length());
                socket.getOutputStream().write(Bytes.of("half"));
                if (!properly) {
                    raw.shutdownOutput();
                    raw.getInputStream().readAllBytes();
                }
            });
            script.play(raw);
        });
        launch("epoll", config().clientTls(PROXY).upstreamTls(trustingService()));
        TappedSocket tapped = new TappedSocket();
        tapped.setSoTimeout(TestingClient.TIMEOUT_MS);
        tapped.connect(proxy.boundAddress());

        try (SSLSocket client = TestingTls.connect(tapped, PROXY, NAME, "TLSv1.2")) {
            client.getOutputStream().write(Bytes.of(GET));
            assertEquals("half", Bytes.text(client.getInputStream().readAllBytes()));
        }

        assertEquals(lastType, lastType(tapped.came.toByteArray()));
    }

    /** A client of TLS 1.2 is owed an answer to its end, which cannot follow our FIN: that resets nobody. */
    @Test
    void passesAnUploadToAServerThatSentAFinAlone() throws Exception {
        byte[] upload = new byte[20_000_000];
        BlockingQueue<Integer> received = new LinkedBlockingQueue<>();
        server = new TestingServer(raw -> {
            TestingServer.Script script = TestingTls.serve(SERVICE, socket -> {
                InputStream in = socket.getInputStream();
                Bytes.read(in, GET.length());
                raw.shutdownOutput();
                int total = 0;
                for (int count = 1; count > 0; total += count) {
                    TimeUnit.MILLISECONDS.sleep(1); // slower than the client, so that bytes wait at its end
                    count = in.readNBytes(64 << 10).length;
                }
                received.add(total);
            });
            script.play(raw);
        });
        launch("epoll", config().clientTls(PROXY).upstreamTls(trustingService()));

        try (SSLSocket client = connect("TLSv1.2")) {
            client.getOutputStream().write(Bytes.of(GET));
            client.getOutputStream().write(upload);
        }

        assertEquals(upload.length, received.poll(TestingClient.TIMEOUT_MS, TimeUnit.MILLISECONDS));
        try (Capture capture = closeAndOpen()) {
            assertEquals(CloseReason.SERVER_FIN, capture.closeReason(0));
        }
    }

    /** Keeps what comes over the network, under TLS. */
    private static final class TappedSocket extends Socket {
        final ByteArrayOutputStream came = new ByteArrayOutputStream();

        @Override
        public InputStream getInputStream() throws IOException {
            return new FilterInputStream(super.getInputStream()) {
                @Override
                public int read(byte[] bytes, int offset, int length) throws IOException {
                    int count = super.read(bytes, offset, length);
                    came.write(bytes, offset, Math.max(0, count));
                    return count;
                }
            };
        }
    }

    /** The type of the last record of TLS: 21 is an alert, such as TLS's own end, 23 is data. */
    private static int lastType(byte[] records) {
        int type = -1;
        for (int at = 0; at < records.length; at += 5 + ((records[at + 3] & 0xFF) << 8 | records[at + 4] & 0xFF)) {
            type = records[at];
        }
        return type;
    }

    @Test
    void passesWhatAServerSaysFirst() throws Exception {
        server = new TestingServer(TestingTls.serve(SERVICE, socket -> {
            socket.getOutputStream().write(Bytes.of("hello"));
            socket.getInputStream().readAllBytes();
        }));
        launch("epoll", config().clientTls(PROXY).upstreamTls(trustingService()));

        try (SSLSocket client = connect("TLSv1.3")) {
            assertEquals("hello", Bytes.text(Bytes.read(client.getInputStream(), 5)));
        }
    }

    @Test
    void trustsOnlyWhomItIsTold() throws Exception {
        server = new TestingServer(TestingTls.serve(SERVICE, TestingServer::serveHttp));
        Path other = TestingPem.certificate(TlsIdentity.selfSigned(NAME), directory.resolve("other.pem"));
        launch("epoll", config().clientTls(PROXY).upstreamTls(UpstreamTls.trusting(other)));

        assertThrows(IOException.class, () -> connect("TLSv1.3"));

        try (Capture capture = closeAndOpen()) {
            assertEquals(CloseReason.UPSTREAM_FAILED, capture.closeReason(0));
            assertEquals(NAME, details(capture).tlsServerName());
        }
        assertEquals(1, proxy.status().tlsFailures());
        assertEquals(1, proxy.status().upstreamTlsFailures());
        assertTrue(
                proxy.status().lastUpstreamTlsProblem().startsWith("its certificate is not trusted: "),
                proxy.status().lastUpstreamTlsProblem());
        assertNull(proxy.status().lastClientTlsProblem());
    }

    @Test
    void refusesAServiceOfAnotherName() throws Exception {
        server = new TestingServer(TestingTls.serve(SERVICE, TestingServer::serveHttp));
        launch("epoll", config().upstreamTls(trustingService().serverName("bank.example")));

        assertResetsClient();
        awaitTrue(() -> proxy.status().tlsFailures() == 1);
    }

    @Test
    void trustsAnybodyWhereToldSo() throws Exception {
        TlsIdentity stranger = TlsIdentity.selfSigned("stranger.example");
        server = new TestingServer(TestingTls.serve(stranger, TestingServer::serveHttp));
        launch("epoll", config().upstreamTls(UpstreamTls.insecure()));

        try (Socket client = connect()) {
            exchange(client);
        }
    }

    @Test
    void countsClientsThatDoNotSpeakTls() throws Exception {
        server = new TestingServer(TestingServer::serveHttp);
        launch("epoll", config().clientTls(PROXY));

        try (Socket client = connect()) {
            client.getOutputStream().write(Bytes.of(GET));
            drainToEnd(client);
        }
        awaitTrue(() -> proxy.status().clientTlsFailures() == 1);
        assertEquals("what came is not TLS", proxy.status().lastClientTlsProblem());
        try (SSLSocket client = connect("TLSv1.3")) {
            exchange(client);
        }
    }

    @Test
    void countsClientsThatDoNotTrustTheProxy() throws Exception {
        server = new TestingServer(TestingServer::serveHttp);
        launch("epoll", config().clientTls(PROXY));

        try (Socket socket = connect()) {
            assertThrows(SSLException.class, () -> TestingTls.connect(socket, SERVICE, NAME, "TLSv1.2"));
        }
        awaitTrue(() -> proxy.status().clientTlsFailures() == 1);
        assertTrue(
                proxy.status().lastClientTlsProblem().contains("fatal alert"),
                proxy.status().lastClientTlsProblem());
    }

    @ParameterizedTest
    @ValueSource(strings = {"epoll", "nio"})
    void countsAServiceThatDoesNotSpeakTls(String transport) throws Exception {
        server = new TestingServer(socket -> {
            Bytes.read(socket.getInputStream(), 5);
            socket.getOutputStream().write(Bytes.of("HTTP/1.1 400 Bad Request\r\n\r\n"));
            socket.getInputStream().readAllBytes();
        });
        launch(transport, config().upstreamTls(UpstreamTls.insecure()));

        assertResetsClient();
        awaitTrue(() -> proxy.status().upstreamTlsFailures() == 1);
        assertEquals("what came is not TLS", proxy.status().lastUpstreamTlsProblem());
    }

    @ParameterizedTest
    @ValueSource(strings = {"epoll", "nio"})
    void countsAServiceThatResetsTheHandshake(String transport) throws Exception {
        server = new TestingServer(socket -> {
            Bytes.read(socket.getInputStream(), 5);
            socket.setSoLinger(true, 0);
            socket.close();
        });
        launch(transport, config().upstreamTls(UpstreamTls.insecure()));

        assertResetsClient();
        awaitTrue(() -> proxy.status().upstreamTlsFailures() == 1);
    }

    @Test
    void readsAPortCheckAsNoFailure() throws Exception {
        server = new TestingServer(TestingServer::serveHttp);
        launch("epoll", config().clientTls(PROXY));

        connect().close();

        awaitTrue(() -> proxy.status().connections() == 1 && proxy.status().openConnections() == 0);
        assertEquals(0, proxy.status().tlsFailures());
    }

    /** Until then it has a deadline of its own. */
    @ParameterizedTest
    @ValueSource(strings = {"epoll", "nio"})
    void countsTheIdleTimeOfAClientFromItsHelloOn(String transport) throws Exception {
        server = new TestingServer(TestingServer::serveHttp);
        // A machine that stands still may make the client itself idle for too long.
        int idleMs = 200;
        while (!servesLateHello(transport, idleMs)) {
            idleMs *= 3;
            assertTrue(idleMs < 6_000, "no late hello was served");
        }
    }

    private boolean servesLateHello(String transport, int idleMs) throws Exception {
        if (proxy != null) {
            proxy.close();
        }
        launch(
                transport,
                config().clientTls(PROXY).idleTimeout(Duration.ofMillis(idleMs)).overwrite(true));
        try (Socket plain = connect()) {
            TimeUnit.MILLISECONDS.sleep(idleMs * 3 / 2);
            try (SSLSocket client = TestingTls.connect(plain, PROXY, NAME, "TLSv1.3")) {
                exchange(client);
                return true;
            }
        } catch (IOException e) {
            return false;
        }
    }

    @Test
    void readsItsIdentityFromPem() throws Exception {
        Path certificate = TestingPem.certificate(PROXY, directory.resolve("chain.pem"));
        Path key = TestingPem.key(PROXY, directory.resolve("key.pem"));
        server = new TestingServer(TestingServer::serveHttp);
        launch("epoll", config().clientTls(TlsIdentity.read(certificate, key)));

        try (SSLSocket client = connect("TLSv1.3")) {
            exchange(client);
        }
    }

    @Test
    void saysWhatIsWrongWithAnIdentity() throws Exception {
        Path certificate = TestingPem.certificate(PROXY, directory.resolve("chain.pem"));
        Path key = TestingPem.key(PROXY, directory.resolve("key.pem"));
        Path other = TestingPem.key(SERVICE, directory.resolve("other.pem"));
        Path none = directory.resolve("none.pem");

        assertSays("cannot read " + none + ": no such file; check the path", certificate, none);
        assertSays("cannot read " + none + ": no such file; check the path", none, key);
        assertSays(
                other + ": expected the key of the first certificate in " + certificate
                        + ", found another one (EC); give the certificate's own key",
                certificate,
                other);
        assertSays(key + ": expected a certificate in PEM, found none; give the file with BEGIN CERTIFICATE", key, key);
        assertSays(
                certificate + ": expected a private key in PEM that is not encrypted, found none; decrypt it with"
                        + " openssl pkey -in key.pem -out plain.pem",
                certificate,
                certificate);
    }

    @Test
    void saysThatAKeyIsDamaged() throws Exception {
        Path certificate = TestingPem.certificate(PROXY, directory.resolve("chain.pem"));
        String key = Files.readString(TestingPem.key(PROXY, directory.resolve("key.pem")));
        Path damaged = Files.writeString(directory.resolve("damaged.pem"), key.replaceFirst("\n....", "\n*?*?"));

        String message = assertThrows(RecorderException.class, () -> TlsIdentity.read(certificate, damaged))
                .getMessage();

        String problem = damaged + ": expected a private key in PEM, found what cannot be read as one: ";
        assertTrue(message.startsWith(problem), message);
    }

    private static void assertSays(String message, Path certificate, Path key) {
        assertEquals(
                message,
                assertThrows(RecorderException.class, () -> TlsIdentity.read(certificate, key))
                        .getMessage());
    }

    private UpstreamTls trustingService() throws Exception {
        return UpstreamTls.trusting(TestingPem.certificate(SERVICE, directory.resolve("service.pem")));
    }

    private SSLSocket connect(String version, String... protocols) throws Exception {
        return TestingTls.connect(connect(), PROXY, NAME, version, protocols);
    }

    /** The service is connected to as soon as the client is, so the reset may come before connect() returns. */
    private void assertResetsClient() {
        assertThrows(IOException.class, () -> {
            try (Socket client = connect()) {
                client.getInputStream().read();
            }
        });
    }

    private static void drainToEnd(Socket client) {
        try {
            client.getInputStream().readAllBytes();
        } catch (IOException reset) {
            // An end as good as any.
        }
    }
}
