package dev.lockstep.analysis;

import java.util.Arrays;

/**
 * Where the mean of a series changes: the segmentation with the least sum of costs, each segment costing
 * sum (x - mean)^2 / s^2 and each change a penalty. That is the likelihood of normal noise of standard deviation s around
 * a mean that jumps. The search is exact.
 *
 * <p>Sources: PELT is R. Killick, P. Fearnhead and I. A. Eckley, "Optimal detection of changepoints with a linear
 * computational cost", JASA 107 (2012). The noise is estimated by the median absolute deviation of the first differences,
 * which a few jumps, a slope or a few outliers do not change. The penalty is 15 log n, as in Barrett et al., "Virtual
 * machine warmup blows hot and cold", OOPSLA 2017 (their tool warmup_stats); the Bayesian information criterion would be
 * 2 log n, and is only right for noise whose values do not depend on each other, which those of neighbouring seconds do.
 *
 * <p>Design note: Barrett et al. let each segment have its own variance too. Here a change of the variance alone is no
 * change: it makes nothing better or worse on average, and collections of garbage cause many.
 */
final class ChangePoints {
    /** A segment has five values at least, so that one odd second is not a segment. */
    static final int USUAL_MINIMUM_LENGTH = 5;

    private static final double PENALTY = 15;

    /** The median absolute value of a standard normal variable. */
    private static final double NORMAL_MAD = 0.6744897501960817;

    private ChangePoints() {}

    /**
     * Returns the indexes at which a new segment begins, in order; none where nothing changes, and always none for fewer
     * than ten values. The values are finite and equally spaced in time.
     */
    public static int[] find(double... values) {
        Sample.requireFinite("values", values);
        return find(values, noise(values), PENALTY * Math.log(values.length), USUAL_MINIMUM_LENGTH);
    }

    /**
     * Returns the standard deviation of the noise around a mean that changes now and then. Where more than half of the
     * neighbours are equal, it is that of all first differences.
     */
    static double noise(double... values) {
        if (values.length < 2) {
            return 0;
        }
        double[] differences = new double[values.length - 1];
        double squares = 0;
        for (int i = 0; i < differences.length; i++) {
            differences[i] = values[i + 1] - values[i];
            squares += differences[i] * differences[i];
        }
        double median = Sample.median(differences);
        double[] deviations = new double[differences.length];
        Arrays.setAll(deviations, i -> Math.abs(differences[i] - median));
        double deviation = Sample.median(deviations) / NORMAL_MAD;
        return (deviation > 0 ? deviation : Math.sqrt(squares / differences.length)) / Math.sqrt(2);
    }

    /**
     * PELT. {@code best[t]} is the least cost of the first t values, and {@code from[t]} where the last segment of that
     * segmentation begins. A start s whose cost up to t is above {@code best[t]} can never be the better start for an end
     * that leaves room for a segment from t on, so it is given up {@code minimumLength} steps later.
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
