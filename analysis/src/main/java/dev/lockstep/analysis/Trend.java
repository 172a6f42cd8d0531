package dev.lockstep.analysis;

import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;

/**
 * Whether a quantity of a soak run drifts without an end: a leak in the old generation or the resident memory, or a p99
 * that creeps up. Immutable.
 *
 * <p>The time from the first value to the last is cut into 32 blocks of equal length and each block becomes one value: its
 * median, or its minimum for levels that collections of garbage cut down, whose minima are what survives. So any number of
 * values costs little, and neighbouring blocks depend on each other less than neighbouring seconds. A trend is found when
 * all of this holds:
 *
 * <ul>
 *   <li>over the last three quarters of the time, {@link MannKendall} gives p &lt; 0.001, and the 95 % interval of the slope
 *       lies wholly above {@code leastPerSecond}, or below its negative;
 *   <li>the last half alone shows it too: p &lt; 0.05, and in the same direction;
 *   <li>it does not level off: the slope of the last third is not below half of that of the middle third by more than
 *       its error. What rises and levels off is a cache, a heap that is touched for the first time, or warm-up.
 * </ul>
 *
 * <p>A leak that has not begun by the middle of the time is not found, and what rises steadily without being a leak, such
 * as an old generation that was never collected, is: the statistics cannot tell those apart, a longer soak does.
 */
public final class Trend {
    private static final int BLOCKS = 32;
    private static final int LEAST_VALUES = 16;
    private static final int LEAST_OF_A_PART = 6;
    private static final double CERTAIN = 0.001;
    private static final double LIKELY = 0.05;
    private static final double NANOS = 1e9;

    /** What stands for all values of a block. */
    private enum Block {
        MEDIAN,
        MINIMUM
    }

    private final double slope;
    private final ConfidenceInterval interval;
    private final double pValue;
    private final boolean found;

    private Trend(MannKendall fit, boolean found) {
        this.slope = fit.slope();
        this.interval = ConfidenceInterval.of(fit.low(), fit.high(), ConfidenceInterval.USUAL_LEVEL);
        this.pValue = fit.pValue();
        this.found = found;
    }

    /**
     * Looks for a trend in values at any times; absent for fewer than 16 values, or when they fill fewer than 16 blocks.
     *
     * @param timesNs when each value was taken, in increasing order, from any origin
     * @param leastPerSecond which slope is none, in the unit of the values per second; 0 takes any
     */
    public static Optional<Trend> of(long[] timesNs, double[] values, double leastPerSecond) {
        return of(timesNs, values, leastPerSecond, Block.MEDIAN);
    }

    /** As {@link #of}, by the minimum of each block: for the used bytes of a heap, which collections cut down. */
    public static Optional<Trend> ofFloor(long[] timesNs, double[] values, double leastPerSecond) {
        return of(timesNs, values, leastPerSecond, Block.MINIMUM);
    }

    private static Optional<Trend> of(long[] timesNs, double[] values, double leastPerSecond, Block block) {
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
        if (values.length < LEAST_VALUES) {
            return Optional.empty();
        }
        double end = (timesNs[timesNs.length - 1] - timesNs[0]) / NANOS;
        Points points = Points.of(timesNs, values, end, block);
        if (points.times.length < LEAST_VALUES) {
            return Optional.empty();
        }
        return points.fit(end / 4, end).map(fit -> new Trend(fit, isFound(points, fit, end, leastPerSecond)));
    }

    private static boolean isFound(Points points, MannKendall fit, double end, double leastPerSecond) {
        if (fit.pValue() >= CERTAIN || fit.low() <= leastPerSecond && fit.high() >= -leastPerSecond) {
            return false;
        }
        double sign = Math.signum(fit.slope());
        Optional<MannKendall> half = points.fit(end / 2, end);
        Optional<MannKendall> middle = points.fit(end / 3, 2 * end / 3);
        Optional<MannKendall> last = points.fit(2 * end / 3, end);
        if (half.isEmpty() || middle.isEmpty() || last.isEmpty()) {
            return false;
        }
        if (half.get().pValue() >= LIKELY || half.get().slope() * sign <= 0) {
            return false;
        }
        // Half the width of a 95 % interval is about two standard errors.
        double error = (last.get().high() - last.get().low()) / 4;
        return last.get().slope() * sign >= middle.get().slope() * sign / 2 - error;
    }

    /** Returns the change per second, in the unit of the values, over the last three quarters of the time. */
    public double slopePerSecond() {
        return slope;
    }

    /** Returns the 95 % interval of {@link #slopePerSecond}. */
    public ConfidenceInterval interval() {
        return interval;
    }

    /** Returns the two-sided p-value that the last three quarters have no trend. */
    public double pValue() {
        return pValue;
    }

    /** Says whether it rises or falls for good. */
    public boolean found() {
        return found;
    }

    @Override
    public String toString() {
        return String.format(Locale.ROOT, "%s, %.6g/s (%s), p %.2g", found ? "found" : "none", slope, interval, pValue);
    }

    /** A value for each block that has any, and when. */
    private static final class Points {
        private final double[] times;
        private final double[] values;

        private Points(double[] times, double[] values) {
            this.times = times;
            this.values = values;
        }

        static Points of(long[] timesNs, double[] values, double end, Block block) {
            double[] blockTimes = new double[BLOCKS];
            double[] blockValues = new double[BLOCKS];
            int count = 0;
            int first = 0;
            for (int i = 0; i < BLOCKS; i++) {
                int next = first;
                double limit = end * (i + 1) / BLOCKS;
                while (next < values.length && (i == BLOCKS - 1 || (timesNs[next] - timesNs[0]) / NANOS < limit)) {
                    next++;
                }
                if (next > first) {
                    double[] sorted = Sample.sorted(Arrays.copyOfRange(values, first, next));
                    blockTimes[count] = end * (i + 0.5) / BLOCKS;
                    blockValues[count++] = block == Block.MINIMUM ? sorted[0] : Sample.quantile(sorted, 0.5);
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
            if (last - first < LEAST_OF_A_PART) {
                return Optional.empty();
            }
            return Optional.of(
                    MannKendall.of(Arrays.copyOfRange(times, first, last), Arrays.copyOfRange(values, first, last)));
        }
    }
}
