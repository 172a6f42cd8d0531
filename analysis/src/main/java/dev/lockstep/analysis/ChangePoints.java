package dev.lockstep.analysis;

import java.util.Arrays;

/**
 * Where the mean of a series changes: the segmentation with the least sum of costs, each segment costing sum (x -
 * mean)^2 / s^2 and each change a penalty. That is the likelihood of normal noise of standard deviation s around a mean
 * that jumps. The search is exact.
 *
 * <p>Sources: PELT is R. Killick, P. Fearnhead and I. A. Eckley, "Optimal detection of changepoints with a linear
 * computational cost", JASA 107 (2012). The noise s is that of a mean of many values ({@link #noise}), for those of
 * neighbouring seconds depend on each other, so that the penalty need not pay for it: 11 for any length, where Barrett
 * et al., "Virtual machine warmup blows hot and cold", OOPSLA 2017, take 15 log n with the noise of single values and
 * see in 21 values only steps of 2.9 times the noise. {@code ChangePointsTest} has how often noise alone is cut.
 *
 * <p>Design note: Barrett et al. let each segment have its own variance too. Here a change of the variance alone is no
 * change: it makes nothing better or worse on average, and collections of garbage cause many.
 */
final class ChangePoints {
    /** A segment has five values at least, so that one odd second is not a segment. */
    static final int USUAL_MINIMUM_LENGTH = 5;

    static final double PENALTY = 11;

    /** Differences beyond this many deviations count as so many: they are steps or odd values. */
    private static final double MOST_DEVIATIONS = 3;
    /** Of noise that depends more on its past than this, a series of minutes does not tell how much. */
    private static final double MOST_CORRELATED = 0.6;

    /** The median absolute value of a standard normal variable. */
    private static final double NORMAL_MAD = 0.6744897501960817;

    private ChangePoints() {}

    /**
     * Returns the indexes at which a new segment begins, in order; none where nothing changes, and always none for
     * fewer than ten values. The values are finite and equally spaced in time.
     *
     * @param noise see {@link #noise}
     * @param penalty of a change; {@link #PENALTY}, or more where noise must be cut more seldom
     */
    static int[] find(double[] values, double noise, double penalty) {
        Sample.requireFinite("values", values);
        return find(values, noise, penalty, USUAL_MINIMUM_LENGTH);
    }

    /**
     * Returns the standard deviation of the noise around a mean that may jump or drift, multiplied so that the mean of
     * n values has that of the result divided by the square root of n. Values that depend on those before them, each by
     * a share r of the last one, make it larger than the deviation of a single value, by (1 + r) / (1 - r).
     *
     * <p>Deviation and r come from the differences of values one and two places apart, whose variances are 2 s^2 (1 -
     * r) and 2 s^2 (1 - r^2): a step is in few of them, and a slope in their median.
     */
    static double noise(double... values) {
        if (values.length < 3) {
            return 0;
        }
        double near = meanSquare(values, 1);
        double far = meanSquare(values, 2);
        if (near == 0) {
            return 0;
        }
        double correlation = Math.max(0, Math.min(MOST_CORRELATED, far / near - 1));
        double variance = near / 2 / (1 - correlation);
        return Math.sqrt(variance * (1 + correlation) / (1 - correlation));
    }

    /** Returns the standard deviation of a single value, where values do not depend on those before them. */
    static double noiseOfOne(double... values) {
        return values.length < 2 ? 0 : Math.sqrt(meanSquare(values, 1) / 2);
    }

    /** Returns the mean square of the differences of values so many places apart, without what is far off. */
    private static double meanSquare(double[] values, int apart) {
        double[] sizes = new double[values.length - apart];
        Arrays.setAll(sizes, i -> values[i + apart] - values[i]);
        double slope = Sample.median(sizes);
        Arrays.setAll(sizes, i -> Math.abs(sizes[i] - slope));
        double deviation = Sample.median(sizes) / NORMAL_MAD;
        double limit = deviation > 0 ? MOST_DEVIATIONS * deviation : Double.POSITIVE_INFINITY;
        double sum = 0;
        for (double size : sizes) {
            sum += Math.min(size, limit) * Math.min(size, limit);
        }
        return sum / sizes.length;
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
