package dev.lockstep.analysis;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

final class LaunchMeanTest {
    @Test
    void hasTheIntervalOfStudentOnLogarithms() {
        // exp(m ± t s / √3) of the logarithms, t = 4.302652729911275, the 97.5 % quantile of two degrees of freedom.
        LaunchMean mean = LaunchMean.of(98, 100, 105);

        assertEquals(100.95746992, mean.mean(), 1e-7);
        assertEquals(92.44255625, mean.interval().orElseThrow().low(), 1e-7);
        assertEquals(110.25669504, mean.interval().orElseThrow().high(), 1e-7);
    }

    @Test
    void hasNoIntervalOfOneLaunchNorWithAZero() {
        assertTrue(LaunchMean.of(98).interval().isEmpty());
        assertTrue(LaunchMean.arithmetic(new double[] {98}, 0.4).interval().isEmpty());
        assertTrue(LaunchMean.of(98, 0).interval().isEmpty());
        assertEquals(49, LaunchMean.of(98, 0).mean());
    }

    /** R: t.test(c(-0.3, -0.1, -0.2, -0.4)) gives -0.4554 to -0.0446. */
    @Test
    void hasStudentsIntervalOfDifferences() {
        LaunchMean found = LaunchMean.arithmetic(-0.3, -0.1, -0.2, -0.4);

        assertEquals(-0.25, found.mean(), 1e-12);
        assertEquals(-0.4554, found.interval().orElseThrow().low(), 1e-4);
        assertEquals(-0.0446, found.interval().orElseThrow().high(), 1e-4);
    }

    @Test
    void isCertainWhereAllValuesAgreeAndNoneCouldByChance() {
        ConfidenceInterval interval =
                LaunchMean.arithmetic(-2, -2, -2).interval().orElseThrow();

        assertEquals(-2, interval.low());
        assertEquals(-2, interval.high());
    }

    /** t of 95 % with one degree of freedom is 12.706. */
    @Test
    void isNotCertainWhereValuesMayAgreeByChance() {
        ConfidenceInterval interval =
                LaunchMean.arithmetic(new double[] {-1, -1}, 0.4).interval().orElseThrow();

        assertEquals(-1 - 12.706 * 0.4 / Math.sqrt(2), interval.low(), 1e-3);
        assertEquals(-1 + 12.706 * 0.4 / Math.sqrt(2), interval.high(), 1e-3);
    }
}
