package dev.lockstep.analysis;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

class PairedRatioTest {
    private static final int EXPERIMENTS = 2_000;

    /** Darwin's 15 pairs of maize plants, in eighths of an inch: Fisher, "The Design of Experiments", table 3. */
    private static final double[] DARWIN = {49, -67, 8, 16, 6, 23, 28, 41, 14, 29, 56, 24, 75, 60, -48};

    /**
     * SciPy 1.17.1: {@code r = stats.ttest_1samp(d, 0)}, {@code r.confidence_interval(0.95)}, {@code numpy.std(d,
     * ddof=1)}.
     */
    @Test
    void givesTheFiguresOfSciPyForDarwinsPairs() {
        PairedRatio ratio = TestingPairs.of(hundredths(DARWIN));

        assertEquals(15, ratio.pairs());
        assertEquals(0.20933333333333337, Math.log(ratio.ratio()), 1e-12);
        assertEquals(Math.exp(0.20933333333333337), ratio.ratio(), 1e-12);
        assertEquals(0.377443783262898, ratio.standardDeviation().orElseThrow(), 1e-12);
        assertEquals(0.049702944021800866, ratio.pValue().orElseThrow(), 1e-9);
        ConfidenceInterval usual = ratio.interval().orElseThrow();
        assertEquals(0.00031193318392983005, Math.log(usual.low()), 1e-9);
        assertEquals(0.4183547334827369, Math.log(usual.high()), 1e-9);
        ConfidenceInterval wide = ratio.interval(0.99).orElseThrow();
        assertEquals(-0.08077655958419327, Math.log(wide.low()), 1e-9);
        assertEquals(0.49944322625086, Math.log(wide.high()), 1e-9);
    }

    /**
     * Fisher found 863 of the 32,768 choices of signs to give a sum of 314 or more ("The Design of Experiments",
     * chapter III); SciPy 1.17.1: {@code stats.permutation_test((d,), numpy.sum, permutation_type='samples',
     * n_resamples=numpy.inf)}.
     */
    @Test
    void countsTheFlipsThatFisherCounted() {
        assertEquals(2 * 863 / 32_768.0, TestingPairs.of(DARWIN).signFlipP().orElseThrow(), 1e-12);
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
                    TestingPairs.of(values).signFlipP().orElseThrow(),
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
        double exact = TestingPairs.of(twenty).signFlipP().orElseThrow();
        double random = TestingPairs.of(more).signFlipP().orElseThrow();

        assertEquals(exact, random, 0.005, "seed " + TestingNoise.SEED);
        assertEquals(random, TestingPairs.of(more).signFlipP().orElseThrow(), 0);
    }

    /** The mean of the logs of the blocks' ratios would be 0.80. */
    @Test
    void saysOfABurstyTargetThatCostsAsMuchThatItCostsAsMuch() {
        PairedRatio.Pair pair = PairedRatio.Pair.of(0, blocks(1600, 400), blocks(1000, 1000));
        PairedRatio ratio = PairedRatio.of(List.of(pair, pair, pair, pair, pair, pair));

        assertEquals(1, ratio.ratio(), 1e-12);
        assertTrue(ratio.bootstrapInterval().orElseThrow().contains(1));
    }

    /** A part with a tenth of the requests counts a tenth as much, and one without any counts nothing. */
    @Test
    void resumsNumeratorsAndDenominatorsOfItsBlocks() {
        List<Block> target = List.of(Block.of(900, 9), Block.of(500, 1), Block.of(0, 0));
        List<Block> baseline = List.of(Block.of(900, 9), Block.of(100, 1), Block.of(0, 0));
        double whole = Math.log(1.4);
        PairedRatio ratio = PairedRatio.of(
                List.of(PairedRatio.Pair.of(whole, target, baseline), PairedRatio.Pair.of(whole, target, baseline)));

        SplittableRandom random = new SplittableRandom(TestingNoise.SEED);
        PairedRatio.Pair pair = PairedRatio.Pair.of(whole, target, baseline);
        for (int i = 0; i < 1_000; i++) {
            double drawn = Math.exp(pair.resampled(random));
            assertTrue(drawn >= 1 - 1e-9 && drawn <= 5 + 1e-9, "draw " + drawn);
        }
        assertEquals(1.4, ratio.ratio(), 1e-12);
        assertTrue(ratio.bootstrapInterval().orElseThrow().contains(1.4));
        assertEquals(
                Math.log(1.4), PairedRatio.Pair.of(whole, List.of(), List.of()).resampled(random));
        List<Block> none = List.of(Block.of(0, 9), Block.of(0, 1), Block.of(0, 0));
        assertEquals(whole, PairedRatio.Pair.of(whole, target, none).resampled(random), "nothing to draw from");
    }

    private static List<Block> blocks(double... costs) {
        return Arrays.stream(costs).mapToObj(cost -> Block.of(cost, 10)).collect(Collectors.toList());
    }

    @Test
    void hasNoIntervalAndNoTestWithOnePair() {
        PairedRatio one = TestingPairs.of(0.2);

        assertEquals(Math.exp(0.2), one.ratio(), 1e-12);
        assertTrue(one.interval().isEmpty());
        assertTrue(one.bootstrapInterval().isEmpty());
        assertTrue(one.standardDeviation().isEmpty());
        assertTrue(one.pValue().isEmpty());
        assertTrue(one.signFlipP().isEmpty());
    }

    /** Two or three pairs agree in three digits now and then, and would be certain then. */
    @Test
    void trustsPairsThatAreAllEqualNoFurtherThanTheirDigits() {
        PairedRatio same = TestingPairs.of(0.1, 0.1, 0.1);
        assertEquals(0.001, same.standardDeviation().orElseThrow(), 0);
        assertEquals(3.3e-5, same.pValue().orElseThrow(), 1e-6);
        assertTrue(same.interval().orElseThrow().high() > 1.002 * same.ratio());
        assertEquals(1, TestingPairs.of(0, 0, 0).pValue().orElseThrow(), 1e-12);
        assertEquals(1, TestingPairs.of(0, 0, 0).signFlipP().orElseThrow(), 0);
        PairedRatio coarse = PairedRatio.ofPairs(0.05, new double[] {0.1, 0.1, 0.1});
        assertTrue(coarse.interval().orElseThrow().contains(1));
    }

    @Test
    void turnsAroundWithTheTargets() {
        PairedRatio there = TestingPairs.of(0.1, 0.3, 0.25, 0.02);
        PairedRatio back = TestingPairs.of(-0.1, -0.3, -0.25, -0.02);

        assertEquals(1 / there.ratio(), back.ratio(), 1e-12);
        assertEquals(
                1 / there.interval().orElseThrow().low(),
                back.interval().orElseThrow().high(),
                1e-12);
        assertEquals(there.pValue().orElseThrow(), back.pValue().orElseThrow(), 1e-12);
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
    @Tag("full")
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
    void drawsTheSameBootstrapAtEveryCall() {
        PairedRatio ratio = experiment(new TestingNoise(TestingNoise.SEED), 3, 2);

        assertEquals(ratio.bootstrapInterval(), ratio.bootstrapInterval());
        assertTrue(ratio.bootstrapInterval().orElseThrow().contains(ratio.ratio()));
    }

    /** Returns pairs that vary by 1.4 % and blocks within them by 2 %; the truth is 0.95. */
    private static PairedRatio experiment(TestingNoise noise, int pairs, int blocksPerPair) {
        List<PairedRatio.Pair> all = new ArrayList<>();
        for (int pair = 0; pair < pairs; pair++) {
            double launch = 0.95 * Math.exp(noise.normal(0.014));
            List<Block> target = new ArrayList<>();
            List<Block> baseline = new ArrayList<>();
            for (int block = 0; block < blocksPerPair; block++) {
                // A ramp, which both of a pair get.
                target.add(Block.of(launch * (1 + block) * Math.exp(noise.normal(0.02)), 1 + block));
                baseline.add(Block.of(1 + block, 1 + block));
            }
            double cost = target.stream().mapToDouble(Block::cost).sum();
            double requests = target.stream().mapToLong(Block::requests).sum();
            all.add(PairedRatio.Pair.of(Math.log(cost / requests), target, baseline));
        }
        return PairedRatio.of(all);
    }

    @Test
    void refusesNoPairsEmptyPairsAndWhatIsNoNumber() {
        assertThrows(IllegalArgumentException.class, TestingPairs::of);
        assertThrows(IllegalArgumentException.class, () -> PairedRatio.Pair.of(0, blocks(1), blocks(1, 2)));
        assertThrows(IllegalArgumentException.class, () -> Block.of(Double.NaN, 1));
        assertThrows(IllegalArgumentException.class, () -> Block.of(1, -1));
        assertThrows(IllegalArgumentException.class, () -> TestingPairs.of(0.1, Double.NaN));
        assertThrows(IllegalArgumentException.class, () -> TestingPairs.of(0.1, Double.NEGATIVE_INFINITY));
        assertThrows(
                IllegalArgumentException.class, () -> TestingPairs.of(0.1, 0.2).interval(1));
    }

    private static double[] hundredths(double... values) {
        return Arrays.stream(values).map(value -> value / 100).toArray();
    }
}
