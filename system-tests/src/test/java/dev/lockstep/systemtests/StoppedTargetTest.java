package dev.lockstep.systemtests;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A target that stands still for two seconds shows it, and only it. */
@Tag("full")
final class StoppedTargetTest {
    private static final long SECOND_NS = 1_000_000_000;

    @TempDir
    Path directory;

    @Test
    void aStoppedTargetLeavesTheOthersHistogramAsItIs() throws Exception {
        try (TargetApp stopped = new TargetApp();
                TargetApp other = new TargetApp();
                Replay replay = Replay.start(
                        directory,
                        "--targets",
                        "stopped=" + stopped.address() + ",other=" + other.address(),
                        "--schedule=together",
                        "--warmup=1s",
                        "--max-lag=10s",
                        "-q200",
                        "-c10",
                        "-z6s",
                        "--json",
                        "-o",
                        "run",
                        Replay.SAMPLE.toString())) {
            replay.awaitStderr("measuring");
            TimeUnit.SECONDS.sleep(1);
            Replay.signal(stopped.pid(), "STOP");
            TimeUnit.SECONDS.sleep(2);
            Replay.signal(stopped.pid(), "CONT");

            assertEquals(0, replay.exitCode(), replay.toString());
            JsonNode first = replay.json().path("targets").path(0);
            JsonNode second = replay.json().path("targets").path(1);
            // A machine that is a second late counts the rest as unsent.
            assertEquals(
                    1200,
                    first.path("completed").asLong() + first.path("unsent").asLong());
            assertEquals(
                    1200,
                    second.path("completed").asLong() + second.path("unsent").asLong());
            // A third of the requests became due while it stood still, so p90 of the six seconds is about 1.4 s.
            assertTrue(first.path("responseTimeNs").path("max").asLong() >= 1.9 * SECOND_NS, first.toString());
            assertTrue(first.path("responseTimeNs").path("p90").asLong() >= 0.9 * SECOND_NS, first.toString());
            // The other's answers come a third of a second sooner on average: a third of the requests did not wait for
            // a second on average. A standstill of the whole machine delays both.
            double soonerNs = first.path("responseTimeNs").path("mean").asDouble()
                    - second.path("responseTimeNs").path("mean").asDouble();
            assertTrue(soonerNs >= 0.1 * SECOND_NS, first + "\n" + second);
        }
    }
}
