package dev.lockstep.analysis;

import dev.lockstep.results.Verdict.Finding;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalInt;

/**
 * The verdict on one metric of a target against the baseline, and what it rests on. Immutable.
 *
 * <p>The margin is the difference below which nobody cares, 1 % unless told otherwise. It is meant in both directions
 * alike: a ratio lies within a margin of 1 % from 1 / 1.01 to 1.01. The rule:
 *
 * <ul>
 *   <li><b>better</b> or <b>worse</b>, when all of this holds: the interval does not hold 1 (which is p &lt; 0.05); the
 *       estimate lies outside the margin; and, with six pairs or more, the exact sign-flip test gives p &lt; 0.05 too.
 *       Fewer pairs can never satisfy that test, so what they say rests on the normal distribution alone; then the
 *       whole 98 % interval must lie outside the margin. (With 95 % three pairs would claim a difference in 3 of 100
 *       comparisons of a target with itself.)
 *   <li><b>equivalent</b>, when the whole interval lies within the margin. (Two one-sided tests would take the 90 %
 *       interval; taking the 95 % one is stricter, and is what the reader sees.)
 *   <li><b>inconclusive</b> otherwise, and always with one pair.
 * </ul>
 *
 * <p>With fewer than six pairs a verdict is <i>indicative</i>. Two things hold a difference back: one that is no
 * greater than what a second instance of the baseline shows is not claimed; and nothing is called better that died in a
 * launch, for what it did there is not among its figures.
 *
 * <p>The level of the interval is 95 % where one metric is looked at once. Where several are judged together, as the
 * secondary ones are, it is Bonferroni's, so high that all intervals hold their true values together in 95 % of all
 * experiments; where a metric is looked at again after more launches, {@link Looks} tells it. What is claimed follows
 * from the interval that is shown, so that no row contradicts itself. The sign-flip test stays as it is, a further
 * condition: six pairs could never satisfy an adjusted one.
 *
 * <p>Sources: the six pairs that the exact sign-flip test takes are explained in {@link SignFlips}; equivalence by an
 * interval within a margin: D. J. Schuirmann, J. Pharmacokinetics and Biopharmaceutics 15 (1987). How often the rule is
 * wrong and how often it finds something is simulated in {@code SimulationTest}; docs/statistics.md has the figures.
 */
public final class Decision {
    /** Fewer launch pairs than this give indicative verdicts, as do fewer launches or earlier runs of a history. */
    public static final int FULL_PAIRS = 6;

    /** {@link #morePairs} never says more than this. */
    public static final int MOST_MORE_PAIRS = 100;

    private static final double ALPHA = 0.05;
    private static final double POWER = 0.8;

    /** How sure fewer pairs than {@link #FULL_PAIRS} must be, or fewer launches and runs than as many. */
    static final double FEW_PAIRS_LEVEL = 0.98;

    private final RatioEstimate ratio;
    private final Direction direction;
    private final double margin;
    private final double level;
    /** What the baseline shows against itself; null where nobody measured it. */
    private final NoiseFloor floor;

    private final boolean targetDied;
    private final boolean baselineDied;

    private Decision(
            RatioEstimate ratio,
            Direction direction,
            double margin,
            double level,
            NoiseFloor floor,
            boolean targetDied,
            boolean baselineDied) {
        this.ratio = ratio;
        this.direction = Objects.requireNonNull(direction, "direction");
        this.margin = requireMargin(margin);
        this.level = ConfidenceInterval.requireLevel(level);
        this.floor = floor;
        this.targetDied = targetDied;
        this.baselineDied = baselineDied;
    }

    /**
     * Decides on one metric.
     *
     * @param ratio target / baseline
     * @param margin the difference below which nobody cares, at least 0 and less than 1: 0.01 is 1 %
     * @param level of the interval that decides: 0.95 for the primary metric alone, which was named before the run;
     *     more where others are decided on beside it or it is looked at again
     */
    static Decision of(RatioEstimate ratio, Direction direction, double margin, double level) {
        return new Decision(ratio, direction, margin, level, null, false, false);
    }

    /** Returns the decision where a second instance of the baseline shows this. */
    Decision above(NoiseFloor measured) {
        return new Decision(ratio, direction, margin, level, measured, targetDied, baselineDied);
    }

    /** Returns the decision where one of both or both died in a launch, which is none of the pairs. */
    Decision survived(boolean byTarget, boolean byBaseline) {
        return new Decision(ratio, direction, margin, level, floor, !byTarget, !byBaseline);
    }

    private static double requireMargin(double margin) {
        if (!(margin >= 0 && margin < 1)) {
            throw new IllegalArgumentException("margin must be at least 0 and less than 1, is " + margin);
        }
        return margin;
    }

    public Finding finding() {
        return isDifferent() && !isHeldBack()
                ? difference()
                : isEquivalent() ? Finding.EQUIVALENT : Finding.INCONCLUSIVE;
    }

    private Finding difference() {
        boolean lower = ratio.ratio() < 1;
        return lower == (direction == Direction.LOWER_IS_BETTER) ? Finding.BETTER : Finding.WORSE;
    }

    /** Says whether the launches show a difference, whatever else holds it back. */
    private boolean isDifferent() {
        return ratio.pairs() > 1
                && !interval().orElseThrow().contains(1)
                && !noDifference().contains(ratio.ratio())
                && isBacked();
    }

    private boolean isHeldBack() {
        return floor != null && floor.contains(ratio.ratio())
                || targetDied && difference() == Finding.BETTER
                || baselineDied && difference() == Finding.WORSE;
    }

    private boolean isEquivalent() {
        return ratio.pairs() > 1 && interval().orElseThrow().within(noDifference());
    }

    private ConfidenceInterval noDifference() {
        return ConfidenceInterval.of(1 / (1 + margin), 1 + margin, level);
    }

    private boolean isBacked() {
        if (ratio.pairs() >= FULL_PAIRS) {
            return ratio.signFlipP().orElseThrow() < ALPHA;
        }
        ConfidenceInterval sure = ratio.interval(FEW_PAIRS_LEVEL).orElseThrow();
        return sure.low() > noDifference().high()
                || sure.high() < noDifference().low();
    }

    /** Returns the interval of the ratio that decides; absent with one pair. */
    public Optional<ConfidenceInterval> interval() {
        return ratio.interval(level);
    }

    /**
     * Returns the p-value that the ratio is 1, times as much as the level of the interval takes from 5 %: below 0.05
     * the difference is shown. Absent with one pair.
     */
    public OptionalDouble pValue() {
        OptionalDouble alone = ratio.pValue();
        return alone.isEmpty() ? alone : OptionalDouble.of(Math.min(1, alone.getAsDouble() * ALPHA / (1 - level)));
    }

    /** Says whether there are fewer than six pairs, so that the verdict is a hint. */
    public boolean indicative() {
        return ratio.pairs() < FULL_PAIRS;
    }

    /**
     * Returns about how many more launch pairs an inconclusive comparison needs; absent with another verdict, and where
     * what holds it back is not their number. With one pair it is what is missing to six. Otherwise it is taken from
     * the standard deviation s of the pairs so far, with the smallest n of six or more for which an interval of n pairs
     * is narrow enough to decide with a probability of 80 %: (t(1 - alpha / 2) + t(power)) s / sqrt(n) at most d, if
     * the difference is as it looks. Where the estimate lies outside the margin, d is its distance from 1 and the power
     * 0.8, to show a difference; and t(power) s / sqrt(n) must be at most its distance from the margin, for the
     * estimate to stay outside. Where it lies within, d is its distance from the nearer edge of the margin and the
     * power 0.9, to show that all of the interval is within. Close to an edge that takes many pairs, whatever they
     * would show. The deviation of a few pairs is itself uncertain, hence "about". Never more than
     * {@link #MOST_MORE_PAIRS}.
     */
    public OptionalInt morePairs() {
        return isOpen()
                ? OptionalInt.of(Math.min(neededPairs() - ratio.pairs(), MOST_MORE_PAIRS))
                : OptionalInt.empty();
    }

    private boolean isOpen() {
        return !isDifferent() && !isEquivalent();
    }

    private int neededPairs() {
        int least = Math.max(FULL_PAIRS, ratio.pairs() + 1);
        if (ratio.standardDeviation().isEmpty()) {
            return least;
        }
        double distance = Math.abs(Math.log(ratio.ratio()));
        double toMargin = Math.abs(distance - Math.log1p(margin));
        boolean outside = distance > Math.log1p(margin);
        double deviation = ratio.standardDeviation().orElseThrow();
        int most = ratio.pairs() + MOST_MORE_PAIRS;
        int pairs = least;
        while (pairs <= most) {
            double error = deviation / Math.sqrt(pairs);
            double sure = PairedRatio.upperT((1 - level) / 2, pairs - 1);
            double power = PairedRatio.upperT(outside ? 1 - POWER : (1 - POWER) / 2, pairs - 1);
            if (outside
                    ? (sure + power) * error <= distance && power * error <= toMargin
                    : (sure + power) * error <= toMargin) {
                break;
            }
            pairs++;
        }
        return pairs;
    }
}
