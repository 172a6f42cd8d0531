package dev.lockstep.analysis;

import java.util.Arrays;

/**
 * Where the mean of a series changes: the segmentation with the least sum of costs, each segment costing sum (x -
 * mean)^2 / s^2 and each change a penalty. That is the likelihood of normal noise of standard deviation s around a mean
 * that jumps. The search is exact.
 *
 * <p>Sources: PELT is R. Killick, P. Fearnhead and I. A. Eckley, "Optimal detection of changepoints with a linear
 * computational cost", JASA 107 (2012). The penalty is 11 for any length, where Barrett et al., "Virtual machine warmup
 * blows hot and cold", OOPSLA 2017, take 15 log n and see in 21 values only steps of 2.9 times the noise: a cut of mere
 * noise costs little here, for {@link SteadyState} takes segments of nearly the same mean together again.
 *
 * <p>Design note: Barrett et al. let each segment have its own variance too. Here a change of the variance alone is no
 * change: it makes nothing better or worse on average, and collections of garbage cause many.
 */
final class ChangePoints {
    /** A segment has five values at least, so that one odd second is not a segment. */
    static final int USUAL_MINIMUM_LENGTH = 5;

    private static final double PENALTY = 11;

    /** Differences beyond this many deviations count as so many: they are steps or odd values. */
    static final double MOST_DEVIATIONS = 3;

    /** The median absolute value of a standard normal variable. */
    private static final double NORMAL_MAD = 0.6744897501960817;

    private ChangePoints() {}

    /**
     * Returns the indexes at which a new segment begins, in order; none where nothing changes, and always none for
     * fewer than ten values. The values are finite and equally spaced in time.
     *
     * @param noise see {@link #noise}
     */
    static int[] find(double[] values, double noise) {
        Sample.requireFinite("values", values);
        return find(values, noise, PENALTY, USUAL_MINIMUM_LENGTH);
    }

    /**
     * Returns the standard deviation of a single value around a mean that may jump or drift, from the differences of
     * neighbours: a step is in few of them, and a slope in their median.
     */
    static double noise(double... values) {
        if (values.length < 2) {
            return 0;
        }
        double[] sizes = new double[values.length - 1];
        Arrays.setAll(sizes, i -> values[i + 1] - values[i]);
        double slope = Sample.median(sizes);
        Arrays.setAll(sizes, i -> Math.abs(sizes[i] - slope));
        double deviation = Sample.median(sizes) / NORMAL_MAD;
        double limit = deviation > 0 ? MOST_DEVIATIONS * deviation : Double.POSITIVE_INFINITY;
        double sum = 0;
        for (double size : sizes) {
            sum += Math.min(size, limit) * Math.min(size, limit);
        }
        return Math.sqrt(sum / sizes.length / 2);
    }

    /**
     * PELT. {@code best[t]} is the least cost of the first t values, and {@code from[t]} where the last segment of that
     * segmentation begins. A start s whose cost up to t is above {@code best[t]} can never be the better start for an
     * end that leaves room for a segment from t on, so it is given up {@code minimumLength} steps later.
     */
    static int[] find(double[] values, double noise, double penalty, int minimumLength) {
        int length = values.length;
        if (length < 2 * minimumLength || noise == 0) {
            return new int[0];
        }
        Costs costs = new Costs(values, noise);
        double[] best = new double[length + 1];
        int[] from = new int[length + 1];
        int[] starts = new int[length + 1];
        int[] lastEnds = new int[length + 1];
        Arrays.fill(lastEnds, Integer.MAX_VALUE);
        best[0] = -penalty;
        int count = 0;
        for (int end = minimumLength; end <= length; end++) {
            int newest = end - minimumLength;
            if (newest == 0 || newest >= minimumLength) {
                starts[count++] = newest;
            }
            best[end] = Double.POSITIVE_INFINITY;
            for (int i = 0; i < count; i++) {
                double cost = best[starts[i]] + costs.of(starts[i], end) + penalty;
                if (cost < best[end]) {
                    best[end] = cost;
                    from[end] = starts[i];
                }
            }
            int kept = 0;
            for (int i = 0; i < count; i++) {
                int start = starts[i];
                if (best[start] + costs.of(start, end) > best[end]) {
                    lastEnds[start] = Math.min(lastEnds[start], end + minimumLength - 1);
                }
                if (end < lastEnds[start]) {
                    starts[kept++] = start;
                }
            }
            count = kept;
        }
        return changes(from, length);
    }

    private static int[] changes(int[] from, int length) {
        int count = 0;
        for (int start = from[length]; start > 0; start = from[start]) {
            count++;
        }
        int[] changes = new int[count];
        for (int start = from[length]; start > 0; start = from[start]) {
            changes[--count] = start;
        }
        return changes;
    }

    /** The costs of segments, from running sums of the values around their common mean. */
    static final class Costs {
        private final double[] sums;
        private final double[] squares;

        Costs(double[] values, double noise) {
            double mean = Sample.mean(values);
            sums = new double[values.length + 1];
            squares = new double[values.length + 1];
            for (int i = 0; i < values.length; i++) {
                double value = (values[i] - mean) / noise;
                sums[i + 1] = sums[i] + value;
                squares[i + 1] = squares[i] + value * value;
            }
        }

        /** Returns the cost of the values from {@code start} up to and without {@code end}. */
        double of(int start, int end) {
            double sum = sums[end] - sums[start];
            return Math.max(0, squares[end] - squares[start] - sum * sum / (end - start));
        }
    }
}
