package dev.lockstep.analysis;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.lockstep.results.Verdict.Finding;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class PairedCountsTest {
    /** The example of R's {@code poisson.test(c(11, 6 + 8 + 7), c(800, 1083 + 1050 + 878))}. */
    @Test
    void givesTheIntervalOfRForTwoRates() {
        PairedCounts counts = PairedCounts.of(List.of(PairedCounts.Pair.of(11, 800, 21, 3011)));

        assertEquals(1.971488, counts.ratio(), 1e-6);
        ConfidenceInterval exact = PairedCounts.exactInterval(11, 800, 21, 3011, 0.95);
        assertEquals(0.8584264, exact.low(), 1e-6);
        assertEquals(4.2772659, exact.high(), 1e-6);
        assertTrue(counts.interval(0.95).isEmpty(), "one launch says nothing of the next");
        assertTrue(counts.pValue().isEmpty());
    }

    @Test
    void decidesNothingByOneCollectionInEachLaunch() {
        PairedCounts counts = counts(new long[] {1, 1, 1, 1, 1, 1}, new long[] {1, 1, 1, 1, 1, 1}, 1);

        assertEquals(1, counts.ratio());
        assertEquals(1, counts.pValue().orElseThrow());
        ConfidenceInterval interval = counts.interval(0.95).orElseThrow();
        assertTrue(interval.low() < 0.3 && interval.high() > 3.5, interval.toString());
        assertEquals(Finding.INCONCLUSIVE, decide(counts));
    }

    @Test
    void countsLaunchesWithoutACollection() {
        assertEquals(
                Finding.BETTER, decide(counts(new long[] {0, 0, 0, 0, 5, 6}, new long[] {9, 10, 11, 10, 10, 10}, 1)));
        // The other two alone would be alike.
        assertEquals(
                Finding.INCONCLUSIVE, decide(counts(new long[] {0, 0, 0, 0, 1, 1}, new long[] {1, 1, 1, 1, 1, 1}, 1)));
    }

    @Test
    void findsErrorsOfOneSideOnly() {
        PairedCounts worse = counts(new long[] {9, 11, 8, 7, 10, 9}, new long[] {0, 0, 0, 0, 0, 0}, 1_000);
        assertEquals(Double.POSITIVE_INFINITY, worse.ratio());
        ConfidenceInterval interval = worse.interval(0.95).orElseThrow();
        assertTrue(interval.low() > 1 && Double.isInfinite(interval.high()), interval.toString());
        assertEquals(Finding.WORSE, decide(worse));

        PairedCounts better = counts(new long[] {0, 0, 0, 0, 0, 0}, new long[] {9, 11, 8, 7, 10, 9}, 1_000);
        assertEquals(0, better.ratio());
        assertEquals(Finding.BETTER, decide(better));
        assertEquals(54, better.baseline());
    }

    @Test
    void takesAllErrorsOfOneLaunchForOneAccident() {
        long[] burst = {0, 0, 0, 100, 0, 0, 0, 0, 0, 0, 0, 0};
        long[] none = new long[12];
        for (PairedCounts counts : List.of(counts(burst, none, 1_000), counts(none, burst, 1_000))) {
            assertEquals(Finding.INCONCLUSIVE, decide(counts));
            assertTrue(counts.interval(0.95).orElseThrow().contains(1), counts + ": " + counts.interval(0.95));
            assertTrue(counts.pValue().orElseThrow() > 0.3);
        }
    }

    @Test
    void refusesWhatIsNoCount() {
        assertThrows(IllegalArgumentException.class, () -> PairedCounts.Pair.of(-1, 1, 0, 1));
        assertThrows(IllegalArgumentException.class, () -> PairedCounts.Pair.of(1, 0, 0, 1));
        assertThrows(IllegalArgumentException.class, () -> PairedCounts.of(List.of()));
        assertThrows(IllegalArgumentException.class, () -> counts(new long[2], new long[2], 1));
    }

    private static Finding decide(PairedCounts counts) {
        return Decision.of(counts, Direction.LOWER_IS_BETTER, 0.01, 0.95).finding();
    }

    static PairedCounts counts(long[] target, long[] baseline, double of) {
        List<PairedCounts.Pair> pairs = new ArrayList<>();
        for (int i = 0; i < target.length; i++) {
            pairs.add(PairedCounts.Pair.of(target[i], of, baseline[i], of));
        }
        return PairedCounts.of(pairs);
    }
}
