package dev.lockstep.tuner;

import java.util.Arrays;

/**
 * A monotone change of values, which are to be minimised, that brings them to mean 0 and variance 1, and may draw in a
 * long tail: first a shift and a scale, then Yeo and Johnson's power, then a shift and a scale again. Penalties, values
 * of one size that are far beyond all others, as a program gives for "this does not work", are drawn in before that to
 * behind the worst of the others: else these would all be the same beside them. Takes any finite values. Immutable.
 *
 * <p>Source: I.-K. Yeo and R. A. Johnson, "A new family of power transformations to improve normality or symmetry",
 * Biometrika 87 (2000). That a model of warped values is compared with others by the density of the unwarped ones is E.
 * Snelson, C. E. Rasmussen and Z. Ghahramani, "Warped Gaussian processes", NeurIPS 2003.
 */
final class Warp {
    /** Values whose spread is less than this part of their size are all the same. */
    private static final double NOTHING = 1e-12;

    /** A penalty is so much farther from the least value than all others. */
    private static final double GAP = 30;

    /**
     * And this much at most from other penalties: the nearest values of a search that closes in are not of one size.
     */
    private static final double ONE_SIZE = 10;

    /** By which part of their distance from the least penalties are drawn in to beyond the others. */
    private static final double BEYOND = 0.25;

    /** No scaled value is farther from 0, so that its powers are finite. */
    private static final double FURTHEST = 1e100;

    private final double least;
    /** How far from the least the last value is that is no penalty; infinite where none is one. */
    private final double near;

    /** A power of two about as large as the values: divided by it, sums of their squares are neither infinite nor 0. */
    private final double unit;

    private final double power;
    /** Of the values divided by the unit. */
    private final double mean;

    private final double sd;
    private final double powerMean;
    private final double powerSd;

    /** @param power 1 changes no shape; less draws the large values in, more the small ones */
    Warp(double power, double[] values) {
        this.power = power;
        least = Arrays.stream(values).min().orElse(0);
        near = near(values, least);
        double[] drawn = Arrays.stream(values).map(this::draw).toArray();
        unit = unit(drawn);
        double[] scaled = Arrays.stream(drawn).map(value -> value / unit).toArray();
        mean = mean(scaled);
        double spread = spread(scaled);
        sd = spread > 0 ? spread : 1 / unit;
        double[] raised =
                Arrays.stream(values).map(value -> raise(standard(value))).toArray();
        powerMean = mean(raised);
        powerSd = sd(raised);
    }

    static double mean(double[] values) {
        return Arrays.stream(values).average().orElse(0);
    }

    /** Returns the standard deviation, or 1 where all values are the same. */
    static double sd(double[] values) {
        double spread = spread(values);
        return spread > 0 ? spread : 1;
    }

    /** Returns the standard deviation, or 0 where all values are the same. */
    private static double spread(double[] values) {
        double mean = mean(values);
        double sum = 0;
        double largest = 0;
        for (double value : values) {
            sum += (value - mean) * (value - mean);
            largest = Math.max(largest, Math.abs(value));
        }
        double sd = values.length < 2 ? 0 : Math.sqrt(sum / (values.length - 1));
        return sd > NOTHING * largest ? sd : 0;
    }

    private static double unit(double[] values) {
        double largest = Arrays.stream(values).map(Math::abs).max().orElse(0);
        return largest > 0 ? Math.scalb(1.0, Math.getExponent(largest)) : 1;
    }

    /** Returns the distance from the least value behind which there are penalties, and half of the values before it. */
    private static double near(double[] values, double least) {
        double[] distances = Arrays.stream(values)
                .map(value -> bounded(value - least))
                .sorted()
                .toArray();
        for (int i = Math.max(1, (distances.length + 1) / 2); i < distances.length; i++) {
            double before = distances[i - 1];
            if (before > 0
                    && distances[i] / GAP > before
                    && distances[distances.length - 1] / ONE_SIZE <= distances[i]) {
                return before;
            }
        }
        return Double.POSITIVE_INFINITY;
    }

    /** Returns the nearest finite number. */
    private static double bounded(double number) {
        return Math.max(-Double.MAX_VALUE, Math.min(Double.MAX_VALUE, number));
    }

    /** Draws in penalties. */
    private double draw(double value) {
        double distance = bounded(value - least);
        return distance <= near ? value : least + near * (1 + BEYOND * (1 - near / distance));
    }

    private double undraw(double drawn) {
        double distance = drawn - least;
        if (distance <= near) {
            return drawn;
        }
        double beyond = (distance / near - 1) / BEYOND;
        return beyond < 1 ? bounded(least + bounded(near / (1 - beyond))) : Double.MAX_VALUE;
    }

    double power() {
        return power;
    }

    /** The standard deviation of the values themselves, penalties drawn in. */
    double sd() {
        return bounded(sd * unit);
    }

    double to(double value) {
        return (raise(standard(value)) - powerMean) / powerSd;
    }

    /** Returns the value that comes to this; the furthest there is where none does. */
    double from(double warped) {
        return undraw(bounded(unit * (mean + sd * lower(powerMean + powerSd * warped))));
    }

    /** Returns the log of the derivative of {@link #to}, by values in units of {@link #sd}. */
    double logSlope(double value) {
        double scaled = standard(value);
        double distance = bounded(value - least);
        double drawing = distance <= near ? 0 : Math.log(BEYOND) + 2 * (Math.log(near) - Math.log(distance));
        return drawing + (scaled >= 0 ? power - 1 : 1 - power) * Math.log1p(Math.abs(scaled)) - Math.log(powerSd);
    }

    /** Returns the log of {@link #sd}. */
    double logSd() {
        return Math.log(sd) + Math.log(unit);
    }

    /** Shifts and scales. */
    private double standard(double value) {
        double scaled = (draw(value) / unit - mean) / sd;
        return Math.max(-FURTHEST, Math.min(FURTHEST, scaled));
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
