package dev.lockstep.replayer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.lockstep.capture.Capture;
import dev.lockstep.capture.Protocol;
import dev.lockstep.measurement.ErrorKind;
import dev.lockstep.measurement.LoadCounts;
import dev.lockstep.measurement.LoadResult;
import dev.lockstep.measurement.Pace;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
final class OpaqueReplayTest {
    private static final long MS = 1_000_000;
    private static final String UPGRADE =
            "GET /chat HTTP/1.1\r\nHost: test\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n";
    private static final String SWITCHED = "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\n\r\n";

    @TempDir
    Path directory;

    private List<String> notes;

    @Test
    void timesFirstAndLastByteOfWhatComesAfterEachBurst() throws Exception {
        // The answers have to be read before the next burst is due.
        Retry.untilUndisturbed(this::replayBursts);
    }

    private void replayBursts() throws Exception {
        TestingCapture recording = new TestingCapture(Files.createTempDirectory(directory, "bursts"));
        int connection = recording.open(0, Protocol.TLS);
        recording.opaque(connection, 0, "abc");
        recording.opaque(connection, 20 * MS, "def");
        recording.opaque(connection, 300 * MS, "ghi");
        recording.opaque(connection, 320 * MS, "no answer");
        recording.close(connection, 340 * MS);
        try (Capture capture = recording.finish();
                TestingStreamServer server = new TestingStreamServer((number, in, out) -> {
                    in.expect("abcdef");
                    out.write('1');
                    in.pause(50);
                    out.write('2');
                    in.expect("ghi");
                    out.write('3');
                    in.expect("no answer");
                    in.readAll();
                })) {
            LoadResult result = replay(ReplayConfig.builder(capture), server.address());
            LoadCounts counts = result.counts();

            assertEquals("abcdefghino answer", server.received(0));
            assertEquals(18, counts.opaqueBytesSent);
            assertEquals(0, counts.sent);
            assertEquals(0, counts.errors());
            assertEquals(3, counts.opaqueBursts);
            assertEquals(1, counts.opaqueBurstsUnanswered);
            Histogram first = result.opaqueFirstByte();
            Histogram last = result.opaqueLastByte();
            assertEquals(2, first.getTotalCount());
            assertEquals(2, last.getTotalCount());
            // The first burst began when its first piece was to be sent.
            assertTrue(first.getMaxValue() >= 20 * MS, () -> "first byte after " + first.getMaxValue());
            assertTrue(last.getMaxValue() >= 70 * MS, () -> "last byte after " + last.getMaxValue());
            assertTrue(last.getMaxValue() >= first.getMaxValue() + 45 * MS);
        }
    }

    @Test
    void countsHowLateItWasItself() throws Exception {
        TestingCapture recording = new TestingCapture(directory);
        int connection = recording.open(0, Protocol.TLS);
        recording.opaque(connection, MS, "abc");
        recording.opaque(connection, 150 * MS, "def");
        recording.close(connection, 160 * MS);
        AtomicReference<TargetReplay> target = new AtomicReference<>();
        try (Capture capture = recording.finish();
                TestingStreamServer server = new TestingStreamServer((number, in, out) -> {
                    in.expect("abc");
                    // The loop stands still until after the second piece fell due.
                    target.get().loop().execute(() -> Rounds.sleep(400));
                    in.expect("def");
                    in.readAll();
                });
                Replayer replayer =
                        Replayer.launchCold(ReplayConfig.builder(capture).build())) {
            target.set(replayer.addTarget("a", server.address()));
            replayer.measure(List.of(target.get()), 0, 1, Replayer.Progress.NONE);
            replayer.finish();

            Histogram lag = target.get().result().ownLag();
            assertEquals(2, lag.getTotalCount());
            assertTrue(lag.getMaxValue() >= 200 * MS, "" + lag.getMaxValue());
        }
    }

    @Test
    void seesAStallInFullThoughTheRecordedClientGoesOn() throws Exception {
        TestingCapture recording = new TestingCapture(directory);
        int connection = recording.open(0, Protocol.UNKNOWN);
        for (int i = 0; i < 10; i++) {
            recording.opaque(connection, i * 20 * MS, "ping");
        }
        recording.close(connection, 300 * MS);
        try (Capture capture = recording.finish();
                TestingStreamServer server = new TestingStreamServer((number, in, out) -> {
                    for (int i = 0; i < 10; i++) {
                        in.expect("ping");
                        if (i == 9) {
                            out.write('x');
                        }
                    }
                    in.readAll();
                })) {
            LoadResult result = replay(ReplayConfig.builder(capture), server.address());

            assertEquals(1, result.counts().opaqueBursts);
            assertTrue(result.opaqueFirstByte().getMaxValue() >= 180 * MS);
        }
    }

    @Test
    void goesOnAfterAHandshakeOfHttp() throws Exception {
        // The echo has to be read before the second frame is due.
        Retry.untilUndisturbed(this::replayWebSocket);
    }

    private void replayWebSocket() throws Exception {
        TestingCapture recording = webSocket();
        try (Capture capture = recording.finish();
                TestingStreamServer server = new TestingStreamServer((number, in, out) -> {
                    in.expect(UPGRADE);
                    out.write((SWITCHED + "hello").getBytes(StandardCharsets.ISO_8859_1));
                    in.expect("frame 1");
                    out.write("echo".getBytes(StandardCharsets.ISO_8859_1));
                    in.expect("frame 2");
                    in.readAll();
                })) {
            LoadResult result = replay(ReplayConfig.builder(capture), server.address());
            LoadCounts counts = result.counts();

            assertEquals(UPGRADE + "frame 1frame 2", server.received(0));
            assertEquals(1, counts.completed);
            assertEquals(Map.of(101, 1L), counts.statusCodes());
            assertEquals(Map.of(), counts.errorsByKind());
            assertEquals(14, counts.opaqueBytesSent);
            assertEquals(2, counts.opaqueBursts);
            assertEquals(1, counts.opaqueBurstsUnanswered);
            assertEquals(1, result.opaqueFirstByte().getTotalCount());
            assertEquals(capture.streamSha256(), result.streamDigest().sha256());
            assertEquals(List.of(), notes);
        }
    }

    @Test
    void givesNoTargetUpWhereOnlyARecordedEndIsAwaited() throws Exception {
        TestingCapture recording = new TestingCapture(directory);
        int connection = recording.open(0);
        recording.request(connection, 0, TestingCapture.get(1));
        recording.request(connection, 10 * MS, UPGRADE);
        recording.protocol(connection, 11 * MS, Protocol.WEBSOCKET);
        recording.opaque(connection, 12 * MS, "subscribe");
        // From then on the client listened, for longer than a silent target is waited for.
        recording.close(connection, 700 * MS);
        try (Capture capture = recording.finish();
                TestingStreamServer server = new TestingStreamServer((number, in, out) -> {
                    in.expect(TestingCapture.get(1));
                    out.write(TestingServer.ok("ok"));
                    in.expect(UPGRADE);
                    out.write(SWITCHED.getBytes(StandardCharsets.ISO_8859_1));
                    in.readAll();
                })) {
            replay(ReplayConfig.builder(capture).timeoutNs(100 * MS).leastSilenceNs(1), server.address());

            assertEquals(List.of(), notes);
        }
    }

    @Test
    void sendsNothingMoreWhereTheTargetDoesNotSwitch() throws Exception {
        // The answer has to come before the first piece is due, which is late with the target else.
        Retry.untilUndisturbed(this::replayWithoutASwitch);
    }

    private void replayWithoutASwitch() throws Exception {
        TestingCapture recording = webSocket();
        try (Capture capture = recording.finish();
                TestingStreamServer server = new TestingStreamServer((number, in, out) -> {
                    in.expect(UPGRADE);
                    out.write(TestingServer.ok("no"));
                    in.readAll();
                })) {
            LoadResult result = replay(ReplayConfig.builder(capture), server.address());
            LoadCounts counts = result.counts();

            assertEquals(UPGRADE, server.received(0));
            assertEquals(Map.of(ErrorKind.HANDSHAKE_FAILED, 1L), counts.errorsByKind());
            assertEquals(1, counts.sent);
            assertEquals(0, counts.opaqueBytesSent);
            assertEquals(1, result.ownLag().getTotalCount(), "the lag of what was sent");
            assertEquals(14, counts.opaqueBytesUnsent);
            assertEquals(
                    List.of("the target answered 200 where the recorded server switched protocols (101, or 2xx to"
                            + " CONNECT), so the rest of the connection was not sent"),
                    notes);
        }
    }

    @Test
    void closesWhereOnlyTheTargetSwitches() throws Exception {
        TestingCapture recording = new TestingCapture(directory);
        int connection = recording.open(0);
        recording.request(connection, 0, UPGRADE);
        recording.request(connection, 20 * MS, TestingCapture.get(1));
        recording.close(connection, 40 * MS);
        try (Capture capture = recording.finish();
                TestingStreamServer server = new TestingStreamServer((number, in, out) -> {
                    if (number == 0) {
                        in.expect(UPGRADE);
                        out.write(SWITCHED.getBytes(StandardCharsets.ISO_8859_1));
                    } else {
                        in.expect(TestingCapture.get(1));
                        out.write(TestingServer.ok("ok"));
                    }
                    in.readAll();
                })) {
            LoadCounts counts =
                    replay(ReplayConfig.builder(capture), server.address()).counts();

            assertEquals(Map.of(ErrorKind.HANDSHAKE_FAILED, 1L), counts.errorsByKind());
            assertEquals(1, counts.completed);
            assertEquals(2, counts.sent);
            assertEquals(
                    List.of("the target answered 101, which switches protocols, where the recorded server did not"),
                    notes);
        }
    }

    @Test
    void endsASwitchedConnectionOfAPool() throws Exception {
        TestingCapture recording = switching(Protocol.UNKNOWN);
        try (Capture capture = recording.finish();
                TestingStreamServer server = new TestingStreamServer((number, in, out) -> {
                    in.expect(UPGRADE);
                    out.write(SWITCHED.getBytes(StandardCharsets.ISO_8859_1));
                    in.readAll();
                })) {
            LoadCounts counts = replay(
                            ReplayConfig.builder(capture)
                                    .pace(Pace.MAX)
                                    .connections(1)
                                    .requestLimit(3),
                            server.address())
                    .counts();

            assertEquals(3, counts.completed);
            assertEquals(Map.of(), counts.errorsByKind());
            assertTrue(counts.connections >= 3);
            assertEquals(0, counts.opaqueBytesSent);
        }
    }

    private TestingCapture webSocket() throws IOException {
        return switching(Protocol.WEBSOCKET);
    }

    private TestingCapture switching(Protocol after) throws IOException {
        TestingCapture recording = new TestingCapture(Files.createTempDirectory(directory, "switching"));
        int connection = recording.open(0);
        recording.request(connection, 0, UPGRADE);
        recording.protocol(connection, 5 * MS, after);
        recording.opaque(connection, 10 * MS, "frame 1");
        recording.opaque(connection, 100 * MS, "frame 2");
        recording.close(connection, 120 * MS);
        return recording;
    }

    private LoadResult replay(ReplayConfig.Builder config, InetSocketAddress address) {
        TargetReplay target = TestingReplay.to(address, config);
        notes = target.notes();
        return target.result();
    }
}
