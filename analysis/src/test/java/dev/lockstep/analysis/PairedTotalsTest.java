package dev.lockstep.analysis;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

class PairedTotalsTest {
    private static final double[] SOME = {5, 0, 7, 4, 6, 8};
    private static final double[] MORE = {10, 9, 12, 8, 11, 14};

    @Test
    void dividesTheSumsAndLosesNoZero() {
        PairedTotals totals = PairedTotals.of(SOME, MORE);

        assertEquals(6, totals.pairs());
        assertEquals(30 / 64.0, totals.ratio(), 1e-12);
        assertTrue(totals.bootstrapInterval().isEmpty());
    }

    /** Fieller's interval ends where the t-test of B - r A begins to refuse r. */
    @Test
    void endsWhereTheTestBeginsToRefuse() {
        ConfidenceInterval interval = PairedTotals.of(SOME, MORE).interval(0.95).orElseThrow();
        for (double end : new double[] {interval.low(), interval.high()}) {
            double[] rests = new double[SOME.length];
            for (int i = 0; i < rests.length; i++) {
                rests[i] = SOME[i] - end * MORE[i];
            }
            double t = Sample.mean(rests) / (Sample.standardDeviation(rests) / Math.sqrt(rests.length));
            assertEquals(2.570582, Math.abs(t), 1e-5, "at " + end);
        }
        assertTrue(interval.contains(30 / 64.0));
    }

    @Test
    void boundsARatioNowhereWhereTheBaselineMayAsWellHaveNothing() {
        double[] once = {0, 0, 0, 100, 0, 0};
        assertTrue(Double.isInfinite(
                PairedTotals.of(SOME, once).interval(0.95).orElseThrow().high()));
        assertEquals(0, PairedTotals.of(once, SOME).interval(0.95).orElseThrow().low());
    }

    @Test
    void knowsHowMuchNothingSeenInSixLaunchesSays() {
        double[] none = new double[6];
        ConfidenceInterval less = PairedTotals.of(none, MORE).interval(0.95).orElseThrow();
        ConfidenceInterval more = PairedTotals.of(MORE, none).interval(0.95).orElseThrow();

        // Clopper and Pearson: 0 of 6 is at most 0.459.
        assertEquals(0, less.low());
        assertEquals(0.459258, less.high(), 1e-5);
        assertEquals(1 / 0.459258, more.low(), 1e-4);
        assertTrue(Double.isInfinite(more.high()));
        double[] once = {0, 0, 0, 100, 0, 0};
        assertTrue(PairedTotals.of(none, once).interval(0.95).orElseThrow().contains(1));
        assertTrue(PairedTotals.of(once, none).interval(0.95).orElseThrow().contains(1));
    }

    @Test
    void agreesWithTheTestOfTheDifferences() {
        TestingNoise noise = new TestingNoise(TestingNoise.SEED);
        for (int i = 0; i < 500; i++) {
            double[] target = new double[2 + noise.below(7)];
            double[] baseline = new double[target.length];
            for (int pair = 0; pair < target.length; pair++) {
                target[pair] = noise.below(3) == 0 ? 0 : noise.uniform(0.5, 2);
                baseline[pair] = noise.uniform(0.2, 2);
            }
            PairedTotals totals = PairedTotals.of(target, baseline);
            if (!totals.interval(0.95).orElseThrow().contains(1)) {
                assertTrue(totals.pValue().orElseThrow() < 0.05, totals + ", seed " + TestingNoise.SEED);
            }
        }
    }

    @Test
    void refusesNothingAtAllAndLessThanNothing() {
        assertThrows(IllegalArgumentException.class, () -> PairedTotals.of(new double[2], new double[2]));
        assertThrows(IllegalArgumentException.class, () -> PairedTotals.of(new double[] {-1}, new double[] {1}));
        assertThrows(IllegalArgumentException.class, () -> PairedTotals.of(new double[] {1}, new double[] {1, 2}));
        assertThrows(IllegalArgumentException.class, () -> PairedTotals.of(new double[0], new double[0]));
    }
}
