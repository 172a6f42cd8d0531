package dev.lockstep.tuner;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

final class NoisyImprovementTest {
    private static final double[][] POINTS = {{0.1, 0.2}, {0.4, 0.9}, {0.7, 0.3}, {0.95, 0.6}};
    private static final double[] VALUES = {1.2, -0.4, 0.3, 2.1};
    private static final boolean[] SCALES = {false, false};
    private static final double[][] ASKED = {{0.3, 0.7}, {0.5, 0.95}, {0.82, 0.1}};

    private static GaussianProcess process(double noise) {
        double[] noises = {noise, noise, noise, noise};
        return new GaussianProcess(
                POINTS, SCALES, VALUES, noises, new GaussianProcess.Settings(new double[] {0.5, 1.5}, noise));
    }

    private static NoisyImprovement improvement(GaussianProcess process, int draws) {
        ScrambledSobol sobol = new ScrambledSobol(POINTS.length, new SplittableRandom(3));
        return new NoisyImprovement(process, List.of(), POINTS, draws, sobol);
    }

    /**
     * Jones, Schonlau and Welch, "Efficient global optimization of expensive black-box functions" (1998), equation 15.
     */
    @Test
    void isTheExpectedImprovementWhereNoNoiseIs() {
        GaussianProcess process = process(1e-8);
        NoisyImprovement improvement = improvement(process, 64);
        for (double[] point : ASKED) {
            GaussianProcess.At at = process.at(point);
            double z = (-0.4 - at.mean()) / at.sd();
            double expected = at.sd() * (z * Math.exp(NormalLogs.probability(z)) + Math.exp(NormalLogs.density(z)));
            assertEquals(Math.log(expected), improvement.at(point, null), 1e-3);
        }
    }

    /** The mean over functions drawn otherwise, of how far each is below its own least value at the points. */
    @Test
    void isTheMeanGainOverTheBestOfDrawnFunctionsWhereNoiseIs() {
        GaussianProcess process = process(0.3);
        NoisyImprovement improvement = improvement(process, 1024);
        SplittableRandom random = new SplittableRandom(4);
        int rounds = 60;
        double[] sums = new double[ASKED.length];
        for (int round = 0; round < rounds; round++) {
            SamplePaths paths = new SamplePaths(process, new int[2], 200, random.split());
            double[] best = paths.at(POINTS[0]);
            for (double[] point : POINTS) {
                double[] values = paths.at(point);
                for (int s = 0; s < best.length; s++) {
                    best[s] = Math.min(best[s], values[s]);
                }
            }
            for (int i = 0; i < ASKED.length; i++) {
                double[] values = paths.at(ASKED[i]);
                for (int s = 0; s < best.length; s++) {
                    sums[i] += Math.max(0, best[s] - values[s]) / best.length / rounds;
                }
            }
        }
        for (int i = 0; i < ASKED.length; i++) {
            assertEquals(sums[i], Math.exp(improvement.at(ASKED[i], null)), 0.05 * sums[i] + 1e-3);
        }
    }

    @Test
    void hasItsDerivatives() {
        for (double noise : new double[] {1e-8, 0.3}) {
            NoisyImprovement improvement = improvement(process(noise), 64);
            for (double[] point : ASKED) {
                Derivatives.check(improvement, point, SCALES);
            }
        }
    }

    @Test
    void isTheLogOfTheMeanOverModels() {
        List<NoisyImprovement> parts = List.of(improvement(process(0.3), 64), improvement(process(0.05), 64));
        Score mean = Score.logMean(parts);
        for (double[] point : ASKED) {
            double one = Math.exp(parts.get(0).at(point, null));
            double other = Math.exp(parts.get(1).at(point, null));
            assertEquals(Math.log((one + other) / 2), mean.at(point, null), 1e-9);
            Derivatives.check(mean, point, SCALES);
        }
    }
}
