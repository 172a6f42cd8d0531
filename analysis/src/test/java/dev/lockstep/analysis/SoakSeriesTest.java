package dev.lockstep.analysis;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.lockstep.measurement.Cost;
import dev.lockstep.measurement.Costs;
import dev.lockstep.measurement.GcCosts;
import dev.lockstep.results.Drift;
import dev.lockstep.results.Drift.Metric;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Leaks and drifts found, and not found, in series that are known. */
final class SoakSeriesTest {
    private static final long SECOND_NS = 1_000_000_000L;
    private static final double MB = 1 << 20;

    private final long seed = new Random().nextLong();
    private final Random random = new Random(seed);

    private interface Values {
        double at(int second);
    }

    /** A series of so many seconds; the values are bytes, or milliseconds of the p99. */
    private static SoakSeries series(int seconds, Values rss, Values oldGen, Values p99Ms) {
        SoakSeries series = new SoakSeries("c2");
        for (int second = 0; second < seconds; second++) {
            series.add(SECOND_NS, memory(rss.at(second), oldGen.at(second)).build(), p99(p99Ms.at(second)));
        }
        return series;
    }

    private static Costs.Builder memory(double rss, double oldGen) {
        return Costs.builder().set(Cost.RSS, (long) rss).set(Cost.OLD_GEN_USED, (long) oldGen);
    }

    private static OptionalLong p99(double ms) {
        return OptionalLong.of((long) (ms * 1e6));
    }

    /** What a heap does: it grows at a rate between collections, which cut it down to what is in use. */
    private Values sawtooth(double inUse, double bytesPerSec, int periodSec) {
        return second -> inUse + bytesPerSec * (second % periodSec) + random.nextInt(10_000);
    }

    private Drift drift(List<Drift> drifts, Metric metric) {
        return drifts.stream()
                .filter(drift -> drift.metric() == metric)
                .findFirst()
                .orElseThrow();
    }

    @Test
    void findsALeakOfAMegabyteAMinuteInTenMinutes() {
        Values saw = sawtooth(20 * MB, 100_000, 17);
        List<Drift> drifts = series(
                        600,
                        second -> 100 * MB + second * MB / 60 + random.nextGaussian() * MB / 5,
                        second -> saw.at(second) + second * MB / 60,
                        second -> 2 + random.nextDouble())
                .drifts();

        for (Metric metric : List.of(Metric.RSS, Metric.OLD_GEN_USED)) {
            Drift found = drift(drifts, metric);
            assertTrue(found.isRising(), found + ", seed " + seed);
            assertEquals(60, found.slopePerHour() / MB, 6, found + ", seed " + seed);
            assertTrue(found.low() < found.slopePerHour() && found.slopePerHour() < found.high(), found.toString());
        }
        assertFalse(drift(drifts, Metric.RESPONSE_TIME_P99).found(), drifts + ", seed " + seed);
    }

    @Test
    void findsNoneInAHeapThatIsCollectedAndAMemoryThatLevelsOff() {
        List<Drift> drifts = series(
                        600,
                        second -> 100 * MB + 20 * MB * (1 - Math.exp(-second / 60.0)) + random.nextGaussian() * MB / 5,
                        sawtooth(20 * MB, 500_000, 40),
                        second -> 2 + random.nextDouble())
                .drifts();

        assertEquals(3, drifts.size());
        drifts.forEach(drift -> assertFalse(drift.isRising(), drift + ", seed " + seed));
    }

    @Test
    void findsWhatIsSmallInAnHourOverADay() {
        List<Drift> drifts = series(
                        86_400,
                        second -> 100 * MB + second * MB / 3600 + random.nextGaussian() * MB,
                        second -> 20 * MB,
                        second -> 2 + second / 86_400.0 + random.nextGaussian() / 2)
                .drifts();

        assertEquals(1, drift(drifts, Metric.RSS).slopePerHour() / MB, 0.05, "seed " + seed);
        assertTrue(drift(drifts, Metric.RSS).isRising(), "seed " + seed);
        assertTrue(drift(drifts, Metric.RESPONSE_TIME_P99).isRising(), drifts + ", seed " + seed);
        assertFalse(drift(drifts, Metric.OLD_GEN_USED).found());
    }

    @Test
    void takesASteadyRiseTooSmallToMatterForNone() {
        List<Drift> drifts = series(3600, second -> 100 * MB + second * 200, second -> 20 * MB, second -> 2)
                .drifts();

        assertFalse(drift(drifts, Metric.RSS).found(), drifts.toString());
        assertEquals(
                Optional.of("below the smallest slope asked for"),
                drift(drifts, Metric.RSS).whyNot());
        assertEquals(Optional.empty(), drift(drifts, Metric.OLD_GEN_USED).whyNot());
    }

    @Test
    void leavesOutTheTimeInWhichTheJitIsBusy() {
        SoakSeries series = new SoakSeries("c2");
        for (int second = 0; second < 600; second++) {
            // As clean soaks looked on a machine so busy that the JVM compiled for four minutes.
            boolean compiling = second < 240;
            double rss = compiling ? 100 * MB + second * MB / 60 : 104 * MB + (second - 240) * MB / 200;
            Costs costs = memory(rss + random.nextGaussian() * MB / 10, 8 * MB + second * MB / 600)
                    .set(Cost.APPLICATION_CPU, 28_000_000)
                    .set(Cost.JIT_CPU, compiling ? 2_000_000 : 1_000_000)
                    .build();
            series.add(SECOND_NS, costs, p99(2 + random.nextDouble()));
            if (second < 479) {
                assertEquals(List.of(), series.drifts(), "second " + second);
            }
        }

        assertEquals(3, series.drifts().size());
        series.drifts().forEach(drift -> assertFalse(drift.isRising(), drift + ", seed " + seed));
    }

    @Test
    void findsALeakInTenMinutesThoughTheJitNeverRests() {
        SoakSeries series = new SoakSeries("graal");
        for (int second = 0; second < 600; second++) {
            Costs costs = memory(
                            100 * MB + second * MB / 60 + random.nextGaussian() * MB / 5,
                            20 * MB + second * MB / 60 + random.nextInt(10_000))
                    .set(Cost.APPLICATION_CPU, 100_000_000)
                    .set(Cost.JIT_CPU, 400_000_000)
                    .build();
            series.add(SECOND_NS, costs, p99(2 + random.nextDouble()));
        }

        assertTrue(drift(series.drifts(), Metric.RSS).isRising(), series.drifts() + ", seed " + seed);
        assertTrue(drift(series.drifts(), Metric.OLD_GEN_USED).isRising(), series.drifts() + ", seed " + seed);
    }

    /** ZGC without generations, and Shenandoah; their heap does not grow, and so the resident memory does not. */
    @Test
    void findsALeakInAHeapWithoutGenerations() {
        Values saw = sawtooth(20 * MB, 2_000_000, 17);
        SoakSeries series = new SoakSeries("zgc");
        for (int second = 0; second < 600; second++) {
            Costs.Builder costs = Costs.builder()
                    .set(Cost.RSS, (long) (200 * MB))
                    .set(Cost.HEAP_USED, (long) (saw.at(second) + second * MB / 60))
                    .set(Cost.GC_CYCLES, second % 17 == 0 ? 1 : 0)
                    .collector("ZGC", GcCosts.of(second % 17 == 0 ? 1 : 0, 1000));
            series.add(SECOND_NS, costs.build(), OptionalLong.empty());
        }

        assertEquals(2, series.drifts().size(), series.drifts().toString());
        Drift found = drift(series.drifts(), Metric.HEAP_USED);
        assertTrue(found.isRising(), found + ", seed " + seed);
        assertEquals(60, found.slopePerHour() / MB, 6, found + ", seed " + seed);
    }

    @Test
    void looksAtTheOldGenerationAndNotAtTheHeapWhereThereIsOne() {
        SoakSeries series = new SoakSeries("c2");
        for (int second = 0; second < 600; second++) {
            Costs.Builder costs = memory(100 * MB, 20 * MB).set(Cost.HEAP_USED, (long) (second * MB));
            series.add(SECOND_NS, costs.build(), OptionalLong.empty());
        }

        assertEquals(2, series.drifts().size());
        series.drifts().forEach(drift -> assertFalse(drift.found(), drift.toString()));
    }

    /** What was promoted may be garbage, and the heap is touched for the first time. */
    @Test
    void takesNoHeapForALeakThatWasNotCollected() {
        for (int mixed : new int[] {-1, 100, 500}) {
            for (int rssPerHeap : new int[] {1, 2}) {
                SoakSeries series = new SoakSeries("g1");
                for (int second = 0; second < 600; second++) {
                    double heap = 20 * MB + second * MB / 60 + random.nextInt(10_000);
                    Costs.Builder costs = memory(80 * MB + rssPerHeap * heap, heap)
                            .set(Cost.GC_CYCLES, 1)
                            .collector("G1 Young", GcCosts.of(1, 1000))
                            .collector("G1 Mixed", GcCosts.of(second == mixed ? 1 : 0, 0));
                    series.add(SECOND_NS, costs.build(), p99(2));
                }

                Drift old = drift(series.drifts(), Metric.OLD_GEN_USED);
                Drift rss = drift(series.drifts(), Metric.RSS);
                String found = series.drifts() + ", seed " + seed;
                boolean late = mixed == 500;
                assertEquals(late, old.isRising(), found);
                assertEquals(!late, old.isUncollected(), found);
                assertEquals(late || rssPerHeap == 2, rss.isRising(), found);
                assertEquals(
                        late || rssPerHeap == 2 ? Optional.empty() : Optional.of(Drift.WITH_UNCOLLECTED), rss.whyNot());
            }
        }
    }

    @Test
    void saysNothingOfTooShortARunAndOfWhatIsNotKnown() {
        assertEquals(
                List.of(), series(10, second -> 1, second -> 1, second -> 1).drifts());
        SoakSeries unknown = new SoakSeries("server");
        for (int second = 0; second < 600; second++) {
            unknown.add(SECOND_NS, Costs.NONE, p99(2));
        }
        assertEquals(1, unknown.drifts().size());
        assertEquals(Metric.RESPONSE_TIME_P99, unknown.drifts().get(0).metric());
    }
}
