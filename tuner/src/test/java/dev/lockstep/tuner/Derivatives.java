package dev.lockstep.tuner;

import static org.junit.jupiter.api.Assertions.assertEquals;

/** Compares derivatives with differences. */
final class Derivatives {
    private static final double STEP = 1e-6;

    private Derivatives() {}

    /** @param choices coordinates that have no derivative */
    static void check(Score score, double[] point, boolean[] choices) {
        double[] gradient = new double[point.length];
        score.at(point, gradient);
        for (int k = 0; k < point.length; k++) {
            double[] low = point.clone();
            double[] high = point.clone();
            low[k] -= STEP;
            high[k] += STEP;
            double expected = choices[k] ? 0 : (score.at(high, null) - score.at(low, null)) / (2 * STEP);
            assertEquals(expected, gradient[k], 1e-4 * Math.max(1, Math.abs(expected)), "coordinate " + k);
        }
    }
}
