package dev.lockstep.run;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.lockstep.measurement.Cost;
import dev.lockstep.measurement.Costs;
import dev.lockstep.measurement.Interval;
import dev.lockstep.measurement.IntervalSink;
import dev.lockstep.monitor.GcLog;
import dev.lockstep.monitor.GcLogFormat;
import dev.lockstep.monitor.TargetMonitor;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** This JVM is the target. */
final class CostMeterTest {
    private final CostMeter meter =
            new CostMeter(TargetMonitor.open(ProcessHandle.current().pid(), Map.of(), Optional.empty()));

    private final List<Costs> rows = new ArrayList<>();
    private final MonitoredIntervals intervals = new MonitoredIntervals(sink());

    private IntervalSink sink() {
        return (target, interval) -> rows.add(interval.costs);
    }

    /** Uses 30 ms of a processor, however long that takes on a busy machine. */
    private void burn() {
        ThreadMXBean threads = ManagementFactory.getThreadMXBean();
        long untilNs = threads.getCurrentThreadCpuTime() + 30_000_000;
        while (threads.getCurrentThreadCpuTime() < untilNs) {
            Thread.onSpinWait();
        }
    }

    /** Rounds up, so that what has passed lies within; the log knows pauses in whole milliseconds. */
    private static long wholeMsSince(long sinceNs) {
        return (System.nanoTime() - sinceNs + 999_999) / 1_000_000;
    }

    private void interval(boolean warmup) {
        burn();
        Interval interval = new Interval();
        interval.phase = warmup ? Interval.Phase.WARM_UP : Interval.Phase.MEASURED;
        intervals.interval("c2", interval);
    }

    @Test
    void theIntervalsOfTheMeasuredPhaseAddUpToTheTargetsTotal() {
        intervals.follow("c2", meter);
        meter.start();
        interval(true);
        meter.end();
        for (int round = 0; round < 2; round++) {
            // What is used between the windows is nobody's.
            burn();
            meter.start();
            interval(false);
            interval(false);
            meter.end();
        }

        assertEquals(5, rows.size());
        assertTrue(LaunchRoundTest.cpuNs(rows.get(0)) > 0, "the warm-up costs too");
        Costs sum = rows.get(1).plus(rows.get(2)).plus(rows.get(3)).plus(rows.get(4));
        assertEquals(sum, meter.measured());
        for (Cost cost : List.of(Cost.USER_CPU, Cost.JIT_CPU, Cost.MINOR_FAULTS, Cost.VOLUNTARY_SWITCHES)) {
            assertEquals(
                    rows.stream()
                            .skip(1)
                            .mapToLong(row -> row.get(cost).orElseThrow())
                            .sum(),
                    meter.measured().get(cost).orElseThrow(),
                    cost.key());
        }
        assertEquals(rows.get(4).get(Cost.RSS), meter.measured().get(Cost.RSS));
        assertTrue(LaunchRoundTest.cpuNs(meter.measured()) > 0);
    }

    @Test
    void aTargetThatDiesKeepsWhatItHadCost() throws Exception {
        Process process = new ProcessBuilder("sh", "-c", "while :; do :; done").start();
        try (CostMeter mortal = new CostMeter(TargetMonitor.open(process.pid(), Map.of(), Optional.empty()))) {
            intervals.follow("c2", mortal);
            mortal.start();
            interval(false);
            process.destroyForcibly().waitFor();
            interval(false);
            interval(false);

            assertEquals(OptionalLong.empty(), rows.get(1).get(Cost.USER_CPU));
            assertEquals(OptionalLong.empty(), rows.get(2).get(Cost.USER_CPU));
            for (Cost cost : List.of(Cost.USER_CPU, Cost.MINOR_FAULTS, Cost.RSS)) {
                assertTrue(rows.get(0).get(cost).isPresent(), cost.key());
                assertEquals(rows.get(0).get(cost), mortal.measured().get(cost), cost.key());
            }
        } finally {
            process.destroyForcibly();
        }
    }

    @Test
    void ofAPauseThatAFreezeMadeLongerOnlyWhatLiesInWindowsCounts(@TempDir Path folder) throws IOException {
        Path log = folder.resolve("gc.log");
        long beganNs = System.nanoTime();
        GcLog opened = GcLog.open(log, GcLogFormat.UNIFIED, OptionalLong.of(beganNs));
        try (CostMeter frozen =
                new CostMeter(TargetMonitor.open(ProcessHandle.current().pid(), Map.of(), Optional.of(opened)))) {
            intervals.follow("c2", frozen);
            Files.writeString(log, "[" + beganNs + "ns][info][gc] Using Serial\n");
            pause(log, 0, System.nanoTime(), 5);
            frozen.start();
            interval(false);
            long inFirstNs = System.nanoTime();
            burn();
            // The last interval of a turn is taken when the target stands still.
            frozen.frozen();
            interval(false);
            frozen.end();
            burn();
            frozen.start();
            burn();
            long lengthMs = wholeMsSince(inFirstNs);
            pause(log, 1, inFirstNs + lengthMs * 1_000_000, lengthMs);
            interval(false);

            long lengthNs = lengthMs * 1_000_000;
            long countedNs = frozen.measured().get(Cost.GC_PAUSE).orElseThrow();
            assertEquals(1, frozen.measured().get(Cost.GC_CYCLES).orElseThrow());
            assertTrue(countedNs >= 60_000_000, countedNs + " of " + lengthNs);
            assertTrue(countedNs <= lengthNs - 60_000_000, countedNs + " of " + lengthNs);
            assertEquals(
                    countedNs,
                    frozen.measured().collectors().get("Serial Young").pauseNs());
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void ofASafepointThatAFreezeMadeLongerOnlyWhatLiesInWindowsCounts(boolean collects, @TempDir Path folder)
            throws IOException {
        Path log = folder.resolve("gc.log");
        long beganNs = System.nanoTime();
        GcLog opened = GcLog.open(log, GcLogFormat.UNIFIED, OptionalLong.of(beganNs));
        try (CostMeter frozen =
                new CostMeter(TargetMonitor.open(ProcessHandle.current().pid(), Map.of(), Optional.of(opened)))) {
            intervals.follow("c2", frozen);
            Files.writeString(log, "[" + beganNs + "ns][info][gc] Using Serial\n");
            // Without one, the log of this JVM, which collects, would be silent.
            pause(log, 0, System.nanoTime(), 1);
            safepoint(log, System.nanoTime(), 700);
            frozen.start();
            safepoint(log, System.nanoTime(), 1);
            interval(false);
            long inFirstNs = System.nanoTime();
            frozen.end();
            burn();
            frozen.start();
            burn();
            long lengthMs = wholeMsSince(inFirstNs);
            long endNs = inFirstNs + lengthMs * 1_000_000;
            if (collects) {
                pause(log, 1, endNs, lengthMs);
            }
            safepoint(log, endNs, lengthMs * 1_000_000);
            interval(false);

            assertEquals(1, rows.get(0).get(Cost.SAFEPOINT).orElseThrow());
            long countedNs = rows.get(1).get(Cost.SAFEPOINT).orElseThrow();
            assertTrue(countedNs >= 29_000_000, countedNs + " of " + lengthMs + " ms");
            assertTrue(countedNs <= lengthMs * 1_000_000 - 30_000_000, countedNs + " of " + lengthMs + " ms");
            assertEquals(
                    collects ? countedNs : 0, rows.get(1).get(Cost.GC_PAUSE).orElseThrow(), "it is taken off once");
        }
    }

    private static void safepoint(Path log, long endNs, long lengthNs) throws IOException {
        Files.writeString(
                log,
                "[" + endNs
                        + "ns][info][safepoint] Safepoint \"Cleanup\", Time since last: 7 ns, Reaching safepoint: 0 ns,"
                        + " At safepoint: " + lengthNs + " ns, Total: " + lengthNs + " ns\n",
                StandardOpenOption.APPEND);
    }

    private static void pause(Path log, int number, long endNs, long lengthMs) throws IOException {
        Files.writeString(
                log,
                "[" + endNs + "ns][info][gc] GC(" + number + ") Pause Young (Allocation Failure) 17M->1M(61M) "
                        + lengthMs + ".000ms\n",
                StandardOpenOption.APPEND);
    }

    @Test
    void anIntervalOutsideOfTheWindowsCostsNothingThatIsKnown() {
        intervals.follow("c2", meter);
        interval(false);
        intervals.interval("attached", new Interval());
        assertEquals(List.of(Costs.NONE, Costs.NONE), rows);
        assertEquals(Costs.NONE, meter.measured());
    }

    @Test
    void saysThatFiguresAreWithoutTheProcessesThatTheTargetStarted() throws Exception {
        Process child = new ProcessBuilder("sleep", "600").start();
        try (CostMeter ofSeveral =
                new CostMeter(TargetMonitor.open(ProcessHandle.current().pid(), Map.of(), Optional.empty()))) {
            assertEquals(1, ofSeveral.problems().size());
            assertTrue(ofSeveral.problems().get(0).startsWith("CPU time and resident memory are of its first process"));
        } finally {
            child.destroyForcibly().waitFor();
        }
    }

    /** As in a container with fewer processors than its programs use. */
    @Test
    void saysThatACpuQuotaStoppedTheTarget(@TempDir Path group) throws IOException {
        Files.writeString(group.resolve("cgroup.procs"), "");
        Files.writeString(group.resolve("cpu.max"), "150000 100000\n");
        Path stat = Files.writeString(group.resolve("cpu.stat"), "nr_throttled 3\nthrottled_usec 100\n");
        try (CostMeter throttled = new CostMeter(
                TargetMonitor.open(ProcessHandle.current().pid(), Map.of("cpu", group), Optional.empty()))) {
            intervals.follow("c2", throttled);
            throttled.start();
            interval(false);
            String said = "a CPU quota stopped it while it was measured (throttledPeriods, throttledNs): its latencies"
                    + " and throughput are those under this quota";
            assertFalse(throttled.problems().contains(said), "it did before");

            Files.writeString(stat, "nr_throttled 4\nthrottled_usec 900\n");
            interval(false);

            assertTrue(throttled.problems().contains(said), throttled.problems().toString());
        }
    }
}
