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
        assertTrue(LaunchMean.of(98, 0).interval().isEmpty());
        assertEquals(49, LaunchMean.of(98, 0).mean());
    }
}
