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
        assertArrayEquals(new int[] {20, 120}, find(values));
    }

    @Test
    void findsAStepBetweenConstants() {
        double[] values = new double[40];
        Arrays.fill(values, 25, 40, 7);
        assertArrayEquals(new int[] {25}, find(values));
    }

    @Test
    void findsNothingInConstantsAndShortSeries() {
        assertArrayEquals(new int[0], find(new double[500]));
        assertArrayEquals(new int[0], find(1, 1, 1, 1, 9, 9, 9, 9, 9));
        assertArrayEquals(new int[0], find());
        assertArrayEquals(new int[0], find(3));
    }

    @Test
    void cutsNoiseSeldomAtAnyLength() {
        for (int length : new int[] {12, 20, 60, 300}) {
            TestingNoise noise = new TestingNoise(TestingNoise.SEED + length);
            int cut = 0;
            for (int i = 0; i < 400; i++) {
                double[] values = new double[length];
                Arrays.setAll(values, t -> noise.normal(1));
                cut += find(values).length > 0 ? 1 : 0;
            }
            assertTrue(cut <= 400 * 0.06, cut + " of 400, length " + length);
        }
    }

    @Test
    void findsStepsInShortSeries() {
        assertFound(20, 2.5, 0.5);
        assertFound(60, 1.1, 0.65);
        assertFound(130, 0.75, 0.7);
    }

    private static void assertFound(int length, double step, double least) {
        TestingNoise noise = new TestingNoise(TestingNoise.SEED);
        int found = 0;
        for (int i = 0; i < 400; i++) {
            double[] values = new double[length];
            Arrays.setAll(values, t -> (t < length / 2 ? 0 : step) + noise.normal(1));
            found += find(values).length > 0 ? 1 : 0;
        }
        assertTrue(found >= least * 400, found + " of 400 steps of " + step + " found in " + length);
    }

    private static int[] find(double... values) {
        return ChangePoints.find(values, ChangePoints.noise(values));
    }

    @Test
    void leavesAnOddValueAlone() {
        TestingNoise noise = new TestingNoise(TestingNoise.SEED);
        double[] values = new double[200];
        Arrays.setAll(values, i -> noise.normal(1) + (i == 100 ? 8 : 0));
        assertArrayEquals(new int[0], find(values));
    }

    @Test
    void estimatesTheNoiseBesideStepsSlopesAndOddValues() {
        TestingNoise noise = new TestingNoise(TestingNoise.SEED);
        double[] values = new double[2_000];
        Arrays.setAll(values, i -> 0.01 * i + (i > 700 ? 50 : 0) + (i % 100 == 0 ? 30 : 0) + noise.normal(2));
        assertEquals(2, ChangePoints.noise(values), 0.2);
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
        assertThrows(IllegalArgumentException.class, () -> find(1, 2, Double.NaN));
    }
}
