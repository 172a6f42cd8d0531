package dev.lockstep.replayer.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.lockstep.capture.Capture;
import dev.lockstep.capture.Protocol;
import dev.lockstep.measurement.LoadCounts;
import dev.lockstep.measurement.Pace;
import dev.lockstep.replayer.ReplayConfig;
import dev.lockstep.replayer.TestingCapture;
import dev.lockstep.replayer.TestingReplay;
import dev.lockstep.replayer.TestingStreamServer;
import dev.lockstep.replayer.TestingThrift;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Targets that take connections and close them without an answer. */
@Timeout(60)
final class BackOffTest {
    private static final long MS = 1_000_000;
    private static final byte[] OK =
            "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n".getBytes(StandardCharsets.ISO_8859_1);
    /**
     * One at the start, one at once, and then after 1, 2, 4 ... 250 ms; in the seconds that these runs take at most on
     * a machine that stands still, a few more. Without back-off they are hundreds.
     */
    private static final int MOST_CONNECTS = 40;

    @TempDir
    Path directory;

    @Test
    void failedAttemptsAreFartherAndFartherApart() {
        BackOff backOff = new BackOff();
        List<Long> waitsNs = new ArrayList<>();
        for (int i = 0; i < 10; i++) {
            backOff.attempt(1000 * MS);
            backOff.failed();
            waitsNs.add(backOff.nextAttemptNs(true, 1000 * MS) - 1000 * MS);
        }

        assertEquals(
                List.of(MS, 2 * MS, 4 * MS, 8 * MS, 16 * MS, 32 * MS, 64 * MS, 128 * MS, 250 * MS, 250 * MS), waitsNs);
    }

    @Test
    void aConnectionThatIsClosedUnansweredAgainAndAgainIsOpenedFromBeginningToBeginning() {
        BackOff backOff = new BackOff();
        List<Long> nextNs = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            backOff.attempt(0);
            backOff.closed(false);
            nextNs.add(backOff.nextAttemptNs(false, 3 * MS));
        }
        // The first is asked again at once; the others may be already, after the 3 ms that they stood open.
        assertEquals(List.of(3 * MS, MS, 2 * MS, 4 * MS), nextNs);

        backOff.brought();
        backOff.closed(false);
        assertEquals(9 * MS, backOff.nextAttemptNs(false, 9 * MS), "an answer came");

        backOff.attempt(0);
        backOff.closed(true);
        assertEquals(9 * MS, backOff.nextAttemptNs(false, 9 * MS), "a time-out is no refusal");
    }

    @Test
    void aPoolAsksATargetThatClosesAtOnceLessAndLess() throws Exception {
        try (Capture capture = TestingCapture.gets(directory, 10, MS);
                TestingStreamServer server = new TestingStreamServer((connection, in, out) -> {})) {
            replay(ReplayConfig.builder(capture).connections(1).pace(Pace.MAX).durationNs(300 * MS), server);
            assertTrue(server.connections() < MOST_CONNECTS, "connects " + server.connections());

            int before = server.connections();
            LoadCounts open = replay(
                    ReplayConfig.builder(capture)
                            .connections(1)
                            .pace(Pace.rate(500))
                            .requestLimit(150),
                    server);
            // What is due fails all the same, as it did when each request had a connection of its own.
            assertEquals(150, open.sent + open.unsent, open.errorsByKind()::toString);
            assertTrue(open.errors() > 100, open.errorsByKind()::toString);
            assertTrue(server.connections() - before < MOST_CONNECTS, "connects " + server.connections());
        }
    }

    @Test
    void aRecordedConnectionIsNotOpenedForEachRequestThatGetsNoAnswer() throws Exception {
        try (Capture capture = TestingCapture.gets(directory, 150, 2 * MS);
                TestingStreamServer server = new TestingStreamServer((connection, in, out) -> {})) {
            LoadCounts counts = replay(ReplayConfig.builder(capture), server);

            assertEquals(150, counts.sent);
            assertEquals(150, counts.errors(), counts.errorsByKind()::toString);
            assertTrue(server.connections() < MOST_CONNECTS, "connects " + server.connections());
        }
    }

    @Test
    void aTargetThatAnswersBeforeItClosesIsAskedAgainAtOnce() throws Exception {
        String request = TestingCapture.get(0);
        try (Capture capture = TestingCapture.gets(directory, 10, MS);
                TestingStreamServer server = new TestingStreamServer((connection, in, out) -> {
                    in.expect(request.substring(0, 5));
                    in.read(request.length() - 5);
                    // The second connection brings nothing, and the third is there all the same.
                    if (connection != 1) {
                        out.write(OK);
                    }
                })) {
            LoadCounts counts = replay(
                    ReplayConfig.builder(capture).connections(1).pace(Pace.MAX).requestLimit(50), server);

            assertEquals(50, counts.sent);
            assertTrue(counts.completed > 0, counts.errorsByKind()::toString);
            assertEquals(50, counts.completed + counts.errors());
        }
    }

    @Test
    void aTargetThatClosesAfterEachCallWithoutAnAnswerIsGivenThem() throws Exception {
        TestingCapture recording = new TestingCapture(directory);
        int connection = recording.open(0, Protocol.THRIFT_FRAMED_BINARY);
        int length = 0;
        for (int i = 0; i < 100; i++) {
            byte[] call = TestingThrift.message(Protocol.THRIFT_FRAMED_BINARY, "log", TestingThrift.ONEWAY, i);
            recording.request(connection, 5 * i * MS, call);
            length = call.length;
        }
        int callLength = length;
        try (Capture capture = recording.finish();
                TestingStreamServer server = new TestingStreamServer((number, in, out) -> in.read(callLength))) {
            LoadCounts counts = replay(ReplayConfig.builder(capture), server);

            assertEquals(100, counts.sent);
            // A call that goes out while its connection is being closed may fail.
            assertTrue(counts.oneway > 50, counts.errorsByKind()::toString);
        }
    }

    private static LoadCounts replay(ReplayConfig.Builder config, TestingStreamServer server) {
        return TestingReplay.to(server.address(), config.timeoutNs(2000 * MS))
                .result()
                .counts();
    }
}
