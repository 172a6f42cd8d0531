package dev.lockstep.analysis;

import dev.lockstep.results.Verdict.Finding;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import org.apache.commons.statistics.distribution.TDistribution;

/**
 * The ratio of a run to earlier ones by one quantity. Launches of two runs are no pairs: nothing but their number is
 * common to the third of Monday and the third of Tuesday. So the means of their logs are compared, each with the
 * variance that its own launches have (Welch), and where it is known how much days differ, with that of each day.
 * Immutable.
 *
 * <p>The degrees of freedom are Satterthwaite's over all parts of the variance: launches of the run, launches of each
 * earlier run, days.
 *
 * <p>Sources: B. L. Welch, "The generalization of Student's problem when several different population variances are
 * involved", Biometrika 34 (1947); F. E. Satterthwaite, Biometrics Bulletin 2 (1946).
 */
final class RunRatio {
    private final double log;
    private final double variance;
    private final double degreesOfFreedom;
    private final boolean known;
    private final boolean indicative;

    private RunRatio(double log, double variance, double degreesOfFreedom, boolean known, boolean indicative) {
        this.log = log;
        this.variance = variance;
        this.degreesOfFreedom = degreesOfFreedom;
        this.known = known;
        this.indicative = indicative;
    }

    /** Returns the ratio of a run to one other, of which nobody knows how much their days differ. */
    static RunRatio of(RunSample earlier, RunSample run) {
        return of(List.of(earlier), run, null);
    }

    /**
     * Returns the ratio of a run to the mean of earlier ones.
     *
     * @param days by how much runs differ from day to day; null where nobody knows
     */
    static RunRatio of(List<RunSample> earlier, RunSample run, DayDeviation days) {
        List<RunSample> all = new ArrayList<>(earlier);
        all.add(run);
        boolean ofDays = days != null && RunSample.degreesOfFreedom(all) == 0;
        // What a run of one launch does not tell, the others do.
        double single = ofDays ? days.launchDeviation() : RunSample.pooledDeviation(all);
        int singleDegrees = ofDays ? days.launchDegreesOfFreedom() : RunSample.degreesOfFreedom(all);
        double mean = earlier.stream().mapToDouble(RunSample::mean).average().getAsDouble();
        Parts parts = new Parts();
        // Where days are known, those that have one launch each hold what launches vary by.
        boolean known = days != null || all.stream().allMatch(other -> other.launches() > 1);
        parts.add(run.meanVariance(single), run.launches() > 1 ? run.launches() - 1 : singleDegrees);
        int count = earlier.size();
        for (RunSample other : earlier) {
            parts.add(
                    other.meanVariance(single) / count / count,
                    other.launches() > 1 ? other.launches() - 1 : singleDegrees);
        }
        if (days != null) {
            parts.add(days.variance() * (1 + 1.0 / count), days.degreesOfFreedom());
        }
        boolean few = days == null
                ? all.stream().anyMatch(other -> other.launches() < Decision.FULL_PAIRS)
                : days.runs() < Decision.FULL_PAIRS;
        return new RunRatio(run.mean() - mean, parts.variance, parts.degreesOfFreedom(), known, few);
    }

    /** Adds up independent parts of a variance. */
    private static final class Parts {
        private double variance;
        private double squares;

        void add(double part, int degrees) {
            variance += part;
            squares += degrees == 0 ? 0 : part * part / degrees;
        }

        /** Never below one, and of no variance at all that of one launch more. */
        double degreesOfFreedom() {
            return squares == 0 ? 1 : Math.max(1, variance * variance / squares);
        }
    }

    double ratio() {
        return Math.exp(log);
    }

    /** Whether there are so few launches or runs that the finding is a hint. */
    boolean indicative() {
        return indicative;
    }

    private double standardError() {
        return Math.max(PairedRatio.USUAL_RESOLUTION / Math.sqrt(Decision.FULL_PAIRS), Math.sqrt(variance));
    }

    double degreesOfFreedom() {
        return degreesOfFreedom;
    }

    /** Returns Welch's interval; absent where a run has one launch and nobody knows how much launches differ. */
    Optional<ConfidenceInterval> interval(double level) {
        ConfidenceInterval.requireLevel(level);
        if (!known) {
            return Optional.empty();
        }
        double width = PairedRatio.upperT((1 - level) / 2, degreesOfFreedom) * standardError();
        return Optional.of(ConfidenceInterval.of(Math.exp(log - width), Math.exp(log + width), level));
    }

    /** Returns the two-sided p-value that nothing differs; absent where there is no interval. */
    OptionalDouble pValue() {
        return known
                ? OptionalDouble.of(
                        2 * TDistribution.of(degreesOfFreedom).survivalProbability(Math.abs(log) / standardError()))
                : OptionalDouble.empty();
    }

    /**
     * Returns what it comes to: better or worse where the interval leaves 1 out and the ratio lies outside the margin,
     * and of a hint all of the 98 % interval too; equivalent where all of the interval is within the margin.
     */
    Finding finding(Direction direction, double margin, double level) {
        return finding(
                interval(level),
                interval(Math.max(level, Decision.FEW_PAIRS_LEVEL)),
                ratio(),
                indicative,
                direction,
                margin);
    }

    static Finding finding(
            Optional<ConfidenceInterval> interval,
            Optional<ConfidenceInterval> sure,
            double ratio,
            boolean indicative,
            Direction direction,
            double margin) {
        if (interval.isEmpty()) {
            return Finding.INCONCLUSIVE;
        }
        ConfidenceInterval noDifference =
                ConfidenceInterval.of(1 / (1 + margin), 1 + margin, ConfidenceInterval.USUAL_LEVEL);
        boolean backed = !indicative
                || sure.get().low() > noDifference.high()
                || sure.get().high() < noDifference.low();
        if (!interval.get().contains(1) && !noDifference.contains(ratio) && backed) {
            return ratio < 1 == (direction == Direction.LOWER_IS_BETTER) ? Finding.BETTER : Finding.WORSE;
        }
        return interval.get().within(noDifference) ? Finding.EQUIVALENT : Finding.INCONCLUSIVE;
    }
}
