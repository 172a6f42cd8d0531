package dev.lockstep.analysis;

import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.lockstep.results.Verdict.Finding;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.Test;

/**
 * How often a regression is claimed where only the day differs, and how often one is found. With
 * {@code -Dsimulation.experiments=2000} it prints the table of docs/trend.md.
 */
final class RunSimulationTest {
    private static final int EXPERIMENTS = Integer.getInteger("simulation.experiments", 200);
    private static final double MARGIN = 0.01;
    /** Of a launch. */
    private static final double LAUNCH = 0.02;

    /** The usual number of experiments tells whether something broke, for which the ends of the table do. */
    private static final boolean ALL = EXPERIMENTS >= 1_000;

    private static final double[] DAYS = ALL ? new double[] {0, 0.005, 0.01, 0.02} : new double[] {0, 0.02};
    private static final int LAUNCHES = 6;

    private static RunSample run(TestingNoise noise, double day, double effect, int launches) {
        double mean = noise.normal(day) + effect;
        double[] logs = new double[launches];
        Arrays.setAll(logs, i -> mean + noise.normal(LAUNCH));
        return RunSample.of(logs);
    }

    /** Returns how many of the ratios were called better or worse. */
    private static int claimed(Experiment experiment) {
        TestingNoise noise = new TestingNoise(TestingNoise.SEED);
        int claimed = 0;
        for (int i = 0; i < EXPERIMENTS; i++) {
            Finding finding = experiment.of(noise).finding(Direction.LOWER_IS_BETTER, MARGIN, 0.95);
            claimed += finding == Finding.BETTER || finding == Finding.WORSE ? 1 : 0;
        }
        return claimed;
    }

    private interface Experiment {
        RunRatio of(TestingNoise noise);
    }

    /** Against the first run, the others but the judged one telling how much days differ. */
    private static RunRatio compared(TestingNoise noise, int others, double day, double effect) {
        List<RunSample> earlier = new ArrayList<>();
        for (int i = 0; i < others; i++) {
            earlier.add(run(noise, day, 0, LAUNCHES));
        }
        return RunRatio.of(
                earlier.subList(0, 1),
                run(noise, day, effect, LAUNCHES),
                DayDeviation.of(List.of(earlier)).orElse(null));
    }

    private static RunRatio newest(TestingNoise noise, int others, double day, double effect, int launches) {
        List<RunSample> earlier = new ArrayList<>();
        for (int i = 0; i < others; i++) {
            earlier.add(run(noise, day, 0, launches));
        }
        return RunRatio.of(
                earlier,
                run(noise, day, effect, launches),
                DayDeviation.of(List.of(earlier)).orElse(null));
    }

    /** Launches of two targets in one run are pairs, and share the day. */
    private static RunRatio controlled(TestingNoise noise, double day, double effect) {
        RunSample[] runs = new RunSample[2];
        for (int r = 0; r < 2; r++) {
            double shared = noise.normal(day);
            double[] logs = new double[LAUNCHES];
            double added = r * effect;
            Arrays.setAll(logs, i -> shared + added + noise.normal(LAUNCH) - (shared + noise.normal(LAUNCH)));
            runs[r] = RunSample.of(logs);
        }
        return RunRatio.of(runs[0], runs[1]);
    }

    @Test
    void claimsARegressionSeldomWhereOnlyTheDayDiffers() {
        row("nothing changed, claimed; days differ by 0, 0.5, 1, 2 %", "");
        judge("two runs with a control", 0.05, day -> noise -> controlled(noise, day, 0));
        for (int others : ALL ? new int[] {2, 3, 5, 10} : new int[] {2, 5}) {
            // The share of an estimate from two runs is that of the tails of Student's t with one degree of freedom.
            judge(others + 1 + " runs", 0.06, day -> noise -> compared(noise, others, day, 0));
        }
        for (int others : ALL ? new int[] {3, 6, 12, 30} : new int[] {3, 12}) {
            judge("newest after " + others, 0.05, day -> noise -> newest(noise, others, day, 0, LAUNCHES));
            judge("newest of looks after " + others, 0.05, day -> noise -> newest(noise, others, day, 0, 1));
        }
    }

    /** What the sentence says that the interval does not know. */
    @Test
    void twoRunsWithoutAControlTakeTheDayForARegression() {
        row("two runs without a control: claimed", "");
        StringBuilder shares = new StringBuilder();
        for (double day : DAYS) {
            int claimed = claimed(noise -> RunRatio.of(run(noise, day, 0, LAUNCHES), run(noise, day, 0, LAUNCHES)));
            shares.append(percent(claimed));
            if (day == 0) {
                assertTrue(claimed <= most(0.05), claimed + " of " + EXPERIMENTS);
            }
            if (day == 0.02) {
                assertTrue(claimed >= 0.2 * EXPERIMENTS, "days of 2 % are claimed: " + claimed);
            }
        }
        row("two runs", shares.toString());
    }

    @Test
    void findsARegressionOfFivePercent() {
        row("5 % more, found; days differ by 0, 0.5, 1, 2 %", "");
        StringBuilder control = new StringBuilder();
        StringBuilder six = new StringBuilder();
        StringBuilder newest = new StringBuilder();
        for (double day : DAYS) {
            int found = claimed(noise -> controlled(noise, day, Math.log1p(0.05)));
            assertTrue(found >= 0.6 * EXPERIMENTS, "with a control: " + found);
            control.append(percent(found));
            six.append(percent(claimed(noise -> compared(noise, 5, day, Math.log1p(0.05)))));
            newest.append(percent(claimed(noise -> newest(noise, 12, day, Math.log1p(0.05), LAUNCHES))));
        }
        row("two runs with a control", control.toString());
        row("six runs", six.toString());
        row("newest after 12", newest.toString());
    }

    private interface OfDay {
        Experiment of(double day);
    }

    private static void judge(String label, double share, OfDay experiment) {
        StringBuilder shares = new StringBuilder();
        for (double day : DAYS) {
            int claimed = claimed(experiment.of(day));
            assertTrue(
                    claimed <= most(share),
                    claimed + " of " + EXPERIMENTS + ": " + label + ", days of " + day + ", seed " + TestingNoise.SEED);
            shares.append(percent(claimed));
        }
        row(label, shares.toString());
    }

    /** A share and three standard errors of so many experiments. */
    private static double most(double share) {
        return EXPERIMENTS * (share + 3 * Math.sqrt(share * (1 - share) / EXPERIMENTS));
    }

    private static String percent(int found) {
        return String.format(Locale.ROOT, " %.1f %%", 100.0 * found / EXPERIMENTS);
    }

    private static void row(String label, String cells) {
        if (ALL) {
            System.out.println(label + ":" + cells);
        }
    }
}
