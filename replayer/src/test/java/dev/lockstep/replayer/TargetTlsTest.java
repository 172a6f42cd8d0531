package dev.lockstep.replayer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.lockstep.capture.Capture;
import dev.lockstep.capture.Protocol;
import dev.lockstep.measurement.ErrorKind;
import dev.lockstep.measurement.LoadResult;
import dev.lockstep.measurement.Pace;
import dev.lockstep.replayer.tls.TargetTls;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Collectors;
import javax.net.ssl.ExtendedSSLSession;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLServerSocket;
import javax.net.ssl.SSLSocket;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
final class TargetTlsTest {
    private static final long MS = 1_000_000;

    private static TestingIdentity identity;

    @TempDir
    Path directory;

    private List<String> notes = new ArrayList<>();

    @BeforeAll
    static void makeIdentity() throws Exception {
        identity = new TestingIdentity("localhost");
    }

    @Test
    void sendsTheRecordedBytesInsideTls() throws Exception {
        TestingCapture recording = new TestingCapture(directory);
        int connection = recording.open(0);
        String upload = "POST /upload HTTP/1.1\r\nContent-Length: 100000\r\n\r\n" + "x".repeat(100_000);
        String pipelined = "";
        for (int i = 0; i < 3; i++) {
            recording.request(connection, MS, TestingCapture.get(i));
            pipelined += TestingCapture.get(i);
        }
        recording.request(connection, 2 * MS, upload);
        recording.pieces(connection, 3 * MS, "POST /pieces HTTP/1.1\r\nConte", "nt-Length: 4\r\n\r\nab", "", "cd");
        List<String> seen = new CopyOnWriteArrayList<>();
        SSLServerSocket socket = serving(new String[] {"h2", "http/1.1"}, false);
        try (Capture capture = recording.finish();
                TestingServer server = new TestingServer(
                        (c, head, accepted, out) -> {
                            SSLSocket tls = (SSLSocket) accepted;
                            seen.add(tls.getApplicationProtocol() + " "
                                    + ((ExtendedSSLSession) tls.getSession()).getRequestedServerNames());
                            out.write(TestingServer.ok("ok"));
                            return true;
                        },
                        socket)) {
            LoadResult result =
                    replay(ReplayConfig.builder(capture), server, trusting().build());

            assertEquals(5, result.counts().completed, notes::toString);
            assertEquals(
                    pipelined + upload + "POST /pieces HTTP/1.1\r\nContent-Length: 4\r\n\r\nabcd", server.received(0));
            assertEquals(
                    capture.streamSha256(),
                    result.streamDigest().sha256(),
                    result.streamDigest().absentReason());
            assertEquals(
                    List.of("http/1.1 [type=host_name (0), value=localhost]"),
                    seen.stream().distinct().collect(Collectors.toList()));
            assertEquals(List.of(), notes);
        }
    }

    @Test
    void sendsHttp2ToATargetThatAgreesOnItAndToNoOther() throws Exception {
        String preface = TestingHttp2.PREFACE + TestingHttp2.frame(TestingHttp2.SETTINGS, 0, 0, "");
        int ended = TestingHttp2.END_HEADERS | TestingHttp2.END_STREAM;
        String sent = preface + TestingHttp2.frame(TestingHttp2.HEADERS, ended, 1, TestingHttp2.GET);
        String answer = TestingHttp2.frame(TestingHttp2.SETTINGS, 0, 0, "")
                + TestingHttp2.frame(TestingHttp2.HEADERS, ended, 1, TestingHttp2.STATUS_200);
        TestingCapture recording = new TestingCapture(directory);
        int connection = recording.open(0, Protocol.HTTP2);
        recording.opaque(connection, 0, sent);
        recording.close(connection, MS);
        List<String> received = new CopyOnWriteArrayList<>();
        TestingAcceptor.Service service = (number, socket) -> () -> {
            byte[] bytes = socket.getInputStream().readNBytes(sent.length());
            received.add(new String(bytes, StandardCharsets.ISO_8859_1));
            socket.getOutputStream().write(answer.getBytes(StandardCharsets.ISO_8859_1));
            socket.getInputStream().readAllBytes();
        };
        try (Capture capture = recording.finish();
                TestingAcceptor willing =
                        new TestingAcceptor(serving(new String[] {"http/1.1", "h2"}, false), service);
                TestingAcceptor other = new TestingAcceptor(identity.listen(), service)) {
            LoadResult result = replay(
                    ReplayConfig.builder(capture), willing.address(), trusting().build());

            assertEquals(List.of(), notes);
            assertEquals(Map.of(200, 1L), result.counts().statusCodes());
            assertEquals(List.of(sent), received);

            result = replay(
                    ReplayConfig.builder(capture), other.address(), trusting().build());

            assertEquals(List.of("TLS failed: the target did not agree on h2 by ALPN"), notes);
            assertEquals(sent.length(), result.counts().opaqueBytesUnsent);
        }
    }

    @Test
    void stampsARequestWhenItsEncryptedBytesAreHandedToTheSocket() throws Exception {
        try (Capture capture = TestingCapture.gets(directory, 7, MS);
                TestingServer server = new TestingServer(TestingServer.OK, identity.listen())) {
            LoadResult result = replay(
                    ReplayConfig.builder(capture).pace(Pace.MAX).connections(3).requestLimit(100),
                    server,
                    trusting().build());

            assertEquals(100, result.counts().completed, notes::toString);
            // In a closed loop a request is intended when it is written.
            assertEquals(result.responseTime(), result.serviceTime());
            assertEquals(0, result.generatorLag().getMaxValue());
        }
    }

    @Test
    void countsATargetWithACertificateThatNobodySigned() throws Exception {
        LoadResult result = failing(identity.listen(), TargetTls.builder().build());

        assertEquals(Map.of(ErrorKind.TLS_FAILED, 2L), result.counts().errorsByKind());
        assertEquals(0, result.counts().connections);
        assertEquals(1, notes.size(), notes::toString);
        assertTrue(notes.get(0).startsWith("TLS failed: its certificate is not trusted: "), notes::toString);
    }

    @Test
    void countsATargetUnderAnotherNameThanItsCertificates() throws Exception {
        TestingIdentity other = new TestingIdentity("other.test");
        TargetTls.Builder trusting = TargetTls.builder().trust(other.certificate(directory.resolve("ca.pem")));

        LoadResult result = failing(other.listen(), trusting.build());

        assertEquals(Map.of(ErrorKind.TLS_FAILED, 2L), result.counts().errorsByKind());
        assertTrue(notes.get(0).contains("localhost"), notes::toString);
    }

    @Test
    void trustsAnybodyWhenToldSo() throws Exception {
        TestingIdentity other = new TestingIdentity("other.test");
        try (Capture capture = TestingCapture.gets(directory, 2, MS);
                TestingServer server = new TestingServer(TestingServer.OK, other.listen())) {
            LoadResult result = replay(
                    ReplayConfig.builder(capture),
                    server,
                    TargetTls.builder().insecure().build());

            assertEquals(2, result.counts().completed, notes::toString);
        }
    }

    @Test
    void showsItsCertificateToATargetThatAsksForOne() throws Exception {
        TestingIdentity client = new TestingIdentity("client.test");
        TargetTls.Builder known = trusting()
                .identity(
                        client.certificate(directory.resolve("client.pem")),
                        client.key(directory.resolve("client.key")));
        try (Capture capture = TestingCapture.gets(directory, 2, MS)) {
            try (TestingServer server = new TestingServer(TestingServer.OK, asking(client))) {
                assertEquals(
                        2,
                        replay(ReplayConfig.builder(capture), server, known.build())
                                .counts()
                                .completed,
                        notes::toString);
            }
            try (TestingServer server = new TestingServer(TestingServer.OK, asking(client))) {
                LoadResult refused =
                        replay(ReplayConfig.builder(capture), server, trusting().build());

                assertEquals(0, refused.counts().completed);
                assertTrue(
                        refused.counts().errorsByKind().containsKey(ErrorKind.TLS_FAILED),
                        refused.counts().errorsByKind().toString());
                assertTrue(notes.get(0).contains("certificate"), notes::toString);
            }
        }
    }

    @Test
    void countsATargetThatDoesNotSpeakTls() throws Exception {
        try (ServerSocket plain = new ServerSocket(0, 16, InetAddress.getLoopbackAddress())) {
            Thread answering = new Thread(() -> {
                try {
                    while (true) {
                        Socket accepted = plain.accept();
                        accepted.getInputStream().read();
                        accepted.getOutputStream()
                                .write("HTTP/1.1 400 Bad Request\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
                    }
                } catch (IOException e) {
                    // Closed by the test.
                }
            });
            answering.setDaemon(true);
            answering.start();

            LoadResult result = failing(
                    (InetSocketAddress) plain.getLocalSocketAddress(),
                    trusting().build());

            assertEquals(Map.of(ErrorKind.TLS_FAILED, 2L), result.counts().errorsByKind());
            assertEquals(List.of("TLS failed: what the target answered is not TLS"), notes);
        }
    }

    @Test
    void saysSoWhereATargetResetsTheConnectionDuringTheHandshake() throws Exception {
        TestingAcceptor.Service resetting = (number, socket) -> () -> {
            socket.getInputStream().read();
            socket.setSoLinger(true, 0);
        };
        try (TestingAcceptor server = new TestingAcceptor(resetting)) {
            LoadResult result = failing(server.address(), trusting().build());

            assertEquals(Map.of(ErrorKind.TLS_FAILED, 2L), result.counts().errorsByKind());
            assertEquals(List.of("TLS failed: the target closed the connection during the handshake"), notes);
        }
    }

    @Test
    void givesAHandshakeThatIsNotAnsweredTheTimeAllowed() throws Exception {
        try (ServerSocket silent = new ServerSocket(0, 16, InetAddress.getLoopbackAddress())) {
            LoadResult result = failing(
                    (InetSocketAddress) silent.getLocalSocketAddress(),
                    trusting().build(),
                    500);

            assertEquals(Map.of(ErrorKind.TLS_FAILED, 2L), result.counts().errorsByKind());
            assertTrue(notes.get(0).contains("timed out"), notes::toString);
        }
    }

    @Test
    void saysWhatIsWrongWithAFile() throws Exception {
        Path certificate = identity.certificate(directory.resolve("cert.pem"));
        Path key = identity.key(directory.resolve("key.pem"));
        Path foreign = new TestingIdentity("x.test").key(directory.resolve("foreign.pem"));
        Path old = Files.writeString(
                directory.resolve("old.pem"), "-----BEGIN EC PRIVATE KEY-----\nAAAA\n-----END EC PRIVATE KEY-----\n");

        assertEquals(
                key + ": expected a certificate in PEM, found none; give the file with BEGIN CERTIFICATE",
                problem(() -> TargetTls.builder().trust(key)));
        assertEquals(
                "cannot read " + directory.resolve("none.pem") + ": no such file; check the path",
                problem(() -> TargetTls.builder().trust(directory.resolve("none.pem"))));
        assertEquals(
                foreign + ": expected the EC key of the first certificate in " + certificate
                        + ", found another one; give the certificate's own key",
                problem(() -> TargetTls.builder().identity(certificate, foreign)));
        assertEquals(
                old + ": expected a private key in PEM as BEGIN PRIVATE KEY (PKCS #8, not encrypted), found BEGIN EC"
                        + " PRIVATE KEY; convert it with: openssl pkey -in key.pem -out plain.pem",
                problem(() -> TargetTls.builder().identity(certificate, old)));
    }

    private static String problem(Executable step) {
        return assertThrows(ReplayException.class, step).getMessage();
    }

    private TargetTls.Builder trusting() throws Exception {
        return TargetTls.builder().trust(identity.certificate(directory.resolve("authority.pem")));
    }

    private static SSLServerSocket serving(String[] protocols, boolean asking) throws Exception {
        SSLServerSocket socket = (SSLServerSocket) identity.listen();
        SSLParameters parameters = socket.getSSLParameters();
        parameters.setApplicationProtocols(protocols);
        parameters.setNeedClientAuth(asking);
        socket.setSSLParameters(parameters);
        return socket;
    }

    private static SSLServerSocket asking(TestingIdentity client) throws Exception {
        SSLServerSocket socket = (SSLServerSocket) identity.context(client)
                .getServerSocketFactory()
                .createServerSocket(0, 16, InetAddress.getLoopbackAddress());
        socket.setNeedClientAuth(true);
        return socket;
    }

    private LoadResult failing(ServerSocket socket, TargetTls tls) throws Exception {
        try (TestingServer server = new TestingServer(TestingServer.OK, socket)) {
            return failing(server.address(), tls);
        }
    }

    private LoadResult failing(InetSocketAddress address, TargetTls tls) {
        return failing(address, tls, 30_000);
    }

    private LoadResult failing(InetSocketAddress address, TargetTls tls, long timeoutMs) {
        try (Capture capture = TestingCapture.gets(directory, 2, MS)) {
            return replay(ReplayConfig.builder(capture).timeoutNs(timeoutMs * MS), address, tls);
        }
    }

    private LoadResult replay(ReplayConfig.Builder config, TestingServer server, TargetTls tls) {
        return replay(config, server.address(), tls);
    }

    private LoadResult replay(ReplayConfig.Builder config, InetSocketAddress address, TargetTls tls) {
        InetSocketAddress named = new InetSocketAddress("localhost", address.getPort());
        try (Replayer replayer = Replayer.launchCold(config.build())) {
            TargetReplay target = replayer.addTarget("test", named, tls);
            replayer.measure(List.of(target), 0, 1, Replayer.Progress.NONE);
            replayer.finish();
            notes = target.notes();
            return target.result();
        }
    }
}
