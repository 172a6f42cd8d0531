package dev.lockstep.analysis;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Arrays;
import org.junit.jupiter.api.Test;

/**
 * The figures come from SciPy 1.17.1, {@code scipy.stats.theilslopes(values, times, 0.95)}, and pymannkendall 1.4.3,
 * {@code original_test(values)} and {@code hamed_rao_modification_test(values)}.
 */
class MannKendallTest {
    /** Annual flow of the Nile at Aswan in 10^8 m^3, 1871 to 1900: the first 30 values of R's data set Nile. */
    private static final double[] NILE = {
        1120, 1160, 963, 1210, 1160, 1160, 813, 1230, 1370, 1140, 995, 935, 1110, 994, 1020, 960, 1180, 799, 958, 1140,
        1100, 1210, 1150, 1250, 1260, 1220, 1030, 1100, 774, 840
    };

    /** A slope of 0.05 with noise of which each value keeps 0.7 of the one before. */
    private static final double[] PERSISTENT = {
        0.571, 1.832, 1.586, -0.329, -0.015, 0.208, -0.317, -1.72, -1.119, -2.53, -1.754, -1.044, 1.923, 2.671, 3.005,
        2.866, 2.048, 1.44, 0.767, 1.673, 2.905, 2.067, 1.724, 2.314, 3.472, 4.369, 5.685, 5.146, 4.843, 5.132, 3.364,
        3.698
    };

    /** Slow waves around a slope. */
    private static final double[] WAVES = {
        3.1, 3.3, 3.2, 3.8, 4.4, 4.9, 5.1, 5.0, 4.6, 4.4, 4.5, 4.9, 5.6, 6.3, 6.7, 6.6, 6.2, 5.9, 6.0, 6.6, 7.3, 7.9,
        8.1, 7.9, 7.5, 7.3, 7.6, 8.3, 9.0, 9.4
    };

    @Test
    void givesTheFiguresOfTheLibrariesForValuesWithTies() {
        MannKendall nile = MannKendall.of(count(30), NILE);

        assertEquals(-1.1111111111111112, nile.slope(), 1e-12);
        assertEquals(-9.470588235294118, nile.low(), 1e-12);
        assertEquals(4.444444444444445, nile.high(), 1e-12);
        assertEquals(0.592096975885398, nile.pValue(), 1e-9);
    }

    @Test
    void givesTheFiguresOfSciPyForIrregularTimes() {
        MannKendall irregular = MannKendall.of(
                new double[] {0, 1, 2.5, 3, 7, 8, 8.5, 12, 15, 15.5, 20, 31},
                new double[] {1, 1.4, 1.2, 2, 3.1, 2.9, 3.0, 4.8, 5.5, 6.1, 7.2, 11.9});

        assertEquals(0.328516129032258, irregular.slope(), 1e-12);
        assertEquals(0.3, irregular.low(), 1e-12);
        assertEquals(0.37142857142857144, irregular.high(), 1e-12);
    }

    @Test
    void correctsForValuesThatDependOnTheOnesBefore() {
        MannKendall persistent = MannKendall.of(count(32), PERSISTENT);

        assertEquals(1.659746963981648, MannKendall.correction(count(32), PERSISTENT, persistent.slope()), 1e-9);
        assertEquals(0.16801136363636363, persistent.slope(), 1e-12);
        // Without the correction it would be 0.0000111, and the interval 0.1165 to 0.2371.
        assertEquals(0.0006468315126006985, persistent.pValue(), 1e-9);
        assertTrue(persistent.low() < 0.1165 && persistent.high() > 0.2371, persistent.low() + " " + persistent.high());
    }

    /**
     * The published correction would take the variance to 0.43 of itself here: the waves look like negative dependence.
     */
    @Test
    void neverMakesAResultMoreCertainByTheCorrection() {
        MannKendall waves = MannKendall.of(count(30), WAVES);

        assertEquals(1, MannKendall.correction(count(30), WAVES, waves.slope()), 0);
        assertEquals(0.1888888888888889, waves.slope(), 1e-12);
        assertEquals(0.16956521739130437, waves.low(), 1e-12);
        assertEquals(0.21250000000000002, waves.high(), 1e-12);
        assertEquals(3.676190e-10, waves.pValue(), 1e-15);
    }

    @Test
    void findsNothingInConstants() {
        MannKendall constant = MannKendall.of(count(20), new double[20]);

        assertEquals(0, constant.slope(), 0);
        assertEquals(0, constant.low(), 0);
        assertEquals(0, constant.high(), 0);
        assertEquals(1, constant.pValue(), 0);
    }

    @Test
    void takesNoSlopeOfPointsThatAreNearEachOther() {
        MannKendall clusters =
                MannKendall.of(new double[] {0, 0.001, 0.002, 3, 3.001, 3.002}, new double[] {0, 1, 0, 3, 4, 3}, 0.5);

        assertEquals(1, clusters.slope(), 0.001);
        assertEquals(2 / 3.001, clusters.low(), 1e-9);
        assertEquals(4 / 2.999, clusters.high(), 1e-9);
    }

    @Test
    void coversTheTrueSlopeInNineteenOfTwentyExperiments() {
        TestingNoise noise = new TestingNoise(TestingNoise.SEED);
        int covered = 0;
        for (int i = 0; i < 2_000; i++) {
            double[] values = new double[24];
            Arrays.setAll(values, t -> 0.1 * t + noise.normal(1));
            MannKendall fit = MannKendall.of(count(24), values);
            covered += fit.low() <= 0.1 && 0.1 <= fit.high() ? 1 : 0;
        }
        assertTrue(covered >= 1_860 && covered <= 1_940, covered + " of 2,000, seed " + TestingNoise.SEED);
    }

    private static double[] count(int length) {
        double[] times = new double[length];
        Arrays.setAll(times, i -> i);
        return times;
    }
}
