package dev.lockstep.analysis;

import dev.lockstep.measurement.Verdict.Finding;
import java.util.ArrayList;
import java.util.List;
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
 *   <li><b>better</b> or <b>worse</b>, when all of this holds: the t-test over the launch pairs gives p &lt; 0.05, that is,
 *       the 95 % interval of a primary metric does not hold 1; the estimate lies outside the margin; and, with six pairs
 *       or more, the exact sign-flip test gives p &lt; 0.05 too. Fewer pairs can never satisfy that test, so what they say
 *       rests on the normal distribution alone; then the whole 98 % interval must lie outside the margin. (With 95 % three
 *       pairs would claim a difference in 3 of 100 comparisons of a target with itself.)
 *   <li><b>equivalent</b>, when the whole interval lies within the margin. (Two one-sided tests would take the 90 %
 *       interval; taking the 95 % one is stricter, and is what the reader sees.)
 *   <li><b>inconclusive</b> otherwise, and always with one pair.
 * </ul>
 *
 * <p>With fewer than six pairs a verdict is <i>indicative</i>.
 *
 * <p>In a {@link #family} of secondary metrics the p-value of the t-test is adjusted after Holm, and the interval shown
 * and used for equivalence is Bonferroni's: its level is so high that all intervals of the family hold their true values
 * together in 95 % of all experiments. Holm's steps demand less than Bonferroni of all metrics but the clearest, so a
 * metric can be better or worse beside an interval that still holds 1. The sign-flip test stays as it is, a further
 * condition: six pairs could never satisfy an adjusted one.
 *
 * <p>Sources: the exact sign-flip test and the six pairs that it takes are those of {@link PairedRatio}; equivalence by an
 * interval within a margin: D. J. Schuirmann, J. Pharmacokinetics and Biopharmaceutics 15 (1987). How often the rule is
 * wrong and how often it finds something is simulated in {@code DecisionTest}; docs/statistics.md has the figures.
 */
public final class Decision {
    /** A ratio from 1 / 1.01 to 1.01 is no difference. */
    public static final double USUAL_MARGIN = 0.01;

    /** Fewer launch pairs than this give indicative verdicts. */
    public static final int FULL_PAIRS = 6;

    /** {@link #morePairs} never says more than this. */
    public static final int MOST_MORE_PAIRS = 100;

    private static final double ALPHA = 0.05;
    private static final double POWER = 0.8;

    /** How sure fewer pairs than {@link #FULL_PAIRS} must be. */
    private static final double FEW_PAIRS_LEVEL = 0.98;

    private final PairedRatio ratio;
    private final Direction direction;
    private final double margin;
    private final double level;
    private final OptionalDouble pValue;
    private final Finding finding;

    private Decision(PairedRatio ratio, Direction direction, double margin, double level, OptionalDouble pValue) {
        this.ratio = ratio;
        this.direction = Objects.requireNonNull(direction, "direction");
        this.margin = margin;
        this.level = level;
        this.pValue = pValue;
        this.finding = decide();
    }

    /**
     * Decides on one metric alone, the primary one that was named before the run.
     *
     * @param ratio target / baseline
     * @param margin the difference below which nobody cares, at least 0 and less than 1: 0.01 is 1 %
     */
    static Decision of(PairedRatio ratio, Direction direction, double margin) {
        return new Decision(ratio, direction, requireMargin(margin), ConfidenceInterval.USUAL_LEVEL, ratio.tTestP());
    }

    /**
     * Decides on several metrics together, the secondary ones: {@code directions.get(i)} belongs to {@code ratios.get(i)},
     * and so does the i-th decision. Metrics with one pair cannot be tested and do not count among those adjusted for.
     */
    static List<Decision> family(List<PairedRatio> ratios, List<Direction> directions, double margin) {
        requireMargin(margin);
        if (ratios.size() != directions.size()) {
            throw new IllegalArgumentException(
                    "every ratio needs a direction, found " + ratios.size() + " and " + directions.size());
        }
        double[] pValues = ratios.stream()
                .filter(ratio -> ratio.pairs() > 1)
                .mapToDouble(ratio -> ratio.tTestP().orElseThrow())
                .toArray();
        double[] adjusted = Holm.adjust(pValues);
        double level = 1 - ALPHA / Math.max(1, pValues.length);
        List<Decision> decisions = new ArrayList<>();
        int tested = 0;
        for (int i = 0; i < ratios.size(); i++) {
            PairedRatio ratio = ratios.get(i);
            OptionalDouble pValue = ratio.pairs() > 1 ? OptionalDouble.of(adjusted[tested++]) : OptionalDouble.empty();
            decisions.add(new Decision(ratio, directions.get(i), margin, level, pValue));
        }
        return decisions;
    }

    private static double requireMargin(double margin) {
        if (!(margin >= 0 && margin < 1)) {
            throw new IllegalArgumentException("margin must be at least 0 and less than 1, is " + margin);
        }
        return margin;
    }

    private Finding decide() {
        if (ratio.pairs() < 2) {
            return Finding.INCONCLUSIVE;
        }
        ConfidenceInterval noDifference = ConfidenceInterval.of(1 / (1 + margin), 1 + margin, level);
        if (pValue.orElseThrow() < ALPHA && !noDifference.contains(ratio.ratio()) && isBacked(noDifference)) {
            boolean lower = ratio.ratio() < 1;
            return lower == (direction == Direction.LOWER_IS_BETTER) ? Finding.BETTER : Finding.WORSE;
        }
        return interval().orElseThrow().within(noDifference) ? Finding.EQUIVALENT : Finding.INCONCLUSIVE;
    }

    private boolean isBacked(ConfidenceInterval noDifference) {
        if (ratio.pairs() >= FULL_PAIRS) {
            return ratio.signFlipP().orElseThrow() < ALPHA;
        }
        ConfidenceInterval sure = ratio.interval(FEW_PAIRS_LEVEL).orElseThrow();
        return sure.low() > noDifference.high() || sure.high() < noDifference.low();
    }

    public Finding finding() {
        return finding;
    }

    /** Returns the estimate, target / baseline, with all its figures. */
    PairedRatio ratio() {
        return ratio;
    }

    public Direction direction() {
        return direction;
    }

    public double margin() {
        return margin;
    }

    /** Returns the interval of the ratio, of 95 % or, in a family, of the adjusted level; absent with one pair. */
    public Optional<ConfidenceInterval> interval() {
        return ratio.interval(level);
    }

    /** Returns the p-value of the t-test, in a family the adjusted one; absent with one pair. */
    public OptionalDouble pValue() {
        return pValue;
    }

    /** Says whether there are fewer than six pairs, so that the verdict is a hint. */
    public boolean indicative() {
        return ratio.pairs() < FULL_PAIRS;
    }

    /**
     * Returns about how many more launch pairs an inconclusive comparison needs; absent with another verdict. With one
     * pair it is what is missing to six. Otherwise it is taken from the standard deviation s of the pairs so far, with the
     * smallest n of six or more for which an interval of n pairs is narrow enough to decide with a probability of 80 %:
     * (t(1 - alpha / 2) + t(power)) s / sqrt(n) at most d, if the difference is as it looks. Where the estimate lies outside
     * the margin, d is its distance from 1 and the power 0.8, to show a difference; and t(power) s / sqrt(n) must be at most
     * its distance from the margin, for the estimate to stay outside. Where it lies within, d is its distance from the
     * nearer edge of the margin and the power 0.9, to show that all of the interval is within. Close to an edge that takes
     * many pairs, whatever they would show. The deviation of a few pairs is itself uncertain, hence "about". Never more
     * than {@link #MOST_MORE_PAIRS}; {@link #morePairsCapped} says when it would have been.
     */
    public OptionalInt morePairs() {
        if (finding != Finding.INCONCLUSIVE) {
            return OptionalInt.empty();
        }
        return OptionalInt.of(Math.min(neededPairs() - ratio.pairs(), MOST_MORE_PAIRS));
    }

    /** Says whether more pairs than {@link #MOST_MORE_PAIRS} would be needed: launches vary too much for this margin. */
    public boolean morePairsCapped() {
        return finding == Finding.INCONCLUSIVE && neededPairs() - ratio.pairs() > MOST_MORE_PAIRS;
    }

    private int neededPairs() {
        int least = Math.max(FULL_PAIRS, ratio.pairs() + 1);
        if (ratio.pairs() < 2) {
            return least;
        }
        double distance = Math.abs(ratio.logRatio());
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

    /** Returns the verdict for people, for example {@code better (indicative)} or {@code inconclusive, about 4 more launches}. */
    public String text() {
        StringBuilder text = new StringBuilder(finding.key());
        morePairs().ifPresent(more -> text.append(morePairsCapped() ? ", more than " : ", about ")
                .append(more)
                .append(more == 1 ? " more launch" : " more launches"));
        if (indicative() && finding != Finding.INCONCLUSIVE) {
            text.append(" (indicative)");
        }
        return text.toString();
    }

    @Override
    public String toString() {
        return text() + ", ratio " + ratio;
    }
}
