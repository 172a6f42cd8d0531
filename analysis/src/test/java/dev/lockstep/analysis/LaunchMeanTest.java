package dev.lockstep.analysis;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

final class LaunchMeanTest {
    @Test
    void hasTheIntervalOfStudent() {
        // 101 ± t s / √3 with t = 4.302652729911275, the 97.5 % quantile of two degrees of freedom, and s² = 13.
        LaunchMean mean = LaunchMean.of(98, 100, 105);

        assertEquals(101, mean.mean());
        assertEquals(92.04331410, mean.interval().orElseThrow().low(), 1e-7);
        assertEquals(109.95668590, mean.interval().orElseThrow().high(), 1e-7);
    }

    @Test
    void hasNoIntervalOfOneLaunch() {
        assertTrue(LaunchMean.of(98).interval().isEmpty());
    }
}
