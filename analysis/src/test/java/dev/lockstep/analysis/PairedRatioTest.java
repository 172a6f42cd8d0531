package dev.lockstep.analysis;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Arrays;
import org.junit.jupiter.api.Test;

class PairedRatioTest {
    private static final int EXPERIMENTS = 2_000;

    /** Darwin's 15 pairs of maize plants, in eighths of an inch: Fisher, "The Design of Experiments", table 3. */
    private static final double[] DARWIN = {49, -67, 8, 16, 6, 23, 28, 41, 14, 29, 56, 24, 75, 60, -48};

    /** SciPy 1.17.1: {@code r = stats.ttest_1samp(d, 0)}, {@code r.confidence_interval(0.95)}, {@code numpy.std(d, ddof=1)}. */
    @Test
    void givesTheFiguresOfSciPyForDarwinsPairs() {
        PairedRatio ratio = PairedRatio.ofPairs(hundredths(DARWIN));

        assertEquals(15, ratio.pairs());
        assertEquals(0.20933333333333337, ratio.logRatio(), 1e-12);
        assertEquals(Math.exp(0.20933333333333337), ratio.ratio(), 1e-12);
        assertEquals(0.377443783262898, ratio.standardDeviation().orElseThrow(), 1e-12);
        assertEquals(0.049702944021800866, ratio.tTestP().orElseThrow(), 1e-9);
        ConfidenceInterval usual = ratio.interval().orElseThrow();
        assertEquals(0.00031193318392983005, Math.log(usual.low()), 1e-9);
        assertEquals(0.4183547334827369, Math.log(usual.high()), 1e-9);
        ConfidenceInterval wide = ratio.interval(0.99).orElseThrow();
        assertEquals(-0.08077655958419327, Math.log(wide.low()), 1e-9);
        assertEquals(0.49944322625086, Math.log(wide.high()), 1e-9);
    }

    /**
     * Fisher found 863 of the 32,768 choices of signs to give a sum of 314 or more ("The Design of Experiments", chapter
     * III); SciPy 1.17.1: {@code stats.permutation_test((d,), numpy.sum, permutation_type='samples', n_resamples=numpy.inf)}.
     */
    @Test
    void countsTheFlipsThatFisherCounted() {
        assertEquals(2 * 863 / 32_768.0, PairedRatio.ofPairs(DARWIN).signFlipP().orElseThrow(), 1e-12);
    }

    @Test
    void agreesWithEveryChoiceOfSignsTriedOneByOne() {
        for (long seed = 1; seed <= 50; seed++) {
            TestingNoise noise = new TestingNoise(seed);
            double[] values = new double[2 + noise.below(9)];
            Arrays.setAll(values, i -> noise.below(3) == 0 ? 0.5 : noise.normal(1) + 0.3);
            double observed = Math.abs(Arrays.stream(values).sum());
            int asFar = 0;
            for (int signs = 0; signs < 1 << values.length; signs++) {
                double sum = 0;
                for (int i = 0; i < values.length; i++) {
                    sum += (signs >> i & 1) == 0 ? values[i] : -values[i];
                }
                asFar += Math.abs(sum) >= observed - 1e-9 ? 1 : 0;
            }
            assertEquals(
                    asFar / (double) (1 << values.length),
                    PairedRatio.ofPairs(values).signFlipP().orElseThrow(),
                    1e-12,
                    "seed " + seed);
        }
    }

    @Test
    void flipsAtRandomBeyondTwentyPairs() {
        double[] twenty = new double[20];
        double[] more = new double[21];
        TestingNoise noise = new TestingNoise(TestingNoise.SEED);
        for (int i = 0; i < 20; i++) {
            twenty[i] = 0.35 + noise.normal(1);
            more[i] = twenty[i];
        }
        // A pair that shows exactly nothing does not change the share.
        double exact = PairedRatio.ofPairs(twenty).signFlipP().orElseThrow();
        double random = PairedRatio.ofPairs(more).signFlipP().orElseThrow();

        assertEquals(exact, random, 0.005, "seed " + TestingNoise.SEED);
        assertEquals(random, PairedRatio.ofPairs(more).signFlipP().orElseThrow(), 0);
    }

    @Test
    void countsAPairOnceHoweverManyBlocksItHas() {
        PairedRatio ratio = PairedRatio.of(new double[][] {{0.1, 0.3, 0.2, 0.2}, {0.4}});

        PairedRatio asOfWholePairs = PairedRatio.ofPairs(0.2, 0.4);
        assertEquals(2, ratio.pairs());
        assertEquals(Math.exp(0.3), ratio.ratio(), 1e-12);
        assertEquals(
                asOfWholePairs.standardDeviation().orElseThrow(),
                ratio.standardDeviation().orElseThrow(),
                1e-12);
    }

    @Test
    void hasNoIntervalAndNoTestWithOnePair() {
        PairedRatio one = PairedRatio.of(new double[][] {{0.1, 0.2, 0.3}});

        assertEquals(Math.exp(0.2), one.ratio(), 1e-12);
        assertTrue(one.interval().isEmpty());
        assertTrue(one.bootstrapInterval().isEmpty());
        assertTrue(one.standardDeviation().isEmpty());
        assertTrue(one.tTestP().isEmpty());
        assertTrue(one.signFlipP().isEmpty());
    }

    @Test
    void knowsPairsThatAreAllEqual() {
        PairedRatio same = PairedRatio.ofPairs(0.1, 0.1, 0.1);
        assertEquals(0, same.tTestP().orElseThrow(), 0);
        assertEquals(same.ratio(), same.interval().orElseThrow().low(), 0);
        assertEquals(1, PairedRatio.ofPairs(0, 0, 0).tTestP().orElseThrow(), 0);
        assertEquals(1, PairedRatio.ofPairs(0, 0, 0).signFlipP().orElseThrow(), 0);
    }

    @Test
    void turnsAroundWithTheTargets() {
        PairedRatio there = PairedRatio.ofPairs(0.1, 0.3, 0.25, 0.02);
        PairedRatio back = PairedRatio.ofPairs(-0.1, -0.3, -0.25, -0.02);

        assertEquals(1 / there.ratio(), back.ratio(), 1e-12);
        assertEquals(
                1 / there.interval().orElseThrow().low(),
                back.interval().orElseThrow().high(),
                1e-12);
        assertEquals(there.tTestP().orElseThrow(), back.tTestP().orElseThrow(), 1e-12);
        assertEquals(there.signFlipP().orElseThrow(), back.signFlipP().orElseThrow(), 0);
    }

    @Test
    void coversTheTrueRatioInNineteenOfTwentyExperiments() {
        for (int pairs : new int[] {3, 6, 12}) {
            TestingNoise noise = new TestingNoise(TestingNoise.SEED);
            int covered = 0;
            for (int i = 0; i < EXPERIMENTS; i++) {
                covered += experiment(noise, pairs, 1).interval().orElseThrow().contains(0.95) ? 1 : 0;
            }
            assertTrue(
                    covered >= 0.93 * EXPERIMENTS && covered <= 0.97 * EXPERIMENTS,
                    covered + " with " + pairs + " pairs, seed " + TestingNoise.SEED);
        }
    }

    /** Percentile bootstraps of few values are known to be too narrow; that is why this one decides nothing. */
    @Test
    void coversTheTrueRatioByBootstrapInNearlyAsManyOnceThereAreManyPairs() {
        TestingNoise noise = new TestingNoise(TestingNoise.SEED);
        int covered = 0;
        for (int i = 0; i < 500; i++) {
            covered +=
                    experiment(noise, 30, 4).bootstrapInterval().orElseThrow().contains(0.95) ? 1 : 0;
        }
        assertTrue(covered >= 0.91 * 500 && covered <= 0.99 * 500, covered + " of 500, seed " + TestingNoise.SEED);
    }

    @Test
    void drawsTheSameBootstrapAtEveryCallAndAnotherWithAnotherSeed() {
        double[][] blocks = {{0.1, 0.2}, {0.3, 0.25}, {0.15, 0.21}};

        assertEquals(
                PairedRatio.of(blocks).bootstrapInterval(),
                PairedRatio.of(blocks).bootstrapInterval());
        assertEquals(
                PairedRatio.of(blocks, 7).bootstrapInterval(),
                PairedRatio.of(blocks, 7).bootstrapInterval());
        ConfidenceInterval interval = PairedRatio.of(blocks).bootstrapInterval().orElseThrow();
        assertTrue(interval.contains(PairedRatio.of(blocks).ratio()));
    }

    /** Returns pairs that vary by 1.4 % and blocks within them by 2 %; the truth is 0.95. */
    private static PairedRatio experiment(TestingNoise noise, int pairs, int blocksPerPair) {
        double[][] blocks = new double[pairs][blocksPerPair];
        for (double[] pair : blocks) {
            double launch = Math.log(0.95) + noise.normal(0.014);
            Arrays.setAll(pair, i -> launch + noise.normal(0.02));
        }
        return PairedRatio.of(blocks);
    }

    @Test
    void refusesNoPairsEmptyPairsAndWhatIsNoNumber() {
        assertThrows(IllegalArgumentException.class, PairedRatio::ofPairs);
        assertThrows(IllegalArgumentException.class, () -> PairedRatio.of(new double[][] {{0.1}, {}}));
        assertThrows(IllegalArgumentException.class, () -> PairedRatio.ofPairs(0.1, Double.NaN));
        assertThrows(IllegalArgumentException.class, () -> PairedRatio.ofPairs(0.1, Double.NEGATIVE_INFINITY));
        assertThrows(IllegalArgumentException.class, () -> PairedRatio.ofPairs(0.1, 0.2)
                .interval(1));
    }

    private static double[] hundredths(double... values) {
        return Arrays.stream(values).map(value -> value / 100).toArray();
    }
}
