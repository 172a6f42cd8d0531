package dev.lockstep.replayer;

import static dev.lockstep.replayer.TestingMuxServer.ECHO;
import static dev.lockstep.replayer.TestingMuxServer.ERROR;
import static dev.lockstep.replayer.TestingMuxServer.FRAGMENT;
import static dev.lockstep.replayer.TestingMuxServer.NACK;
import static dev.lockstep.replayer.TestingMuxServer.OK;
import static dev.lockstep.replayer.TestingMuxServer.OLD_R_ERR;
import static dev.lockstep.replayer.TestingMuxServer.R_DISPATCH;
import static dev.lockstep.replayer.TestingMuxServer.R_ERR;
import static dev.lockstep.replayer.TestingMuxServer.R_INIT;
import static dev.lockstep.replayer.TestingMuxServer.T_DISPATCH;
import static dev.lockstep.replayer.TestingMuxServer.T_DRAIN;
import static dev.lockstep.replayer.TestingMuxServer.T_INIT;
import static dev.lockstep.replayer.TestingMuxServer.T_LEASE;
import static dev.lockstep.replayer.TestingMuxServer.T_PING;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.lockstep.capture.Capture;
import dev.lockstep.capture.Protocol;
import dev.lockstep.measurement.ErrorKind;
import dev.lockstep.measurement.LoadCounts;
import dev.lockstep.measurement.LoadResult;
import dev.lockstep.measurement.Pace;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
final class MuxReplayTest {
    private static final long MS = 1_000_000;

    @TempDir
    Path directory;

    private List<String> notes;

    @Test
    void leadsTheHandshakeAndSendsTheRecordedDispatches() throws Exception {
        try (Capture capture = capture(5, 2);
                TestingMuxServer server = new TestingMuxServer(ECHO)) {
            LoadResult result = replay(ReplayConfig.builder(capture), server.address());
            LoadCounts counts = result.counts();

            assertEquals(
                    List.of(
                            "0 127 1 tinit check",
                            "0 68 1 \0\1\0\0\0\12mux-framer\0\0\0\4\177\u00ff\u00ff\u00ff",
                            "0 2 2 request 0",
                            "0 2 3 request 1",
                            "0 2 4 request 2",
                            "0 2 5 request 3",
                            "0 2 6 request 4"),
                    server.received());
            assertEquals(Map.of(), counts.errorsByKind());
            assertEquals(5, counts.sent);
            assertEquals(5, counts.completed);
            assertEquals(5, counts.semanticRequests);
            assertEquals(0, counts.tagsChanged);
            assertEquals(5 * 9, counts.bodyBytesReceived);
            assertEquals(Map.of(), counts.statusCodes());
            assertTrue(result.streamDigest().absentReason().contains("ThriftMux"));
            assertEquals(List.of(), notes);
        }
    }

    @Test
    void matchesAnswersByTagInAnyOrder() throws Exception {
        List<byte[]> waiting = new ArrayList<>();
        TestingMuxServer.Handler backwards = (session, type, tag, body) -> {
            if (session.handshake(type, tag, body)) {
                return;
            }
            waiting.add(TestingMuxServer.frame(-2, tag, new byte[] {OK, 0, 0, 'x'}));
            if (waiting.size() == 3) {
                ByteArrayOutputStream out = new ByteArrayOutputStream();
                for (int i = 2; i >= 0; i--) {
                    out.write(waiting.get(i));
                }
                session.send(out.toByteArray());
            }
        };
        try (Capture capture = overlapping(2, 3, 4);
                TestingMuxServer server = new TestingMuxServer(backwards)) {
            LoadCounts counts =
                    replay(ReplayConfig.builder(capture), server.address()).counts();

            assertEquals(Map.of(), counts.errorsByKind());
            assertEquals(3, counts.completed);
            assertEquals(0, counts.tagsChanged);
        }
    }

    @Test
    void replacesTagsThatAreNotFree() throws Exception {
        List<Integer> tags = new ArrayList<>();
        TestingMuxServer.Handler atLast = (session, type, tag, body) -> {
            if (!session.handshake(type, tag, body)) {
                tags.add(tag);
                if (tags.size() == 3) {
                    for (int taken : tags) {
                        session.answer(taken, OK, new byte[0]);
                    }
                }
            }
        };
        try (Capture capture = overlapping(7, 7, 7);
                TestingMuxServer server = new TestingMuxServer(atLast)) {
            LoadCounts counts =
                    replay(ReplayConfig.builder(capture), server.address()).counts();

            assertEquals(Map.of(), counts.errorsByKind());
            assertEquals(3, counts.completed);
            assertEquals(2, counts.tagsChanged);
            assertEquals(List.of(7, 65_537, 65_538), tags);
        }
    }

    @Test
    void keepsFragmentsTogetherUnderOneTagAndLeavesControlOut() throws Exception {
        TestingCapture recording = new TestingCapture(Files.createTempDirectory(directory, "mux"));
        int connection = recording.open(0, Protocol.THRIFT_MUX);
        ByteArrayOutputStream request = new ByteArrayOutputStream();
        request.write(frame(5 | FRAGMENT, "one "));
        request.write(TestingMuxServer.frame(T_PING, 1, new byte[0]));
        request.write(frame(6 | FRAGMENT, "A"));
        request.write(frame(5 | FRAGMENT, "two "));
        request.write(frame(5, "three"));
        recording.request(connection, 0, request.toByteArray());
        recording.request(connection, 20 * MS, frame(6, "B"));
        recording.close(connection, 40 * MS);
        try (Capture capture = recording.finish();
                TestingMuxServer server = new TestingMuxServer(ECHO)) {
            LoadCounts counts =
                    replay(ReplayConfig.builder(capture), server.address()).counts();

            assertEquals(
                    List.of("0 2 5+ one ", "0 2 6+ A", "0 2 5+ two ", "0 2 5 three", "0 2 6 B"),
                    server.received().subList(2, 7));
            assertEquals(2, counts.completed);
            assertEquals(Map.of(), counts.errorsByKind());
        }
    }

    @Test
    void whatATurnLeftOverWaitsForTheNextOneAlsoBehindAHandshake() throws Exception {
        TestingCapture recording = new TestingCapture(Files.createTempDirectory(directory, "mux"));
        int quick = recording.open(0, Protocol.THRIFT_MUX);
        recording.request(quick, MS, frame(2, "first"));
        int slow = recording.open(100 * MS, Protocol.THRIFT_MUX);
        recording.request(slow, 101 * MS, frame(2, "left over"));
        recording.request(quick, 400 * MS, frame(2, "last"));
        recording.close(quick, 500 * MS);
        recording.close(slow, 500 * MS);
        CountDownLatch begun = new CountDownLatch(1);
        AtomicLong readNs = new AtomicLong();
        try (Capture capture = recording.finish();
                TestingStreamServer server = new TestingStreamServer((connection, in, out) -> {
                    out.write(muxFrame(in));
                    muxFrame(in);
                    if (connection == 1) {
                        begun.await(30, TimeUnit.SECONDS);
                    }
                    out.write(TestingMuxServer.frame(R_INIT, 1, new byte[] {0, 1}));
                    for (int requests = 2 - connection; requests > 0; requests--) {
                        int tag = ByteBuffer.wrap(muxFrame(in)).getInt(4) & 0xffffff;
                        if (connection == 1) {
                            readNs.set(System.nanoTime());
                        }
                        out.write(TestingMuxServer.frame(R_DISPATCH, tag, new byte[] {OK, 0, 0}));
                    }
                    in.readAll();
                });
                Replayer replayer = Replayer.launchCold(
                        ReplayConfig.builder(capture).spinNs(0).build())) {
            TargetReplay target = replayer.addTarget("a", server.address());
            replayer.measure(List.of(target), 0, 2, Replayer.Progress.NONE);
            long startNs = System.nanoTime() + 200 * MS;
            Future<Void> round = target.loop()
                    .submit(() -> target.worker().startRound(1, 2, startNs))
                    .get();
            begun.countDown();
            round.get(30, TimeUnit.SECONDS);
            replayer.finish();

            assertEquals(3, target.result().counts().completed);
            assertTrue(readNs.get() - startNs >= 0, (startNs - readNs.get()) + " ns before the start");
        }
    }

    @Test
    void countsWhatMuxAndThriftSayWentWrong() throws Exception {
        TestingMuxServer.Handler failing = (session, type, tag, body) -> {
            if (session.handshake(type, tag, body)) {
                return;
            }
            switch (session.dispatches) {
                case 1:
                    session.answer(tag, ERROR, "boom".getBytes(StandardCharsets.US_ASCII));
                    break;
                case 2:
                    session.answer(tag, NACK, new byte[0]);
                    break;
                case 3:
                    session.send(R_ERR, tag, new byte[] {'n', 'o'});
                    break;
                case 4:
                    session.answer(tag, OK, new byte[] {(byte) 0x80, 1, 0, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0});
                    break;
                default:
                    session.answer(tag, OK, new byte[] {(byte) 0x80, 1, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0});
            }
        };
        try (Capture capture = capture(5, 2);
                TestingMuxServer server = new TestingMuxServer(failing)) {
            LoadCounts counts =
                    replay(ReplayConfig.builder(capture), server.address()).counts();

            assertEquals(
                    Map.of(ErrorKind.MUX_ERROR, 2L, ErrorKind.MUX_NACK, 1L, ErrorKind.THRIFT_EXCEPTION, 1L),
                    counts.errorsByKind());
            assertEquals(5, counts.sent);
            assertEquals(1, counts.completed);
            assertEquals(1, server.connections());
        }
    }

    @Test
    void answersPings() throws Exception {
        TestingMuxServer.Handler pinging = (session, type, tag, body) -> {
            if (session.handshake(type, tag, body)) {
                return;
            }
            if (type == T_DISPATCH) {
                session.send(T_PING, 9, new byte[0]);
                session.answer(tag, OK, body);
            }
        };
        try (Capture capture = capture(2, 2);
                TestingMuxServer server = new TestingMuxServer(pinging)) {
            LoadCounts counts =
                    replay(ReplayConfig.builder(capture), server.address()).counts();

            assertEquals(2, counts.completed);
            server.awaitFrame("0 -65 9 ");
        }
    }

    @Test
    void sendsNothingMoreAfterADrainAndConnectsAgain() throws Exception {
        TestingMuxServer.Handler draining = (session, type, tag, body) -> {
            if (session.handshake(type, tag, body) || type != T_DISPATCH) {
                return;
            }
            if (session.number == 0) {
                session.send(T_DRAIN, 3, new byte[0]);
            }
            session.answer(tag, OK, body);
        };
        for (boolean pooled : new boolean[] {false, true}) {
            try (Capture capture = capture(3, 50);
                    TestingMuxServer server = new TestingMuxServer(draining)) {
                ReplayConfig.Builder config = ReplayConfig.builder(capture);
                LoadCounts counts = replay(
                                pooled ? config.pace(Pace.MAX).connections(1).requestLimit(3) : config,
                                server.address())
                        .counts();

                assertEquals(Map.of(), counts.errorsByKind());
                assertEquals(3, counts.completed);
                assertConnectsAgain(server);
                server.awaitFrame("0 -64 3 ");
                List<String> frames = server.received();
                assertTrue(
                        frames.subList(frames.indexOf("0 -64 3 "), frames.size()).stream()
                                .noneMatch(frame -> frame.startsWith("0 2 ")),
                        frames::toString);
            }
        }
    }

    @Test
    void passesOverWhatComesBehindADrain() throws Exception {
        // Where the next dispatch is on its way before the drain has come, the stray answer is none to nothing.
        Retry.untilUndisturbed(this::replayBehindADrain);
    }

    private void replayBehindADrain() throws Exception {
        TestingMuxServer.Handler draining = (session, type, tag, body) -> {
            if (session.handshake(type, tag, body) || type != T_DISPATCH) {
                return;
            }
            session.answer(tag, OK, body);
            if (session.number == 0) {
                ByteArrayOutputStream out = new ByteArrayOutputStream();
                out.write(TestingMuxServer.frame(T_DRAIN, 3, new byte[0]));
                out.write(TestingMuxServer.frame(T_PING, 9, new byte[0]));
                out.write(TestingMuxServer.frame(-2, 77, new byte[] {OK, 0, 0}));
                session.send(out.toByteArray());
            }
        };
        try (Capture capture = capture(3, 50);
                TestingMuxServer server = new TestingMuxServer(draining)) {
            LoadCounts counts = replay(ReplayConfig.builder(capture).connections(1), server.address())
                    .counts();

            assertEquals(Map.of(), counts.errorsByKind());
            assertEquals(3, counts.completed);
            assertEquals(0, counts.strayAnswers);
            assertConnectsAgain(server);
        }
    }

    /**
     * Expects another connection for what is left of three dispatches; a machine that stands still may have them all
     * due before the target says that it wants no more.
     */
    private static void assertConnectsAgain(TestingMuxServer server) {
        long onFirst = server.received().stream()
                .filter(frame -> frame.startsWith("0 2 "))
                .count();
        assertEquals(onFirst == 3 ? 1 : 2, server.connections(), () -> server.received()
                .toString());
    }

    @Test
    void sendsNothingMoreWhenALeaseHasEnded() throws Exception {
        TestingMuxServer.Handler leasing = (session, type, tag, body) -> {
            if (session.handshake(type, tag, body) || type != T_DISPATCH) {
                return;
            }
            if (session.number == 0) {
                session.send(T_LEASE, 0, new byte[9]);
            }
            session.answer(tag, OK, body);
        };
        try (Capture capture = capture(3, 50);
                TestingMuxServer server = new TestingMuxServer(leasing)) {
            LoadCounts counts =
                    replay(ReplayConfig.builder(capture), server.address()).counts();

            assertEquals(3, counts.completed);
            assertConnectsAgain(server);
        }
    }

    @Test
    void heedsTheLeaseOfEachConnection() throws Exception {
        TestingMuxServer.Handler leasing = (session, type, tag, body) -> {
            if (session.handshake(type, tag, body) || type != T_DISPATCH) {
                return;
            }
            if (session.number < 2 && session.dispatches == 1) {
                byte[] lease = new byte[9];
                // 500 ms
                lease[7] = 1;
                lease[8] = (byte) 0xf4;
                session.send(T_LEASE, 0, lease);
            }
            session.answer(tag, OK, body);
            if (session.number == 0) {
                session.close();
            }
        };
        try (Capture capture = capture(40, 50);
                TestingMuxServer server = new TestingMuxServer(leasing)) {
            replay(ReplayConfig.builder(capture), server.address());

            assertEquals(3, server.connections(), () -> server.received().toString());
        }
    }

    @Test
    void sharesOnePoolOfConnections() throws Exception {
        try (Capture capture = capture(10, 1);
                TestingMuxServer server = new TestingMuxServer(ECHO)) {
            LoadCounts counts = replay(
                            ReplayConfig.builder(capture)
                                    .pace(Pace.MAX)
                                    .connections(4)
                                    .requestLimit(400),
                            server.address())
                    .counts();

            assertEquals(400, counts.completed);
            assertEquals(400, counts.sent);
            assertEquals(4, server.connections());
            assertEquals(0, counts.tagsChanged);
        }
    }

    @Test
    void servesServersThatKnowNoHandshake() throws Exception {
        TestingMuxServer.Handler old = (session, type, tag, body) -> {
            if (type == OLD_R_ERR) {
                session.send(R_ERR, tag, "unknown".getBytes(StandardCharsets.US_ASCII));
            } else {
                session.answer(tag, OK, body);
            }
        };
        try (Capture capture = capture(2, 2);
                TestingMuxServer server = new TestingMuxServer(old)) {
            LoadCounts counts =
                    replay(ReplayConfig.builder(capture), server.address()).counts();

            assertEquals(2, counts.completed);
            assertEquals("0 2 2 request 0", server.received().get(1));
        }
    }

    @Test
    void saysInOneLineWhyTheHandshakeFailed() throws Exception {
        assertRefused("wants to go on with TLS", (session, type, tag, body) -> {
            session.handshake(type, tag, body, "mux-framer", "1234", "tls", "required");
        });
        assertRefused("wants to go on with compression", (session, type, tag, body) -> {
            session.handshake(type, tag, body, "compress", "zstd;");
        });
        assertRefused("refused it: go away", (session, type, tag, body) -> {
            if (type == T_INIT) {
                session.send(R_ERR, tag, "go away\nplease".getBytes(StandardCharsets.US_ASCII));
            } else {
                session.handshake(type, tag, body);
            }
        });
        assertRefused("answered no mux: a message of the unknown type 47", (session, type, tag, body) -> {
            session.send("HTTP/1.1 400 Bad Request\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
        });
        assertRefused("closed the connection", (session, type, tag, body) -> session.close());
        assertRefused("did not answer it within 300 ms", (session, type, tag, body) -> {}, 300);
    }

    private void assertRefused(String why, TestingMuxServer.Handler handler) throws Exception {
        assertRefused(why, handler, 30_000);
    }

    private void assertRefused(String why, TestingMuxServer.Handler handler, long timeoutMs) throws Exception {
        try (Capture capture = capture(2, 2);
                TestingMuxServer server = new TestingMuxServer(handler)) {
            LoadCounts counts = replay(ReplayConfig.builder(capture).timeoutNs(timeoutMs * MS), server.address())
                    .counts();

            assertEquals(Map.of(ErrorKind.HANDSHAKE_FAILED, 2L), counts.errorsByKind(), why);
            assertEquals(2, counts.sent);
            assertEquals(
                    List.of("the target was sent the handshake of ThriftMux and " + why
                            + "; replay to a ThriftMux server, without TLS inside of mux"),
                    notes);
            assertTrue(server.received().stream().noneMatch(frame -> frame.contains("request")));
        }
    }

    @Test
    void closesWhereAnAnswerFitsNoRequest() throws Exception {
        TestingMuxServer.Handler stray = (session, type, tag, body) -> {
            if (!session.handshake(type, tag, body)) {
                session.answer(session.number == 0 ? tag + 1 : tag, OK, body);
            }
        };
        try (Capture capture = capture(2, 2);
                TestingMuxServer server = new TestingMuxServer(stray)) {
            LoadCounts counts =
                    replay(ReplayConfig.builder(capture), server.address()).counts();

            assertEquals(Map.of(ErrorKind.MISMATCHED_RESPONSE, 1L), counts.errorsByKind());
            assertEquals(2, counts.sent);
            assertEquals(1, counts.completed);
        }
    }

    @Test
    void readsNoPingsOfAServerThatDoesNotTakeTheAnswers() throws Exception {
        int pings = 40_000;
        // More than sockets hold, so that the pongs behind it have to wait.
        String payload = "x".repeat(12_000_000);
        AtomicBoolean taking = new AtomicBoolean();
        AtomicLong readBefore = new AtomicLong();
        AtomicLong read = new AtomicLong();
        TestingCapture recording = new TestingCapture(directory);
        int recorded = recording.open(0, Protocol.THRIFT_MUX);
        recording.request(recorded, 0, frame(2, payload));
        recording.close(recorded, 10 * MS);
        try (Capture capture = recording.finish();
                TestingStreamServer server = new TestingStreamServer((connection, in, out) -> {
                    out.write(muxFrame(in));
                    muxFrame(in);
                    out.write(TestingMuxServer.frame(R_INIT, 1, new byte[] {0, 1}));
                    // Its first bytes are here: the rest fills the sockets.
                    in.read(8);
                    byte[] ping = TestingMuxServer.frame(T_PING, 7, new byte[0]);
                    ByteArrayOutputStream all = new ByteArrayOutputStream();
                    for (int i = 0; i < pings; i++) {
                        all.write(ping);
                    }
                    out.write(all.toByteArray());
                    in.pause(500);
                    taking.set(true);
                    in.read(payload.length());
                    for (int i = 0; i < pings; i++) {
                        muxFrame(in);
                    }
                    out.write(TestingMuxServer.frame(R_DISPATCH, 2, new byte[] {OK, 0, 0}));
                    in.readAll();
                })) {
            LoadCounts counts = replay(
                            ReplayConfig.builder(capture).intervalNs(50 * MS).intervals((target, interval) -> {
                                long sum = read.addAndGet(interval.counts().bytesReceived);
                                if (!taking.get()) {
                                    readBefore.set(sum);
                                }
                            }),
                            server.address())
                    .counts();

            assertEquals(Map.of(), counts.errorsByKind());
            assertEquals(1, counts.completed);
            assertTrue(counts.bytesReceived > 8 * pings, "received " + counts.bytesReceived);
            // A read or two of what had come, and no more.
            assertTrue(readBefore.get() <= 4 * pings, "read " + readBefore);
        }
    }

    @Test
    void readsAnswersOfAServerThatPingsWhileItTakesALongRequest() throws Exception {
        // More than sockets hold.
        String payload = "x".repeat(12_000_000);
        CountDownLatch answered = new CountDownLatch(1);
        AtomicBoolean inTime = new AtomicBoolean();
        TestingCapture recording = new TestingCapture(directory);
        int recorded = recording.open(0, Protocol.THRIFT_MUX);
        recording.request(recorded, 0, frame(2, "short")).request(recorded, 0, frame(3, payload));
        recording.close(recorded, 10 * MS);
        try (Capture capture = recording.finish();
                TestingStreamServer server = new TestingStreamServer((connection, in, out) -> {
                    out.write(muxFrame(in));
                    muxFrame(in);
                    out.write(TestingMuxServer.frame(R_INIT, 1, new byte[] {0, 1}));
                    muxFrame(in);
                    in.read(8);
                    out.write(TestingMuxServer.frame(T_PING, 7, new byte[0]));
                    in.pause(200);
                    out.write(TestingMuxServer.frame(R_DISPATCH, 2, new byte[] {OK, 0, 0}));
                    inTime.set(answered.await(10, TimeUnit.SECONDS));
                    in.read(payload.length());
                    muxFrame(in);
                    out.write(TestingMuxServer.frame(R_DISPATCH, 3, new byte[] {OK, 0, 0}));
                    in.readAll();
                })) {
            LoadCounts counts = replay(
                            ReplayConfig.builder(capture).intervalNs(50 * MS).intervals((target, interval) -> {
                                if (interval.counts().completed > 0) {
                                    answered.countDown();
                                }
                            }),
                            server.address())
                    .counts();

            assertEquals(2, counts.completed, counts.errorsByKind()::toString);
            assertTrue(inTime.get(), "the answer to the first was read before the second was taken");
        }
    }

    private static byte[] muxFrame(TestingStreamServer.Input in) throws IOException {
        byte[] length = in.read(4);
        byte[] rest = in.read(ByteBuffer.wrap(length).getInt());
        return ByteBuffer.allocate(4 + rest.length).put(length).put(rest).array();
    }

    @Test
    void onlyWhatWaitedTooLongTimesOut() throws Exception {
        Retry.withTimeouts(200, timeoutMs -> {
            try (Capture capture = capture(2, timeoutMs / 2);
                    TestingMuxServer server =
                            new TestingMuxServer((session, type, tag, body) -> session.handshake(type, tag, body))) {
                LoadCounts counts = replay(ReplayConfig.builder(capture).timeoutNs(timeoutMs * MS), server.address())
                        .counts();

                assertEquals(Map.of(ErrorKind.READ_TIMEOUT, 1L, ErrorKind.PREMATURE_CLOSE, 1L), counts.errorsByKind());
            }
        });
    }

    private Capture capture(int requests, long gapMs) throws IOException {
        TestingCapture recording = new TestingCapture(Files.createTempDirectory(directory, "mux"));
        int connection = recording.open(0, Protocol.THRIFT_MUX);
        for (int i = 0; i < requests; i++) {
            recording.request(connection, i * gapMs * MS, frame(2 + i, "request " + i));
        }
        recording.close(connection, requests * gapMs * MS);
        return recording.finish();
    }

    /** Requests that come one after the other, as in a recording with a server that answered at once. */
    private Capture overlapping(int... tags) throws IOException {
        TestingCapture recording = new TestingCapture(Files.createTempDirectory(directory, "mux"));
        int connection = recording.open(0, Protocol.THRIFT_MUX);
        for (int i = 0; i < tags.length; i++) {
            recording.request(connection, i * MS, frame(tags[i], "request"));
        }
        recording.close(connection, 10 * MS);
        return recording.finish();
    }

    private static byte[] frame(int tag, String body) throws IOException {
        return TestingMuxServer.frame(T_DISPATCH, tag, body.getBytes(StandardCharsets.ISO_8859_1));
    }

    private LoadResult replay(ReplayConfig.Builder config, InetSocketAddress address) {
        TargetReplay target = TestingReplay.to(address, config);
        notes = target.notes();
        return target.result();
    }
}
