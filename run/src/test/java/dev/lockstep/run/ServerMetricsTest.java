package dev.lockstep.run;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.lockstep.measurement.Cost;
import dev.lockstep.measurement.Costs;
import dev.lockstep.monitor.metrics.MetricsException;
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
    private final ServerMetrics metrics = metrics("cpuPerRequest");

    private ServerMetrics metrics(String primary) {
        return new ServerMetrics(
                "old", () -> MetricsReading.parse(MetricsSource.Format.PROMETHEUS, answers.remove()), primary);
    }

    private static String reading(double cpuSeconds, double started) {
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
        // Since it may be cold still.
        assertTrue(block(2, reading(9.1, 170), reading(9.1, 170), reading(10.1, 170))
                .isEmpty());
        assertTrue(notes().contains("old: no cost of block 2: it RESTARTED before the measured load"), notes());
        assertEquals(
                OptionalLong.of(1_000_000_000),
                block(3, reading(10.1, 170), reading(10.1, 170), reading(11.1, 170))
                        .cpuNs());
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
    void tellsOfReadingsThatAreKeptAndKnowsNoCostByThoseOfSeveralProcesses() throws Exception {
        // Whole seconds, made of the time of day.
        assertEquals(
                OptionalLong.of(1_900_000_000),
                block(1, reading(3, 100), reading(3.1, 101), reading(5, 100)).cpuNs());
        block(2, reading(5.000123, 100), reading(5.000123, 100), reading(7, 100));
        assertTrue(notes().contains("two readings, one after the other, told the same CPU time"), notes());
        assertTrue(block(3, reading(7, 100.25), reading(7.1, 100.27), reading(9, 100.25))
                .isEmpty());
        assertTrue(notes().contains("no cost of block 3: its readings are of several processes"), notes());
    }

    @Test
    void takesWhatWasAllocatedBetweenCollectionsForNothing() throws Exception {
        String allocated = "jvm_memory_used_bytes{area=\"heap\"} 5\njvm_gc_memory_allocated_bytes_total ";
        String pauses = "jvm_gc_pause_seconds_sum 0.5\njvm_gc_pause_seconds_count ";
        String begin = reading(5.01, 100) + allocated;

        check(metrics, begin + 0);
        Costs none = block(1, begin + 0, begin + 0, reading(9, 100) + allocated + 0);
        Costs one = block(
                2,
                reading(9, 100) + allocated + 0,
                reading(9, 100) + allocated + 0,
                reading(13, 100) + allocated + "1000\n" + pauses + 1);

        assertEquals(OptionalLong.of(0), none.get(Cost.ALLOCATED));
        assertEquals(OptionalLong.of(0), none.get(Cost.GC_CYCLES));
        assertEquals(OptionalLong.of(1000), one.get(Cost.ALLOCATED));
        assertTrue(
                notes().contains("it tells with each collection what it allocated, and there were 1 in 2 blocks"),
                notes());
    }

    @Test
    void refusesToBeginWithoutWhatThePrimaryMetricIsMadeOf() throws Exception {
        check(metrics("rss"), reading(5, 100));
        MetricsException e = assertThrows(MetricsException.class, () -> check(metrics("gcPause"), reading(5, 100)));
        assertTrue(
                e.getMessage().startsWith("expected metrics of which gcPause can be made, found only "),
                e.getMessage());
    }

    /** Workers that share a port: over one connection the same answers always, over another one another. */
    @Test
    void refusesToBeginWhereOtherConnectionsLeadToOtherProcesses() {
        for (List<String> told : List.of(
                List.of(reading(0.2, 100), reading(0.3, 100), reading(0.4, 100), reading(0.21, 100)),
                List.of(reading(5, 100.25), reading(5.1, 100.27)))) {
            MetricsException e =
                    assertThrows(MetricsException.class, () -> check(metrics, told.toArray(new String[0])));
            assertTrue(e.getMessage().startsWith("its readings are of several processes"), e.getMessage());
        }
    }

    /** @param told the last one again and again */
    private void check(ServerMetrics metrics, String... told) throws Exception {
        answers.clear();
        answers.addAll(List.of(told));
        for (int i = 0; i < 5; i++) {
            answers.add(told[told.length - 1]);
        }
        metrics.check();
    }

    @Test
    void tellsOfACoarseCounterAndOfReadingsThatAreDear() throws Exception {
        block(1, reading(5.01, 100), reading(5.02, 100), reading(5.62, 100));
        assertTrue(notes().contains("its CPU counter moves in steps of 10 ms, and a block took but 600 ms"), notes());
        assertTrue(notes().contains("one reading of its metrics costs it 10.0 ms of CPU"), notes());
    }
}
