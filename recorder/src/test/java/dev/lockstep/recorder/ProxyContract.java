package dev.lockstep.recorder;

import static dev.lockstep.recorder.TestingClient.GET;
import static dev.lockstep.recorder.TestingClient.TIMEOUT_MS;
import static dev.lockstep.recorder.TestingClient.awaitTrue;
import static dev.lockstep.recorder.TestingClient.exchange;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.lockstep.capture.Capture;
import dev.lockstep.capture.CaptureInfo;
import dev.lockstep.capture.CaptureReader;
import dev.lockstep.capture.CaptureRecord;
import dev.lockstep.capture.CloseReason;
import dev.lockstep.capture.Protocol;
import dev.lockstep.capture.RecordType;
import dev.lockstep.net.Transport;
import io.netty.buffer.PooledByteBufAllocator;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.LongSupplier;
import org.junit.jupiter.api.Test;

/** What the proxy promises, on whatever transport: bytes and ends pass as they came, and the capture holds them. */
abstract class ProxyContract extends ProxyFixture {

    private int eventLoops = 1;

    abstract Transport transport();

    // ---- recording ----

    @Test
    void recordsARequestAsItWasSent() throws Exception {
        launch(TestingServer::serveHttp);

        try (Socket client = connect()) {
            exchange(client);
        }

        try (Capture capture = closeAndOpen()) {
            assertEquals(1, capture.requestCount());
            assertEquals(1, capture.connectionCount());
            assertEquals(GET, Bytes.text(Bytes.request(capture, 0)));
            assertEquals(Protocol.HTTP1, capture.protocol(0));
            assertEquals(CloseReason.CLIENT_FIN, capture.closeReason(0));
            assertEquals("127.0.0.1:" + proxy.boundAddress().getPort(), Bytes.serverAddress(capture, 0));
            assertTrue(Bytes.clientAddress(capture, 0).startsWith("127.0.0.1:"));
            assertTrue(capture.info().closedProperly());
            assertEquals("test", capture.info().toolVersion());
        }
        RecordingStatus status = proxy.status();
        assertEquals(1, status.connections());
        assertEquals(0, status.openConnections());
        assertEquals(1, status.requests());
        assertEquals(GET.length(), status.clientBytes());
        assertEquals(TestingServer.answer(GET, 0).length, status.upstreamBytes());
        assertEquals(1, status.recordedRequests());
        assertEquals(GET.length(), status.recordedBytes());
        assertEquals(0, status.lostConnections() + status.lostRequests() + status.lostBytes());
        assertEquals(0, status.opaqueConnections() + status.incompleteRequests() + status.ambiguousRequests());
        assertNull(status.captureFailure());
    }

    @Test
    void recordsEveryPipelinedRequest() throws Exception {
        launch(TestingServer::serveHttp);

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
    }

    @Test
    void recordsEveryPostOf100kB() throws Exception {
        recordsEveryPost(100_000);
    }

    @Test
    void recordsEveryPostOf300kB() throws Exception {
        recordsEveryPost(300_000);
    }

    private void recordsEveryPost(int bodyBytes) throws Exception {
        launch(TestingServer::serveHttp);
        int requests = 150;

        try (Socket client = connect()) {
            for (int i = 0; i < requests; i++) {
                byte[] post = Bytes.post("/" + i, bodyBytes, i);
                exchange(client, post, "POST /" + i + " HTTP/1.1\r\n", bodyBytes);
            }
        }

        try (Capture capture = closeAndOpen()) {
            assertEquals(requests, capture.requestCount());
            for (int i = 0; i < requests; i++) {
                assertArrayEquals(Bytes.post("/" + i, bodyBytes, i), Bytes.request(capture, i));
            }
        }
        assertEquals(0, proxy.status().lostBytes());
    }

    @Test
    void recordsChunkedRequestsWithTrailers() throws Exception {
        launch(TestingServer::serveHttp);
        String head = "POST /c HTTP/1.1\r\nTransfer-Encoding: chunked\r\nTrailer: Sum\r\n\r\n";
        String post = head + "5;x=y\r\nhello\r\nA\r\n0123456789\r\n0\r\nSum: 15\r\n\r\n";

        try (Socket client = connect()) {
            exchange(client, Bytes.of(post), head, 15);
            for (byte b : Bytes.of(post)) {
                client.getOutputStream().write(b);
            }
            byte[] answer = TestingServer.answer(head, 15);
            assertArrayEquals(answer, Bytes.read(client.getInputStream(), answer.length));
            exchange(client);
        }

        try (Capture capture = closeAndOpen()) {
            assertEquals(3, capture.requestCount());
            assertEquals(post, Bytes.text(Bytes.request(capture, 0)));
            assertEquals(post, Bytes.text(Bytes.request(capture, 1)));
            assertEquals(GET, Bytes.text(Bytes.request(capture, 2)));
        }
    }

    @Test
    void recordsAnExpectedContinueAsOneRequest() throws Exception {
        launch(TestingServer::serveHttp);
        String head = "PUT /e HTTP/1.1\r\nExpect: 100-continue\r\nContent-Length: 5\r\n\r\n";

        try (Socket client = connect()) {
            client.getOutputStream().write(Bytes.of(head));
            String proceed = "HTTP/1.1 100 Continue\r\n\r\n";
            assertEquals(proceed, Bytes.text(Bytes.read(client.getInputStream(), proceed.length())));
            exchange(client, Bytes.of("hello"), head, 5);
        }

        try (Capture capture = closeAndOpen()) {
            assertEquals(1, capture.requestCount());
            assertEquals(head + "hello", Bytes.text(Bytes.request(capture, 0)));
        }
    }

    @Test
    void countsARequestThatDoesNotEnd() throws Exception {
        CountDownLatch received = new CountDownLatch(1);
        launch(socket -> {
            Bytes.read(socket.getInputStream(), GET.length() + 10);
            received.countDown();
            socket.getInputStream().read();
        });

        try (Socket client = connect()) {
            client.getOutputStream().write(Bytes.of(GET + GET.substring(0, 10)));
            await(received);
        }

        try (Capture capture = closeAndOpen()) {
            assertEquals(1, capture.requestCount());
            assertEquals(1, capture.info().incompleteRequests());
            assertEquals(GET.length() + 10, capture.info().dataBytes());
            assertEquals(0, capture.info().opaqueBytes());
        }
        assertEquals(1, proxy.status().incompleteRequests());
    }

    @Test
    void keepsAndCountsBytesThatAreNotHttp() throws Exception {
        launch(TestingServer.echo());
        byte[] bytes = new byte[5_000];
        new Random(1).nextBytes(bytes);
        bytes[0] = 0x16;

        try (Socket client = connect()) {
            client.getOutputStream().write(bytes);
            assertArrayEquals(bytes, Bytes.read(client.getInputStream(), bytes.length));
        }

        try (Capture capture = closeAndOpen()) {
            assertEquals(0, capture.requestCount());
            assertEquals(bytes.length, capture.info().opaqueBytes());
            assertEquals(1, capture.info().opaqueConnections());
            assertEquals(Protocol.UNKNOWN, capture.protocol(0));
        }
        assertEquals(1, proxy.status().opaqueConnections());
        assertEquals(0, proxy.status().incompleteRequests());
    }

    @Test
    void keepsWhatFollowsAnUpgradeAsItIs() throws Exception {
        launch(TestingServer.echo());
        String upgrade = "GET /chat HTTP/1.1\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n";

        try (Socket client = connect()) {
            for (String part : new String[] {upgrade, "\u0081\u0085mask hello", GET}) {
                client.getOutputStream().write(Bytes.of(part));
                assertEquals(part, Bytes.text(Bytes.read(client.getInputStream(), part.length())));
            }
        }

        try (Capture capture = closeAndOpen()) {
            assertEquals(1, capture.requestCount());
            assertEquals(upgrade, Bytes.text(Bytes.request(capture, 0)));
            assertEquals(12 + GET.length(), capture.info().opaqueBytes());
        }
    }

    @Test
    void recordsHttp2AsItsProtocolWithoutRequests() throws Exception {
        launch(TestingServer.echo());
        String preface = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

        try (Socket client = connect()) {
            client.getOutputStream().write(Bytes.of(preface));
            assertEquals(preface, Bytes.text(Bytes.read(client.getInputStream(), preface.length())));
        }

        try (Capture capture = closeAndOpen()) {
            assertEquals(0, capture.requestCount());
            assertEquals(Protocol.HTTP2, capture.protocol(0));
        }
    }

    @Test
    void countsRequestsWhoseLengthIsAmbiguous() throws Exception {
        launch(TestingServer::serveHttp);
        String head = "POST / HTTP/1.1\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n";

        try (Socket client = connect()) {
            exchange(client, Bytes.of(head + "0\r\n\r\n"), head, 0);
        }

        proxy.close();
        assertEquals(1, proxy.status().ambiguousRequests());
    }

    @Test
    void servesManyConnectionsAtOnce() throws Exception {
        eventLoops = 2;
        launch(TestingServer::serveHttp);
        int connections = 300;
        int rounds = 3;

        List<Socket> clients = new ArrayList<>();
        try {
            for (int i = 0; i < connections; i++) {
                clients.add(connect());
            }
            for (int round = 0; round < rounds; round++) {
                for (int i = 0; i < connections; i++) {
                    clients.get(i).getOutputStream().write(Bytes.of("GET /" + i + "/" + round + " HTTP/1.1\r\n\r\n"));
                }
                for (int i = 0; i < connections; i++) {
                    byte[] answer = TestingServer.answer("GET /" + i + "/" + round + " HTTP/1.1\r\n", 0);
                    assertArrayEquals(answer, Bytes.read(clients.get(i).getInputStream(), answer.length));
                }
            }
            assertEquals(connections, proxy.status().openConnections());
        } finally {
            for (Socket client : clients) {
                client.close();
            }
        }

        try (Capture capture = closeAndOpen()) {
            assertEquals(connections, capture.connectionCount());
            assertEquals(connections * rounds, capture.requestCount());
            for (int connection = 0; connection < connections; connection++) {
                assertEquals(rounds, capture.requestCount(connection));
            }
        }
    }

    /** Random bytes in random pieces both ways at once arrive as they were sent, and all of the client's are kept. */
    @Test
    void passesRandomBytesBothWaysAtOnce() throws Exception {
        long seed = System.nanoTime();
        int length = 3_000_000;
        byte[] up = new byte[length];
        byte[] down = new byte[length];
        new Random(seed).nextBytes(up);
        new Random(seed + 1).nextBytes(down);
        BlockingQueue<byte[]> received = new LinkedBlockingQueue<>();
        launch(socket -> {
            CompletableFuture<Void> sending =
                    CompletableFuture.runAsync(() -> sendInPieces(socket, down, new Random(seed + 2)));
            received.add(socket.getInputStream().readAllBytes());
            sending.get();
        });

        try (Socket client = connect()) {
            CompletableFuture<Void> sending = CompletableFuture.runAsync(() -> {
                sendInPieces(client, up, new Random(seed + 3));
            });
            assertArrayEquals(down, client.getInputStream().readAllBytes(), "seed " + seed);
            sending.get();
        }
        assertArrayEquals(up, received.poll(TIMEOUT_MS, TimeUnit.MILLISECONDS), "seed " + seed);

        try (Capture capture = closeAndOpen()) {
            assertEquals(length, capture.info().dataBytes());
            assertArrayEquals(up, Bytes.clientStream(capture, 0, length), "seed " + seed);
        }
    }

    // ---- how connections end ----

    @Test
    void answersAClientThatHasSentItsFin() throws Exception {
        byte[] answer = Bytes.post("/answer", 200_000, 7);
        launch(socket -> {
            byte[] all = socket.getInputStream().readAllBytes();
            if (Bytes.text(all).equals(GET)) {
                socket.getOutputStream().write(answer);
            }
        });

        try (Socket client = connect()) {
            client.getOutputStream().write(Bytes.of(GET));
            client.shutdownOutput();
            assertArrayEquals(answer, client.getInputStream().readAllBytes());
        }

        try (Capture capture = closeAndOpen()) {
            assertEquals(1, capture.requestCount());
            assertEquals(CloseReason.CLIENT_FIN, capture.closeReason(0));
        }
    }

    @Test
    void takesMoreFromAClientAfterTheServersFin() throws Exception {
        BlockingQueue<String> received = new LinkedBlockingQueue<>();
        launch(socket -> {
            socket.getOutputStream().write(Bytes.of("bye"));
            socket.shutdownOutput();
            received.add(Bytes.text(socket.getInputStream().readAllBytes()));
        });

        try (Socket client = connect()) {
            assertEquals("bye", Bytes.text(client.getInputStream().readAllBytes()));
            client.getOutputStream().write(Bytes.of(GET));
            client.shutdownOutput();
            assertEquals(GET, received.poll(TIMEOUT_MS, TimeUnit.MILLISECONDS));
            awaitTrue(() -> proxy.status().openConnections() == 0);
        }

        try (Capture capture = closeAndOpen()) {
            assertEquals(1, capture.requestCount());
            assertEquals(CloseReason.SERVER_FIN, capture.closeReason(0));
        }
    }

    @Test
    void resetsTheServerWhenTheClientResets() throws Exception {
        BlockingQueue<String> seen = new LinkedBlockingQueue<>();
        launch(socket -> {
            Bytes.read(socket.getInputStream(), GET.length());
            socket.getOutputStream().write('!');
            seen.add(howItEnds(socket));
        });

        Socket client = connect();
        client.getOutputStream().write(Bytes.of(GET));
        assertEquals('!', client.getInputStream().read());
        client.setSoLinger(true, 0);
        client.close();

        assertEquals("reset", seen.poll(TIMEOUT_MS, TimeUnit.MILLISECONDS));
        try (Capture capture = closeAndOpen()) {
            assertEquals(1, capture.requestCount());
            assertEquals(CloseReason.CLIENT_RESET, capture.closeReason(0));
        }
    }

    @Test
    void resetsTheClientWhenTheServerResets() throws Exception {
        launch(socket -> {
            Bytes.read(socket.getInputStream(), GET.length());
            socket.setSoLinger(true, 0);
        });

        try (Socket client = connect()) {
            client.getOutputStream().write(Bytes.of(GET));
            assertEquals("reset", howItEnds(client));
        }

        try (Capture capture = closeAndOpen()) {
            assertEquals(1, capture.requestCount());
            assertEquals(CloseReason.SERVER_RESET, capture.closeReason(0));
        }
    }

    @Test
    void deliversWhatAServerSentBeforeItDiedInTheMiddle() throws Exception {
        CountDownLatch read = new CountDownLatch(1);
        String half = "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf";
        launch(socket -> {
            Bytes.read(socket.getInputStream(), GET.length());
            socket.getOutputStream().write(Bytes.of(half));
            await(read);
            socket.setSoLinger(true, 0);
        });

        try (Socket client = connect()) {
            client.getOutputStream().write(Bytes.of(GET));
            assertEquals(half, Bytes.text(Bytes.read(client.getInputStream(), half.length())));
            read.countDown();
            assertEquals("reset", howItEnds(client));
        }
    }

    @Test
    void deliversTheAnswerOfAServerThatRefusesAnUpload() throws Exception {
        String refusal = "HTTP/1.1 413 Too Large\r\nConnection: close\r\n\r\n";
        launch(socket -> {
            Bytes.read(socket.getInputStream(), 100_000);
            socket.getOutputStream().write(Bytes.of(refusal));
            // The server closes with bytes unread, so its kernel sends a reset behind the answer.
        });

        byte[] post = Bytes.post("/", 20_000_000, 1);
        for (int attempt = 0; attempt < 20; attempt++) {
            try (Socket client = connect()) {
                CompletableFuture<Void> upload = CompletableFuture.runAsync(() -> {
                    try {
                        client.getOutputStream().write(post);
                    } catch (IOException expected) {
                        // The reset ends the upload, as it does without a proxy.
                    }
                });
                assertEquals(refusal, Bytes.text(Bytes.read(client.getInputStream(), refusal.length())));
                upload.get(TIMEOUT_MS, TimeUnit.MILLISECONDS);
            }
        }
        awaitTrue(() -> proxy.status().openConnections() == 0);
    }

    @Test
    void resetsTheServerThatAnswersAClientWhoHasGone() throws Exception {
        BlockingQueue<String> seen = new LinkedBlockingQueue<>();
        launch(socket -> {
            Bytes.read(socket.getInputStream(), GET.length());
            try {
                byte[] block = new byte[100_000];
                while (true) {
                    socket.getOutputStream().write(block);
                }
            } catch (SocketException e) {
                seen.add("reset");
            }
        });

        Socket client = connect();
        client.getOutputStream().write(Bytes.of(GET));
        client.getInputStream().read();
        client.close();

        assertEquals("reset", seen.poll(TIMEOUT_MS, TimeUnit.MILLISECONDS));
        awaitTrue(() -> proxy.status().openConnections() == 0);
    }

    @Test
    void resetsAndCountsClientsWhileTheUpstreamIsDown() throws Exception {
        try (Socket unused = new Socket()) {
            // Nobody listens on it, and nobody else is given it while it is bound.
            unused.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
            launch((InetSocketAddress) unused.getLocalSocketAddress(), Duration.ofSeconds(60));

            for (int i = 0; i < 3; i++) {
                assertThrows(SocketException.class, () -> {
                    try (Socket client = connect()) {
                        client.getInputStream().read();
                    }
                });
            }
        }

        try (Capture capture = closeAndOpen()) {
            assertEquals(3, capture.connectionCount());
            assertEquals(0, capture.requestCount());
            for (int connection = 0; connection < 3; connection++) {
                assertEquals(CloseReason.UPSTREAM_FAILED, capture.closeReason(connection));
            }
        }
        assertEquals(3, proxy.status().upstreamFailures());
    }

    @Test
    void givesUpOnAnUpstreamThatDoesNotAccept() throws Exception {
        try (FullListener full = new FullListener()) {
            launch(full.address(), Duration.ofMillis(100));

            try (Socket client = connect()) {
                assertEquals("reset", howItEnds(client));
            }
        }
        awaitTrue(() -> proxy.status().upstreamFailures() == 1);
    }

    @Test
    void blamesNoTlsWhereAnUpstreamWithoutItResetsAtOnce() throws Exception {
        try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            Thread resetting = new Thread(() -> {
                try {
                    while (true) {
                        Socket accepted = server.accept();
                        accepted.setSoLinger(true, 0);
                        accepted.close();
                    }
                } catch (IOException e) {
                    // closed: the end
                }
            });
            resetting.start();
            launch((InetSocketAddress) server.getLocalSocketAddress(), Duration.ofSeconds(60));
            for (int i = 0; i < 200; i++) {
                try (Socket client = connect()) {
                    howItEnds(client);
                } catch (SocketException e) {
                    // reset before connect() had done with it
                }
            }
        }
        assertEquals(0, proxy.status().tlsFailures());
    }

    @Test
    void holdsWhatAClientSendsBeforeTheUpstreamAccepts() throws Exception {
        try (FullListener full = new FullListener()) {
            launch(full.address(), Duration.ofSeconds(60));

            byte[] sent = Bytes.post("/", 30_000, 3);
            try (Socket client = connect()) {
                client.getOutputStream().write(sent);
                client.shutdownOutput();
                awaitTrue(() -> proxy.status().connections() == 1);
                try (Socket accepted = full.acceptFromProxy(client)) {
                    assertArrayEquals(sent, accepted.getInputStream().readAllBytes());
                    accepted.getOutputStream().write(Bytes.of("answer"));
                    accepted.shutdownOutput();
                    assertEquals("answer", Bytes.text(client.getInputStream().readAllBytes()));
                }
            }
        }

        try (Capture capture = closeAndOpen()) {
            assertEquals(1, capture.requestCount());
            assertEquals(CloseReason.CLIENT_FIN, capture.closeReason(0));
        }
        List<RecordType> records = new ArrayList<>();
        try (CaptureReader reader = CaptureReader.open(captureFile())) {
            for (CaptureRecord record = reader.next(); record != null; record = reader.next()) {
                records.add(record.type());
            }
        }
        assertTrue(records.indexOf(RecordType.HALF_CLOSE) > records.lastIndexOf(RecordType.DATA_C2S), records + "");
    }

    @Test
    void forgetsAClientThatResetsBeforeTheUpstreamAccepts() throws Exception {
        try (FullListener full = new FullListener()) {
            launch(full.address(), Duration.ofSeconds(60));

            Socket client = connect();
            awaitTrue(() -> proxy.status().connections() == 1);
            client.setSoLinger(true, 0);
            client.close();

            if (transport().name().equals("epoll")) {
                // NIO notices only when it reads, which it does not before the upstream is there.
                awaitTrue(() -> proxy.status().openConnections() == 0);
            }
        }
        proxy.close();
        assertEquals(0, proxy.status().openConnections());
    }

    // ---- back-pressure ----

    @Test
    void holdsBackAnUploadThatTheServerDoesNotTake() throws Exception {
        int length = 100_000_000;
        CountDownLatch go = new CountDownLatch(1);
        BlockingQueue<Long> received = new LinkedBlockingQueue<>();
        launch(socket -> {
            await(go);
            received.add(drain(socket.getInputStream()));
            socket.getOutputStream().write('k');
        });

        long memoryBefore = PooledByteBufAllocator.DEFAULT.metric().usedDirectMemory();
        try (Socket client = connect()) {
            CompletableFuture<Void> upload = CompletableFuture.runAsync(() -> send(client, length));
            long heldBytes = awaitStill(() -> proxy.status().clientBytes());
            assertTrue(heldBytes < length / 2, "took " + heldBytes + " bytes that nobody wanted");
            assertMemoryStayedSmall(memoryBefore);
            go.countDown();
            upload.get();
            client.shutdownOutput();
            assertEquals('k', client.getInputStream().read());
        }
        assertEquals(checksum(length), received.poll(TIMEOUT_MS, TimeUnit.MILLISECONDS));
        assertMemoryStayedSmall(memoryBefore);
    }

    @Test
    void holdsBackADownloadThatTheClientDoesNotTake() throws Exception {
        int length = 100_000_000;
        launch(socket -> {
            Bytes.read(socket.getInputStream(), GET.length());
            send(socket, length);
        });

        long memoryBefore = PooledByteBufAllocator.DEFAULT.metric().usedDirectMemory();
        try (Socket client = connect()) {
            client.getOutputStream().write(Bytes.of(GET));
            long heldBytes = awaitStill(() -> proxy.status().upstreamBytes());
            assertTrue(heldBytes < length / 2, "took " + heldBytes + " bytes that nobody wanted");
            assertMemoryStayedSmall(memoryBefore);
            assertEquals(checksum(length), drain(client.getInputStream()));
        }
        assertMemoryStayedSmall(memoryBefore);
        assertTrue(server.failures().isEmpty(), () -> server.failures().toString());
    }

    // ---- the end of a recording ----

    @Test
    void recordsConnectionsThatAreOpenAtTheEnd() throws Exception {
        launch(TestingServer::serveHttp);

        try (Socket busy = connect();
                Socket idle = connect()) {
            exchange(busy);
            awaitTrue(() -> proxy.status().openConnections() == 2);
            proxy.close();
            proxy.close();
            assertEquals(-1, idle.getInputStream().read());
            assertEquals(-1, busy.getInputStream().read());
        }

        try (Capture capture = closeAndOpen()) {
            assertEquals(2, capture.connectionCount());
            assertEquals(1, capture.requestCount());
            assertEquals(CloseReason.RECORDING_ENDED, capture.closeReason(0));
            assertEquals(CloseReason.RECORDING_ENDED, capture.closeReason(1));
        }
        assertEquals(0, proxy.status().openConnections());
    }

    /** After a FIN an answer without a length would seem whole. */
    @Test
    void resetsAClientThatHasNotTakenAllWhenClosed() throws Exception {
        launch(socket -> {
            Bytes.read(socket.getInputStream(), GET.length());
            send(socket, 100_000_000);
        });

        try (Socket client = connect()) {
            client.getOutputStream().write(Bytes.of(GET));
            awaitStill(() -> proxy.status().upstreamBytes());
            proxy.close();
            assertThrows(SocketException.class, () -> drain(client.getInputStream()));
        }

        try (Capture capture = closeAndOpen()) {
            assertEquals(CloseReason.RECORDING_ENDED, capture.closeReason(0));
        }
    }

    @Test
    void keepsEveryForwardedRequestWhenClosedInTheMiddle() throws Exception {
        eventLoops = 2;
        List<String> served = new ArrayList<>();
        launch(socket -> TestingServer.serveHttp(socket, head -> {
            synchronized (served) {
                served.add(head.substring(0, head.indexOf(" HTTP")));
            }
        }));

        List<Thread> clients = new ArrayList<>();
        for (int c = 0; c < 8; c++) {
            int number = c;
            Thread client = new Thread(() -> {
                try (Socket socket = connect()) {
                    for (int i = 0; ; i++) {
                        String path = "/" + number + "/" + i;
                        exchange(socket, Bytes.post(path, 20_000, i), "POST " + path + " HTTP/1.1\r\n", 20_000);
                    }
                } catch (IOException closed) {
                    // The proxy has gone, as it should.
                }
            });
            client.start();
            clients.add(client);
        }
        awaitTrue(() -> proxy.status().requests() > 500);
        proxy.close();
        for (Thread client : clients) {
            client.join();
        }
        server.close();

        try (Capture capture = closeAndOpen()) {
            Set<String> recorded = new HashSet<>();
            for (long i = 0; i < capture.requestCount(); i++) {
                byte[] request = Bytes.request(capture, i);
                String head =
                        Bytes.text(request).substring(0, Bytes.text(request).indexOf(" HTTP"));
                int index = Integer.parseInt(head.substring(head.lastIndexOf('/') + 1));
                assertArrayEquals(Bytes.post(head.substring("POST ".length()), 20_000, index), request);
                recorded.add(head);
            }
            CaptureInfo info = capture.info();
            assertTrue(info.closedProperly());
            assertEquals(proxy.status().requests(), capture.requestCount());
            synchronized (served) {
                assertTrue(served.size() > 400, "served " + served.size());
                assertTrue(recorded.containsAll(served), "every request that reached the server is recorded");
            }
        }
    }

    // ---- pieces ----

    private void launch(TestingServer.Script script) throws IOException {
        server = new TestingServer(script);
        launch(server.address(), Duration.ofSeconds(60));
    }

    private void launch(InetSocketAddress upstream, Duration connectTimeout) {
        proxy = RecordingProxy.launch(
                config(upstream)
                        .eventLoops(eventLoops)
                        .connectTimeout(connectTimeout)
                        .toolVersion("test")
                        .build(),
                transport());
    }

    private static String howItEnds(Socket socket) throws IOException {
        try {
            int b = socket.getInputStream().read();
            return b < 0 ? "fin" : "byte " + b;
        } catch (SocketException e) {
            return "reset";
        }
    }

    private static void sendInPieces(Socket socket, byte[] bytes, Random random) {
        try {
            OutputStream out = socket.getOutputStream();
            int length;
            for (int from = 0; from < bytes.length; from += length) {
                length = Math.min(bytes.length - from, 1 + random.nextInt(1 + random.nextInt(100_000)));
                out.write(bytes, from, length);
            }
            socket.shutdownOutput();
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    private static void send(Socket socket, int length) {
        byte[] block = new byte[10_000];
        try {
            for (int from = 0; from < length; from += block.length) {
                fill(block, from);
                socket.getOutputStream().write(block);
            }
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    private static void fill(byte[] block, int from) {
        Arrays.fill(block, (byte) (from / block.length));
        block[0] = (byte) (from >>> 16);
    }

    private static long checksum(int length) {
        byte[] block = new byte[10_000];
        long sum = 0;
        for (int from = 0; from < length; from += block.length) {
            fill(block, from);
            sum = add(sum, block, block.length);
        }
        return sum;
    }

    private static long drain(InputStream in) throws IOException {
        byte[] block = new byte[64 << 10];
        long sum = 0;
        int read;
        while ((read = in.read(block)) >= 0) {
            sum = add(sum, block, read);
        }
        return sum;
    }

    /** Adds bytes to a sum that depends on their order. */
    private static long add(long sum, byte[] block, int length) {
        long result = sum;
        for (int i = 0; i < length; i++) {
            result = result * 31 + block[i];
        }
        return result;
    }

    private static void assertMemoryStayedSmall(long before) {
        long grown = PooledByteBufAllocator.DEFAULT.metric().usedDirectMemory() - before;
        assertTrue(grown <= 16 << 20, "direct memory grew by " + grown + " bytes");
    }

    /** Waits until a number has begun to grow and then stays the same for a while, and returns it. */
    private static long awaitStill(LongSupplier number) throws InterruptedException {
        long last = -1;
        for (int same = 0; same < 10; ) {
            Thread.sleep(20);
            long now = number.getAsLong();
            same = now == last && now > 0 ? same + 1 : 0;
            last = now;
        }
        return last;
    }

    private static void await(CountDownLatch latch) throws InterruptedException, TimeoutException {
        if (!latch.await(TIMEOUT_MS, TimeUnit.MILLISECONDS)) {
            throw new TimeoutException();
        }
    }

    /** A listener whose queue is full: the kernel lets further clients wait until somebody is accepted. */
    private static final class FullListener implements AutoCloseable {
        private final ServerSocket listener = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
        private final List<Socket> queued = new ArrayList<>();

        FullListener() throws IOException {
            while (true) {
                Socket socket = new Socket();
                try {
                    socket.connect(address(), 100);
                    queued.add(socket);
                } catch (IOException full) {
                    socket.close();
                    return;
                }
            }
        }

        InetSocketAddress address() {
            return (InetSocketAddress) listener.getLocalSocketAddress();
        }

        /** Accepts until the connection comes that was not queued at the start. */
        Socket acceptFromProxy(Socket client) throws IOException {
            while (true) {
                Socket accepted = listener.accept();
                boolean ours = queued.stream().anyMatch(socket -> socket.getLocalPort() == accepted.getPort());
                if (!ours) {
                    return accepted;
                }
                accepted.close();
            }
        }

        @Override
        public void close() throws IOException {
            listener.close();
            for (Socket socket : queued) {
                socket.close();
            }
        }
    }
}
