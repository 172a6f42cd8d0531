package dev.lockstep.cli;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.lockstep.analysis.Metric;
import dev.lockstep.measurement.Cost;
import dev.lockstep.measurement.Costs;
import dev.lockstep.measurement.Interval;
import dev.lockstep.measurement.LoadCounts;
import dev.lockstep.measurement.Warmup;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

final class LoadSeriesTest {
    private static final long SEC = 1_000_000_000L;

    private final List<Interval> handedOn = new ArrayList<>();
    private final LoadSeries series = new LoadSeries((target, interval) -> handedOn.add(interval));
    private final Interval interval = new Interval();
    private long nowNs;
    /** How many of 100 answers have the status 503. */
    private int failing;

    @Test
    void findsTheSteadyStateBehindTheWarmUpsSlowSeconds() {
        seconds(8, true, 1, 4_000_000, 400_000);
        seconds(12, true, 1, 1_000_000, 100_000);
        seconds(20, false, 1, 1_000_000, 100_000);

        Warmup warmup = series.warmup("c2", 1, false).orElseThrow();

        assertTrue(warmup.isSteady());
        assertEquals(8 * SEC, warmup.durationNs().orElseThrow());
        assertEquals(800, warmup.requests().orElseThrow());
        assertTrue(series.unsteady("c2", Map.of(1, warmup)).isEmpty());
        assertEquals(40, handedOn.size());
    }

    @Test
    void saysWhatWasMeasuredBeforeTheSteadyState() {
        seconds(2, true, 1, 4_000_000, 400_000);
        seconds(6, false, 1, 4_000_000, 400_000);
        seconds(32, false, 1, 1_000_000, 100_000);
        seconds(2, true, 2, 1_000_000, 100_000);
        seconds(20, false, 2, 1_000_000, 100_000);
        seconds(18, false, 2, 2_000_000, 200_000);
        seconds(4, false, 2, 4_000_000, 400_000);

        Warmup first = series.warmup("c2", 1, false).orElseThrow();
        assertEquals(8 * SEC, first.durationNs().orElseThrow());
        assertEquals(
                "c2: 6.0 s were measured before the steady state in launch 1; a longer --warmup leaves them out",
                series.unsteady("c2", Map.of(1, first)).orElseThrow());
        assertEquals(
                "c2: no steady state in launch 2: its figures depend on how long it is measured",
                series.unsteady("c2", Map.of(2, Warmup.notSteady())).orElseThrow());
    }

    @Test
    void knowsNothingOfShortLoadOrOfAWarmUpThatItDidNotSee() {
        seconds(9, false, 1, 1_000_000, 100_000);
        seconds(20, false, 2, 1_000_000, 100_000);

        assertTrue(series.warmup("c2", 1, true).isEmpty());
        assertTrue(series.warmup("c2", 2, false).isEmpty());
        assertTrue(series.warmup("c2", 2, true).orElseThrow().isSteady());
        assertFalse(series.warmup("graal", 1, true).isPresent());
    }

    @Test
    void cutsTheMeasuredPhaseIntoBlocksOfSomeSeconds() {
        seconds(5, true, 1, 1_000_000, 900_000);
        seconds(3, false, 1, 1_000_000, 100_000);
        seconds(3, false, 1, 1_000_000, 200_000);

        assertArrayEquals(new double[] {100_000, 200_000}, series.of(Metric.USER_CPU_PER_REQUEST, "c2", 1));
        assertEquals(0, series.of(Metric.P50, "c2", 1).length);
        assertEquals(0, series.of(Metric.ALLOCATED_BYTES_PER_REQUEST, "c2", 1).length, "not known");
        seconds(5, false, 2, 1_000_000, 100_000);
        assertEquals(0, series.of(Metric.USER_CPU_PER_REQUEST, "c2", 2).length, "too short");
    }

    @Test
    void keepsALongLaunchMoreCoarselyAndLosesNothingOfIt() {
        seconds(600, true, 1, 4_000_000, 400_000);
        seconds(5_000, false, 1, 1_000_000, 100_000);
        seconds(5_000, false, 1, 1_000_000, 101_000);

        Warmup warmup = series.warmup("c2", 1, false).orElseThrow();

        assertEquals(600, warmup.durationNs().orElseThrow() / 1e9, 8);
        assertEquals(
                100 * (warmup.durationNs().orElseThrow() / SEC),
                warmup.requests().orElseThrow());
        double[] blocks = series.of(Metric.USER_CPU_PER_REQUEST, "c2", 1);
        assertEquals(10, blocks.length);
        for (int i = 0; i < blocks.length; i++) {
            assertEquals(i < 5 ? 100_000 : 101_000, blocks[i], 10, "block " + i);
        }
    }

    @Test
    void putsShortTurnsTogetherUntilTheyCoverASecond() {
        for (long turnNs : List.of(SEC / 10, 2 * SEC / 5, 3 * SEC / 4, 2 * SEC)) {
            int launch = (int) (turnNs / 1_000_000);
            seconds(4, true, launch, 4_000_000, 400_000);
            for (long atNs = 0; atNs < 36 * SEC; atNs += turnNs) {
                // Slow for the first four of them.
                boolean slow = atNs < 4 * SEC;
                turn(turnNs, launch, slow ? 4_000_000 : 1_000_000, slow ? 400_000 : 100_000);
            }

            Warmup warmup = series.warmup("c2", launch, false).orElseThrow();

            assertTrue(warmup.isSteady(), "turns of " + turnNs);
            assertEquals(8, warmup.durationNs().orElseThrow() / 1e9, 1.1, "turns of " + turnNs);
            assertEquals(8 * 100, warmup.requests().orElseThrow(), 110, "turns of " + turnNs);
            assertEquals(10, series.of(Metric.USER_CPU_PER_REQUEST, "c2", launch).length);
        }
    }

    /** Adds a turn with 100 answers a second: its intervals, the last of them of a few ms. */
    private void turn(long lengthNs, int launch, long p50Ns, long cpuNsPerRequest) {
        for (long atNs = 0; atNs < lengthNs; atNs += SEC) {
            long partNs = Math.min(SEC, lengthNs - atNs);
            interval(partNs, false, launch, p50Ns + nowNs % 7 * p50Ns / 5_000, cpuNsPerRequest);
        }
        interval(3_000_000, false, launch, p50Ns, cpuNsPerRequest);
        // The others' turns.
        nowNs += lengthNs;
    }

    private void interval(long lengthNs, boolean warmup, int launch, long p50Ns, long cpuNsPerRequest) {
        long completed = lengthNs / (SEC / 100);
        interval.responseTime().reset();
        interval.launch = launch;
        interval.warmup = warmup;
        interval.startNs = nowNs;
        nowNs += lengthNs;
        interval.endNs = nowNs;
        interval.counts().completed = completed;
        if (completed > 0) {
            interval.responseTime().recordValueWithCount(p50Ns, completed);
        }
        interval.costs = Costs.builder()
                .set(Cost.USER_CPU, completed * cpuNsPerRequest + nowNs / 1_000_000 % 13 * 1000)
                .set(Cost.SYSTEM_CPU, completed * cpuNsPerRequest)
                .build();
        series.interval("c2", interval);
    }

    @Test
    void hasBlocksOfALaunchAsLongAsItKeepsSecondBySecond() {
        seconds(2_048, false, 1, 1_000_000, 100_000);

        assertEquals(10, series.of(Metric.USER_CPU_PER_REQUEST, "c2", 1).length);
    }

    @Test
    void dividesByTheRequestsThatSucceeded() {
        failing = 50;
        seconds(3, false, 1, 1_000_000, 100_000);
        failing = 0;
        seconds(3, false, 1, 1_000_000, 100_000);

        assertArrayEquals(new double[] {200_000, 100_000}, series.of(Metric.USER_CPU_PER_REQUEST, "c2", 1));
        failing = 100;
        seconds(6, false, 2, 1_000_000, 100_000);
        assertEquals(0, series.of(Metric.USER_CPU_PER_REQUEST, "c2", 2).length, "none succeeded");
    }

    /** Adds seconds with 100 answers each. */
    private void seconds(int count, boolean warmup, int launch, long p50Ns, long cpuNsPerRequest) {
        for (int i = 0; i < count; i++) {
            interval.responseTime().reset();
            interval.launch = launch;
            interval.warmup = warmup;
            interval.startNs = nowNs;
            nowNs += SEC;
            interval.endNs = nowNs;
            interval.counts().set(new LoadCounts());
            interval.counts().completed = 100;
            for (int answer = 0; answer < failing; answer++) {
                interval.counts().status(503);
            }
            // Neither figure is ever quite the same.
            interval.responseTime().recordValueWithCount(p50Ns + i % 3 * p50Ns / 500, 100);
            interval.costs = Costs.builder()
                    .set(Cost.USER_CPU, 100 * cpuNsPerRequest)
                    .set(Cost.SYSTEM_CPU, 100 * cpuNsPerRequest + i % 2 * cpuNsPerRequest)
                    .build();
            series.interval("c2", interval);
        }
    }
}
