package dev.lockstep.analysis;

import java.util.OptionalDouble;
import java.util.SplittableRandom;

/**
 * The sign-flip test that differences of pairs are 0 in the mean: if the two of each pair could as well have changed
 * places, the share of all 2^n choices of signs that give a sum as far from 0 is the chance of the observed one. It
 * assumes nothing else, and cannot get below 2 / 2^n: with five pairs or fewer it never goes below 0.05.
 *
 * <p>Sources: R. A. Fisher, "The Design of Experiments" (1935), chapter III; the random form adds the observed signs as
 * in Phipson and Smyth (2010).
 */
final class SignFlips {
    private static final int MOST_EXACT_PAIRS = 20;
    private static final int RANDOM_FLIPS = 99_999;
    private static final long SEED = 20_170_601;

    /** Sums of the same numbers in another order differ by rounding; less than this share of them is the same. */
    private static final double ROUNDING = 1e-9;

    private SignFlips() {}

    /**
     * Returns the two-sided p-value, exact up to 20 pairs and beyond that from 99,999 random choices, the same ones at
     * every call; absent with one pair.
     */
    static OptionalDouble p(double... differences) {
        if (differences.length < 2) {
            return OptionalDouble.empty();
        }
        double sum = 0;
        double magnitude = 0;
        for (double value : differences) {
            sum += value;
            magnitude += Math.abs(value);
        }
        double least = Math.abs(sum) - ROUNDING * magnitude;
        return OptionalDouble.of(
                differences.length <= MOST_EXACT_PAIRS ? exact(differences, sum, least) : random(differences, least));
    }

    /**
     * The first sign stays: flipping all of them gives the same distance from 0. Neighbours of the Gray code differ by
     * one.
     */
    private static double exact(double[] differences, double observed, double least) {
        long choices = 1L << (differences.length - 1);
        boolean[] flipped = new boolean[differences.length];
        double sum = observed;
        long asFar = 1;
        for (long i = 1; i < choices; i++) {
            int pair = Long.numberOfTrailingZeros(i) + 1;
            sum += flipped[pair] ? 2 * differences[pair] : -2 * differences[pair];
            flipped[pair] = !flipped[pair];
            if (Math.abs(sum) >= least) {
                asFar++;
            }
        }
        return asFar / (double) choices;
    }

    private static double random(double[] differences, double least) {
        SplittableRandom random = new SplittableRandom(SEED);
        long asFar = 1;
        for (int i = 0; i < RANDOM_FLIPS; i++) {
            double sum = 0;
            for (double value : differences) {
                sum += random.nextBoolean() ? value : -value;
            }
            if (Math.abs(sum) >= least) {
                asFar++;
            }
        }
        return asFar / (RANDOM_FLIPS + 1.0);
    }
}
