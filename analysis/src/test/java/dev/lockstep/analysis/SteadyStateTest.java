package dev.lockstep.analysis;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Arrays;
import java.util.OptionalInt;
import java.util.function.IntToDoubleFunction;
import org.junit.jupiter.api.Test;

class SteadyStateTest {
    private static final double TOLERANCE = SteadyState.USUAL_TOLERANCE;

    @Test
    void beginsWhereTheLastChangeWas() {
        SteadyState state = SteadyState.of(TOLERANCE, series(120, t -> t < 12 ? 1.5 : t < 35 ? 0.4 : 0.0));

        assertTrue(state.steady());
        assertEquals(OptionalInt.of(35), state.index());
        assertEquals("steady from second 35 of 120", state.reason());
    }

    @Test
    void seesItThroughTheNoiseOfSeconds() {
        for (long seed = 1; seed <= 50; seed++) {
            TestingNoise noise = new TestingNoise(seed);
            double[] series = new double[120];
            Arrays.setAll(series, t -> (t < 8 ? 1.2 : t < 30 ? 0.15 : 0) + noise.normal(0.03));

            int index = SteadyState.of(TOLERANCE, series).index().orElseThrow();

            assertTrue(index >= 28 && index <= 32, "second " + index + ", seed " + seed);
        }
    }

    @Test
    void beginsAtOnceWhereNothingChanges() {
        assertEquals(
                OptionalInt.of(0), SteadyState.of(TOLERANCE, series(60, t -> 3)).index());
        assertEquals(
                OptionalInt.of(0), SteadyState.of(TOLERANCE, new double[60]).index());
    }

    @Test
    void beginsNearTheEndOfAWarmUpThatFadesOut() {
        SteadyState state = SteadyState.of(TOLERANCE, series(180, t -> 2 * Math.exp(-t / 10.0)));

        // It is within 2 % of its end after 10 * log(2 / 0.02) = 46 s.
        int index = state.index().orElseThrow();
        assertTrue(index >= 25 && index <= 60, state.toString());
    }

    @Test
    void ignoresChangesWithinTheTolerance() {
        double[] series = series(200, t -> t < 40 ? 0.8 : t < 120 ? 0.012 : 0);

        assertEquals(OptionalInt.of(40), SteadyState.of(TOLERANCE, series).index());
        assertEquals(OptionalInt.of(120), SteadyState.of(0.005, series).index());
    }

    @Test
    void isNoneWhenItChangedLate() {
        SteadyState slower = SteadyState.of(TOLERANCE, series(120, t -> t < 100 ? 0 : 0.10));

        assertFalse(slower.steady());
        assertTrue(slower.index().isEmpty());
        assertTrue(
                slower.reason().matches("no steady state: changed by \\+1[01]\\.[0-9] % at second 100 of 120.*"),
                slower.reason());
    }

    @Test
    void isNoneWhenItGoesUpAndDown() {
        assertFalse(
                SteadyState.of(TOLERANCE, series(200, t -> t / 20 % 2 * 0.2)).steady());
    }

    @Test
    void isNoneWhenItKeepsGettingSlower() {
        assertFalse(SteadyState.of(TOLERANCE, series(300, t -> 0.002 * t)).steady());
    }

    @Test
    void isNoneForTooFewSeconds() {
        SteadyState state = SteadyState.of(TOLERANCE, new double[9]);

        assertEquals("no steady state: only 9 seconds with a value, a steady state takes 10", state.reason());
    }

    @Test
    void takesTheLastOfAllSeries() {
        double[] cpu = series(120, t -> t < 30 ? 0.5 : 0);
        double[] latency = series(120, t -> t < 50 ? 0.5 : 0);
        double[] never = series(120, t -> t < 110 ? 0.5 : 0);

        assertEquals(OptionalInt.of(50), SteadyState.of(TOLERANCE, cpu, latency).index());
        assertFalse(SteadyState.of(TOLERANCE, cpu, latency, never).steady());
    }

    @Test
    void skipsSecondsWithoutAValueAndForgivesSingleOddOnes() {
        double[] series = series(120, t -> t < 30 ? 0.5 : 0);
        Arrays.fill(series, 0, 4, Double.NaN);
        series[70] = Double.NaN;
        series[90] = 3;
        series[119] = -3;

        assertEquals(OptionalInt.of(30), SteadyState.of(TOLERANCE, series).index());
    }

    @Test
    void refusesSeriesOfDifferentLengthsAndInfinity() {
        assertThrows(IllegalArgumentException.class, () -> SteadyState.of(TOLERANCE));
        assertThrows(IllegalArgumentException.class, () -> SteadyState.of(TOLERANCE, new double[20], new double[21]));
        double[] infinite = new double[20];
        infinite[7] = Double.NEGATIVE_INFINITY;
        assertThrows(IllegalArgumentException.class, () -> SteadyState.of(TOLERANCE, infinite));
        assertThrows(IllegalArgumentException.class, () -> SteadyState.of(-1, new double[20]));
    }

    private static double[] series(int length, IntToDoubleFunction level) {
        TestingNoise noise = new TestingNoise(TestingNoise.SEED);
        double[] values = new double[length];
        Arrays.setAll(values, t -> level.applyAsDouble(t) + noise.normal(0.005));
        return values;
    }
}
