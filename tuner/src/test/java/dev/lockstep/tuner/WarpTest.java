package dev.lockstep.tuner;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Arrays;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

final class WarpTest {
    private static final double[] POWERS = {1, 0.5, 0, 1.5, 2};

    @Test
    void bringsValuesToMeanZeroAndVarianceOneAndBack() {
        double[] values = {3, -2, 7, 12, 0.5, 4};
        for (double power : POWERS) {
            Warp warp = new Warp(power, values);
            double[] warped = Arrays.stream(values).map(warp::to).toArray();
            assertEquals(0, Warp.mean(warped), 1e-12);
            assertEquals(1, Warp.sd(warped), 1e-12);
            for (double value : values) {
                assertEquals(value, warp.from(warp.to(value)), 1e-9);
                double slope = (warp.to(value + 1e-6) - warp.to(value - 1e-6)) / 2e-6;
                assertEquals(Math.log(slope), warp.logSlope(value) - warp.logSd(), 1e-6);
            }
        }
    }

    /** A usual penalty: it is drawn in, so that the others differ. */
    @Test
    void tellsTheOthersApartBesidePenalties() {
        for (double huge : new double[] {1e4, 1e6, 1e12, 1e200, Double.MAX_VALUE / 2}) {
            for (double power : POWERS) {
                Warp warp = new Warp(power, new double[] {1, 3, huge, 2, 1.5, 2 * huge});
                assertTrue(warp.to(2) - warp.to(1) > 0.3, power + ": " + warp.to(2) + " and " + warp.to(1));
                assertTrue(warp.to(huge) > warp.to(3));
                assertEquals(2, warp.from(warp.to(2)), 1e-9);
                assertEquals(Double.MAX_VALUE, warp.from(warp.to(huge) + 1));
                if (huge < 1e7) {
                    // Beyond that a double does not tell what they are drawn in to apart.
                    assertEquals(1, warp.from(warp.to(huge)) / huge, 1e-6);
                    double step = huge * 1e-3;
                    double slope = (warp.to(huge + step) - warp.to(huge - step)) / step / 2;
                    assertEquals(Math.log(slope), warp.logSlope(huge) - warp.logSd(), 1e-3);
                }
            }
        }
    }

    /** The values of a search that closes in on the best: all of its ranges matter. */
    @Test
    void drawsInNoValuesOfManySizes() {
        double[] values = {0, 1e-9, 2e-9, 3e-9, 1e-9, 1e-3, 0.1, 1, 5};
        Warp warp = new Warp(1, values);
        assertEquals(Warp.sd(values), warp.sd());
        assertEquals(5, (warp.to(5) - warp.to(0)) / (warp.to(1) - warp.to(0)), 1e-9);
    }

    @Test
    void takesAnyFiniteValues() {
        long seed = System.nanoTime();
        SplittableRandom random = new SplittableRandom(seed);
        for (int i = 0; i < 2000; i++) {
            double[] values = new double[1 + random.nextInt(8)];
            for (int k = 0; k < values.length; k++) {
                values[k] = StudyExtremesTest.extreme(random);
            }
            for (double power : POWERS) {
                Warp warp = new Warp(power, values);
                for (double value : values) {
                    assertTrue(Double.isFinite(warp.to(value)), "seed " + seed);
                    assertTrue(Double.isFinite(warp.logSlope(value)), "seed " + seed);
                }
                for (double warped = -1e3; warped <= 1e3; warped += 100) {
                    double value = warp.from(warped);
                    assertTrue(Double.isFinite(value), "seed " + seed);
                    assertTrue(Double.isFinite(warp.logSlope(value)), "seed " + seed);
                }
                assertTrue(Double.isFinite(warp.sd()) && warp.sd() >= 0, "seed " + seed);
            }
        }
    }
}
