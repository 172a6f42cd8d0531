package dev.lockstep.analysis;

/**
 * By how much more the mean of blocks of the same processes varies than that of independent values: a process takes its
 * heap and its caches from one block to the next, so that neighbours are alike, and their spread is smaller than that
 * of blocks far apart.
 *
 * <p>If each value keeps a share r of its neighbour's deviation, the sum of n has g = 1 + 2 sum (1 - k / n) r^k times
 * the variance of independent ones, and the spread that is seen squared is too small by (n - g) / (n - 1). The share is
 * the first autocorrelation, which few values show too small: by (1 + 3 r) / n, which is put back. A share below 0 is
 * taken as 0, one above 0.7 as that.
 *
 * <p>Sources: G. E. P. Box, G. M. Jenkins, "Time Series Analysis" (1970), for the autocorrelation; M. G. Kendall, "Note
 * on bias in the estimation of autocorrelation", Biometrika 41 (1954), for what few values take from it; A. M. Law, W.
 * D. Kelton, "Simulation Modeling and Analysis" (1982), for the variance of the mean. {@code SimulationTest} shows how
 * far it helps: not with a share of 0.7 and more.
 */
final class Neighbours {
    /** Fewer values tell nothing of their neighbours. */
    private static final int LEAST = Decision.FULL_PAIRS;
    /** Few values show no more: beyond it differences would be lost and hardly an error saved. */
    private static final double MOST_SHARE = 0.7;

    private Neighbours() {}

    /**
     * Returns by which factor the variance of the mean, as the spread of these values in their order gives it, is to be
     * widened; 1 of fewer than six.
     */
    static double varianceFactor(double... values) {
        int n = values.length;
        double share = n < LEAST ? 0 : share(values);
        double sum = 1;
        double power = 1;
        for (int k = 1; k < n; k++) {
            power *= share;
            sum += 2 * (1 - (double) k / n) * power;
        }
        return sum * (n - 1) / (n - sum);
    }

    private static double share(double[] values) {
        double mean = Sample.mean(values);
        double products = 0;
        double squares = 0;
        for (int i = 0; i < values.length; i++) {
            squares += (values[i] - mean) * (values[i] - mean);
            products += i == 0 ? 0 : (values[i] - mean) * (values[i - 1] - mean);
        }
        if (squares == 0) {
            return 0;
        }
        double n = values.length;
        double seen = products / squares;
        return Math.min(MOST_SHARE, Math.max(0, (seen + 1 / n) / (1 - 3 / n)));
    }
}
