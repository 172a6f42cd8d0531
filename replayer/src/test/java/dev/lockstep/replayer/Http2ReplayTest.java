package dev.lockstep.replayer;

import static dev.lockstep.replayer.TestingHttp2.ACK;
import static dev.lockstep.replayer.TestingHttp2.DATA;
import static dev.lockstep.replayer.TestingHttp2.END_HEADERS;
import static dev.lockstep.replayer.TestingHttp2.END_STREAM;
import static dev.lockstep.replayer.TestingHttp2.GET;
import static dev.lockstep.replayer.TestingHttp2.GOAWAY;
import static dev.lockstep.replayer.TestingHttp2.HEADERS;
import static dev.lockstep.replayer.TestingHttp2.POST;
import static dev.lockstep.replayer.TestingHttp2.PREFACE;
import static dev.lockstep.replayer.TestingHttp2.RST_STREAM;
import static dev.lockstep.replayer.TestingHttp2.SETTINGS;
import static dev.lockstep.replayer.TestingHttp2.STATUS_200;
import static dev.lockstep.replayer.TestingHttp2.STATUS_404;
import static dev.lockstep.replayer.TestingHttp2.WINDOW_UPDATE;
import static dev.lockstep.replayer.TestingHttp2.frame;
import static dev.lockstep.replayer.TestingHttp2.number;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.lockstep.capture.Capture;
import dev.lockstep.capture.Protocol;
import dev.lockstep.measurement.ErrorKind;
import dev.lockstep.measurement.LoadCounts;
import dev.lockstep.measurement.LoadResult;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
final class Http2ReplayTest {
    private static final long MS = 1_000_000;
    private static final String BEGINNING = PREFACE + frame(SETTINGS, 0, 0, "");
    private static final String FIRST = frame(HEADERS, END_HEADERS | END_STREAM, 1, GET);
    private static final String SECOND = frame(HEADERS, END_HEADERS, 3, POST);
    private static final String SECOND_BODY = frame(DATA, END_STREAM, 3, "12345");
    private static final int ALL = (BEGINNING + FIRST + SECOND + SECOND_BODY).length();

    @TempDir
    Path directory;

    private List<String> notes;

    @Test
    void sendsTheRecordedBytesToARealServerAndTimesEachStream() throws Exception {
        TestingCapture recording = new TestingCapture(directory);
        int connection = recording.open(0, Protocol.HTTP2);
        recording.opaque(connection, 0, BEGINNING);
        recording.opaque(connection, 5 * MS, FIRST);
        recording.opaque(connection, 20 * MS, frame(SETTINGS, ACK, 0, "") + SECOND);
        recording.opaque(connection, 60 * MS, SECOND_BODY + frame(HEADERS, END_HEADERS | END_STREAM, 5, POST));
        recording.close(connection, 100 * MS);
        try (Capture capture = recording.finish();
                TestingHttp2 server = new TestingHttp2()) {
            long startNs = System.nanoTime();
            LoadResult result = replay(ReplayConfig.builder(capture), server.address());
            long tookNs = System.nanoTime() - startNs;
            LoadCounts counts = result.counts();

            assertEquals(List.of("GET h 0", "POST h 5", "POST h 0"), server.requests());
            assertEquals(Map.of(), counts.errorsByKind());
            assertEquals(3, counts.sent);
            assertEquals(3, counts.completed);
            assertEquals(Map.of(200, 3L), counts.statusCodes());
            assertEquals(10 + 15 + 10, counts.bodyBytesReceived);
            assertEquals(3, result.responseTime().getTotalCount());
            assertEquals(3, result.generatorLag().getTotalCount());
            // The second request was to be sent when its last byte was, and not when its headers were.
            assertTrue(result.responseTime().getMaxValue() < tookNs);
            assertEquals(capture.opaque().bytes(), counts.opaqueBytesSent);
            assertEquals(0, counts.opaqueBursts);
            assertEquals(List.of(), notes);
        }
    }

    @Test
    void matchesAnswersByStreamInAnyOrder() throws Exception {
        try (Capture capture = twoRequests();
                TestingStreamServer server = new TestingStreamServer((number, in, out) -> {
                    in.read(ALL);
                    say(out, frame(SETTINGS, 0, 0, "") + frame(HEADERS, END_HEADERS, 3, STATUS_404));
                    say(out, frame(DATA, 0, 3, "not ") + frame(HEADERS, END_HEADERS | END_STREAM, 1, STATUS_200));
                    say(out, frame(DATA, END_STREAM, 3, "here"));
                    in.readAll();
                })) {
            LoadCounts counts =
                    replay(ReplayConfig.builder(capture), server.address()).counts();

            assertEquals(Map.of(), counts.errorsByKind());
            assertEquals(Map.of(200, 1L, 404, 1L), counts.statusCodes());
            assertEquals(8, counts.bodyBytesReceived);
            assertEquals(ALL, server.received(0).length());
        }
    }

    /** The upgrade's own request has stream 1, whose answer is behind the 101. */
    @Test
    void countsTheStreamsBehindAnUpgrade() throws Exception {
        String upgrade = "GET / HTTP/1.1\r\nHost: h\r\nConnection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\n"
                + "HTTP2-Settings: \r\n\r\n";
        String switched = "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n\r\n";
        String second = frame(HEADERS, END_HEADERS | END_STREAM, 3, GET);
        String third = frame(HEADERS, END_HEADERS | END_STREAM, 5, POST);
        TestingCapture recording = new TestingCapture(directory);
        int connection = recording.open(0, Protocol.HTTP2);
        recording.request(connection, 0, upgrade);
        recording.opaque(connection, 5 * MS, BEGINNING + second);
        recording.opaque(connection, 10 * MS, third);
        recording.close(connection, 20 * MS);
        try (Capture capture = recording.finish();
                TestingStreamServer server = new TestingStreamServer((number, in, out) -> {
                    in.expect(upgrade);
                    say(out, switched + frame(SETTINGS, 0, 0, ""));
                    say(out, frame(HEADERS, END_HEADERS | END_STREAM, 1, STATUS_200));
                    in.expect(BEGINNING + second + third);
                    say(out, frame(HEADERS, END_HEADERS | END_STREAM, 5, STATUS_404));
                    say(out, frame(HEADERS, END_HEADERS | END_STREAM, 3, STATUS_200));
                    in.readAll();
                })) {
            LoadResult result = replay(ReplayConfig.builder(capture), server.address());
            LoadCounts counts = result.counts();

            assertEquals(Map.of(), counts.errorsByKind());
            assertEquals(Map.of(101, 1L, 200, 1L, 404, 1L), counts.statusCodes());
            assertEquals(3, counts.sent);
            assertEquals(3, result.responseTime().getTotalCount());
            assertEquals(0, counts.opaqueBursts);
            assertEquals(List.of(), notes);
        }
    }

    @Test
    void countsStreamsThatTheTargetGivesUp() throws Exception {
        try (Capture capture = twoRequests();
                TestingStreamServer server = new TestingStreamServer((number, in, out) -> {
                    in.read(ALL);
                    say(out, frame(SETTINGS, 0, 0, "") + frame(RST_STREAM, 0, 1, number(7)));
                    say(out, frame(RST_STREAM, 0, 3, number(3)));
                    in.readAll();
                })) {
            LoadCounts counts =
                    replay(ReplayConfig.builder(capture), server.address()).counts();

            assertEquals(Map.of(ErrorKind.STREAM_RESET, 1L, ErrorKind.FLOW_CONTROL, 1L), counts.errorsByKind());
            assertEquals(2, counts.sent);
        }
    }

    @Test
    void countsAnAnswerAndAFailureThatCameBeforeTheRequestsEnd() throws Exception {
        Retry.untilUndisturbed(this::replayWhatIsAnsweredBeforeItsEnd);
    }

    private void replayWhatIsAnsweredBeforeItsEnd() throws Exception {
        TestingCapture recording = new TestingCapture(Files.createTempDirectory(directory, "early"));
        int connection = recording.open(0, Protocol.HTTP2);
        String heads = frame(HEADERS, END_HEADERS, 1, GET) + frame(HEADERS, END_HEADERS, 3, POST);
        recording.opaque(connection, 0, BEGINNING + heads);
        recording.opaque(connection, 200 * MS, frame(DATA, END_STREAM, 1, "x") + SECOND_BODY);
        recording.close(connection, 220 * MS);
        try (Capture capture = recording.finish();
                TestingStreamServer server = new TestingStreamServer((number, in, out) -> {
                    in.read((BEGINNING + heads).length());
                    say(out, frame(SETTINGS, 0, 0, "") + frame(HEADERS, END_HEADERS | END_STREAM, 1, STATUS_404));
                    say(out, frame(RST_STREAM, 0, 3, number(2)));
                    in.readAll();
                })) {
            LoadResult result = replay(ReplayConfig.builder(capture), server.address());
            LoadCounts counts = result.counts();

            assertEquals(2, counts.sent);
            assertEquals(1, counts.completed);
            assertEquals(Map.of(404, 1L), counts.statusCodes());
            assertEquals(Map.of(ErrorKind.STREAM_RESET, 1L), counts.errorsByKind());
            assertEquals(0, result.responseTime().getTotalCount());
        }
    }

    @Test
    void countsWhatTheTargetNoLongerTakes() throws Exception {
        try (Capture capture = twoRequests();
                TestingStreamServer server = new TestingStreamServer((number, in, out) -> {
                    in.read(ALL);
                    say(out, frame(SETTINGS, 0, 0, "") + frame(GOAWAY, 0, 0, number(1) + number(0)));
                    say(out, frame(HEADERS, END_HEADERS | END_STREAM, 1, STATUS_200));
                    in.readAll();
                })) {
            LoadCounts counts =
                    replay(ReplayConfig.builder(capture), server.address()).counts();

            assertEquals(Map.of(ErrorKind.GOING_AWAY, 1L), counts.errorsByKind());
            assertEquals(1, counts.completed);
        }
    }

    @Test
    void countsWhatTheRecordedClientGaveUp() throws Exception {
        TestingCapture recording = new TestingCapture(directory);
        int connection = recording.open(0, Protocol.HTTP2);
        recording.opaque(connection, 0, BEGINNING + FIRST);
        recording.opaque(connection, 50 * MS, frame(RST_STREAM, 0, 1, number(8)));
        recording.close(connection, 60 * MS);
        try (Capture capture = recording.finish();
                TestingStreamServer server = new TestingStreamServer((number, in, out) -> {
                    say(out, frame(SETTINGS, 0, 0, ""));
                    in.readAll();
                })) {
            LoadCounts counts =
                    replay(ReplayConfig.builder(capture), server.address()).counts();

            assertEquals(Map.of(ErrorKind.CANCELLED, 1L), counts.errorsByKind());
            assertEquals(1, counts.sent);
        }
    }

    @Test
    void tellsAStallOfFlowControlFromASlowTarget() throws Exception {
        // The answer has to come before the time-out.
        Retry.withTimeouts(300, this::replayWithinAWindow);
    }

    private void replayWithinAWindow(long timeoutMs) throws Exception {
        for (int room : new int[] {10, 1000}) {
            TestingCapture recording = new TestingCapture(Files.createTempDirectory(directory, "h2"));
            int connection = recording.open(0, Protocol.HTTP2);
            String settings = frame(SETTINGS, 0, 0, "\0\4" + number(4));
            recording.opaque(connection, 0, PREFACE + settings + FIRST + frame(WINDOW_UPDATE, 0, 1, number(room - 4)));
            recording.close(connection, 10 * MS);
            try (Capture capture = recording.finish();
                    TestingStreamServer server = new TestingStreamServer((number, in, out) -> {
                        in.read((PREFACE + settings + FIRST).length());
                        say(out, frame(SETTINGS, 0, 0, "") + frame(HEADERS, END_HEADERS, 1, STATUS_200));
                        say(out, frame(DATA, 0, 1, "0123456789"));
                        in.readAll();
                    })) {
                LoadCounts counts = replay(ReplayConfig.builder(capture).timeoutNs(timeoutMs * MS), server.address())
                        .counts();

                assertEquals(
                        Map.of(room == 10 ? ErrorKind.FLOW_CONTROL : ErrorKind.READ_TIMEOUT, 1L),
                        counts.errorsByKind());
            }
        }
    }

    @Test
    void refusesATargetThatSpeaksNoHttp2() throws Exception {
        try (Capture capture = twoRequests();
                TestingStreamServer server = new TestingStreamServer((number, in, out) -> {
                    in.read(ALL);
                    say(out, "HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n");
                    in.readAll();
                })) {
            LoadCounts counts =
                    replay(ReplayConfig.builder(capture), server.address()).counts();

            assertEquals(Map.of(ErrorKind.HANDSHAKE_FAILED, 2L), counts.errorsByKind());
            assertEquals(
                    List.of("the target does not answer as a server of HTTP/2 with prior knowledge (no settings at the"
                            + " beginning); replay to a port that speaks h2c"),
                    notes);
        }
    }

    @Test
    void closesWhereTheTargetBreaksTheRules() throws Exception {
        for (String answer : List.of(
                frame(HEADERS, END_HEADERS | END_STREAM, 7, STATUS_200), frame(HEADERS, END_HEADERS, 0, STATUS_200))) {
            ErrorKind kind = answer.charAt(8) == 7 ? ErrorKind.MISMATCHED_RESPONSE : ErrorKind.MALFORMED_RESPONSE;
            try (Capture capture = twoRequests();
                    TestingStreamServer server = new TestingStreamServer((number, in, out) -> {
                        in.read(ALL);
                        say(out, frame(SETTINGS, 0, 0, "") + answer);
                        in.readAll();
                    })) {
                LoadCounts counts =
                        replay(ReplayConfig.builder(capture), server.address()).counts();

                assertEquals(Map.of(kind, 2L), counts.errorsByKind());
                assertEquals(2, counts.sent);
            }
        }
    }

    @Test
    void sendsNothingOfAConnectionWithoutItsBeginning() throws Exception {
        TestingCapture recording = new TestingCapture(directory);
        int connection = recording.open(0, Protocol.HTTP2);
        recording.opaque(connection, 0, FIRST);
        recording.close(connection, MS);
        try (Capture capture = recording.finish();
                TestingStreamServer server = new TestingStreamServer((number, in, out) -> in.readAll())) {
            LoadCounts counts =
                    replay(ReplayConfig.builder(capture), server.address()).counts();

            assertEquals(0, counts.opaqueBytesSent);
            assertEquals(FIRST.length(), counts.opaqueBytesUnsent);
            assertEquals(
                    List.of(
                            "a recorded HTTP/2 connection could not be followed (no connection preface) and was not sent"
                                    + " on; record its connections from their beginning"),
                    notes);
        }
    }

    @Test
    void leavesStreamsOutOfTheSkewBetweenTargets() throws Exception {
        try (Capture capture = twoRequests();
                TestingHttp2 one = new TestingHttp2();
                TestingHttp2 other = new TestingHttp2();
                Replayer replayer =
                        Replayer.launchCold(ReplayConfig.builder(capture).build())) {
            List<TargetReplay> targets =
                    List.of(replayer.addTarget("a", one.address()), replayer.addTarget("b", other.address()));
            replayer.measure(targets, 0, 1, Replayer.Progress.NONE);
            replayer.finish();

            assertEquals(2, targets.get(0).result().counts().completed);
            assertEquals(2, targets.get(1).result().counts().completed);
            assertEquals(0, replayer.skew().orElseThrow().spread().count());
        }
    }

    @Test
    void blamesTheTargetForAStreamThatWaitedForItsSocket() throws Exception {
        TestingCapture recording = new TestingCapture(directory);
        int connection = recording.open(0, Protocol.HTTP2);
        recording.opaque(connection, 0, BEGINNING + frame(HEADERS, END_HEADERS, 1, GET));
        String body = frame(DATA, 0, 1, "x".repeat(16_000)).repeat(64);
        // More than the buffers of both sockets hold.
        int pieces = 24;
        for (int i = 0; i < pieces; i++) {
            recording.opaque(connection, (1 + i) * MS, body);
        }
        recording.opaque(connection, 50 * MS, frame(DATA, END_STREAM, 1, "end"));
        recording.close(connection, 60 * MS);
        try (Capture capture = recording.finish();
                TestingStreamServer server = new TestingStreamServer((number, in, out) -> {
                    in.pause(500);
                    in.read((int) capture.opaque().bytes());
                    say(out, frame(SETTINGS, 0, 0, "") + frame(HEADERS, END_HEADERS | END_STREAM, 1, STATUS_200));
                    in.readAll();
                })) {
            LoadResult result = replay(ReplayConfig.builder(capture), server.address());

            assertEquals(1, result.counts().completed);
            assertEquals(1, result.counts().deferred);
            assertEquals(1, result.generatorLag().getTotalCount());
            // That of pieces up to where they began to wait, not that of the stream.
            assertTrue(
                    result.ownLag().getMaxValue() < result.generatorLag().getMaxValue(),
                    "" + result.ownLag().getMaxValue());
        }
    }

    private Capture twoRequests() throws IOException {
        TestingCapture recording = new TestingCapture(Files.createTempDirectory(directory, "h2"));
        int connection = recording.open(0, Protocol.HTTP2);
        recording.opaque(connection, 0, BEGINNING);
        recording.opaque(connection, 5 * MS, FIRST + SECOND);
        recording.opaque(connection, 10 * MS, SECOND_BODY);
        recording.close(connection, 20 * MS);
        return recording.finish();
    }

    private static void say(OutputStream out, String bytes) throws IOException {
        out.write(bytes.getBytes(StandardCharsets.ISO_8859_1));
    }

    private LoadResult replay(ReplayConfig.Builder config, InetSocketAddress address) {
        TargetReplay target = TestingReplay.to(address, config);
        notes = target.notes();
        return target.result();
    }
}
