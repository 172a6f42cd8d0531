package dev.lockstep.analysis;

import java.util.Arrays;

/** The plain figures of a list of numbers. */
final class Sample {
    private Sample() {}

    static double mean(double... values) {
        double sum = 0;
        for (double value : values) {
            sum += value;
        }
        double mean = sum / values.length;
        // A second pass takes away what rounding left over.
        double rest = 0;
        for (double value : values) {
            rest += value - mean;
        }
        return mean + rest / values.length;
    }

    /** Returns the standard deviation with n - 1 in the denominator; there must be two values or more. */
    static double standardDeviation(double... values) {
        double mean = mean(values);
        double squares = 0;
        for (double value : values) {
            squares += (value - mean) * (value - mean);
        }
        return Math.sqrt(squares / (values.length - 1));
    }

    static double median(double... values) {
        return quantile(sorted(values), 0.5);
    }

    /** Returns a quantile of sorted values, by linear interpolation (type 7 of Hyndman and Fan, 1996; R's default). */
    static double quantile(double[] sorted, double share) {
        double position = share * (sorted.length - 1);
        int below = (int) Math.floor(position);
        int above = Math.min(below + 1, sorted.length - 1);
        return sorted[below] + (position - below) * (sorted[above] - sorted[below]);
    }

    static double[] sorted(double... values) {
        double[] sorted = values.clone();
        Arrays.sort(sorted);
        return sorted;
    }

    /** Refuses what is not a number. */
    static void requireFinite(String field, double... values) {
        for (int i = 0; i < values.length; i++) {
            if (!Double.isFinite(values[i])) {
                throw new IllegalArgumentException(
                        field + " must be finite numbers, value " + i + " (from 0) is " + values[i]);
            }
        }
    }
}
