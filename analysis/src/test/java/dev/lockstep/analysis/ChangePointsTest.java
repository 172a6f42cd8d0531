package dev.lockstep.analysis;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Arrays;
import org.junit.jupiter.api.Test;

class ChangePointsTest {
    @Test
    void findsStepsWhereTheyAre() {
        TestingNoise noise = new TestingNoise(TestingNoise.SEED);
        double[] values = new double[300];
        for (int i = 0; i < values.length; i++) {
            values[i] = (i < 20 ? 1.0 : i < 120 ? 0.3 : 0.2) + noise.normal(0.01);
        }
        assertArrayEquals(new int[] {20, 120}, ChangePoints.find(values));
    }

    @Test
    void findsAStepBetweenConstants() {
        double[] values = new double[40];
        Arrays.fill(values, 25, 40, 7);
        assertArrayEquals(new int[] {25}, ChangePoints.find(values));
    }

    @Test
    void findsNothingInNoiseConstantsAndShortSeries() {
        TestingNoise noise = new TestingNoise(TestingNoise.SEED);
        for (int i = 0; i < 100; i++) {
            double[] rough = noise.autocorrelated(600, 0.3, 1);
            assertArrayEquals(new int[0], ChangePoints.find(rough), "series " + i + ", seed " + TestingNoise.SEED);
        }
        assertArrayEquals(new int[0], ChangePoints.find(new double[500]));
        assertArrayEquals(new int[0], ChangePoints.find(1, 1, 1, 1, 9, 9, 9, 9, 9));
        assertArrayEquals(new int[0], ChangePoints.find());
        assertArrayEquals(new int[0], ChangePoints.find(3));
    }

    @Test
    void leavesAnOddValueAlone() {
        TestingNoise noise = new TestingNoise(TestingNoise.SEED);
        double[] values = new double[200];
        Arrays.setAll(values, i -> noise.normal(1) + (i == 100 ? 8 : 0));
        assertArrayEquals(new int[0], ChangePoints.find(values));
    }

    @Test
    void estimatesTheNoiseBesideStepsSlopesAndOddValues() {
        TestingNoise noise = new TestingNoise(TestingNoise.SEED);
        double[] values = new double[2_000];
        Arrays.setAll(values, i -> 0.01 * i + (i > 700 ? 50 : 0) + (i % 100 == 0 ? 30 : 0) + noise.normal(2));
        assertEquals(2, ChangePoints.noise(values), 0.15);
    }

    /** The same minimum as by trying every last segment for every end, which takes quadratic time. */
    @Test
    void isExactForAnySeriesPenaltyAndLength() {
        for (long seed = 1; seed <= 400; seed++) {
            TestingNoise noise = new TestingNoise(seed);
            int length = 1 + noise.below(120);
            int minimumLength = 1 + noise.below(7);
            double penalty = noise.uniform(0, 12);
            double[] values = new double[length];
            double level = 0;
            for (int i = 0; i < length; i++) {
                level = noise.below(15) == 0 ? noise.normal(3) : level;
                values[i] = level + noise.normal(1);
            }

            int[] found = ChangePoints.find(values, 1, penalty, minimumLength);

            double least = leastCost(values, penalty, minimumLength);
            assertEquals(least, cost(values, found, penalty, minimumLength), 1e-9 * (1 + least), "seed " + seed);
        }
    }

    private static double cost(double[] values, int[] changes, double penalty, int minimumLength) {
        ChangePoints.Costs costs = new ChangePoints.Costs(values, 1);
        double cost = 0;
        int start = 0;
        for (int i = 0; i <= changes.length; i++) {
            int end = i < changes.length ? changes[i] : values.length;
            assertTrue(changes.length == 0 || end - start >= minimumLength, "segment of " + (end - start));
            cost += costs.of(start, end) + (i > 0 ? penalty : 0);
            start = end;
        }
        return cost;
    }

    private static double leastCost(double[] values, double penalty, int minimumLength) {
        ChangePoints.Costs costs = new ChangePoints.Costs(values, 1);
        double[] best = new double[values.length + 1];
        for (int end = 1; end <= values.length; end++) {
            best[end] = end == values.length || end >= minimumLength ? costs.of(0, end) : Double.POSITIVE_INFINITY;
            for (int start = minimumLength; start <= end - minimumLength; start++) {
                best[end] = Math.min(best[end], best[start] + costs.of(start, end) + penalty);
            }
        }
        return best[values.length];
    }

    @Test
    void refusesWhatIsNoNumber() {
        assertThrows(IllegalArgumentException.class, () -> ChangePoints.find(1, 2, Double.NaN));
    }
}
