package dev.lockstep.tuner;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Arrays;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

final class GaussianProcessTest {
    private static final double[][] POINTS = {{0.1, 0.2}, {0.4, 0.9}, {0.7, 0.3}, {0.95, 0.6}, {0.5, 0.5}};
    private static final double[] VALUES = {1.2, -0.4, 0.3, 2.1, -1.0};
    private static final double[] VARIANCES = {0.01, 0.04, 0.02, 0.01, 0.09};
    private static final double[][] ASKED = {{0.3, 0.4}, {0.8, 0.8}, {0.5, 0.5}};
    private static final boolean[] SCALES = {false, false};

    private static GaussianProcess process() {
        return new GaussianProcess(
                POINTS,
                SCALES,
                VALUES,
                Arrays.stream(VARIANCES).map(one -> one + 0.05).toArray(),
                new GaussianProcess.Settings(new double[] {0.5, 1.5}, 0.05));
    }

    /**
     * Figures by scikit-learn 1.9.1: GaussianProcessRegressor(kernel, alpha=VARIANCES + 0.05, optimizer=None) of
     * Matern([0.5, 1.5], nu=2.5), fitted to VALUES less the generalised least squares constant, o'K^-1 y / o'K^-1 o by
     * numpy; predict(ASKED, return_cov=True) and log_marginal_likelihood_value_.
     */
    @Test
    void agreesWithScikitLearn() {
        agrees(
                1.47995665451118,
                new double[] {0.0227427477643092, 1.0367692231294, -0.448513325406153},
                new double[] {
                    0.080879646980242,
                    -0.0171689956773272,
                    0.036239824776399,
                    -0.0171689956773272,
                    0.103193773961869,
                    0.00987870740109309,
                    0.036239824776399,
                    0.00987870740109309,
                    0.0534662496795842
                },
                -9.50294052889169);
    }

    private static void agrees(double constant, double[] means, double[] covariance, double logLikelihood) {
        GaussianProcess process = process();

        assertEquals(constant, process.constant(), 1e-9);
        assertArrayEquals(
                means,
                Arrays.stream(ASKED).mapToDouble(one -> process.at(one).mean()).toArray(),
                1e-9);
        assertArrayEquals(covariance, process.posteriorCovariance(process.at(ASKED)), 1e-9);
        assertEquals(covariance[4], process.at(ASKED[1]).variance(), 1e-9);
        double[] shapes = {1, 1, 1, 1, 1};
        Fit fit = new Fit(Fit.differences(POINTS, SCALES), 2, VALUES, VARIANCES, shapes, true);
        double[] logs = {Math.log(0.5), Math.log(1.5), Math.log(0.05)};
        double scaleMean = Math.sqrt(2) - 3 + 0.5 * Math.log(2);
        double priors = Math.pow(logs[0] - scaleMean, 2) / 6
                + Math.pow(logs[1] - scaleMean, 2) / 6
                + Math.pow(logs[2] + 4, 2) / 8;
        assertEquals(logLikelihood, priors - fit.at(logs, null) - 0.5 * VALUES.length * Math.log(2 * Math.PI), 1e-9);
    }

    @Test
    void hasTheDerivativesOfItsMeanAndVariance() {
        GaussianProcess process = process();
        Score mean = score(process, true);
        Score variance = score(process, false);

        for (double[] point : ASKED) {
            Derivatives.check(mean, point, SCALES);
            Derivatives.check(variance, point, SCALES);
        }
    }

    private static Score score(GaussianProcess process, boolean mean) {
        return (point, gradient) -> {
            GaussianProcess.At at = process.at(point);
            if (gradient != null) {
                Arrays.fill(gradient, 0);
                at.addGradient(mean ? process.weights() : new double[POINTS.length], mean ? 0 : 1, gradient);
            }
            return mean ? at.mean() : at.variance();
        };
    }

    @Test
    void hasTheDerivativesOfItsLikelihood() {
        Fit fit = new Fit(Fit.differences(POINTS, SCALES), 2, VALUES, VARIANCES, new double[] {1, 1, 0.5, 2, 3}, true);

        Derivatives.check(
                (logs, gradient) -> fit.at(logs, gradient == null ? new double[logs.length] : gradient),
                new double[] {-1, 0.4, -2},
                new boolean[3]);
    }

    /** Values of a wave along the first coordinate: the second one is found to be of no account. */
    @Test
    void findsWhichCoordinateMattersAndHowMuchNoiseThereIs() {
        SplittableRandom random = new SplittableRandom(5);
        double[][] points = new double[30][];
        double[] values = new double[points.length];
        for (int i = 0; i < points.length; i++) {
            points[i] = new double[] {random.nextDouble(), random.nextDouble()};
            values[i] = 1.4 * Math.sin(9 * points[i][0]) + (random.nextInt(2) == 0 ? 0.2 : -0.2);
        }
        double[] shapes = new double[points.length];
        Arrays.fill(shapes, 1);
        Fit fit = new Fit(Fit.differences(points, SCALES), 2, values, new double[points.length], shapes, true);

        GaussianProcess.Settings found = fit.settings(fit.findAfresh(null).logs);

        assertTrue(found.lengthScale(1) > 10 * found.lengthScale(0), found.lengthScale(0) + " " + found.lengthScale(1));
        assertEquals(0.2, Math.sqrt(found.noise()), 0.1);
    }

    /** Mean and standard deviation of the log of the only length scale, by sums over a grid of all that it can be. */
    @Test
    void samplesHyperparametersAsLikelyAsTheyAre() {
        double[][] points = {{0.1}, {0.3}, {0.35}, {0.6}, {0.8}, {0.95}};
        double[] values = {0.2, 1.1, 1.2, -0.9, -1.3, -0.3};
        double[] ones = {1, 1, 1, 1, 1, 1};
        Fit fit = new Fit(
                Fit.differences(points, new boolean[1]),
                1,
                values,
                new double[] {0.1, 0.1, 0.1, 0.1, 0.1, 0.1},
                ones,
                false);
        double[] sums = new double[3];
        for (double log = Math.log(0.01); log < Math.log(1000); log += 0.01) {
            double density = Math.exp(-fit.at(new double[] {log}, null));
            for (int power = 0; power < 3; power++) {
                sums[power] += density * Math.pow(log, power);
            }
        }
        double mean = sums[1] / sums[0];
        double sd = Math.sqrt(sums[2] / sums[0] - mean * mean);

        double[] found = fit.sample(new double[] {0}, 20_000, new SplittableRandom(9)).stream()
                .mapToDouble(logs -> logs[0])
                .toArray();

        assertEquals(mean, Warp.mean(found), 0.1 * sd);
        assertEquals(sd, Warp.sd(found), 0.1 * sd);
    }

    /** Mean and covariance of many draws are those of the process, of a choice as well. */
    @Test
    void drawsFunctionsOfItsOwnMeanAndCovariance() {
        boolean[] choices = {false, true};
        double[][] points = {{0.1, 0}, {0.5, 1}, {0.9, 2}, {0.4, 0}};
        double[] scales = {0.6, 1.2};
        GaussianProcess process = new GaussianProcess(
                points,
                choices,
                new double[] {1, -1, 0.5, 0},
                new double[] {0.1, 0, 0, 0.3},
                new GaussianProcess.Settings(scales, 0.01));
        double[][] asked = {{0.2, 0}, {0.2, 2}, {0.7, 1}};
        int draws = 200;
        int rounds = 30;
        double[] sums = new double[3];
        double[] products = new double[9];
        SplittableRandom random = new SplittableRandom(11);
        for (int round = 0; round < rounds; round++) {
            SamplePaths paths = new SamplePaths(process, new int[] {0, 3}, draws, random.split());
            double[][] values = {paths.at(asked[0]), paths.at(asked[1]), paths.at(asked[2])};
            for (int s = 0; s < draws; s++) {
                for (int i = 0; i < 3; i++) {
                    sums[i] += values[i][s] / draws / rounds;
                    for (int j = 0; j < 3; j++) {
                        products[3 * i + j] += values[i][s] * values[j][s] / draws / rounds;
                    }
                }
            }
        }

        double[] covariance = process.posteriorCovariance(process.at(asked));
        for (int i = 0; i < 3; i++) {
            assertEquals(process.at(asked[i]).mean(), sums[i], 0.05);
            for (int j = 0; j < 3; j++) {
                assertEquals(covariance[3 * i + j], products[3 * i + j] - sums[i] * sums[j], 0.05);
            }
        }
    }
}
