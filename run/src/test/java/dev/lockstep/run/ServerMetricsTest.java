package dev.lockstep.run;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.lockstep.measurement.Cost;
import dev.lockstep.measurement.Costs;
import dev.lockstep.monitor.metrics.MetricsReading;
import dev.lockstep.monitor.metrics.MetricsSource;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

/** What a block cost by counters that go on, go back, stand still, or are not to be had. */
class ServerMetricsTest {
    private final Deque<String> answers = new ArrayDeque<>();
    private final ServerMetrics metrics =
            new ServerMetrics("old", () -> MetricsReading.parse(MetricsSource.Format.PROMETHEUS, answers.remove()));

    private static String reading(double cpuSeconds, int started) {
        return "process_cpu_seconds_total " + cpuSeconds + "\nprocess_start_time_seconds " + started + "\n"
                + "process_resident_memory_bytes 4096\n";
    }

    private Costs block(int number, String... told) throws InterruptedException {
        answers.clear();
        answers.addAll(List.of(told));
        metrics.begin(number);
        metrics.end(number);
        return metrics.measured();
    }

    private String notes() {
        return String.join("\n", metrics.notes());
    }

    @Test
    void tellsWhatABlockCostBetweenTheReadingNextToItAndTheOneBehind() throws Exception {
        Costs costs = block(1, reading(1, 100), reading(1.001, 100), reading(3.001, 100));
        assertEquals(OptionalLong.of(2_000_000_000), costs.cpuNs());
        assertEquals(OptionalLong.of(4096), costs.get(Cost.RSS));
        assertEquals(1, metrics.notes().size(), notes());
    }

    @Test
    void knowsNoCostOfABlockInWhichTheServerRestarted() throws Exception {
        assertTrue(block(1, reading(9, 100), reading(9, 100), reading(0.5, 100)).isEmpty());
        assertTrue(
                notes().contains("old: no cost of block 1: it RESTARTED, for its CPU time went from 9.0 s to 500 ms"));
        assertEquals(
                OptionalLong.of(1_000_000_000),
                block(2, reading(9.1, 170), reading(9.1, 170), reading(10.1, 170))
                        .cpuNs());
        assertTrue(notes().contains("old: RESTARTED before the measured load of block 2"), notes());
    }

    @Test
    void knowsNoCostByACounterThatIsNoUse() throws Exception {
        assertTrue(block(1, reading(5, 100), reading(5, 100), reading(5, 100)).isEmpty());
        assertTrue(notes().contains("no cost of block 1: its CPU time stood still at 5.0 s"), notes());
        assertTrue(block(2, reading(5, 100), reading(5, 100), reading(7, 100)).isEmpty());
        assertTrue(notes().contains("counter that moves in steps of 1.0 s"), notes());
        assertTrue(block(3, reading(7, 100), "", "").isEmpty());
        assertTrue(notes().contains("no cost of block 3: expected the counter process_cpu_seconds_total"), notes());
    }

    @Test
    void tellsOfACoarseCounterAndOfReadingsThatAreDear() throws Exception {
        block(1, reading(5.01, 100), reading(5.02, 100), reading(5.62, 100));
        assertTrue(notes().contains("its CPU counter moves in steps of 10 ms, and a block took but 600 ms"), notes());
        assertTrue(notes().contains("one reading of its metrics costs it 10.0 ms of CPU"), notes());
    }
}
