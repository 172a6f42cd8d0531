package dev.lockstep.replayer;

/**
 * Fisher's exact test, one-sided: how likely it is that at least so many of the marked things fall into the one group by
 * chance alone (Fisher, Statistical Methods for Research Workers, 1934, section 21.02).
 */
final class FisherTest {
    // Lanczos' approximation of the gamma function, g = 5, n = 6 (Press et al., Numerical Recipes, 6.1).
    private static final double[] LANCZOS = {
        76.18009172947146,
        -86.50532032941677,
        24.01409824083091,
        -1.231739572450155,
        0.1208650973866179e-2,
        -0.5395239384953e-5
    };

    private FisherTest() {}

    /**
     * Returns the probability of {@code marked} or more in the first group, given that both groups together hold {@code
     * marked + otherMarked}.
     *
     * @param marked how many of the first group are marked
     * @param size how many are in the first group
     * @param otherMarked how many of the second group are marked
     * @param otherSize how many are in the second group
     */
    static double pValue(long marked, long size, long otherMarked, long otherSize) {
        if ((double) marked * otherSize <= (double) otherMarked * size) {
            // No more than expected: the terms rise at first, and may be too small for a double. So the other tail.
            return marked == 0 ? 1 : 1 - tail(otherMarked + 1, otherSize, marked - 1, size);
        }
        return tail(marked, size, otherMarked, otherSize);
    }

    /** Sums hypergeometric terms from the given one outwards, each from the one before. */
    private static double tail(long marked, long size, long otherMarked, long otherSize) {
        long all = marked + otherMarked;
        long most = Math.min(all, size);
        if (marked > most) {
            return 0;
        }
        double term = Math.exp(
                logChoose(size, marked) + logChoose(otherSize, otherMarked) - logChoose(size + otherSize, all));
        double sum = 0;
        for (long k = marked; k <= most && term > sum * 1e-17; k++) {
            sum += term;
            term *= (double) (size - k) / (k + 1) * ((double) (all - k) / (otherSize - all + k + 1));
        }
        return Math.min(1, sum);
    }

    private static double logChoose(long n, long k) {
        return logFactorial(n) - logFactorial(k) - logFactorial(n - k);
    }

    private static double logFactorial(long n) {
        double x = n + 1.0;
        double base = x + 5.5;
        double series = 1.000000000190015;
        for (int i = 0; i < LANCZOS.length; i++) {
            series += LANCZOS[i] / (x + 1 + i);
        }
        return (x + 0.5) * Math.log(base) - base + Math.log(2.5066282746310005 * series / x);
    }
}
