package dev.lockstep.analysis;

import org.apache.commons.statistics.distribution.TDistribution;

/**
 * The mean of a difference that was seen in pairs, each of two values that were measured beside each other, with
 * Student's interval. Immutable.
 */
public final class PairedDifference {
    private final double mean;
    private final ConfidenceInterval interval;

    private PairedDifference(double mean, ConfidenceInterval interval) {
        this.mean = mean;
        this.interval = interval;
    }

    /**
     * @param differences of each pair
     * @param leastDeviation how much they deviate at least, as by the rounding of the values: pairs that agree by
     *     chance would otherwise seem to be certain; 0 where there is no chance in them
     * @throws IllegalArgumentException for fewer than two
     */
    public static PairedDifference of(double[] differences, double leastDeviation) {
        if (differences.length < 2) {
            throw new IllegalArgumentException("a difference must have two pairs at least, has " + differences.length);
        }
        double mean = Sample.mean(differences);
        double width = TDistribution.of(differences.length - 1)
                        .inverseSurvivalProbability((1 - ConfidenceInterval.USUAL_LEVEL) / 2)
                * Math.max(leastDeviation, Sample.standardDeviation(differences))
                / Math.sqrt(differences.length);
        return new PairedDifference(
                mean, ConfidenceInterval.of(mean - width, mean + width, ConfidenceInterval.USUAL_LEVEL));
    }

    public double mean() {
        return mean;
    }

    /** The interval of 95 %; without a least deviation that of differences that are all the same is that value. */
    public ConfidenceInterval interval() {
        return interval;
    }
}
