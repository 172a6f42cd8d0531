package dev.lockstep.analysis;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.lockstep.measurement.Verdict.Finding;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.OptionalInt;
import org.junit.jupiter.api.Test;

class DecisionTest {
    private static final int EXPERIMENTS = 2_000;
    private static final double MARGIN = Decision.USUAL_MARGIN;

    @Test
    void callsLessCpuBetterAndLessThroughputWorse() {
        PairedRatio less = PairedRatio.ofPairs(-0.051, -0.048, -0.055, -0.049, -0.052, -0.050);

        assertEquals(Finding.BETTER, decide(less, Direction.LOWER_IS_BETTER).finding());
        assertEquals(Finding.WORSE, decide(less, Direction.HIGHER_IS_BETTER).finding());
        assertEquals("better", decide(less, Direction.LOWER_IS_BETTER).text());
        assertEquals(
                OptionalInt.empty(), decide(less, Direction.LOWER_IS_BETTER).morePairs());
    }

    @Test
    void callsADifferenceThatIsSurelyBelowTheMarginEquivalentEvenWhereItIsSignificant() {
        PairedRatio little = PairedRatio.ofPairs(0.0041, 0.0038, 0.0045, 0.0039, 0.0042, 0.0040);

        assertTrue(little.tTestP().orElseThrow() < 1e-6);
        assertEquals(
                Finding.EQUIVALENT, decide(little, Direction.LOWER_IS_BETTER).finding());
        assertEquals("equivalent", decide(little, Direction.LOWER_IS_BETTER).text());
    }

    @Test
    void takesTheMarginAlikeInBothDirections() {
        double edge = Math.log(1.01);

        for (double sign : new double[] {1, -1}) {
            PairedRatio inside = PairedRatio.ofPairs(same(6, sign * (edge - 1e-6)));
            PairedRatio outside = PairedRatio.ofPairs(same(6, sign * (edge + 1e-6)));
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
        Decision decision = decide(PairedRatio.ofPairs(-0.2), Direction.LOWER_IS_BETTER);

        assertEquals(Finding.INCONCLUSIVE, decision.finding());
        assertTrue(decision.indicative());
        assertTrue(decision.interval().isEmpty());
        assertTrue(decision.pValue().isEmpty());
        assertEquals(OptionalInt.of(5), decision.morePairs());
        assertEquals("inconclusive, about 5 more launches", decision.text());
    }

    @Test
    void saysThatAVerdictFromFewerThanSixPairsIsIndicative() {
        Decision decision = decide(PairedRatio.ofPairs(-0.051, -0.050, -0.052), Direction.LOWER_IS_BETTER);

        assertEquals("better (indicative)", decision.text());
        assertTrue(decision.indicative());
        assertFalse(decide(PairedRatio.ofPairs(same(6, 0.1)), Direction.LOWER_IS_BETTER)
                .indicative());
    }

    @Test
    void demandsOfFewPairsThatTheWholeIntervalLiesOutsideTheMargin() {
        // The interval is 1.0025 to 1.0361: without 1, and partly within the margin.
        PairedRatio three = PairedRatio.ofPairs(0.0115, 0.0200, 0.0250);
        PairedRatio six = PairedRatio.ofPairs(0.0115, 0.0200, 0.0250, 0.0115, 0.0200, 0.0250);

        assertTrue(three.interval().orElseThrow().low() > 1);
        assertEquals(
                Finding.INCONCLUSIVE, decide(three, Direction.LOWER_IS_BETTER).finding());
        assertEquals(Finding.WORSE, decide(six, Direction.LOWER_IS_BETTER).finding());
    }

    @Test
    void demandsOfSixPairsThatAllPointTheSameWay() {
        // t-test p 0.015, sign-flip p 0.0625.
        PairedRatio mixed = PairedRatio.ofPairs(0.05, 0.06, 0.055, 0.04, 0.045, -0.002);

        assertTrue(mixed.tTestP().orElseThrow() < 0.05);
        assertEquals(0.0625, mixed.signFlipP().orElseThrow(), 1e-12);
        assertEquals(
                Finding.INCONCLUSIVE, decide(mixed, Direction.LOWER_IS_BETTER).finding());
    }

    @Test
    void asksForMorePairsTheMoreTheyVary() {
        int few = decide(alternating(6, 0.01), Direction.LOWER_IS_BETTER)
                .morePairs()
                .orElseThrow();
        int more = decide(alternating(6, 0.02), Direction.LOWER_IS_BETTER)
                .morePairs()
                .orElseThrow();
        Decision endless = decide(alternating(6, 0.2), Direction.LOWER_IS_BETTER);

        assertTrue(0 < few && few < more && more < Decision.MOST_MORE_PAIRS, few + " and " + more);
        assertEquals(OptionalInt.of(Decision.MOST_MORE_PAIRS), endless.morePairs());
        assertTrue(endless.morePairsCapped());
        assertEquals("inconclusive, more than 100 more launches", endless.text());
    }

    @Test
    void asksForMorePairsTheNearerTheEstimateIsToTheMargin() {
        TestingNoise noise = new TestingNoise(TestingNoise.SEED);
        double deviation = 0.003;
        int few = Decision.of(scaled(noise, 3, 0, 0.01), Direction.LOWER_IS_BETTER, MARGIN)
                .morePairs()
                .orElseThrow();
        // 1.0098 and 1.0102: neither can soon be told from 1.01.
        for (double ratio : new double[] {1.0098, 1.0102}) {
            Decision near =
                    Decision.of(scaled(noise, 3, Math.log(ratio), deviation), Direction.LOWER_IS_BETTER, MARGIN);

            assertEquals(Finding.INCONCLUSIVE, near.finding());
            assertTrue(near.morePairs().orElseThrow() > few, ratio + ": " + near);
            assertEquals(Decision.MOST_MORE_PAIRS, near.morePairs().orElseThrow(), near.toString());
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
                PairedRatio next = PairedRatio.ofPairs(normal(noise, pairs, difference, deviation));
                decided += decide(next, Direction.LOWER_IS_BETTER).finding() == Finding.INCONCLUSIVE ? 0 : 1;
            }
            assertTrue(decided > 0.72 * 400, decided + " of 400 with " + pairs + " pairs, seed " + TestingNoise.SEED);
        }
    }

    @Test
    void claimsADifferenceInAtMostOneOfTwentyComparisonsOfATargetWithItself() {
        for (int pairs : new int[] {3, 6}) {
            for (double launchDeviation : new double[] {0.005, 0.01, 0.02, 0.05}) {
                for (boolean heavyTailed : new boolean[] {false, true}) {
                    int claimed = claimed(pairs, launchDeviation, heavyTailed);
                    assertTrue(
                            claimed <= 0.05 * EXPERIMENTS,
                            claimed + " with " + pairs + " pairs that vary by " + launchDeviation + ", heavy-tailed "
                                    + heavyTailed + ", seed " + TestingNoise.SEED);
                }
            }
        }
    }

    private static int claimed(int pairs, double launchDeviation, boolean heavyTailed) {
        TestingNoise noise = new TestingNoise(TestingNoise.SEED);
        int claimed = 0;
        for (int i = 0; i < EXPERIMENTS; i++) {
            Finding finding = decide(launches(noise, pairs, 0, launchDeviation, heavyTailed), Direction.LOWER_IS_BETTER)
                    .finding();
            claimed += finding == Finding.BETTER || finding == Finding.WORSE ? 1 : 0;
        }
        return claimed;
    }

    @Test
    void findsADifferenceOfFivePercentInNineOfTenRunsOfSixPairs() {
        for (boolean heavyTailed : new boolean[] {false, true}) {
            TestingNoise noise = new TestingNoise(TestingNoise.SEED);
            int found = 0;
            for (int i = 0; i < EXPERIMENTS; i++) {
                PairedRatio ratio = launches(noise, 6, Math.log(1.05), 0.01, heavyTailed);
                found += decide(ratio, Direction.LOWER_IS_BETTER).finding() == Finding.WORSE ? 1 : 0;
            }
            assertTrue(
                    found > 0.9 * EXPERIMENTS, found + ", heavy-tailed " + heavyTailed + ", seed " + TestingNoise.SEED);
        }
    }

    @Test
    void adjustsSecondaryMetricsAndWidensTheirIntervals() {
        List<PairedRatio> ratios = new ArrayList<>();
        List<Direction> directions = new ArrayList<>();
        // Alone, p is 0.03: better. Of five like it, Holm makes 0.15 of it.
        PairedRatio weak = PairedRatio.ofPairs(-0.005, -0.06, -0.01, -0.07, -0.02, -0.05);
        for (int i = 0; i < 5; i++) {
            ratios.add(weak);
            directions.add(Direction.LOWER_IS_BETTER);
        }
        ratios.add(PairedRatio.ofPairs(-0.5));
        directions.add(Direction.LOWER_IS_BETTER);

        List<Decision> decisions = Decision.family(ratios, directions, MARGIN);

        Decision alone = decide(weak, Direction.LOWER_IS_BETTER);
        assertEquals(Finding.BETTER, alone.finding());
        assertEquals(Finding.INCONCLUSIVE, decisions.get(0).finding());
        assertEquals(5 * alone.pValue().orElseThrow(), decisions.get(4).pValue().orElseThrow(), 1e-12);
        assertEquals(0.99, decisions.get(0).interval().orElseThrow().level(), 1e-12);
        assertTrue(alone.interval()
                .orElseThrow()
                .within(decisions.get(0).interval().orElseThrow()));
        assertEquals(Finding.INCONCLUSIVE, decisions.get(5).finding());
    }

    @Test
    void claimsAnythingWrongOfTwelveMetricsInAboutOneOfTwentyComparisons() {
        TestingNoise noise = new TestingNoise(TestingNoise.SEED);
        int wrong = 0;
        for (int i = 0; i < 500; i++) {
            List<PairedRatio> ratios = new ArrayList<>();
            List<Direction> directions = new ArrayList<>();
            for (int metric = 0; metric < 12; metric++) {
                ratios.add(launches(noise, 6, 0, 0.02, false));
                directions.add(metric % 2 == 0 ? Direction.LOWER_IS_BETTER : Direction.HIGHER_IS_BETTER);
            }
            wrong += Decision.family(ratios, directions, MARGIN).stream()
                            .anyMatch(d -> d.finding() == Finding.BETTER || d.finding() == Finding.WORSE)
                    ? 1
                    : 0;
        }
        // 5 % and three standard errors of 500 experiments.
        assertTrue(wrong <= 40, wrong + " of 500, seed " + TestingNoise.SEED);
    }

    @Test
    void refusesMarginsThatAreNone() {
        PairedRatio ratio = PairedRatio.ofPairs(0.1, 0.2);
        for (double margin : new double[] {-0.01, 1, Double.NaN}) {
            assertThrows(IllegalArgumentException.class, () -> Decision.of(ratio, Direction.LOWER_IS_BETTER, margin));
        }
    }

    private static Decision decide(PairedRatio ratio, Direction direction) {
        return Decision.of(ratio, direction, MARGIN);
    }

    private static PairedRatio launches(
            TestingNoise noise, int pairs, double difference, double launchDeviation, boolean heavyTailed) {
        double[] logRatios = new double[pairs];
        for (int pair = 0; pair < pairs; pair++) {
            logRatios[pair] = difference
                    + (heavyTailed ? noise.heavyTailed(launchDeviation) : noise.normal(launchDeviation))
                    - (heavyTailed ? noise.heavyTailed(launchDeviation) : noise.normal(launchDeviation));
        }
        return PairedRatio.ofPairs(logRatios);
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
        return PairedRatio.ofPairs(values);
    }

    private static PairedRatio alternating(int pairs, double distance) {
        double[] values = new double[pairs];
        for (int i = 0; i < pairs; i++) {
            values[i] = i % 2 == 0 ? distance : -distance;
        }
        return PairedRatio.ofPairs(values);
    }

    private static double[] same(int pairs, double value) {
        double[] values = new double[pairs];
        Arrays.fill(values, value);
        return values;
    }
}
