package dev.lockstep.tuner;

import java.util.Random;
import java.util.SplittableRandom;

/**
 * Functions drawn from a {@link GaussianProcess} given its values, which can be asked at any number of points: a draw
 * from before any value, as a sum of waves, plus what the values change of it. One thread uses it.
 *
 * <p>Source: J. T. Wilson, V. Borovitskiy, A. Terenin, P. Mostowsky and M. P. Deisenroth, "Efficiently sampling
 * functions from Gaussian process posteriors", ICML 2020, equation 13. The waves are those of A. Rahimi and B. Recht,
 * "Random features for large-scale kernel machines", NeurIPS 2007; the frequencies of a Matern 5/2 covariance have a
 * multivariate t distribution of 5 degrees of freedom. Of a choice, every place has a frequency of its own: two places
 * are as far from each other as a Hamming distance has it.
 */
final class SamplePaths {
    private static final int WAVES = 256;
    private static final int DEGREES_OF_FREEDOM = 5;

    private final GaussianProcess process;
    private final int draws;
    /** Of each wave and coordinate: the frequency along a scale, or the phases of a choice's places. */
    private final double[][][] frequencies = new double[WAVES][][];
    /** Of each draw, the factors of the cosines, then those of the sines. */
    private final double[][] factors;
    /** Of each draw, what the covariances with the values' points count. */
    private final double[][] weights;

    /** @param places how many places each coordinate has that is a choice */
    SamplePaths(GaussianProcess process, int[] places, int draws, SplittableRandom seed) {
        this.process = process;
        this.draws = draws;
        Random random = new Random(seed.nextLong());
        boolean[] choices = process.choices();
        for (int w = 0; w < WAVES; w++) {
            double scale = tail(random);
            frequencies[w] = new double[choices.length][];
            for (int k = 0; k < choices.length; k++) {
                double one = scale / process.settings().lengthScale(k);
                frequencies[w][k] = new double[choices[k] ? places[k] : 1];
                for (int place = 0; place < frequencies[w][k].length; place++) {
                    // Two corners of a simplex of edge 1 are half a squared distance each from its centre.
                    frequencies[w][k][place] = one * random.nextGaussian() * (choices[k] ? Math.sqrt(0.5) : 1);
                }
            }
        }
        factors = new double[draws][2 * WAVES];
        weights = new double[draws][];
        double[][] points = process.points();
        double[][] waves = new double[points.length][];
        for (int i = 0; i < points.length; i++) {
            waves[i] = waves(points[i]);
        }
        for (int s = 0; s < draws; s++) {
            for (int w = 0; w < 2 * WAVES; w++) {
                factors[s][w] = random.nextGaussian() / Math.sqrt(WAVES);
            }
            double[] rest = process.centred().clone();
            for (int i = 0; i < rest.length; i++) {
                rest[i] -=
                        GaussianProcess.dot(factors[s], waves[i]) + Math.sqrt(process.noise(i)) * random.nextGaussian();
            }
            weights[s] = process.weigh(rest, 0);
        }
    }

    /** Returns by how much a normal variable is to be stretched to have a t distribution. */
    private static double tail(Random random) {
        double chiSquared = 0;
        for (int i = 0; i < DEGREES_OF_FREEDOM; i++) {
            double normal = random.nextGaussian();
            chiSquared += normal * normal;
        }
        return Math.sqrt(DEGREES_OF_FREEDOM / chiSquared);
    }

    /** Returns the cosines, then the sines, of all waves at a point. */
    private double[] waves(double[] point) {
        boolean[] choices = process.choices();
        double[] waves = new double[2 * WAVES];
        for (int w = 0; w < WAVES; w++) {
            double phase = 0;
            for (int k = 0; k < point.length; k++) {
                double[] of = frequencies[w][k];
                phase += choices[k] ? of[(int) point[k]] : of[0] * point[k];
            }
            waves[w] = Math.cos(phase);
            waves[WAVES + w] = Math.sin(phase);
        }
        return waves;
    }

    /** Returns the value of every draw at a point, as the process has its values. */
    double[] at(double[] point) {
        double[] waves = waves(point);
        double[] covariances = process.at(point).covariances();
        double[] values = new double[draws];
        for (int s = 0; s < draws; s++) {
            values[s] = process.constant()
                    + GaussianProcess.dot(factors[s], waves)
                    + GaussianProcess.dot(weights[s], covariances);
        }
        return values;
    }
}
