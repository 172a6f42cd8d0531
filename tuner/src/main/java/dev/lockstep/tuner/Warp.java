package dev.lockstep.tuner;

import java.util.Arrays;

/**
 * A monotone change of values that brings them to mean 0 and variance 1, and may draw in a long tail: first a shift and
 * a scale, then Yeo and Johnson's power, then a shift and a scale again. Immutable.
 *
 * <p>Source: I.-K. Yeo and R. A. Johnson, "A new family of power transformations to improve normality or symmetry",
 * Biometrika 87 (2000). That a model of warped values is compared with others by the density of the unwarped ones is E.
 * Snelson, C. E. Rasmussen and Z. Ghahramani, "Warped Gaussian processes", NeurIPS 2003.
 */
final class Warp {
    /** Values whose spread is less than this part of their size are all the same. */
    private static final double NOTHING = 1e-12;

    private final double power;
    private final double mean;
    private final double sd;
    private final double powerMean;
    private final double powerSd;

    /** @param power 1 changes no shape; less draws the large values in, more the small ones */
    Warp(double power, double[] values) {
        this.power = power;
        mean = mean(values);
        sd = sd(values);
        double[] raised =
                Arrays.stream(values).map(value -> raise((value - mean) / sd)).toArray();
        powerMean = mean(raised);
        powerSd = sd(raised);
    }

    static double mean(double[] values) {
        return Arrays.stream(values).average().orElse(0);
    }

    /** Returns the standard deviation, or 1 where all values are the same. */
    static double sd(double[] values) {
        double mean = mean(values);
        double sum = 0;
        double largest = 0;
        for (double value : values) {
            sum += (value - mean) * (value - mean);
            largest = Math.max(largest, Math.abs(value));
        }
        double sd = values.length < 2 ? 0 : Math.sqrt(sum / (values.length - 1));
        return sd > NOTHING * largest ? sd : 1;
    }

    double power() {
        return power;
    }

    /** The standard deviation of the values themselves. */
    double sd() {
        return sd;
    }

    double to(double value) {
        return (raise((value - mean) / sd) - powerMean) / powerSd;
    }

    /** Returns the value that comes to this; the furthest there is where none does. */
    double from(double warped) {
        return mean + sd * lower(powerMean + powerSd * warped);
    }

    /** Returns the derivative of {@link #to}. */
    double slope(double value) {
        double scaled = (value - mean) / sd;
        double slope = Math.pow(1 + Math.abs(scaled), scaled >= 0 ? power - 1 : 1 - power);
        return slope / sd / powerSd;
    }

    private double raise(double x) {
        return x >= 0 ? raise(x, power) : -raise(-x, 2 - power);
    }

    private static double raise(double x, double power) {
        return power == 0 ? Math.log1p(x) : (Math.pow(1 + x, power) - 1) / power;
    }

    private double lower(double y) {
        return y >= 0 ? lower(y, power) : -lower(-y, 2 - power);
    }

    private static double lower(double y, double power) {
        return power == 0 ? Math.expm1(y) : Math.pow(Math.max(0, 1 + power * y), 1 / power) - 1;
    }
}
