package dev.lockstep.analysis;

import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;
import java.util.function.ToDoubleFunction;
import java.util.stream.IntStream;

/**
 * Whether a quantity of a soak run drifts without an end: a leak in the old generation or the resident memory, or a p99
 * that creeps up. Immutable.
 *
 * <p>The time from the first value to the last is cut into 32 blocks of equal length and each block becomes one value,
 * its median. So any number of values costs little, and neighbouring blocks depend on each other less than neighbouring
 * seconds. Of levels that collections of garbage cut down only the values right after a collection are taken, what
 * survived it: those that lie below the one before by more than a quarter of the range of the middle 90 % of all
 * values. Where these fill fewer than 16 blocks, the minimum of each block is taken in place of its median.
 *
 * <p>A trend is found when all of this holds:
 *
 * <ul>
 *   <li>over the last three quarters of the time, {@link MannKendall} gives p &lt; 0.001, and the 95 % interval of the
 *       slope lies wholly above {@code leastPerSecond}, or below its negative;
 *   <li>it does not level off: the slope of the last half is at least half of that, and the slope of the last third is
 *       not below half of that of the middle third by more than its error. What rises and levels off is a cache, a heap
 *       that is touched for the first time, or warm-up.
 * </ul>
 *
 * <p>A leak that has not begun by the middle of the time is not found, and what rises steadily without being a leak,
 * such as an old generation that was never collected, is: the statistics cannot tell those apart, a longer soak does,
 * and {@link SoakSeries} by the collections that it counts. How often both go wrong is simulated in {@code TrendTest};
 * docs/statistics.md has the figures.
 */
final class Trend {
    private static final int BLOCKS = 32;
    private static final int LEAST_VALUES = 16;
    private static final int LEAST_BLOCKS_IN_PART = 4;
    private static final double CERTAIN = 0.001;
    private static final double COLLECTED = 0.25;
    private static final double NANOS = 1e9;

    private final double slope;
    private final ConfidenceInterval interval;
    private final double pValue;
    private final boolean found;
    private final Optional<String> whyNot;

    private Trend(MannKendall fit, Optional<String> whyNot) {
        this.slope = fit.slope();
        this.interval = ConfidenceInterval.of(fit.low(), fit.high(), ConfidenceInterval.USUAL_LEVEL);
        this.pValue = fit.pValue();
        this.found = pValue < CERTAIN && whyNot.isEmpty();
        this.whyNot = whyNot;
    }

    /**
     * Looks for a trend in values at any times; absent for fewer than 16 values, or when most blocks have none.
     *
     * @param timesNs when each value was taken, in increasing order, from any origin
     * @param leastPerSecond which slope is none, in the unit of the values per second; 0 takes any
     */
    static Optional<Trend> of(long[] timesNs, double[] values, double leastPerSecond) {
        check(timesNs, values, leastPerSecond);
        if (values.length < LEAST_VALUES) {
            return Optional.empty();
        }
        double end = seconds(timesNs, timesNs.length - 1);
        return of(Points.medians(secondsOf(timesNs), values, end), end, leastPerSecond);
    }

    /** As {@link #of}, by what survives each collection: for the used bytes of a heap or a generation. */
    static Optional<Trend> ofFloor(long[] timesNs, double[] values, double leastPerSecond) {
        check(timesNs, values, leastPerSecond);
        if (values.length < LEAST_VALUES) {
            return Optional.empty();
        }
        double end = seconds(timesNs, timesNs.length - 1);
        double[] times = secondsOf(timesNs);
        double[] sorted = Sample.sorted(values);
        double drop = COLLECTED * (Sample.quantile(sorted, 0.95) - Sample.quantile(sorted, 0.05));
        int[] collected = IntStream.range(1, values.length)
                .filter(i -> values[i - 1] - values[i] > drop)
                .toArray();
        Points floors = Points.medians(
                Arrays.stream(collected).mapToDouble(i -> times[i]).toArray(),
                Arrays.stream(collected).mapToDouble(i -> values[i]).toArray(),
                end);
        boolean enough = floors.times.length >= LEAST_VALUES;
        return of(enough ? floors : Points.minima(times, values, end), end, leastPerSecond);
    }

    private static Optional<Trend> of(Points points, double end, double leastPerSecond) {
        if (points.times.length < LEAST_VALUES) {
            return Optional.empty();
        }
        return points.fit(end / 4, end).map(fit -> new Trend(fit, whyNot(points, fit, end, leastPerSecond)));
    }

    private static void check(long[] timesNs, double[] values, double leastPerSecond) {
        if (timesNs.length != values.length) {
            throw new IllegalArgumentException(
                    "every value needs a time, found " + values.length + " values and " + timesNs.length + " times");
        }
        if (!(leastPerSecond >= 0) || Double.isInfinite(leastPerSecond)) {
            throw new IllegalArgumentException("leastPerSecond must be at least 0, is " + leastPerSecond);
        }
        Sample.requireFinite("values", values);
        for (int i = 1; i < timesNs.length; i++) {
            if (timesNs[i] <= timesNs[i - 1]) {
                throw new IllegalArgumentException("times must increase, value " + i + " (from 0) is "
                        + (timesNs[i - 1] - timesNs[i]) + " ns before the one before it");
            }
        }
    }

    private static double seconds(long[] timesNs, int index) {
        return (timesNs[index] - timesNs[0]) / NANOS;
    }

    private static double[] secondsOf(long[] timesNs) {
        double[] times = new double[timesNs.length];
        Arrays.setAll(times, i -> seconds(timesNs, i));
        return times;
    }

    /** Returns why a slope that is certain does not count; absent where it does, and where it is not certain. */
    private static Optional<String> whyNot(Points points, MannKendall fit, double end, double leastPerSecond) {
        if (fit.pValue() >= CERTAIN) {
            return Optional.empty();
        }
        if (fit.low() <= leastPerSecond && fit.high() >= -leastPerSecond) {
            return Optional.of("below the smallest slope asked for");
        }
        Optional<MannKendall> half = points.fit(end / 2, end);
        Optional<MannKendall> middle = points.fit(end / 3, 2 * end / 3);
        Optional<MannKendall> last = points.fit(2 * end / 3, end);
        if (half.isEmpty() || middle.isEmpty() || last.isEmpty()) {
            return Optional.of("too few values in its last third");
        }
        double sign = Math.signum(fit.slope());
        // Half the width of a 95 % interval is about two standard errors.
        double error = (last.get().high() - last.get().low()) / 4;
        boolean goesOn = half.get().slope() * sign >= fit.slope() * sign / 2
                && last.get().slope() * sign >= middle.get().slope() * sign / 2 - error;
        return goesOn ? Optional.empty() : Optional.of("levels off");
    }

    /** Returns the change per second, in the unit of the values, over the last three quarters of the time. */
    double slopePerSecond() {
        return slope;
    }

    /** Returns the 95 % interval of {@link #slopePerSecond}. */
    ConfidenceInterval interval() {
        return interval;
    }

    /** Returns the two-sided p-value that the last three quarters have no trend. */
    double pValue() {
        return pValue;
    }

    /** Says whether it rises or falls for good. */
    boolean found() {
        return found;
    }

    /** Returns why a slope that is certain is not found, for people. */
    Optional<String> whyNot() {
        return whyNot;
    }

    @Override
    public String toString() {
        return String.format(Locale.ROOT, "%s, %.6g/s (%s), p %.2g", found ? "found" : "none", slope, interval, pValue);
    }

    /** A value for each block that has any, and the middle of the block in seconds from the first value. */
    private static final class Points {
        private final double[] times;
        private final double[] values;

        private Points(double[] times, double[] values) {
            this.times = times;
            this.values = values;
        }

        static Points medians(double[] times, double[] values, double end) {
            return of(times, values, end, sorted -> Sample.quantile(sorted, 0.5));
        }

        static Points minima(double[] times, double[] values, double end) {
            return of(times, values, end, sorted -> sorted[0]);
        }

        private static Points of(
                double[] times, double[] values, double end, ToDoubleFunction<double[]> valueOfSorted) {
            double[] blockTimes = new double[BLOCKS];
            double[] blockValues = new double[BLOCKS];
            int count = 0;
            int first = 0;
            for (int i = 0; i < BLOCKS; i++) {
                int next = first;
                while (next < values.length && (i == BLOCKS - 1 || times[next] < end * (i + 1) / BLOCKS)) {
                    next++;
                }
                if (next > first) {
                    blockTimes[count] = end * (i + 0.5) / BLOCKS;
                    blockValues[count++] =
                            valueOfSorted.applyAsDouble(Sample.sorted(Arrays.copyOfRange(values, first, next)));
                }
                first = next;
            }
            return new Points(Arrays.copyOf(blockTimes, count), Arrays.copyOf(blockValues, count));
        }

        /** Returns the trend from one second to another; absent for too few blocks. */
        Optional<MannKendall> fit(double from, double to) {
            int first = 0;
            while (first < times.length && times[first] < from) {
                first++;
            }
            int last = first;
            while (last < times.length && times[last] <= to) {
                last++;
            }
            if (last - first < LEAST_BLOCKS_IN_PART) {
                return Optional.empty();
            }
            return Optional.of(
                    MannKendall.of(Arrays.copyOfRange(times, first, last), Arrays.copyOfRange(values, first, last)));
        }
    }
}
