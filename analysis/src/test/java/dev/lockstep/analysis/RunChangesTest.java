package dev.lockstep.analysis;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

final class RunChangesTest {
    private static final double MARGIN = 0.01;

    private static List<RunSample> looks(double... logs) {
        List<RunSample> runs = new ArrayList<>();
        for (double log : logs) {
            runs.add(RunSample.of(log));
        }
        return runs;
    }

    private static List<Integer> places(List<RunChanges.Change> changes) {
        return changes.stream().map(RunChanges.Change::at).collect(Collectors.toList());
    }

    /** By hand: means 0 and 0.1, squares 2 x 2e-6 with four degrees of freedom, so t = 0.1 / sqrt(1e-6 x 2 / 3). */
    @Test
    void findsAStepBetweenSixRuns() {
        List<RunChanges.Change> changes = RunChanges.find(looks(0, 0.001, -0.001, 0.1, 0.101, 0.099), MARGIN);

        assertEquals(List.of(3), places(changes));
        RunChanges.Change change = changes.get(0);
        assertEquals(Math.exp(0.1), change.ratio(), 1e-9);
        double error = Math.sqrt(1e-6 * 2 / 3);
        assertEquals(
                0.1 - 2.7764451051977987 * error, Math.log(change.interval().low()), 1e-9);
        assertTrue(change.pValue() < 1e-6, "p " + change.pValue());
    }

    @Test
    void findsWhereItWentUpAndCameDownAgain() {
        double[] logs = new double[30];
        TestingNoise noise = new TestingNoise(TestingNoise.SEED);
        for (int i = 0; i < logs.length; i++) {
            logs[i] = noise.normal(0.01) + (i >= 10 && i < 16 ? 0.05 : 0);
        }

        assertEquals(List.of(10, 16), places(RunChanges.find(looks(logs), MARGIN)));
    }

    @Test
    void findsNothingInThreeRunsInConstantsAndWithinTheMargin() {
        assertEquals(List.of(), RunChanges.find(looks(0, 0, 9), MARGIN));
        assertEquals(List.of(), RunChanges.find(looks(1, 1, 1, 1, 1, 1, 1, 1), MARGIN));
        assertEquals(List.of(), RunChanges.find(looks(0, 0, 0, 0, 0, 0.009, 0.009, 0.009, 0.009, 0.009), MARGIN));
    }

    @Test
    void leavesASingleOddRunToTheVerdict() {
        assertEquals(List.of(), RunChanges.find(looks(0, 0.01, -0.01, 0.005, 0, -0.01, 0.01, 0, 0.5), MARGIN));
    }

    /** A look of one launch that is far off changes little beside verdicts of many. */
    @Test
    void givesRunsTheWeightOfTheirLaunches() {
        List<RunSample> runs = new ArrayList<>();
        for (int i = 0; i < 6; i++) {
            runs.add(RunSample.of(0.02 + 0.001 * i, -0.02 + 0.001 * i, 0.01, -0.01));
        }
        runs.add(RunSample.of(0.04));
        runs.add(RunSample.of(0.05));

        assertEquals(List.of(), places(RunChanges.find(runs, MARGIN)));
    }

    @Test
    void cutsNoiseSeldomAtAnyLength() {
        int experiments = Integer.getInteger("simulation.experiments", 200);
        for (int length : new int[] {4, 6, 10, 20, 40, 80}) {
            TestingNoise noise = new TestingNoise(TestingNoise.SEED + length);
            int cut = 0;
            for (int i = 0; i < experiments; i++) {
                cut += RunChanges.find(looks(noises(noise, length)), MARGIN).isEmpty() ? 0 : 1;
            }
            double most = 0.05 + 3 * Math.sqrt(0.05 * 0.95 / experiments);
            assertTrue(cut <= most * experiments, cut + " of " + experiments + ", length " + length);
            if (experiments >= 1_000) {
                System.out.printf(
                        "noise of 3 %%, %d runs: a change claimed %.1f %%%n", length, 100.0 * cut / experiments);
            }
        }
    }

    private static double[] noises(TestingNoise noise, int length) {
        double[] values = new double[length];
        for (int i = 0; i < length; i++) {
            values[i] = noise.normal(0.03);
        }
        return values;
    }
}
