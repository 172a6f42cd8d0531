package dev.lockstep.analysis;

import java.util.Arrays;
import org.apache.commons.statistics.distribution.NormalDistribution;

/**
 * Whether values rise or fall with time, and how fast: the Mann-Kendall test, corrected for values that depend on the
 * ones before them, and the Theil-Sen slope with its interval. No distribution of the values is assumed. Time O(n^2 log
 * n).
 *
 * <p>Sources: M. G. Kendall, "Rank Correlation Methods" (1975), with the variance for ties and the correction for
 * continuity; K. H. Hamed and A. R. Rao, "A modified Mann-Kendall trend test for autocorrelated data", J. Hydrology 204
 * (1998): the variance grows by the significant autocorrelations of the ranks of what is left without the slope. Theirs
 * can also shrink; here it never does. The interval is P. K. Sen's, "Estimates of the regression coefficient based on
 * Kendall's tau", JASA 63 (1968), with the corrected variance.
 */
final class MannKendall {
    private static final NormalDistribution NORMAL = NormalDistribution.of(0, 1);

    /** What the normal distribution exceeds, on both sides together, with probability 0.05. */
    private static final double Z95 = 1.959963984540054;

    private final double slope;
    private final double low;
    private final double high;
    private final double pValue;

    private MannKendall(double slope, double low, double high, double pValue) {
        this.slope = slope;
        this.low = low;
        this.high = high;
        this.pValue = pValue;
    }

    /** Tests values at increasing times, three at least. */
    static MannKendall of(double[] times, double[] values) {
        return of(times, values, 0);
    }

    /**
     * As {@link #of(double[], double[])}, with the slopes of those pairs alone that are so far apart, one at least. The
     * interval is wider than these pairs need: its ranks are as far from the middle as with all pairs.
     */
    static MannKendall of(double[] times, double[] values, double leastApart) {
        int n = values.length;
        double[] slopes = new double[n * (n - 1) / 2];
        int count = 0;
        long score = 0;
        for (int i = 0; i < n; i++) {
            for (int j = i + 1; j < n; j++) {
                if (times[j] - times[i] >= leastApart) {
                    slopes[count++] = (values[j] - values[i]) / (times[j] - times[i]);
                }
                score += (long) Math.signum(values[j] - values[i]);
            }
        }
        slopes = Arrays.copyOf(slopes, count);
        Arrays.sort(slopes);
        double slope = Sample.quantile(slopes, 0.5);
        double deviation = Math.sqrt(variance(values) * correction(times, values, slope));
        double z = deviation == 0 ? 0 : (score - Long.signum(score)) / deviation;
        double pValue = Math.min(1, 2 * NORMAL.survivalProbability(Math.abs(z)));
        // SciPy's theilslopes chooses the same ranks.
        double width = Z95 * deviation;
        int lower = (int) Math.rint((count - width) / 2) - 1;
        int upper = (int) Math.rint((count + width) / 2);
        return new MannKendall(
                slope, slopes[Math.max(0, lower)], slopes[Math.min(count - 1, Math.max(0, upper))], pValue);
    }

    /** Returns the variance of Kendall's score of independent values, with ties. */
    private static double variance(double[] values) {
        double n = values.length;
        double variance = n * (n - 1) * (2 * n + 5);
        double[] sorted = Sample.sorted(values);
        for (int i = 0; i < sorted.length; ) {
            int end = i;
            while (end < sorted.length && sorted[end] == sorted[i]) {
                end++;
            }
            double tied = end - i;
            variance -= tied * (tied - 1) * (2 * tied + 5);
            i = end;
        }
        return variance / 18;
    }

    /** Returns by what the variance grows because values depend on each other, 1 or more. */
    static double correction(double[] times, double[] values, double slope) {
        int n = values.length;
        double[] residuals = new double[n];
        Arrays.setAll(residuals, i -> values[i] - slope * times[i]);
        double[] ranks = ranks(residuals);
        double mean = (n + 1) / 2.0;
        double variance = 0;
        for (double rank : ranks) {
            variance += (rank - mean) * (rank - mean);
        }
        if (variance == 0) {
            return 1;
        }
        double sum = 0;
        for (int lag = 1; lag < n - 2; lag++) {
            double covariance = 0;
            for (int i = 0; i + lag < n; i++) {
                covariance += (ranks[i] - mean) * (ranks[i + lag] - mean);
            }
            double correlation = covariance / variance;
            if (Math.abs(correlation) > Z95 / Math.sqrt(n)) {
                sum += (double) (n - lag) * (n - lag - 1) * (n - lag - 2) * correlation;
            }
        }
        return Math.max(1, 1 + 2 * sum / ((double) n * (n - 1) * (n - 2)));
    }

    /** Returns the ranks, from 1; equal values share the mean of theirs. */
    private static double[] ranks(double[] values) {
        double[] sorted = Sample.sorted(values);
        double[] ranks = new double[values.length];
        for (int i = 0; i < values.length; i++) {
            int first = firstAtLeast(sorted, values[i]);
            int end = first;
            while (end < sorted.length && sorted[end] == values[i]) {
                end++;
            }
            ranks[i] = (first + 1 + end) / 2.0;
        }
        return ranks;
    }

    private static int firstAtLeast(double[] sorted, double value) {
        int low = 0;
        int high = sorted.length;
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (sorted[middle] < value) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low;
    }

    /** Returns the median of the slopes of all pairs of points, per unit of time. */
    double slope() {
        return slope;
    }

    /** Returns the low end of the slope's 95 % interval. */
    double low() {
        return low;
    }

    double high() {
        return high;
    }

    /** Returns the two-sided p-value that there is no trend. */
    double pValue() {
        return pValue;
    }
}
