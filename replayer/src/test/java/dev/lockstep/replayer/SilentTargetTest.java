package dev.lockstep.replayer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.lockstep.capture.Capture;
import dev.lockstep.capture.Protocol;
import dev.lockstep.measurement.LoadCounts;
import dev.lockstep.measurement.Pace;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Servers that take requests and answer none or few of them, where nothing else would end the run soon. */
@Timeout(60)
class SilentTargetTest {
    private static final long MS = 1_000_000;
    private static final int REQUESTS = 1000;

    @TempDir
    private Path directory;

    @Test
    void isGivenUpAtTheRecordedPace() throws IOException {
        assertGivenUp(Pace.RECORDED, 0, "given up: it answered nothing for 300 ms when all requests were due");
    }

    @Test
    void isGivenUpAtARate() throws IOException {
        assertGivenUp(Pace.rate(10_000), 2, "given up: it answered nothing for 300 ms when all requests were due");
    }

    @Test
    void isGivenUpInAClosedLoop() throws IOException {
        assertGivenUp(Pace.MAX, 2, "given up: it answered nothing for 300 ms; the requests left");
    }

    @Test
    void isGivenUpInTurns() throws Exception {
        TargetReplay target = inTurns((connection, head, socket, out) -> true);

        LoadCounts counts = target.result().counts();
        assertEquals(0, counts.completed);
        assertTrue(counts.unsent > 0, counts::toString);
        assertEquals(REQUESTS, counts.sent + counts.unsent);
        assertTrue(
                target.notes().toString().contains("given up: its turns waited for answers more than 300 ms in all"));
    }

    @Test
    void isGivenUpInTurnsWhereItAnswersAFewOfItsRequests() throws Exception {
        AtomicInteger asked = new AtomicInteger();
        TargetReplay target = inTurns((connection, head, socket, out) ->
                asked.incrementAndGet() % 8 != 0 || TestingServer.OK.answer(connection, head, socket, out));

        LoadCounts counts = target.result().counts();
        assertTrue(counts.completed > 0, counts::toString);
        assertTrue(counts.unsent > 0, counts::toString);
        assertTrue(target.notes().toString().contains("given up: its turns"), () -> target.notes() + "");
    }

    @Test
    void goesOnInTurnsWhereItAnswersLate() throws Exception {
        TargetReplay target = inTurns((connection, head, socket, out) -> {
            TimeUnit.MILLISECONDS.sleep(50);
            return TestingServer.OK.answer(connection, head, socket, out);
        });

        LoadCounts counts = target.result().counts();
        assertEquals(REQUESTS, counts.sent + counts.unsent);
        assertTrue(counts.completed > 10, counts::toString);
        assertEquals(List.of(), target.notes());
    }

    /** It lasts longer than a silent target is waited for. */
    @Test
    void goesOnWhereNoCallGetsAnAnswer() throws Exception {
        Retry.withTimeouts(100, this::replayOnewayCalls);
    }

    private void replayOnewayCalls(long timeoutMs) throws IOException {
        Protocol protocol = Protocol.THRIFT_FRAMED_BINARY;
        TestingCapture recording = new TestingCapture(Files.createTempDirectory(directory, "oneway"));
        int connection = recording.open(0, protocol);
        recording.request(connection, 0, TestingThrift.message(protocol, "log", TestingThrift.ONEWAY, 0));
        recording.close(connection, MS);
        try (Capture capture = recording.finish();
                TestingThriftServer server = new TestingThriftServer(TestingThriftServer.PLAIN)) {
            TargetReplay target = TestingReplay.to(
                    server.address(),
                    ReplayConfig.builder(capture)
                            .pace(Pace.closed(Duration.ofMillis(timeoutMs / 2)))
                            .connections(1)
                            .requestLimit(10)
                            .timeoutNs(timeoutMs * MS)
                            .leastSilenceNs(1));

            assertEquals(List.of(), target.notes());
            assertEquals(10, target.result().counts().completed);
        }
    }

    /** Ten turns, each of which waits 100 ms at most for what is not answered. */
    private TargetReplay inTurns(TestingServer.Handler handler) throws Exception {
        try (Capture capture = TestingCapture.gets(directory, REQUESTS, MS / 10);
                TestingServer server = new TestingServer(handler)) {
            ReplayConfig config = ReplayConfig.builder(capture)
                    .pace(Pace.rate(REQUESTS))
                    .connections(2)
                    .durationNs(1000 * MS)
                    .timeoutNs(100 * MS)
                    .leastSilenceNs(1)
                    .build();
            try (Replayer replayer = Replayer.launchCold(config)) {
                TargetReplay target = replayer.addTarget("a", server.address());
                for (int round = 0; round < 10; round++) {
                    replayer.measure(List.of(target), round, 10, Replayer.Progress.NONE);
                }
                replayer.finish();
                return target;
            }
        }
    }

    private void assertGivenUp(Pace pace, int connections, String note) throws IOException {
        try (Capture capture = TestingCapture.gets(directory, REQUESTS, MS / 10);
                TestingServer server = new TestingServer((connection, head, socket, out) -> true)) {
            TargetReplay target = TestingReplay.to(
                    server.address(),
                    ReplayConfig.builder(capture)
                            .pace(pace)
                            .connections(connections)
                            .requestLimit(REQUESTS)
                            .timeoutNs(100 * MS)
                            .leastSilenceNs(1));

            LoadCounts counts = target.result().counts();
            assertEquals(0, counts.completed);
            assertTrue(counts.unsent > 0, counts::toString);
            assertEquals(REQUESTS, counts.sent + counts.unsent);
            assertTrue(target.notes().stream().anyMatch(line -> line.startsWith(note)), () -> target.notes() + "");
        }
    }
}
