package dev.lockstep.analysis;

import java.util.Optional;
import java.util.OptionalDouble;
import java.util.stream.IntStream;
import org.apache.commons.statistics.distribution.TDistribution;

/**
 * The ratio B / A of a quantity of which some launches had nothing, so that a pair has no ratio of its own: the sum
 * over the pairs of B by that of A, each pair with its zeros. Immutable.
 *
 * <p>The interval is Fieller's: all r for which Student's t-test over the pairs does not refuse that B - r A is 0 in
 * the mean. It is unbounded where A may as well be nothing. Where one side had nothing in any of n launches, the spread
 * of the launches says nothing of that side. Then the interval goes as far as a launch with something is likely to have
 * been missed, if it had as much as one of the other side's: 1 - (alpha / 2) to the power of 1 / n.
 *
 * <p>Sources: E. C. Fieller, "Some problems in interval estimation", J. Royal Statistical Society B 16 (1954); the
 * limit for nothing seen is that of C. J. Clopper and E. S. Pearson, Biometrika 26 (1934).
 */
final class PairedTotals implements RatioEstimate {
    private final double[] target;
    private final double[] baseline;
    private final double targetMean;
    private final double baselineMean;

    private PairedTotals(double[] target, double[] baseline) {
        this.target = target;
        this.baseline = baseline;
        this.targetMean = Sample.mean(target);
        this.baselineMean = Sample.mean(baseline);
    }

    /** @param target B of each pair, at least 0; not all of both are 0 */
    static PairedTotals of(double[] target, double[] baseline) {
        if (target.length == 0 || target.length != baseline.length) {
            throw new IllegalArgumentException("totals must be those of one launch pair at least, are " + target.length
                    + " and " + baseline.length);
        }
        requireTotals(target);
        requireTotals(baseline);
        PairedTotals totals = new PairedTotals(target.clone(), baseline.clone());
        if (totals.targetMean == 0 && totals.baselineMean == 0) {
            throw new IllegalArgumentException("totals must not all be 0");
        }
        return totals;
    }

    private static void requireTotals(double[] totals) {
        Sample.requireFinite("totals", totals);
        for (double total : totals) {
            if (total < 0) {
                throw new IllegalArgumentException("totals must be at least 0, one is " + total);
            }
        }
    }

    @Override
    public int pairs() {
        return target.length;
    }

    @Override
    public double ratio() {
        return targetMean / baselineMean;
    }

    /** Returns that of the ratio of sums by the first terms of its series; absent also where one side is 0. */
    @Override
    public OptionalDouble standardDeviation() {
        if (pairs() < 2 || targetMean == 0 || baselineMean == 0) {
            return OptionalDouble.empty();
        }
        double ratio = ratio();
        return OptionalDouble.of(Math.sqrt(variance(ratio)) / targetMean);
    }

    /** Returns the variance of B - r A from pair to pair, each side known to three digits. */
    private double variance(double ratio) {
        double squares = 0;
        double mean = targetMean - ratio * baselineMean;
        for (int i = 0; i < pairs(); i++) {
            double off = target[i] - ratio * baseline[i] - mean;
            squares += off * off;
        }
        double digits = PairedRatio.USUAL_RESOLUTION * Math.max(targetMean, ratio * baselineMean);
        return Math.max(squares / (pairs() - 1), digits * digits);
    }

    @Override
    public Optional<ConfidenceInterval> interval(double level) {
        ConfidenceInterval.requireLevel(level);
        if (pairs() < 2) {
            return Optional.empty();
        }
        double tail = (1 - level) / 2;
        double t = PairedRatio.upperT(tail, pairs() - 1);
        double unseen = 1 - Math.pow(tail, 1.0 / pairs());
        double low =
                targetMean == 0 ? 0 : baselineMean == 0 ? isSeen(target, t) ? 1 / unseen : 0 : crossing(t, ratio(), 0);
        double high = baselineMean == 0
                ? Double.POSITIVE_INFINITY
                : targetMean == 0
                        ? isSeen(baseline, t) ? unseen : Double.POSITIVE_INFINITY
                        : crossing(t, ratio(), Double.POSITIVE_INFINITY);
        return Optional.of(ConfidenceInterval.of(low, high, level));
    }

    /** Says whether a side is surely more than 0 where the other is 0. */
    private static boolean isSeen(double[] side, double t) {
        return Sample.mean(side) > t * Sample.standardDeviation(side) / Math.sqrt(side.length);
    }

    /**
     * Returns where the test begins to refuse a ratio, from one that it does not refuse towards an end; the end itself
     * where it refuses none. It may refuse some and again none further out; those further out do not count as refused.
     */
    private double crossing(double t, double from, double end) {
        // By the tangent, so that 0 and infinity are as near as others.
        double inside = Math.atan(from);
        double outside = Math.atan(end);
        if (!isRefused(t, end)) {
            return end;
        }
        for (int i = 0; i < 100; i++) {
            double middle = (inside + outside) / 2;
            if (isRefused(t, Math.tan(middle))) {
                outside = middle;
            } else {
                inside = middle;
            }
        }
        return Math.tan(inside);
    }

    private boolean isRefused(double t, double ratio) {
        return Double.isInfinite(ratio) ? isSeen(baseline, t) : statistic(ratio) > t;
    }

    private double statistic(double ratio) {
        return Math.abs(targetMean - ratio * baselineMean) / Math.sqrt(variance(ratio) / pairs());
    }

    @Override
    public OptionalDouble pValue() {
        return pairs() < 2
                ? OptionalDouble.empty()
                : OptionalDouble.of(2 * TDistribution.of(pairs() - 1).survivalProbability(statistic(1)));
    }

    @Override
    public OptionalDouble signFlipP() {
        return SignFlips.p(IntStream.range(0, pairs())
                .mapToDouble(i -> target[i] - baseline[i])
                .toArray());
    }

    @Override
    public String toString() {
        return ratio() + " of " + pairs() + " pairs, some without any";
    }
}
