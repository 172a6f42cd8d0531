package dev.lockstep.analysis;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

class NoiseFloorTest {
    private static final int EXPERIMENTS = 2_000;

    @Test
    void holdsTheNextEstimateInNineteenOfTwentyExperiments() {
        TestingNoise noise = new TestingNoise(TestingNoise.SEED);
        int held = 0;
        for (int i = 0; i < EXPERIMENTS; i++) {
            NoiseFloor floor = NoiseFloor.ofPairs(pairs(noise, 6), 3).orElseThrow();
            held += floor.contains(pairs(noise, 3).ratio()) ? 1 : 0;
        }
        assertTrue(held >= 0.93 * EXPERIMENTS && held <= 0.97 * EXPERIMENTS, held + ", seed " + TestingNoise.SEED);
    }

    /** Both targets of a pair share what the machine does to them; from launches alone that cannot be taken out. */
    @Test
    void isAnUpperBoundWhenTakenFromTheBaselinesLaunches() {
        TestingNoise noise = new TestingNoise(TestingNoise.SEED);
        int held = 0;
        for (int i = 0; i < EXPERIMENTS; i++) {
            double[] launches = new double[6];
            double sum = 0;
            for (int launch = 0; launch < 6; launch++) {
                double machine = noise.normal(0.01);
                double own = noise.normal(0.01);
                launches[launch] = machine + own;
                sum += noise.normal(0.01) - own;
            }
            NoiseFloor floor = NoiseFloor.ofLaunches(launches, 6).orElseThrow();
            held += floor.contains(Math.exp(sum / 6)) ? 1 : 0;
        }
        assertTrue(held >= 0.95 * EXPERIMENTS, held + ", seed " + TestingNoise.SEED);
    }

    /** With k = 4, mean 0.0025, s = 0.01 and t(3, 0.975) = 3.182446: 0.0025 +- 3.182446 * 0.01 * sqrt(1/4 + 1/6). */
    @Test
    void isThePredictionIntervalOfAMean() {
        double step = 0.01 * Math.sqrt(3.0) / 2;
        PairedRatio same = TestingPairs.of(0.0025 + step, 0.0025 - step, 0.0025 + step, 0.0025 - step);

        NoiseFloor floor = NoiseFloor.ofPairs(same, 6).orElseThrow();

        assertEquals(Math.exp(0.0025 - 0.0205426), floor.interval().low(), 1e-6);
        assertEquals(Math.exp(0.0025 + 0.0205426), floor.interval().high(), 1e-6);
        assertEquals(NoiseFloor.Source.A_A, floor.source());
    }

    @Test
    void isAbsentWithOneLaunch() {
        assertTrue(NoiseFloor.ofPairs(TestingPairs.of(0.01), 6).isEmpty());
        assertTrue(NoiseFloor.ofLaunches(new double[] {4.2}, 6).isEmpty());
    }

    private static PairedRatio pairs(TestingNoise noise, int count) {
        double[] values = new double[count];
        for (int i = 0; i < count; i++) {
            values[i] = noise.normal(0.01);
        }
        return TestingPairs.of(values);
    }
}
