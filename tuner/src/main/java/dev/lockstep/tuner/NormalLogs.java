package dev.lockstep.tuner;

import org.apache.commons.numbers.gamma.Erfc;
import org.apache.commons.numbers.gamma.Erfcx;
import org.apache.commons.numbers.gamma.InverseErfc;

/**
 * Quantiles of the standard normal distribution, and logs of what it gives, accurate where the plain values are 0 in a
 * double.
 *
 * <p>Source of {@link #improvement}: S. Ament, S. Daulton, D. Eriksson, M. Balandat and E. Bakshy, "Unexpected
 * improvements to expected improvement for Bayesian optimization", NeurIPS 2023, equations 9 and 14.
 */
final class NormalLogs {
    private static final double ROOT_2 = Math.sqrt(2);
    private static final double LOG_ROOT_2_PI = 0.5 * Math.log(2 * Math.PI);
    private static final double LOG_ROOT_HALF_PI = 0.5 * Math.log(Math.PI / 2);

    /** Below this the two terms of the improvement cancel to all digits, and its first asymptotic term is it. */
    private static final double FAR = -1e6;

    private NormalLogs() {}

    static double density(double z) {
        return -0.5 * z * z - LOG_ROOT_2_PI;
    }

    /** Returns the log of the probability of at most z. */
    static double probability(double z) {
        if (z > -1) {
            return Math.log(0.5 * Erfc.value(-z / ROOT_2));
        }
        return -0.5 * z * z + Math.log(0.5 * Erfcx.value(-z / ROOT_2));
    }

    /** Returns the standard normal variable's value that is not exceeded with a probability between 0 and 1. */
    static double quantile(double probability) {
        return -ROOT_2 * InverseErfc.value(2 * probability);
    }

    /** Returns log(exp(more) - exp(less)), where less exceeds more by rounding at most: then it is the log of 0. */
    static double difference(double more, double less) {
        return more + Math.log(-Math.expm1(Math.min(less - more, 0)));
    }

    /** Returns log(density(z) + z * probability(z)): of the mean of max(0, z + a standard normal variable). */
    static double improvement(double z) {
        if (z > -1) {
            return Math.log(Math.exp(density(z)) + z * 0.5 * Erfc.value(-z / ROOT_2));
        }
        if (z > FAR) {
            // 1 + z P / p, where P / p is sqrt(pi/2) erfcx(-z/sqrt 2): near 1 - 1 = 0 for small z, so by its expansion.
            double ratio = Math.exp(LOG_ROOT_HALF_PI) * Erfcx.value(-z / ROOT_2);
            double rest = z > -100 ? 1 + z * ratio : (1 - 3 / (z * z) * (1 - 5 / (z * z))) / (z * z);
            return density(z) + Math.log(rest);
        }
        return density(z) - 2 * Math.log(-z);
    }
}
