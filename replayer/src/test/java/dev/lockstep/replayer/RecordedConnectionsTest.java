package dev.lockstep.replayer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.lockstep.capture.Capture;
import dev.lockstep.capture.CaptureOptions;
import dev.lockstep.capture.CaptureWriter;
import dev.lockstep.capture.OpenOptions;
import dev.lockstep.capture.Protocol;
import dev.lockstep.capture.RecordFlags;
import dev.lockstep.measurement.ErrorKind;
import dev.lockstep.measurement.LoadCounts;
import dev.lockstep.measurement.LoadResult;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
final class RecordedConnectionsTest {
    private static final long MS = 1_000_000;

    @TempDir
    Path directory;

    /** A server that does with each connection what the test says, and keeps what it read. */
    private static final class Server implements AutoCloseable {
        interface Script {
            void serve(int connection, Stream stream) throws IOException, InterruptedException;
        }

        /** One connection, read as text. */
        static final class Stream {
            final Socket socket;
            final InputStream in;
            final OutputStream out;
            final ByteArrayOutputStream read = new ByteArrayOutputStream();

            Stream(Socket socket) throws IOException {
                this.socket = socket;
                in = socket.getInputStream();
                out = socket.getOutputStream();
            }

            /** Reads so many bytes, or up to the end. */
            String read(int bytes) throws IOException {
                byte[] got = in.readNBytes(bytes);
                read.writeBytes(got);
                return new String(got, StandardCharsets.ISO_8859_1);
            }

            String readAll() throws IOException {
                return read(Integer.MAX_VALUE);
            }

            void say(String text) throws IOException {
                out.write(text.getBytes(StandardCharsets.ISO_8859_1));
            }
        }

        private final TestingAcceptor acceptor;
        private final List<Stream> streams = new CopyOnWriteArrayList<>();
        private final BlockingQueue<Integer> ended = new LinkedBlockingQueue<>();

        Server(Script script) throws IOException {
            acceptor = new TestingAcceptor((connection, socket) -> {
                Stream stream = new Stream(socket);
                streams.add(stream);
                return () -> {
                    try {
                        script.serve(connection, stream);
                    } finally {
                        socket.close();
                        ended.add(connection);
                    }
                };
            });
        }

        InetSocketAddress address() {
            return acceptor.address();
        }

        /** Waits until a connection was served, and returns its number, in the order of ends. */
        int nextEnded() throws InterruptedException {
            Integer number = ended.poll(60, TimeUnit.SECONDS);
            assertTrue(number != null, "no connection ended");
            return number;
        }

        String read(int connection) {
            return streams.get(connection).read.toString(StandardCharsets.ISO_8859_1);
        }

        int connections() {
            return acceptor.connections();
        }

        @Override
        public void close() throws IOException {
            acceptor.close();
        }
    }

    private static LoadResult replay(ReplayConfig.Builder config, Server server) {
        return replay(config, server.address());
    }

    private static LoadResult replay(ReplayConfig.Builder config, InetSocketAddress address) {
        return TestingReplay.to(address, config.spinNs(0)).result();
    }

    private static final String OK = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n";

    @Test
    void sendsAStreamByteForByteAndReadsItsAnswersUntilTheRecordedEnd() throws Exception {
        TestingCapture recording = new TestingCapture(directory);
        int stream = recording.open(0, Protocol.UNKNOWN);
        recording.opaque(stream, 1 * MS, "hello ").opaque(stream, 5 * MS, "world");
        recording.halfClose(stream, 6 * MS);
        recording.close(stream, 7 * MS);
        try (Capture capture = recording.finish();
                Server server = new Server((connection, opened) -> {
                    opened.readAll();
                    // An answer that comes after the client ended its side.
                    opened.say("bye");
                })) {
            long startNs = System.nanoTime();
            LoadCounts counts = replay(ReplayConfig.builder(capture), server).counts();

            assertEquals(0, server.nextEnded());
            assertEquals("hello world", server.read(0));
            assertEquals(11, counts.opaqueBytesSent);
            assertEquals(0, counts.opaqueBytesUnsent);
            // A target that says nothing for a second, here because the machine stands still, is not waited for.
            assertTrue(counts.bytesReceived == 3 || System.nanoTime() - startNs > 1000 * MS);
            assertEquals(0, counts.sent);
        }
    }

    @Test
    void keepsPipelinedRequestsOutOfMemoryWhileTheTargetDoesNotRead() throws Exception {
        TestingCapture recording = new TestingCapture(directory);
        int socket = recording.open(0);
        String request = "GET / HTTP/1.1\r\nX: " + "x".repeat(12_000) + "\r\n\r\n";
        recording.request(socket, 1 * MS, request);
        for (int i = 1; i < 4000; i++) {
            recording.pipelined(socket, 1 * MS, request);
        }
        recording.close(socket, 2 * MS);
        try (Capture capture = recording.finish();
                Server server = new Server((connection, opened) -> Thread.sleep(20_000))) {
            ReplayConfig.Builder config =
                    ReplayConfig.builder(capture).durationNs(200 * MS).timeoutNs(300 * MS);
            LoadCounts counts = replay(config, server).counts();

            // What the sockets of two or three connections take; not all that is due.
            assertTrue(counts.bytesSent < 36_000_000, "bytes " + counts.bytesSent);
            assertTrue(counts.unsent > 0, "unsent");
            assertEquals(4000, counts.sent + counts.unsent);
        }
    }

    @Test
    void aRequestThatWasTakenLateKeepsNoOtherFromItsTimeOut() throws Exception {
        // Time-outs that a late client meets at once are seen by the server's threads in any order.
        Retry.untilUndisturbed(this::replayALateRequest);
    }

    private void replayALateRequest() throws Exception {
        TestingCapture recording = new TestingCapture(Files.createTempDirectory(directory, "late"));
        int large = recording.open(0);
        int small = recording.open(0);
        recording.request(large, 1 * MS, upload(24_000_000));
        recording.request(small, 100 * MS, TestingCapture.get(1));
        int last = recording.open(400 * MS);
        recording.request(last, 400 * MS, TestingCapture.get(2));
        for (int connection : new int[] {large, small, last}) {
            recording.close(connection, 401 * MS);
        }
        try (Capture capture = recording.finish();
                Server server = new Server((connection, opened) -> {
                    if (opened.in.read() == 'P') {
                        TestingServer.stall(600);
                    }
                    opened.readAll();
                    opened.say(OK);
                })) {
            LoadCounts counts = replay(ReplayConfig.builder(capture).timeoutNs(1000 * MS), server)
                    .counts();

            assertTrue(counts.errorsByKind().containsKey(ErrorKind.READ_TIMEOUT), "no time-out");
            assertTrue(server.read(server.nextEnded()).startsWith("ET /1 "), "another one ended first");
        }
    }

    @Test
    void isNotLateItselfWithAnUploadThatTheTargetTakesSlowly() throws Exception {
        TestingCapture recording = new TestingCapture(directory);
        int connection = recording.open(0);
        String upload = upload(24_000_000);
        recording.request(connection, MS, upload);
        recording.close(connection, 2 * MS);
        try (Capture capture = recording.finish();
                Server server = new Server((number, opened) -> {
                    TestingServer.stall(1500);
                    opened.read(upload.length());
                    opened.say(OK);
                    opened.readAll();
                })) {
            LoadResult result = replay(ReplayConfig.builder(capture), server);

            assertEquals(1, result.counts().completed);
            assertEquals(1, result.ownLag().getTotalCount());
            long lagNs = result.ownLag().getMaxValue();
            assertTrue(lagNs < 1000 * MS, "" + lagNs);
        }
    }

    @Test
    void claimsNoDigestWhereAnUploadWasAnsweredBeforeItsEnd() throws Exception {
        TestingCapture recording = new TestingCapture(directory);
        int connection = recording.open(0);
        recording.request(connection, MS, upload(24_000_000));
        recording.close(connection, 2 * MS);
        CountDownLatch replayed = new CountDownLatch(1);
        try (Capture capture = recording.finish();
                Server server = new Server((number, opened) -> {
                    opened.read(100);
                    opened.say("HTTP/1.1 413 Too Large\r\nConnection: close\r\nContent-Length: 0\r\n\r\n");
                    replayed.await(30, TimeUnit.SECONDS);
                })) {
            LoadResult result = replay(ReplayConfig.builder(capture), server);
            replayed.countDown();

            assertEquals(1, result.counts().completed);
            assertEquals(
                    "request 0 was answered before all of it was sent, and its connection ended then",
                    result.streamDigest().absentReason());
        }
    }

    private static String upload(int bytes) {
        return "POST / HTTP/1.1\r\nContent-Length: " + bytes + "\r\n\r\n" + "x".repeat(bytes);
    }

    @Test
    void sendsWhatFollowsARequestAfterItsAnswer() throws Exception {
        TestingCapture recording = new TestingCapture(directory);
        int socket = recording.open(0);
        String upgrade = "GET /chat HTTP/1.1\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n";
        recording.request(socket, 1 * MS, upgrade);
        recording.protocol(socket, 2 * MS, Protocol.WEBSOCKET).opaque(socket, 2 * MS, "frame");
        recording.close(socket, 3 * MS);
        CountDownLatch tooEarly = new CountDownLatch(1);
        try (Capture capture = recording.finish();
                Server server = new Server((connection, opened) -> {
                    opened.read(upgrade.length());
                    TestingServer.stall(50);
                    if (opened.in.available() > 0) {
                        tooEarly.countDown();
                    }
                    opened.say("HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\n\r\n");
                    opened.readAll();
                })) {
            LoadCounts counts = replay(ReplayConfig.builder(capture), server).counts();

            server.nextEnded();
            assertEquals(upgrade + "frame", server.read(0));
            assertEquals(1, tooEarly.getCount());
            assertEquals(1, counts.completed);
            assertEquals(5, counts.opaqueBytesSent);
        }
    }

    @Test
    void sendsARequestThatHasNoEndAndNothingAroundAHole() throws Exception {
        TestingCapture recording = new TestingCapture(directory);
        int torn = recording.open(0);
        int holed = recording.open(0);
        recording.request(torn, 1 * MS, TestingCapture.get(0)).torn(torn, 2 * MS, "POST / HTTP/1.1\r\nConte");
        recording.request(holed, 1 * MS, TestingCapture.get(1)).torn(holed, 2 * MS, "POST /holed HT");
        recording.gap(holed, 3 * MS).opaque(holed, 3 * MS, "ttle rest");
        recording.request(holed, 4 * MS, TestingCapture.get(2));
        recording.close(torn, 5 * MS);
        recording.close(holed, 6 * MS);
        try (Capture capture = recording.finish();
                Server server = new Server((connection, opened) -> {
                    String expected = connection == 0 ? TestingCapture.get(0) : TestingCapture.get(1);
                    opened.read(expected.length());
                    opened.say(OK);
                    opened.read(connection == 0 ? 22 : TestingCapture.get(2).length());
                    if (connection == 1) {
                        opened.say(OK);
                    }
                    opened.readAll();
                })) {
            LoadCounts counts = replay(ReplayConfig.builder(capture), server).counts();

            server.nextEnded();
            server.nextEnded();
            assertEquals(TestingCapture.get(0) + "POST / HTTP/1.1\r\nConte", server.read(0));
            assertEquals(TestingCapture.get(1) + TestingCapture.get(2), server.read(1));
            assertEquals(3, counts.completed);
            assertEquals(22, counts.opaqueBytesSent);
            assertEquals(0, counts.opaqueBytesUnsent);
        }
    }

    @Test
    void opensAConnectionAgainWhenItsNextRequestIsDue() throws Exception {
        TestingCapture recording = new TestingCapture(directory);
        int connection = recording.open(0);
        for (int i = 0; i < 3; i++) {
            recording.request(connection, (1 + 30 * i) * MS, TestingCapture.get(i));
        }
        recording.close(connection, 100 * MS);
        try (Capture capture = recording.finish();
                Server server = new Server((number, opened) -> {
                    opened.read(TestingCapture.get(0).length());
                    opened.say("HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 0\r\n\r\n");
                })) {
            LoadCounts counts = replay(ReplayConfig.builder(capture), server).counts();

            assertEquals(3, server.connections());
            assertEquals(3, counts.completed);
            assertEquals(3, counts.connections);
            assertEquals(TestingCapture.get(2), server.read(2));
        }
    }

    /** It was failed untried, as one that comes before the next attempt to connect. */
    @Test
    void opensAConnectionAgainThatWasGivenUpInTheTurnInWhichItsNextRequestIsDue() throws Exception {
        Retry.withTimeouts(200, this::replayATurnOfBoth);
    }

    private void replayATurnOfBoth(long timeoutMs) throws Exception {
        TestingCapture recording = new TestingCapture(Files.createTempDirectory(directory, "both"));
        int connection = recording.open(0);
        recording.request(connection, 0, TestingCapture.get(0));
        recording.request(connection, (timeoutMs + 50) * MS, TestingCapture.get(1));
        recording.close(connection, (timeoutMs + 60) * MS);
        AtomicReference<TargetReplay> target = new AtomicReference<>();
        try (Capture capture = recording.finish();
                Server server = new Server((number, opened) -> {
                    opened.read(TestingCapture.get(0).length());
                    if (number == 0) {
                        // The loop stands still from now until both are due.
                        target.get().loop().execute(() -> Rounds.sleep(timeoutMs + 100));
                    } else {
                        opened.say(OK);
                    }
                    opened.readAll();
                });
                Replayer replayer = Replayer.launchCold(ReplayConfig.builder(capture)
                        .timeoutNs(timeoutMs * MS)
                        .spinNs(0)
                        .build())) {
            target.set(replayer.addTarget("a", server.address()));
            replayer.measure(List.of(target.get()), 0, 1, Replayer.Progress.NONE);
            replayer.finish();

            LoadCounts counts = target.get().result().counts();
            assertEquals(Map.of(ErrorKind.READ_TIMEOUT, 1L), counts.errorsByKind());
            assertEquals(1, counts.completed);
            assertEquals(TestingCapture.get(1), server.read(1));
        }
    }

    @Test
    void countsWhatAStandstillOfItsOwnDelayedAlsoWhereAnAnswerIsAwaitedThen() throws Exception {
        TestingCapture recording = new TestingCapture(directory);
        int connection = recording.open(0);
        recording.request(connection, MS, TestingCapture.get(0));
        recording.request(connection, 150 * MS, TestingCapture.get(1));
        recording.close(connection, 160 * MS);
        CountDownLatch standing = new CountDownLatch(1);
        AtomicReference<TargetReplay> target = new AtomicReference<>();
        try (Capture capture = recording.finish();
                Server server = new Server((number, opened) -> {
                    opened.read(TestingCapture.get(0).length());
                    // The answer comes while the loop stands still, and is read after the second request fell due.
                    target.get().loop().execute(() -> {
                        standing.countDown();
                        Rounds.sleep(400);
                    });
                    standing.await();
                    opened.say(OK);
                    opened.read(TestingCapture.get(1).length());
                    opened.say(OK);
                    opened.readAll();
                });
                Replayer replayer = Replayer.launchCold(
                        ReplayConfig.builder(capture).spinNs(0).build())) {
            target.set(replayer.addTarget("a", server.address()));
            replayer.measure(List.of(target.get()), 0, 1, Replayer.Progress.NONE);
            replayer.finish();

            LoadResult result = target.get().result();
            assertEquals(2, result.counts().completed);
            assertEquals(2, result.ownLag().getTotalCount());
            long lagNs = result.ownLag().getMaxValue();
            assertTrue(lagNs >= 200 * MS, "" + lagNs);
        }
    }

    @Test
    void takesAnAnswerThatCameWhileItStoodStillItself() throws Exception {
        TestingCapture recording = new TestingCapture(directory);
        int connection = recording.open(0);
        recording.request(connection, MS, TestingCapture.get(0));
        recording.close(connection, 2 * MS);
        CountDownLatch standing = new CountDownLatch(1);
        AtomicReference<TargetReplay> target = new AtomicReference<>();
        try (Capture capture = recording.finish();
                Server server = new Server((number, opened) -> {
                    opened.read(TestingCapture.get(0).length());
                    // The answer comes while the loop stands still, and is read when its time is over.
                    target.get().loop().execute(() -> {
                        standing.countDown();
                        Rounds.sleep(600);
                    });
                    standing.await();
                    opened.say(OK);
                    opened.readAll();
                });
                Replayer replayer = Replayer.launchCold(ReplayConfig.builder(capture)
                        .timeoutNs(300 * MS)
                        .spinNs(0)
                        .build())) {
            target.set(replayer.addTarget("a", server.address()));
            replayer.measure(List.of(target.get()), 0, 1, Replayer.Progress.NONE);
            replayer.finish();

            LoadCounts counts = target.get().result().counts();
            assertEquals(Map.of(), counts.errorsByKind());
            assertEquals(1, counts.completed, counts::toString);
        }
    }

    @Test
    void whatATurnLeftOverDoesNotGoOutBeforeTheNextOneStarts() throws Exception {
        TestingCapture recording = new TestingCapture(directory);
        int busy = recording.open(0);
        recording.request(busy, MS, TestingCapture.get(0));
        recording.request(busy, 50 * MS, TestingCapture.get(1));
        int other = recording.open(100 * MS);
        recording.request(other, 400 * MS, TestingCapture.get(2));
        recording.close(busy, 500 * MS);
        recording.close(other, 500 * MS);
        AtomicLong readNs = new AtomicLong();
        try (Capture capture = recording.finish();
                Server server = new Server((number, opened) -> {
                    opened.read(TestingCapture.get(0).length());
                    if (number == 0) {
                        // Past the end of the turn and of the time that it may be longer.
                        TestingServer.stall(1300);
                        opened.say(OK);
                        opened.read(TestingCapture.get(1).length());
                        readNs.set(System.nanoTime());
                    }
                    opened.say(OK);
                    opened.readAll();
                });
                Replayer replayer = Replayer.launchCold(
                        ReplayConfig.builder(capture).spinNs(0).build())) {
            TargetReplay target = replayer.addTarget("a", server.address());
            replayer.measure(List.of(target), 0, 2, Replayer.Progress.NONE);
            assertEquals(0, readNs.get(), "nothing was left over");
            long startNs = System.nanoTime() + 200 * MS;
            target.loop()
                    .submit(() -> target.worker().startRound(1, 2, startNs))
                    .get()
                    .get(30, TimeUnit.SECONDS);
            replayer.finish();

            assertEquals(3, target.result().counts().completed);
            assertTrue(readNs.get() - startNs >= 0, (startNs - readNs.get()) + " ns before the start");
        }
    }

    @Test
    void countsTheRestOfAStreamThatTheTargetBroke() throws Exception {
        // The target's end of the stream has to be seen before the next piece is due.
        Retry.untilUndisturbed(() -> {
            LoadCounts counts = replayStreamsThatAreBroken();
            assertEquals(3, counts.opaqueBytesSent);
            assertEquals(8 + 7, counts.opaqueBytesUnsent);
            assertEquals(7, counts.hopelessBytesUnsent, "what stands between requests of HTTP/1");
        });
    }

    @Test
    void whatWasNotSentDoesNotTimeOut() throws Exception {
        Retry.withTimeouts(100, timeoutMs -> {
            TestingCapture recording = new TestingCapture(Files.createTempDirectory(directory, "late"));
            int connection = recording.open(0);
            recording.request(connection, MS, TestingCapture.get(0));
            // A stream, which cannot be taken up again.
            recording.opaque(connection, 2 * MS, "between");
            recording.request(connection, 2 * timeoutMs * MS, TestingCapture.get(1));
            try (Capture capture = recording.finish();
                    Server server = new Server((number, opened) -> opened.readAll())) {
                LoadCounts counts = replay(ReplayConfig.builder(capture).timeoutNs(timeoutMs * MS), server)
                        .counts();

                assertEquals(Map.of(ErrorKind.READ_TIMEOUT, 1L, ErrorKind.PREMATURE_CLOSE, 1L), counts.errorsByKind());
            }
        });
    }

    private LoadCounts replayStreamsThatAreBroken() throws Exception {
        TestingCapture recording = new TestingCapture(Files.createTempDirectory(directory, "broken"));
        int stream = recording.open(0, Protocol.UNKNOWN);
        recording.opaque(stream, 1 * MS, "one").opaque(stream, 60 * MS, "two").opaque(stream, 61 * MS, "three");
        int mixed = recording.open(62 * MS);
        recording.request(mixed, 63 * MS, TestingCapture.get(0));
        recording.opaque(mixed, 64 * MS, "between").request(mixed, 65 * MS, TestingCapture.get(1));
        recording.pipelined(mixed, 66 * MS, TestingCapture.get(2));
        try (Capture capture = recording.finish();
                Server server = new Server((connection, opened) -> opened.read(3))) {
            LoadCounts counts = replay(ReplayConfig.builder(capture), server).counts();

            assertEquals("one", server.read(0));
            assertEquals(2, server.connections());
            assertEquals(3 + 8 + 7, counts.opaqueBytesSent + counts.opaqueBytesUnsent);
            assertEquals(3, counts.sent);
            assertEquals(3, counts.errors(), counts.errorsByKind().toString());
            return counts;
        }
    }

    @Test
    void failsWhatIsDueWhileATargetIsDownAndTriesAgainLater() throws Exception {
        try (Capture capture = TestingCapture.gets(directory, 50, MS);
                UnusedPort nobody = new UnusedPort()) {
            LoadCounts counts =
                    replay(ReplayConfig.builder(capture), nobody.address()).counts();

            assertEquals(50, counts.sent);
            assertEquals(Map.of(ErrorKind.CONNECT_REFUSED, 50L), counts.errorsByKind());
            assertEquals(0, counts.unsent);
        }
    }

    @Test
    void countsWhatAnEarlyEndLeavesUnsent() throws Exception {
        TestingCapture recording = new TestingCapture(directory);
        int stream = recording.open(0, Protocol.UNKNOWN);
        int requests = recording.open(0);
        recording.opaque(stream, 0, "first").request(requests, 1 * MS, TestingCapture.get(0));
        recording.opaque(stream, 1 * MS, "tie").opaque(stream, 20 * MS, "late");
        recording.request(requests, 30 * MS, TestingCapture.get(1));
        recording.opaque(stream, 31 * MS, "behind");
        recording.close(stream, 40 * MS);
        try (Capture capture = recording.finish()) {
            LoadCounts limited =
                    replayAndAnswerTheFirstGet(ReplayConfig.builder(capture).requestLimit(1));
            assertEquals(1, limited.completed);
            // Up to the second request, which is not among those wanted.
            assertEquals(12, limited.opaqueBytesSent);
            assertEquals(0, limited.opaqueBytesUnsent);

            LoadCounts cut =
                    replayAndAnswerTheFirstGet(ReplayConfig.builder(capture).durationNs(25 * MS));
            assertEquals(1, cut.sent + cut.unsent);
            assertEquals(12, cut.opaqueBytesSent + cut.opaqueBytesUnsent);
        }
    }

    /** Replays to a server that answers the first request of the second connection. */
    private static LoadCounts replayAndAnswerTheFirstGet(ReplayConfig.Builder config) throws IOException {
        try (Server server = new Server((connection, opened) -> {
            if (connection == 1) {
                opened.read(TestingCapture.get(0).length());
                opened.say(OK);
            }
            opened.readAll();
        })) {
            return replay(config, server).counts();
        }
    }

    @Test
    void keepsTheOrderOfOpensAndEnds() throws Exception {
        // Ends that a late client sends at once are seen by the server's threads in any order.
        Retry.untilUndisturbed(this::replayOpensAndEnds);
    }

    private void replayOpensAndEnds() throws Exception {
        TestingCapture recording = new TestingCapture(Files.createTempDirectory(directory, "ends"));
        int[] connections = new int[6];
        for (int i = 0; i < connections.length; i++) {
            connections[i] = recording.open(i * 10 * MS);
            recording.request(connections[i], i * 10 * MS, TestingCapture.get(i));
        }
        for (int i = connections.length - 1; i >= 0; i--) {
            recording.close(connections[i], (100 + 10 * (connections.length - i)) * MS);
        }
        int last = recording.open(190 * MS);
        recording.request(last, 190 * MS, TestingCapture.get(9));
        recording.close(last, 195 * MS);
        try (Capture capture = recording.finish();
                Server server = new Server((connection, opened) -> {
                    opened.read(TestingCapture.get(0).length());
                    opened.say(OK);
                    opened.readAll();
                })) {
            LoadResult result = replay(ReplayConfig.builder(capture), server);

            assertEquals(7, result.counts().completed);
            for (int i = connections.length - 1; i >= 0; i--) {
                assertEquals(i, server.nextEnded());
                assertEquals(TestingCapture.get(i), server.read(i));
            }
            assertEquals(capture.streamSha256(), result.streamDigest().sha256());
            assertNull(result.streamDigest().absentReason());
        }
    }

    @Test
    void replaysACaptureThatTheHeapCannotHold() throws Exception {
        int bodyBytes = 8_000_000;
        int requests = (int) (Runtime.getRuntime().maxMemory() / bodyBytes) + 8;
        Path file = directory.resolve("large.bin");
        String head = "POST / HTTP/1.1\r\nContent-Length: " + bodyBytes + "\r\n\r\n";
        long startNs = System.nanoTime();
        try (CaptureWriter writer = CaptureWriter.create(
                file, CaptureOptions.builder().waitForDisk(true).build())) {
            int connection = writer.openConnection(startNs, null, null);
            writer.protocol(connection, startNs, Protocol.HTTP1);
            for (int i = 0; i < requests; i++) {
                byte[] start = head.getBytes(StandardCharsets.ISO_8859_1);
                writer.data(connection, startNs + i, RecordFlags.MESSAGE_START, ByteBuffer.wrap(start));
                writer.data(connection, startNs + i, RecordFlags.MESSAGE_END, ByteBuffer.allocate(bodyBytes));
            }
        }
        AtomicLong told = new AtomicLong();
        AtomicLong received = new AtomicLong();
        try (Capture capture = Capture.open(file, OpenOptions.defaults().progress(told::set));
                Server server = new Server((connection, opened) -> {
                    byte[] buffer = new byte[1 << 20];
                    for (int i = 0; i < requests; i++) {
                        for (int left = head.length() + bodyBytes; left > 0; ) {
                            int read = opened.in.read(buffer, 0, Math.min(left, buffer.length));
                            received.addAndGet(read);
                            left -= read;
                        }
                        opened.say(OK);
                    }
                })) {
            assertTrue(capture.requestBytes() > Runtime.getRuntime().maxMemory());
            assertTrue(told.get() > capture.requestBytes(), "told of " + told + " bytes");

            LoadResult result = replay(ReplayConfig.builder(capture), server);

            assertEquals(requests, result.counts().completed);
            assertEquals(capture.requestBytes(), received.get());
            assertEquals(capture.streamSha256(), result.streamDigest().sha256());
        }
    }

    @Test
    void repeatsStreamsPassAfterPass() throws Exception {
        TestingCapture recording = new TestingCapture(directory);
        int stream = recording.open(0, Protocol.UNKNOWN);
        recording.opaque(stream, 0, "ping").opaque(stream, 10 * MS, "pong");
        recording.close(stream, 11 * MS);
        int requests = recording.open(2 * MS);
        recording.request(requests, 2 * MS, TestingCapture.get(0)).request(requests, 6 * MS, TestingCapture.get(1));
        recording.close(requests, 20 * MS);
        try (Capture capture = recording.finish();
                Server server = new Server((connection, opened) -> {
                    while (opened.socket.getPort() > 0) {
                        int first = opened.in.read();
                        if (first < 0) {
                            return;
                        }
                        if (first == 'G') {
                            opened.read(TestingCapture.get(0).length() - 1);
                            opened.say(OK);
                        } else {
                            opened.read(3);
                        }
                    }
                })) {
            LoadCounts counts = replay(ReplayConfig.builder(capture).requestLimit(6), server)
                    .counts();

            assertEquals(6, counts.completed);
            assertEquals(24, counts.opaqueBytesSent);
            assertEquals(6, counts.connections);
        }
    }
}
