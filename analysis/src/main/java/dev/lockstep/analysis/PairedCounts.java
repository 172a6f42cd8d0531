package dev.lockstep.analysis;

import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import org.apache.commons.statistics.distribution.BetaDistribution;

/**
 * The ratio B / A of the rates of rare events: errors by requests, collections by launches. The estimate is all events
 * of B by all of A, each by what they could have happened in; launches without an event count as that. Immutable.
 *
 * <p>It is judged twice, and what is claimed must hold by both. As counts: given how many events both had together, how
 * many of them are B's is binomial if each comes by itself; this is exact however few there are, so six collections
 * against six decide nothing. And from launch to launch, as {@link PairedTotals}: where all errors came in one launch
 * of twelve, they are one accident and not a hundred. The interval goes to the farther ends of both, and the p-value is
 * the greater one.
 *
 * <p>Requests that fail are few of many. Where they are not, the binomial test that is exact for rare events errs to
 * the side of saying nothing, as against Fisher's exact test.
 *
 * <p>Sources: J. Przyborowski and H. Wilenski, "Homogeneity of results in testing samples from Poisson series",
 * Biometrika 31 (1940), for the conditional test; C. J. Clopper and E. S. Pearson, Biometrika 26 (1934), for its
 * interval; R. L. Berger, Technometrics 24 (1982), for taking the greater of two p-values.
 */
final class PairedCounts implements RatioEstimate {
    /** What one launch of both counted. Immutable. */
    static final class Pair {
        private final long target;
        private final double targetOf;
        private final long baseline;
        private final double baselineOf;

        private Pair(long target, double targetOf, long baseline, double baselineOf) {
            this.target = target;
            this.targetOf = targetOf;
            this.baseline = baseline;
            this.baselineOf = baselineOf;
        }

        /**
         * @param target events of B
         * @param targetOf in how many requests or launches, more than 0
         */
        static Pair of(long target, double targetOf, long baseline, double baselineOf) {
            if (target < 0 || baseline < 0 || !(targetOf > 0) || !(baselineOf > 0)) {
                throw new IllegalArgumentException("events must be at least 0, of more than 0, are " + target + " of "
                        + targetOf + " and " + baseline + " of " + baselineOf);
            }
            return new Pair(target, targetOf, baseline, baselineOf);
        }

        /** Returns log(B / A); finite where both have events. */
        double logRatio() {
            return Math.log(target / targetOf) - Math.log(baseline / baselineOf);
        }

        boolean isNone() {
            return target == 0 && baseline == 0;
        }

        /** Returns the smaller number of events. */
        long least() {
            return Math.min(target, baseline);
        }
    }

    private final long target;
    private final double targetOf;
    private final long baseline;
    private final double baselineOf;
    private final PairedTotals launches;

    private PairedCounts(List<Pair> pairs) {
        target = pairs.stream().mapToLong(pair -> pair.target).sum();
        targetOf = pairs.stream().mapToDouble(pair -> pair.targetOf).sum();
        baseline = pairs.stream().mapToLong(pair -> pair.baseline).sum();
        baselineOf = pairs.stream().mapToDouble(pair -> pair.baselineOf).sum();
        launches = PairedTotals.of(
                pairs.stream().mapToDouble(pair -> pair.target / targetOf).toArray(),
                pairs.stream().mapToDouble(pair -> pair.baseline / baselineOf).toArray());
    }

    /** @param pairs one at least, with an event at least */
    static PairedCounts of(List<Pair> pairs) {
        return new PairedCounts(pairs);
    }

    /** Returns how many events B had. */
    long target() {
        return target;
    }

    /** Returns how many events A had. */
    long baseline() {
        return baseline;
    }

    @Override
    public int pairs() {
        return launches.pairs();
    }

    @Override
    public double ratio() {
        return target / targetOf / (baseline / baselineOf);
    }

    /** Returns the greater one of what the launches show and of what as many events must show. */
    @Override
    public OptionalDouble standardDeviation() {
        OptionalDouble seen = launches.standardDeviation();
        return seen.isEmpty()
                ? seen
                : OptionalDouble.of(Math.max(seen.getAsDouble(), Math.sqrt(pairs() * (1.0 / target + 1.0 / baseline))));
    }

    @Override
    public Optional<ConfidenceInterval> interval(double level) {
        return launches.interval(level).map(other -> {
            ConfidenceInterval exact = exactInterval(target, targetOf, baseline, baselineOf, level);
            return ConfidenceInterval.of(
                    Math.min(exact.low(), other.low()), Math.max(exact.high(), other.high()), level);
        });
    }

    /** Returns the interval of the ratio, given how many events both had; the events may be fewer than whole ones. */
    static ConfidenceInterval exactInterval(
            double target, double targetOf, double baseline, double baselineOf, double level) {
        double tail = (1 - level) / 2;
        double low = target == 0 ? 0 : BetaDistribution.of(target, baseline + 1).inverseCumulativeProbability(tail);
        double high =
                baseline == 0 ? 1 : BetaDistribution.of(target + 1, baseline).inverseSurvivalProbability(tail);
        // The ratio at which this share of the events is B's.
        double scale = baselineOf / targetOf;
        return ConfidenceInterval.of(low / (1 - low) * scale, high / (1 - high) * scale, level);
    }

    @Override
    public OptionalDouble pValue() {
        OptionalDouble other = launches.pValue();
        return other.isEmpty()
                ? other
                : OptionalDouble.of(Math.max(exactP(target, targetOf, baseline, baselineOf), other.getAsDouble()));
    }

    /** Returns the two-sided p-value that both rates are one. */
    static double exactP(double target, double targetOf, double baseline, double baselineOf) {
        double share = targetOf / (targetOf + baselineOf);
        double asMany =
                target == 0 ? 1 : BetaDistribution.of(target, baseline + 1).cumulativeProbability(share);
        double asFew =
                baseline == 0 ? 1 : BetaDistribution.of(target + 1, baseline).survivalProbability(share);
        return Math.min(1, 2 * Math.min(asMany, asFew));
    }

    @Override
    public OptionalDouble signFlipP() {
        return launches.signFlipP();
    }

    @Override
    public String toString() {
        return target + " against " + baseline + " of " + pairs() + " pairs";
    }
}
