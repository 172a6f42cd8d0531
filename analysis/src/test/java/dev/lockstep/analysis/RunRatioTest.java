package dev.lockstep.analysis;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.lockstep.results.Verdict.Finding;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

final class RunRatioTest {
    /** Hours of extra sleep, Student, Biometrika 6 (1908); R has them as {@code sleep}. */
    private static final RunSample FIRST = RunSample.of(0.7, -1.6, -0.2, -1.2, -0.1, 3.4, 3.7, 0.8, 0.0, 2.0);

    private static final RunSample SECOND = RunSample.of(1.9, 0.8, 1.1, 0.1, -0.1, 4.4, 5.5, 1.6, 4.6, 3.4);

    /** As R prints of t.test(extra ~ group, data = sleep). */
    @Test
    void isWelchsTestWhereNobodyKnowsHowMuchDaysDiffer() {
        RunRatio ratio = RunRatio.of(FIRST, SECOND);

        assertEquals(1.58, Math.log(ratio.ratio()), 1e-12);
        assertEquals(17.776, ratio.degreesOfFreedom(), 5e-4);
        assertEquals(0.07939, ratio.pValue().orElseThrow(), 5e-6);
        ConfidenceInterval interval = ratio.interval(0.95).orElseThrow();
        assertEquals(-0.2054832, Math.log(interval.low()), 5e-8);
        assertEquals(3.3654832, Math.log(interval.high()), 5e-8);
        assertFalse(ratio.indicative());
    }

    @Test
    void saysNothingOfOneLaunch() {
        RunRatio ratio = RunRatio.of(RunSample.of(0.0), RunSample.of(1.0, 1.1, 0.9));

        assertTrue(ratio.interval(0.95).isEmpty());
        assertTrue(ratio.pValue().isEmpty());
        assertEquals(Finding.INCONCLUSIVE, ratio.finding(Direction.LOWER_IS_BETTER, 0.01, 0.95));
    }

    /**
     * By hand: s^2 of 0, 0.01 and 0.02 is 1e-4, with two degrees of freedom; the median of chi-squared with two is 2 ln
     * 2. Launches explain 0.001^2 / 2 of it, the least there is.
     */
    @Test
    void takesTheDeviationFromDayToDayAsItsMedianEstimate() {
        DayDeviation days = days(RunSample.of(0, 0), RunSample.of(0.01, 0.01), RunSample.of(0.02, 0.02));

        assertEquals(2e-4 / (2 * Math.log(2)) - 1e-6 / 2, days.variance(), 1e-12);
        assertEquals(2, days.degreesOfFreedom());
        assertEquals(3, days.runs());
    }

    @Test
    void takesTheDeviationWithinGroupsOfRunsThatAreAlike() {
        DayDeviation days = DayDeviation.of(List.of(
                        List.of(RunSample.of(0), RunSample.of(0.02)),
                        List.of(RunSample.of(1), RunSample.of(1.02)),
                        List.of(RunSample.of(7))))
                .orElseThrow();

        // 2e-4 in each group, over the median of chi-squared with two degrees of freedom.
        assertEquals(4e-4 / (2 * Math.log(2)), days.variance(), 1e-12);
        assertEquals(4, days.runs());
        assertTrue(DayDeviation.of(List.of(List.of(FIRST), List.of(SECOND))).isEmpty());
    }

    /** By hand: 1.5 times the day's variance and no other, so Student's t with two degrees of freedom. */
    @Test
    void predictsANewRunOfOneLaunchFromEarlierOnesOfOneLaunch() {
        List<RunSample> earlier = List.of(RunSample.of(0), RunSample.of(0.01), RunSample.of(0.02));
        DayDeviation days = DayDeviation.of(List.of(earlier)).orElseThrow();

        RunRatio ratio = RunRatio.of(earlier, RunSample.of(0.1), days);

        assertEquals(0.09, Math.log(ratio.ratio()), 1e-12);
        assertEquals(2, ratio.degreesOfFreedom(), 1e-9);
        double error = Math.sqrt(2e-4 / (2 * Math.log(2)) * (1 + 1.0 / 3));
        assertEquals(
                0.09 - 4.302652729911275 * error,
                Math.log(ratio.interval(0.95).orElseThrow().low()),
                1e-9);
        assertTrue(ratio.indicative(), "three earlier runs");
    }

    @Test
    void letsOtherRunsSayHowMuchLaunchesDifferWhereARunHasOne() {
        List<RunSample> earlier = List.of(RunSample.of(0, 0.02), RunSample.of(0, 0.02), RunSample.of(0.001, 0.021));
        DayDeviation days = DayDeviation.of(List.of(earlier)).orElseThrow();

        double one = width(RunRatio.of(earlier, RunSample.of(0.01), days));
        double four = width(RunRatio.of(earlier, RunSample.of(0, 0.02, 0, 0.02), days));

        assertTrue(one > 1.3 * four, one + " and " + four);
    }

    @Test
    void callsAFewLaunchesWorseOnlyWhereAllOfAWiderIntervalIs() {
        RunSample before = RunSample.of(0, 0.01, -0.01);
        RunRatio near = RunRatio.of(before, RunSample.of(0.035, 0.045, 0.025));
        RunRatio far = RunRatio.of(before, RunSample.of(0.10, 0.11, 0.09));

        assertFalse(near.interval(0.95).orElseThrow().contains(1));
        assertEquals(Finding.INCONCLUSIVE, near.finding(Direction.LOWER_IS_BETTER, 0.01, 0.95));
        assertEquals(Finding.WORSE, far.finding(Direction.LOWER_IS_BETTER, 0.01, 0.95));
        assertEquals(Finding.BETTER, far.finding(Direction.HIGHER_IS_BETTER, 0.01, 0.95));
    }

    @Test
    void findsEquivalenceWithinTheMarginAndNoDifferenceWithinIt() {
        double[] same = {0, 0.001, -0.001, 0.001, 0, -0.001};
        double[] slightlyMore = Arrays.stream(same).map(value -> value + 0.006).toArray();
        RunRatio ratio = RunRatio.of(RunSample.of(same), RunSample.of(slightlyMore));

        assertFalse(ratio.interval(0.95).orElseThrow().contains(1));
        assertEquals(Finding.EQUIVALENT, ratio.finding(Direction.LOWER_IS_BETTER, 0.01, 0.95));
    }

    private static DayDeviation days(RunSample... runs) {
        return DayDeviation.of(List.of(Arrays.asList(runs))).orElseThrow();
    }

    private static double width(RunRatio ratio) {
        ConfidenceInterval interval = ratio.interval(0.95).orElseThrow();
        return Math.log(interval.high() / interval.low());
    }
}
