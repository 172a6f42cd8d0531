package dev.lockstep.analysis;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.lockstep.results.Verdict.Finding;
import java.util.Arrays;
import java.util.OptionalInt;
import org.junit.jupiter.api.Test;

class DecisionTest {
    private static final double MARGIN = 0.01;

    @Test
    void callsLessCpuBetterAndLessThroughputWorse() {
        PairedRatio less = TestingPairs.of(-0.051, -0.048, -0.055, -0.049, -0.052, -0.050);

        assertEquals(Finding.BETTER, decide(less, Direction.LOWER_IS_BETTER).finding());
        assertEquals(Finding.WORSE, decide(less, Direction.HIGHER_IS_BETTER).finding());
        assertEquals(
                OptionalInt.empty(), decide(less, Direction.LOWER_IS_BETTER).morePairs());
    }

    @Test
    void callsADifferenceThatIsSurelyBelowTheMarginEquivalentEvenWhereItIsSignificant() {
        PairedRatio little = TestingPairs.of(0.0041, 0.0038, 0.0045, 0.0039, 0.0042, 0.0040);

        assertTrue(little.pValue().orElseThrow() < 0.001);
        assertEquals(
                Finding.EQUIVALENT, decide(little, Direction.LOWER_IS_BETTER).finding());
    }

    @Test
    void takesTheMarginAlikeInBothDirections() {
        double edge = Math.log(1.01);

        for (double sign : new double[] {1, -1}) {
            // The interval of six pairs that are all alike ends 0.00105 further out.
            PairedRatio inside = TestingPairs.of(same(sign * (edge - 0.00106)));
            PairedRatio between = TestingPairs.of(same(sign * (edge - 0.00104)));
            PairedRatio outside = TestingPairs.of(same(sign * (edge + 1e-6)));
            assertEquals(
                    Finding.INCONCLUSIVE,
                    decide(between, Direction.LOWER_IS_BETTER).finding());
            assertEquals(
                    Finding.EQUIVALENT,
                    decide(inside, Direction.LOWER_IS_BETTER).finding());
            assertEquals(
                    sign > 0 ? Finding.WORSE : Finding.BETTER,
                    decide(outside, Direction.LOWER_IS_BETTER).finding());
        }
    }

    @Test
    void decidesNothingWithOnePairAndAsksForSix() {
        Decision decision = decide(TestingPairs.of(-0.2), Direction.LOWER_IS_BETTER);

        assertEquals(Finding.INCONCLUSIVE, decision.finding());
        assertTrue(decision.indicative());
        assertTrue(decision.interval().isEmpty());
        assertTrue(decision.pValue().isEmpty());
        assertEquals(OptionalInt.of(5), decision.morePairs());
    }

    @Test
    void saysThatAVerdictFromFewerThanSixPairsIsIndicative() {
        Decision decision = decide(TestingPairs.of(-0.051, -0.050, -0.052), Direction.LOWER_IS_BETTER);

        assertEquals(Finding.BETTER, decision.finding());
        assertTrue(decision.indicative());
        assertFalse(
                decide(TestingPairs.of(same(0.1)), Direction.LOWER_IS_BETTER).indicative());
    }

    @Test
    void demandsOfFewPairsThatTheWholeIntervalLiesOutsideTheMargin() {
        // The interval is 1.0025 to 1.0361: without 1, and partly within the margin.
        PairedRatio three = TestingPairs.of(0.0115, 0.0200, 0.0250);
        PairedRatio six = TestingPairs.of(0.0115, 0.0200, 0.0250, 0.0115, 0.0200, 0.0250);

        assertTrue(three.interval().orElseThrow().low() > 1);
        assertEquals(
                Finding.INCONCLUSIVE, decide(three, Direction.LOWER_IS_BETTER).finding());
        assertEquals(Finding.WORSE, decide(six, Direction.LOWER_IS_BETTER).finding());
    }

    @Test
    void demandsOfSixPairsThatAllPointTheSameWay() {
        // t-test p 0.015, sign-flip p 0.0625.
        PairedRatio mixed = TestingPairs.of(0.05, 0.06, 0.055, 0.04, 0.045, -0.002);

        assertTrue(mixed.pValue().orElseThrow() < 0.05);
        assertEquals(0.0625, mixed.signFlipP().orElseThrow(), 1e-12);
        assertEquals(
                Finding.INCONCLUSIVE, decide(mixed, Direction.LOWER_IS_BETTER).finding());
    }

    @Test
    void asksForMorePairsTheMoreTheyVary() {
        int few =
                decide(alternating(0.01), Direction.LOWER_IS_BETTER).morePairs().orElseThrow();
        int more =
                decide(alternating(0.02), Direction.LOWER_IS_BETTER).morePairs().orElseThrow();
        Decision endless = decide(alternating(0.2), Direction.LOWER_IS_BETTER);

        assertTrue(0 < few && few < more && more < Decision.MOST_MORE_PAIRS, few + " and " + more);
        assertEquals(OptionalInt.of(Decision.MOST_MORE_PAIRS), endless.morePairs());
    }

    @Test
    void asksForMorePairsTheNearerTheEstimateIsToTheMargin() {
        TestingNoise noise = new TestingNoise(TestingNoise.SEED);
        double deviation = 0.003;
        int few = decide(scaled(noise, 3, 0, 0.01), Direction.LOWER_IS_BETTER)
                .morePairs()
                .orElseThrow();
        // 1.0098 and 1.0102: neither can soon be told from 1.01.
        for (double ratio : new double[] {1.0098, 1.0102}) {
            Decision near = decide(scaled(noise, 3, Math.log(ratio), deviation), Direction.LOWER_IS_BETTER);

            assertEquals(Finding.INCONCLUSIVE, near.finding());
            assertTrue(near.morePairs().orElseThrow() > few, "ratio " + ratio);
            assertEquals(Decision.MOST_MORE_PAIRS, near.morePairs().orElseThrow(), "ratio " + ratio);
        }
    }

    @Test
    void asksForAsManyPairsAsThenDecideInFourOfFive() {
        TestingNoise noise = new TestingNoise(TestingNoise.SEED);
        for (double difference : new double[] {0, 0.03}) {
            double deviation = 0.0171;
            PairedRatio first = scaled(noise, 6, difference, deviation);
            // What the observed deviation asks for is right for a true deviation of that size.
            int pairs = 6 + decide(first, Direction.LOWER_IS_BETTER).morePairs().orElse(0);
            int decided = 0;
            for (int i = 0; i < 400; i++) {
                PairedRatio next = TestingPairs.of(normal(noise, pairs, difference, deviation));
                decided += decide(next, Direction.LOWER_IS_BETTER).finding() == Finding.INCONCLUSIVE ? 0 : 1;
            }
            assertTrue(decided > 0.72 * 400, decided + " of 400 with " + pairs + " pairs, seed " + TestingNoise.SEED);
        }
    }

    /** Holm's steps called the second of two metrics better beside an interval that held 1. */
    @Test
    void claimsNothingThatItsIntervalDoesNotShow() {
        // Alone, p is 0.03: better.
        PairedRatio weak = TestingPairs.of(-0.005, -0.06, -0.01, -0.07, -0.02, -0.05);
        Decision alone = decide(weak, Direction.LOWER_IS_BETTER);
        assertEquals(Finding.BETTER, alone.finding());

        Decision besideFour = Decision.of(weak, Direction.LOWER_IS_BETTER, MARGIN, 0.99);
        assertEquals(Finding.INCONCLUSIVE, besideFour.finding());
        assertTrue(besideFour.interval().orElseThrow().contains(1));
        assertEquals(5 * alone.pValue().orElseThrow(), besideFour.pValue().orElseThrow(), 1e-12);
        assertTrue(besideFour.interval().orElseThrow().toString().endsWith(" (99 %)"));
    }

    @Test
    void claimsNoDifferenceThatASecondInstanceOfTheBaselineShowsToo() {
        PairedRatio less = TestingPairs.of(-0.051, -0.048, -0.055, -0.049, -0.052, -0.050);
        PairedRatio biased = TestingPairs.of(-0.045, -0.048, -0.040, -0.049, -0.052, -0.046);
        PairedRatio calm = TestingPairs.of(-0.001, 0.002, 0.001, -0.003, 0.001, -0.002);
        Decision decision = decide(less, Direction.LOWER_IS_BETTER);

        Decision held = decision.above(NoiseFloor.ofPairs(biased, 6).orElseThrow());
        assertEquals(Finding.INCONCLUSIVE, held.finding());
        assertEquals(OptionalInt.empty(), held.morePairs(), "more launches change nothing of that");
        assertEquals(
                Finding.BETTER,
                decision.above(NoiseFloor.ofPairs(calm, 6).orElseThrow()).finding());
        Decision smaller =
                decide(TestingPairs.of(-0.031, -0.028, -0.035, -0.029, -0.032, -0.030), Direction.LOWER_IS_BETTER);
        assertEquals(
                Finding.INCONCLUSIVE,
                smaller.above(NoiseFloor.ofPairs(biased, 6).orElseThrow()).finding(),
                "the baseline itself showed more");
    }

    @Test
    void callsNothingBetterThatDied() {
        PairedRatio less = TestingPairs.of(-0.051, -0.048, -0.055, -0.049, -0.052, -0.050);
        Decision better = decide(less, Direction.LOWER_IS_BETTER);
        Decision worse = decide(less, Direction.HIGHER_IS_BETTER);

        assertEquals(Finding.INCONCLUSIVE, better.survived(false, true).finding());
        assertEquals(Finding.BETTER, better.survived(true, false).finding());
        assertEquals(Finding.WORSE, worse.survived(false, true).finding());
        assertEquals(Finding.INCONCLUSIVE, worse.survived(true, false).finding());
        assertEquals(OptionalInt.empty(), better.survived(false, true).morePairs());
    }

    @Test
    void refusesMarginsThatAreNone() {
        PairedRatio ratio = TestingPairs.of(0.1, 0.2);
        for (double margin : new double[] {-0.01, 1, Double.NaN}) {
            assertThrows(
                    IllegalArgumentException.class, () -> Decision.of(ratio, Direction.LOWER_IS_BETTER, margin, 0.95));
        }
    }

    private static Decision decide(PairedRatio ratio, Direction direction) {
        return Decision.of(ratio, direction, MARGIN, 0.95);
    }

    private static double[] normal(TestingNoise noise, int pairs, double difference, double deviation) {
        double[] values = new double[pairs];
        for (int i = 0; i < pairs; i++) {
            values[i] = difference + noise.normal(deviation);
        }
        return values;
    }

    /** Returns pairs whose observed mean and deviation are exactly these. */
    private static PairedRatio scaled(TestingNoise noise, int pairs, double mean, double deviation) {
        double[] values = normal(noise, pairs, 0, 1);
        double observed = Sample.mean(values);
        double spread = Sample.standardDeviation(values);
        for (int i = 0; i < pairs; i++) {
            values[i] = mean + deviation * (values[i] - observed) / spread;
        }
        return TestingPairs.of(values);
    }

    private static PairedRatio alternating(double distance) {
        return TestingPairs.of(distance, -distance, distance, -distance, distance, -distance);
    }

    private static double[] same(double value) {
        double[] values = new double[6];
        Arrays.fill(values, value);
        return values;
    }
}
