package dev.lockstep.tuner;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

final class NoisyHypervolumeTest {
    private static final double[][] POINTS = {{0.1, 0.2}, {0.4, 0.9}, {0.7, 0.3}, {0.95, 0.6}};
    private static final double[] FIRSTS = {1.2, -0.4, 0.3, 2.1};
    private static final double[] SECONDS = {-1, 0.8, 0.1, 0.7};
    private static final double[] REFERENCE = {1.5, 1.2};
    private static final boolean[] SCALES = {false, false};
    private static final double[][] ASKED = {{0.3, 0.7}, {0.5, 0.95}, {0.82, 0.1}, {0.11, 0.2}};

    private static GaussianProcess process(double[] values, double noise, double scale) {
        double[] noises = {noise, noise, noise, noise};
        return new GaussianProcess(
                POINTS, SCALES, values, noises, new GaussianProcess.Settings(new double[] {scale, 1.5}, noise));
    }

    private static NoisyHypervolume improvement(double noise, int draws) {
        ScrambledSobol sobol = new ScrambledSobol(2 * POINTS.length, new SplittableRandom(3));
        return new NoisyHypervolume(
                process(FIRSTS, noise, 0.5), process(SECONDS, noise, 0.8), List.of(), POINTS, draws, sobol, REFERENCE);
    }

    /** Returns the area that points dominate up to the reference, by a sweep. */
    private static double area(double[] firsts, double[] seconds) {
        double area = 0;
        double top = REFERENCE[1];
        for (int i : new Front(firsts, seconds, List.of(0, 1, 2, 3, 4)).members()) {
            if (firsts[i] < REFERENCE[0] && seconds[i] < top) {
                area += (REFERENCE[0] - firsts[i]) * (top - seconds[i]);
                top = seconds[i];
            }
        }
        return area;
    }

    /** The mean over functions drawn otherwise, of by how much the new point enlarges what each draw dominates. */
    @Test
    void isTheMeanGainOfAreaOverDrawnFunctions() {
        for (double noise : new double[] {1e-8, 0.2}) {
            NoisyHypervolume improvement = improvement(noise, 1024);
            SplittableRandom random = new SplittableRandom(4);
            int rounds = 60;
            double[] sums = new double[ASKED.length];
            for (int round = 0; round < rounds; round++) {
                SamplePaths firsts = new SamplePaths(process(FIRSTS, noise, 0.5), new int[2], 200, random.split());
                SamplePaths seconds = new SamplePaths(process(SECONDS, noise, 0.8), new int[2], 200, random.split());
                double[][] x = new double[POINTS.length + 1][];
                double[][] y = new double[POINTS.length + 1][];
                for (int i = 0; i < POINTS.length; i++) {
                    x[i] = firsts.at(POINTS[i]);
                    y[i] = seconds.at(POINTS[i]);
                }
                for (int a = 0; a < ASKED.length; a++) {
                    x[POINTS.length] = firsts.at(ASKED[a]);
                    y[POINTS.length] = seconds.at(ASKED[a]);
                    for (int s = 0; s < 200; s++) {
                        double[] all = new double[POINTS.length + 1];
                        double[] others = new double[POINTS.length + 1];
                        for (int i = 0; i <= POINTS.length; i++) {
                            all[i] = x[i][s];
                            others[i] = y[i][s];
                        }
                        double with = area(all, others);
                        all[POINTS.length] = REFERENCE[0];
                        sums[a] += (with - area(all, others)) / 200 / rounds;
                    }
                }
            }
            for (int a = 0; a < ASKED.length; a++) {
                assertEquals(sums[a], Math.exp(improvement.at(ASKED[a], null)), 0.05 * sums[a] + 2e-3);
            }
        }
    }

    @Test
    void hasItsDerivatives() {
        for (double noise : new double[] {1e-8, 0.3}) {
            NoisyHypervolume improvement = improvement(noise, 64);
            for (double[] point : ASKED) {
                Derivatives.check(improvement, point, SCALES);
            }
        }
    }
}
