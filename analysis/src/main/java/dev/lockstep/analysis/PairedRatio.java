package dev.lockstep.analysis;

import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.SplittableRandom;
import org.apache.commons.statistics.distribution.TDistribution;
import org.apache.commons.statistics.inference.TTest;

/**
 * The ratio B / A of one quantity, from launches in pairs: in each pair both targets were started afresh and got the
 * same requests. The unit of replication is the pair. The seconds or blocks within one are alike because they come from
 * the same two processes, so they add no evidence of their own: each pair counts once, with the mean of its blocks.
 * Immutable; the figures that need random numbers give the same result at every call.
 *
 * <p>Sources: the estimate is the geometric mean of the ratios (Fleming and Wallace, CACM 1986) with Student's interval
 * over the pairs; the two-level bootstrap is that of Kalibera and Jones, "Quantifying performance changes with effect
 * size confidence intervals" (2012); the sign-flip test is Fisher's, "The Design of Experiments" (1935),
 * chapter III, and its random form adds the observed signs as in Phipson and Smyth (2010).
 */
final class PairedRatio {
    private static final int RESAMPLES = 2_000;
    private static final int MOST_EXACT_PAIRS = 20;
    private static final int RANDOM_FLIPS = 99_999;
    private static final long SEED = 20_170_601;

    /** Sums of the same numbers in another order differ by rounding; less than this share of them is the same. */
    private static final double ROUNDING = 1e-9;

    private final double[][] blocks;
    private final double[] means;
    private final double mean;
    private final long seed;

    private PairedRatio(double[][] blocks, long seed) {
        this.blocks = blocks;
        this.means = new double[blocks.length];
        for (int pair = 0; pair < blocks.length; pair++) {
            means[pair] = Sample.mean(blocks[pair]);
        }
        this.mean = Sample.mean(means);
        this.seed = seed;
    }

    /** Returns the ratio of pairs that have blocks: {@code blocks[p]} holds log(B / A) of each block of pair p. */
    public static PairedRatio of(double[][] blocks) {
        return of(blocks, SEED);
    }

    /** As {@link #of(double[][])}, with a seed for the random numbers. */
    public static PairedRatio of(double[][] blocks, long seed) {
        if (blocks.length == 0) {
            throw new IllegalArgumentException("blocks must have one launch pair at least, has none");
        }
        double[][] copy = new double[blocks.length][];
        for (int pair = 0; pair < blocks.length; pair++) {
            if (blocks[pair].length == 0) {
                throw new IllegalArgumentException(
                        "blocks of pair " + pair + " (from 0) must be one at least, are none; leave such a pair out");
            }
            Sample.requireFinite("log-ratios of pair " + pair + " (from 0)", blocks[pair]);
            copy[pair] = blocks[pair].clone();
        }
        return new PairedRatio(copy, seed);
    }

    /** Returns the ratio of pairs that have one value each, log(B / A). */
    public static PairedRatio ofPairs(double... logRatios) {
        double[][] blocks = new double[logRatios.length][];
        for (int pair = 0; pair < blocks.length; pair++) {
            blocks[pair] = new double[] {logRatios[pair]};
        }
        return of(blocks, SEED);
    }

    /** Returns the number of launch pairs. */
    public int pairs() {
        return means.length;
    }

    /** Returns the estimate of B / A: exp of the mean over the pairs. */
    public double ratio() {
        return Math.exp(mean);
    }

    /** Returns the log of {@link #ratio}. */
    public double logRatio() {
        return mean;
    }

    /** Returns by how much log(B / A) varies from pair to pair; absent with one pair. */
    public OptionalDouble standardDeviation() {
        return pairs() < 2 ? OptionalDouble.empty() : OptionalDouble.of(Sample.standardDeviation(means));
    }

    /** Returns Student's 95 % interval of the ratio over the pairs; absent with one pair. */
    public Optional<ConfidenceInterval> interval() {
        return interval(ConfidenceInterval.USUAL_LEVEL);
    }

    /** Returns Student's interval of the ratio at a level between 0 and 1; absent with one pair. */
    public Optional<ConfidenceInterval> interval(double level) {
        ConfidenceInterval.requireLevel(level);
        if (pairs() < 2) {
            return Optional.empty();
        }
        double width = upperT((1 - level) / 2, pairs() - 1) * Sample.standardDeviation(means) / Math.sqrt(pairs());
        return Optional.of(ConfidenceInterval.of(Math.exp(mean - width), Math.exp(mean + width), level));
    }

    /**
     * Returns the 95 % interval of a percentile bootstrap that draws pairs, and blocks within each pair drawn. It assumes
     * no normal distribution, but with few pairs it is too narrow (three pairs have only ten different samples), so it
     * stands beside Student's and decides nothing. Absent with one pair.
     */
    public Optional<ConfidenceInterval> bootstrapInterval() {
        if (pairs() < 2) {
            return Optional.empty();
        }
        SplittableRandom random = new SplittableRandom(seed);
        double[] estimates = new double[RESAMPLES];
        for (int i = 0; i < RESAMPLES; i++) {
            double sum = 0;
            for (int draw = 0; draw < blocks.length; draw++) {
                sum += resampledMean(blocks[random.nextInt(blocks.length)], random);
            }
            estimates[i] = sum / blocks.length;
        }
        Arrays.sort(estimates);
        return Optional.of(ConfidenceInterval.of(
                Math.exp(Sample.quantile(estimates, 0.025)),
                Math.exp(Sample.quantile(estimates, 0.975)),
                ConfidenceInterval.USUAL_LEVEL));
    }

    private static double resampledMean(double[] values, SplittableRandom random) {
        if (values.length == 1) {
            return values[0];
        }
        double sum = 0;
        for (int draw = 0; draw < values.length; draw++) {
            sum += values[random.nextInt(values.length)];
        }
        return sum / values.length;
    }

    /**
     * Returns the two-sided p-value of the t-test that the ratio is 1; absent with one pair. Where all pairs show exactly
     * the same ratio it is 0, or 1 where that ratio is 1.
     */
    public OptionalDouble tTestP() {
        if (pairs() < 2) {
            return OptionalDouble.empty();
        }
        if (Sample.standardDeviation(means) == 0) {
            return OptionalDouble.of(mean == 0 ? 1 : 0);
        }
        return OptionalDouble.of(TTest.withDefaults().test(means).getPValue());
    }

    /**
     * Returns the two-sided p-value of the sign-flip test that the ratio is 1: if it were, A and B of each pair could as
     * well have changed places, so the share of all 2^n choices of signs that give a mean as far from 0 is the chance of
     * the observed one. Exact up to 20 pairs, beyond that from 99,999 random choices. It cannot get below 2 / 2^n: with
     * five pairs or fewer it never goes below 0.05. Absent with one pair.
     */
    public OptionalDouble signFlipP() {
        if (pairs() < 2) {
            return OptionalDouble.empty();
        }
        double sum = 0;
        double magnitude = 0;
        for (double value : means) {
            sum += value;
            magnitude += Math.abs(value);
        }
        double least = Math.abs(sum) - ROUNDING * magnitude;
        return OptionalDouble.of(pairs() <= MOST_EXACT_PAIRS ? exactFlips(sum, least) : randomFlips(least));
    }

    /** The first sign stays: flipping all of them gives the same distance from 0. Neighbours of the Gray code differ by one. */
    private double exactFlips(double observed, double least) {
        long choices = 1L << (pairs() - 1);
        boolean[] flipped = new boolean[pairs()];
        double sum = observed;
        long asFar = 1;
        for (long i = 1; i < choices; i++) {
            int pair = Long.numberOfTrailingZeros(i) + 1;
            sum += flipped[pair] ? 2 * means[pair] : -2 * means[pair];
            flipped[pair] = !flipped[pair];
            if (Math.abs(sum) >= least) {
                asFar++;
            }
        }
        return asFar / (double) choices;
    }

    private double randomFlips(double least) {
        SplittableRandom random = new SplittableRandom(seed);
        long asFar = 1;
        for (int i = 0; i < RANDOM_FLIPS; i++) {
            double sum = 0;
            for (double value : means) {
                sum += random.nextBoolean() ? value : -value;
            }
            if (Math.abs(sum) >= least) {
                asFar++;
            }
        }
        return asFar / (RANDOM_FLIPS + 1.0);
    }

    /** Returns the value that Student's t exceeds with probability {@code tail}. */
    static double upperT(double tail, int degreesOfFreedom) {
        return TDistribution.of(degreesOfFreedom).inverseSurvivalProbability(tail);
    }

    /** Returns for example {@code 0.961200 (0.951200 to 0.973100 (95 %), 6 pairs)}. */
    @Override
    public String toString() {
        String inside = interval().map(i -> i + ", " + pairs() + " pairs").orElse("1 pair");
        return String.format(Locale.ROOT, "%.6g (%s)", ratio(), inside);
    }
}
