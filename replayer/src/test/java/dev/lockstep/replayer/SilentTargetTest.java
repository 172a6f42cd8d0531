package dev.lockstep.replayer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.lockstep.capture.Capture;
import dev.lockstep.measurement.LoadCounts;
import dev.lockstep.measurement.Pace;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Servers that take requests and answer none of them, where only the number of requests ends the run. */
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
