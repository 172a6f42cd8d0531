package dev.lockstep.analysis;

import dev.lockstep.results.Verdict;
import java.util.Optional;

/**
 * What a ratio shows where there is no difference: the range in which 95 % of the estimates fall when a target is
 * compared with itself. It is printed beside a verdict; a ratio within it could be noise. Immutable.
 *
 * <p>From pairs of an A/A comparison with mean m and standard deviation s over k pairs, the next estimate from n pairs
 * is expected in m +- t(k - 1) s sqrt(1 / k + 1 / n), the prediction interval of a mean (Hahn and Meeker, "Statistical
 * Intervals", 1991, chapter 4). It is not centred on 1: where the second place is always the slower one, the floor
 * shows it.
 *
 * <p>Without an A/A target it is estimated from the launches of the baseline alone: two launches that have nothing to
 * do with each other differ by sqrt(2) s in log, so that n pairs of them give 1 +- t(k - 1) s sqrt(2 / n). That is an
 * upper bound: what makes the launches of a pair alike, such as the hour's load of the machine, is in s, but cancels in
 * a real pair.
 */
final class NoiseFloor {
    /** Where a noise floor comes from. */
    public enum Source {
        /** A target was compared with another instance of itself. */
        A_A,
        /** The launches of the baseline, as if they were unpaired. An upper bound. */
        BASELINE_LAUNCHES
    }

    private final ConfidenceInterval interval;
    private final Source source;

    private NoiseFloor(double centre, double width, Source source) {
        this.interval = ConfidenceInterval.of(
                Math.exp(centre - width), Math.exp(centre + width), ConfidenceInterval.USUAL_LEVEL);
        this.source = source;
    }

    /**
     * Returns the noise floor that an A/A comparison shows, for a comparison of {@code pairs} pairs; absent when the
     * A/A comparison has one pair, or has none of what is compared on one side.
     */
    public static Optional<NoiseFloor> ofPairs(RatioEstimate same, int pairs) {
        requirePairs(pairs);
        if (same.standardDeviation().isEmpty()) {
            return Optional.empty();
        }
        int known = same.pairs();
        double width = PairedRatio.upperT((1 - ConfidenceInterval.USUAL_LEVEL) / 2, known - 1)
                * same.standardDeviation().orElseThrow()
                * Math.sqrt(1.0 / known + 1.0 / pairs);
        return Optional.of(new NoiseFloor(Math.log(same.ratio()), width, Source.A_A));
    }

    /**
     * Returns an upper bound of the noise floor, for a comparison of {@code pairs} pairs, from the log of the metric in
     * each launch of the baseline; absent with fewer than two launches, and where all launches are alike, which bounds
     * nothing.
     */
    public static Optional<NoiseFloor> ofLaunches(double[] logValues, int pairs) {
        requirePairs(pairs);
        Sample.requireFinite("log values of the launches", logValues);
        if (logValues.length < 2 || Sample.standardDeviation(logValues) == 0) {
            return Optional.empty();
        }
        double width = PairedRatio.upperT((1 - ConfidenceInterval.USUAL_LEVEL) / 2, logValues.length - 1)
                * Sample.standardDeviation(logValues)
                * Math.sqrt(2.0 / pairs);
        return Optional.of(new NoiseFloor(0, width, Source.BASELINE_LAUNCHES));
    }

    private static void requirePairs(int pairs) {
        if (pairs < 1) {
            throw new IllegalArgumentException("pairs must be at least 1, is " + pairs);
        }
    }

    /** Returns the range of the ratio, target / baseline. */
    public ConfidenceInterval interval() {
        return interval;
    }

    public Source source() {
        return source;
    }

    /** Says whether a ratio could be noise: it is no further from 1 than what the baseline showed beside itself. */
    public boolean contains(double ratio) {
        return Verdict.Interval.of(interval.low(), interval.high()).reaches(ratio);
    }

    @Override
    public String toString() {
        return interval + " from " + (source == Source.A_A ? "A/A pairs" : "the baseline's launches, at most");
    }
}
