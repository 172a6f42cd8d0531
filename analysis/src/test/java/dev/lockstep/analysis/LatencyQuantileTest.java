package dev.lockstep.analysis;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;

class LatencyQuantileTest {
    private static final int EXPERIMENTS = 40;

    @Test
    void readsThePercentileAsTheHistogramDoes() {
        List<Histogram> intervals = exponential(new TestingNoise(TestingNoise.SEED), 60, 200, 5e6);
        Histogram total = histogram();
        intervals.forEach(total::add);

        for (double percentile : new double[] {50, 90, 99, 99.9}) {
            LatencyQuantile quantile = LatencyQuantile.of(intervals, percentile).orElseThrow();
            assertEquals(total.getValueAtPercentile(percentile), quantile.value(), 0);
            assertTrue(quantile.interval().orElseThrow().contains(quantile.value()));
        }
    }

    @Test
    void hasAnIntervalWithoutWidthWhereAllIntervalsAreEqual() {
        Histogram one = histogram();
        for (int i = 1; i <= 1_000; i++) {
            one.recordValue(i * 10_000L);
        }
        List<Histogram> intervals = Collections.nCopies(30, one);

        for (double percentile : new double[] {50, 99, 99.9}) {
            ConfidenceInterval interval = LatencyQuantile.of(intervals, percentile)
                    .orElseThrow()
                    .interval()
                    .orElseThrow();
            assertEquals(one.getValueAtPercentile(percentile), interval.low(), 0);
            assertEquals(one.getValueAtPercentile(percentile), interval.high(), 0);
        }
    }

    /** Of an exponential distribution of mean m, the quantile q is -m log(1 - q). */
    @Test
    void coversTheTruePercentileOfIndependentTimes() {
        int median = 0;
        int high = 0;
        for (int i = 0; i < EXPERIMENTS; i++) {
            List<Histogram> intervals = exponential(new TestingNoise(TestingNoise.SEED + i), 60, 100, 5e6);
            median += covers(LatencyQuantile.of(intervals, 50), 5e6 * Math.log(2)) ? 1 : 0;
            high += covers(LatencyQuantile.of(intervals, 99), 5e6 * Math.log(100)) ? 1 : 0;
        }
        assertTrue(median >= 0.85 * EXPERIMENTS, median + " of " + EXPERIMENTS);
        assertTrue(high >= 0.85 * EXPERIMENTS, high + " of " + EXPERIMENTS);
    }

    @Test
    void isWiderWhereSecondsDependOnEachOther() {
        TestingNoise noise = new TestingNoise(TestingNoise.SEED);
        List<Histogram> calm = exponential(noise, 120, 200, 5e6);
        List<Histogram> restless = new ArrayList<>();
        for (double share : noise.autocorrelated(120, 0.8, 0.3)) {
            restless.addAll(exponential(noise, 1, 200, 5e6 * Math.exp(share)));
        }

        assertTrue(width(LatencyQuantile.of(restless, 50)) > 3 * width(LatencyQuantile.of(calm, 50)));
    }

    @Test
    void givesTheRatioOfTwoTargets() {
        TestingNoise noise = new TestingNoise(TestingNoise.SEED);
        List<Histogram> baseline = new ArrayList<>();
        List<Histogram> target = new ArrayList<>();
        for (double share : noise.autocorrelated(120, 0.5, 0.3)) {
            // What the machine does to a second, it does to both.
            baseline.addAll(exponential(noise, 1, 200, 5e6 * Math.exp(share)));
            target.addAll(exponential(noise, 1, 200, 4e6 * Math.exp(share)));
        }

        LatencyQuantile together =
                LatencyQuantile.ratio(target, baseline, 50, true).orElseThrow();
        LatencyQuantile apart =
                LatencyQuantile.ratio(target, baseline, 50, false).orElseThrow();

        assertEquals(0.8, together.value(), 0.03);
        assertTrue(together.interval().orElseThrow().contains(0.8));
        assertTrue(width(Optional.of(together)) < width(Optional.of(apart)));
    }

    @Test
    void isTheSameAtEveryCall() {
        List<Histogram> intervals = exponential(new TestingNoise(TestingNoise.SEED), 60, 100, 5e6);

        assertEquals(
                LatencyQuantile.of(intervals, 99).orElseThrow().interval(),
                LatencyQuantile.of(intervals, 99).orElseThrow().interval());
    }

    /** A day of histograms does not fit into memory; each is there only while it is looked at. */
    @Test
    void joinsTheIntervalsOfLongRuns() {
        TestingNoise noise = new TestingNoise(TestingNoise.SEED);
        Histogram all = histogram();
        Iterable<Histogram> intervals = () -> IntStream.range(0, 2_501)
                .mapToObj(i -> exponential(noise, 1, 5, 5e6).get(0))
                .peek(all::add)
                .iterator();

        LatencyQuantile quantile = LatencyQuantile.of(intervals, 99).orElseThrow();

        assertEquals(all.getValueAtPercentile(99), quantile.value(), 0);
        assertTrue(quantile.interval().orElseThrow().contains(5e6 * Math.log(100)), quantile.toString());
    }

    @Test
    void isAbsentWithoutTenValuesAboveIt() {
        List<Histogram> enough = exponential(new TestingNoise(TestingNoise.SEED), 20, 50, 5e6);
        List<Histogram> few = enough.subList(0, 19);

        assertTrue(LatencyQuantile.of(enough, 99).isPresent());
        assertTrue(LatencyQuantile.of(few, 99).isEmpty());
        assertTrue(LatencyQuantile.ratio(few, enough, 99, false).isEmpty());
        assertTrue(LatencyQuantile.of(List.of(histogram()), 50).isEmpty());
    }

    @Test
    void hasNoIntervalFromFewerThanTenIntervals() {
        List<Histogram> few = exponential(new TestingNoise(TestingNoise.SEED), 9, 500, 5e6);

        assertTrue(LatencyQuantile.of(few, 50).orElseThrow().interval().isEmpty());
    }

    @Test
    void refusesIntervalsThatDoNotBelongTogether() {
        List<Histogram> nine = exponential(new TestingNoise(TestingNoise.SEED), 9, 50, 5e6);

        assertThrows(IllegalArgumentException.class, () -> LatencyQuantile.ratio(nine, nine.subList(0, 8), 50, true));
        assertThrows(IllegalArgumentException.class, () -> LatencyQuantile.of(List.of(), 50));
        assertThrows(IllegalArgumentException.class, () -> LatencyQuantile.of(nine, 100));
    }

    private static boolean covers(Optional<LatencyQuantile> quantile, double truth) {
        return quantile.orElseThrow().interval().orElseThrow().contains(truth);
    }

    private static double width(Optional<LatencyQuantile> quantile) {
        ConfidenceInterval interval = quantile.orElseThrow().interval().orElseThrow();
        return Math.log(interval.high() / interval.low());
    }

    private static List<Histogram> exponential(TestingNoise noise, int intervals, int values, double mean) {
        List<Histogram> histograms = new ArrayList<>();
        for (int i = 0; i < intervals; i++) {
            Histogram histogram = histogram();
            for (int value = 0; value < values; value++) {
                histogram.recordValue((long) (-mean * Math.log(1 - noise.uniform(0, 1))));
            }
            histograms.add(histogram);
        }
        return histograms;
    }

    private static Histogram histogram() {
        return new Histogram(TimeUnit.MICROSECONDS.toNanos(1), TimeUnit.MINUTES.toNanos(1), 2);
    }
}
