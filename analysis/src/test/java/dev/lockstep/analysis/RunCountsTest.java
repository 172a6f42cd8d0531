package dev.lockstep.analysis;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.lockstep.results.Verdict.Finding;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;

final class RunCountsTest {
    private static RunCounts.Run run(long... events) {
        long[] of = new long[events.length];
        Arrays.fill(of, 1000);
        return RunCounts.Run.of(events, of);
    }

    /** As R prints of binom.test(10, 12): p-value 0.03857, interval 0.5158623 to 0.9791375. */
    @Test
    void isTheExactTestOfHowManyOfAllEventsAreTheRuns() {
        RunCounts counts = RunCounts.of(List.of(run(1, 1)), run(5, 5));

        assertEquals(5, counts.ratio(), 1e-12);
        assertEquals(0.03857, counts.pValue().orElseThrow(), 5e-6);
        assertEquals(
                0.5158623 / (1 - 0.5158623), counts.interval(0.95).orElseThrow().low(), 1e-5);
        assertEquals(
                0.9791375 / (1 - 0.9791375), counts.interval(0.95).orElseThrow().high(), 1e-2);
        assertEquals(Finding.INCONCLUSIVE, counts.finding(0.01, 0.95), "two launches are a hint");
    }

    @Test
    void takesAHundredErrorsOfOneLaunchForOneAccident() {
        RunCounts together = RunCounts.of(List.of(run(0, 0, 1, 0, 0, 0)), run(0, 100, 0, 0, 0, 0));
        RunCounts apart = RunCounts.of(List.of(run(0, 0, 1, 0, 0, 0)), run(17, 16, 18, 17, 15, 17));

        assertEquals(Finding.INCONCLUSIVE, together.finding(0.01, 0.95));
        // Two events at their dispersion of 50, and not 100.
        assertTrue(together.pValue().orElseThrow() > 0.3, together.pValue()::toString);
        assertEquals(Finding.WORSE, apart.finding(0.01, 0.95));
    }

    /** Of which nobody knows whether they were one accident. */
    @Test
    void decidesNothingByTheErrorsOfASingleLaunch() {
        for (RunCounts counts : List.of(
                RunCounts.of(List.of(run(0)), run(40)),
                RunCounts.of(List.of(run(0, 0, 0, 0, 0, 0)), run(40)),
                RunCounts.of(List.of(run(40)), run(0, 0, 0, 0, 0, 0)))) {
            assertEquals(Finding.INCONCLUSIVE, counts.finding(0.01, 0.95));
            assertTrue(counts.interval(0.95).isEmpty() && counts.pValue().isEmpty());
        }
    }

    @Test
    void takesASingleLaunchForBrokenInWhichMoreFailedThanInAnAccident() {
        RunCounts counts = RunCounts.of(List.of(run(0)), run(60));

        assertEquals(Finding.WORSE, counts.finding(0.01, 0.95));
        RunCounts asEver = RunCounts.of(List.of(run(60)), run(72));
        assertEquals(Finding.INCONCLUSIVE, asEver.finding(0.01, 0.95));
        RunCounts better = RunCounts.of(List.of(run(160)), run(20));
        assertEquals(Finding.INCONCLUSIVE, better.finding(0.01, 0.95), "an accident of the baseline's");
    }

    /** As of a history with a launch a night. */
    @Test
    void takesTheFirstErrorsOfASingleLaunchForAnAccidentUntilSevenRunsHadNone() {
        List<RunCounts.Run> six = Collections.nCopies(6, run(0));

        for (RunCounts counts :
                List.of(RunCounts.of(six, run(40)), RunCounts.of(List.of(run(0), run(1), run(0)), run(40)))) {
            assertEquals(Finding.INCONCLUSIVE, counts.finding(0.01, 0.95));
            assertTrue(counts.interval(0.95).isEmpty() && counts.pValue().isEmpty());
        }
        assertEquals(
                Finding.WORSE,
                RunCounts.of(Collections.nCopies(7, run(0)), run(40)).finding(0.01, 0.95));
        assertEquals(Finding.WORSE, RunCounts.of(six, run(20, 20)).finding(0.01, 0.95), "they did not come together");
        assertEquals(Finding.WORSE, RunCounts.of(six, run(60)).finding(0.01, 0.95), "no accident");
    }

    @Test
    void takesWhatEarlierRunsDifferByForChance() {
        List<RunCounts.Run> steady = List.of(run(5), run(5), run(5), run(5), run(5), run(5));
        List<RunCounts.Run> uneven = List.of(run(0), run(25), run(0), run(0), run(5), run(0));

        assertEquals(Finding.WORSE, RunCounts.of(steady, run(25)).finding(0.01, 0.95));
        assertEquals(Finding.INCONCLUSIVE, RunCounts.of(uneven, run(25)).finding(0.01, 0.95));
    }

    @Test
    void knowsNoHighestRatioWhereOnlyTheRunHasEvents() {
        RunCounts counts = RunCounts.of(List.of(run(0, 0)), run(3, 3));

        assertEquals(Double.POSITIVE_INFINITY, counts.ratio());
        assertEquals(
                Double.POSITIVE_INFINITY, counts.interval(0.95).orElseThrow().high());
        assertTrue(counts.interval(0.95).orElseThrow().low() > 1);
    }
}
