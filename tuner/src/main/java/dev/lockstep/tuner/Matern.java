package dev.lockstep.tuner;

/**
 * The Matern covariance of smoothness 5/2 and variance 1: functions that can be differentiated twice, no more. It is a
 * function of a squared distance, in which every coordinate counts in its own length scales: the difference of places
 * on a scale, or 1 for two different places of a choice (a Hamming distance).
 *
 * <p>Source: C. E. Rasmussen and C. K. I. Williams, "Gaussian Processes for Machine Learning" (2006), equation 4.17.
 */
final class Matern {
    private Matern() {}

    static double covariance(double squaredDistance) {
        double s = Math.sqrt(5 * squaredDistance);
        return (1 + s + s * s / 3) * Math.exp(-s);
    }

    /** Returns the derivative by the squared distance of a covariance that is known. */
    static double slope(double squaredDistance, double covariance) {
        double s = Math.sqrt(5 * squaredDistance);
        return -5.0 / 6 * (1 + s) / (1 + s + s * s / 3) * covariance;
    }

    /** @param precisions 1 / length scale^2 of each coordinate */
    static double squaredDistance(double[] a, double[] b, double[] precisions, boolean[] choices) {
        double sum = 0;
        for (int i = 0; i < a.length; i++) {
            sum += precisions[i] * squaredDifference(a[i], b[i], choices[i]);
        }
        return sum;
    }

    static double squaredDifference(double a, double b, boolean choice) {
        double difference = a - b;
        return choice ? (difference == 0 ? 0 : 1) : difference * difference;
    }
}
