package dev.lockstep.analysis;

import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.lockstep.results.Verdict.Finding;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.function.ToDoubleFunction;
import org.junit.jupiter.api.Test;

/**
 * How often verdicts are wrong, and how often they find what is there, where the truth is known. With
 * {@code -Dsimulation.experiments=2000} it prints the tables of docs/statistics.md; the usual number only tells whether
 * something broke.
 */
class SimulationTest {
    private static final int EXPERIMENTS = Integer.getInteger("simulation.experiments", 200);
    private static final double MARGIN = 0.01;
    /** Seconds of a launch, each of which may be a burst. */
    private static final int SECONDS = 60;

    private static final int[] PAIRS = {3, 6, 12};

    /** Launches of which nothing differs in the mean, whatever they look like: each gives one experiment. */
    private enum Same {
        CALM("noise of 2 %", (noise, pairs) -> ratio(noise, pairs, Same::calm, Same::calm, SECONDS), true),
        HEAVY("the same, heavy-tailed", (noise, pairs) -> heavy(noise, pairs, 0, 0.02), true),
        SKEWED(
                "skewed: seconds log-normal",
                (noise, pairs) -> ratio(noise, pairs, Same::skewed, Same::skewed, SECONDS),
                true),
        BURSTY(
                "bursts on both sides",
                (noise, pairs) -> ratio(noise, pairs, Same::bursty, Same::bursty, SECONDS),
                true),
        BURSTY_BASELINE(
                "bursts of the baseline alone",
                (noise, pairs) -> ratio(noise, pairs, Same::calm, Same::bursty, SECONDS),
                true),
        /** The mean of logs takes launches that vary by 40 % for cheaper than they are: a limit, not a goal. */
        RARE_BURSTS(
                "the same in a tenth of ten long parts",
                (noise, pairs) -> ratio(noise, pairs, Same::calm, Same::bursty, 10),
                false),
        ZEROS("nothing in half of the launches", (noise, pairs) -> zeros(noise, pairs), false),
        FEW_CYCLES("one collection in each launch", (noise, pairs) -> counts(pairs, () -> 1), false),
        CYCLES("5 collections a launch, by chance", (noise, pairs) -> counts(pairs, () -> noise.poisson(5)), false),
        MANY_CYCLES(
                "100 collections a launch, by chance", (noise, pairs) -> counts(pairs, () -> noise.poisson(100)), true),
        ONE_ACCIDENT(
                "100 errors in one launch of twelve",
                (noise, pairs) -> counts(pairs, () -> noise.below(12) == 0 ? 100 : 0),
                false),
        CROWDED(
                "errors that come together, 5 a launch",
                (noise, pairs) -> counts(pairs, () -> noise.poisson(10 * noise.exponential() * noise.below(2))),
                false);

        private interface Experiment {
            RatioEstimate of(TestingNoise noise, int pairs);
        }

        final String label;
        final Experiment experiment;
        /** Whether the interval may be expected to hold the truth in 95 % and not in more. */
        final boolean sharp;

        Same(String label, Experiment experiment, boolean sharp) {
            this.label = label;
            this.experiment = experiment;
            this.sharp = sharp;
        }

        /** What a block costs where the launch costs this on average. */
        private static double calm(TestingNoise noise) {
            return Math.exp(noise.normal(0.02));
        }

        private static double skewed(TestingNoise noise) {
            return Math.exp(noise.normal(0.5) - 0.125);
        }

        /** One block in ten costs five times as much, the others what is left. */
        private static double bursty(TestingNoise noise) {
            return noise.below(10) == 0 ? 5 : 5 / 9.0;
        }

        private static RatioEstimate zeros(TestingNoise noise, int pairs) {
            double[] target = new double[pairs];
            double[] baseline = new double[pairs];
            do {
                for (int pair = 0; pair < pairs; pair++) {
                    target[pair] = noise.below(2) * noise.uniform(0.5, 1.5);
                    baseline[pair] = noise.below(2) * noise.uniform(0.5, 1.5);
                }
            } while (Sample.mean(target) + Sample.mean(baseline) == 0);
            return PairedTotals.of(target, baseline);
        }

        private interface Count {
            int next();
        }

        /** As {@link LaunchRatios} makes it; null where there were none. */
        private static RatioEstimate counts(int pairs, Count count) {
            List<PairedCounts.Pair> all = new ArrayList<>();
            for (int pair = 0; pair < pairs; pair++) {
                all.add(PairedCounts.Pair.of(count.next(), 1_000, count.next(), 1_000));
            }
            return LaunchRatios.ofCounts(all).orElse(null);
        }
    }

    /** Launches that differ by 2 % beside what their blocks do. */
    private static RatioEstimate ratio(
            TestingNoise noise,
            int pairs,
            ToDoubleFunction<TestingNoise> target,
            ToDoubleFunction<TestingNoise> baseline,
            int blocks) {
        List<PairedRatio.Pair> all = new ArrayList<>();
        for (int pair = 0; pair < pairs; pair++) {
            List<Block> mine = launch(noise, target, blocks);
            List<Block> theirs = launch(noise, baseline, blocks);
            all.add(PairedRatio.Pair.of(Math.log(cost(mine) / cost(theirs)), mine, theirs));
        }
        return PairedRatio.of(all);
    }

    private static List<Block> launch(TestingNoise noise, ToDoubleFunction<TestingNoise> block, int count) {
        double level = Math.exp(noise.normal(0.02));
        List<Block> blocks = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            blocks.add(Block.of(level * block.applyAsDouble(noise), 100));
        }
        return blocks;
    }

    private static double cost(List<Block> blocks) {
        return blocks.stream().mapToDouble(Block::cost).sum();
    }

    private static RatioEstimate normal(TestingNoise noise, int pairs, double difference, double deviation) {
        double[] logRatios = new double[pairs];
        for (int pair = 0; pair < pairs; pair++) {
            logRatios[pair] = difference + noise.normal(deviation) - noise.normal(deviation);
        }
        return TestingPairs.of(logRatios);
    }

    private static RatioEstimate heavy(TestingNoise noise, int pairs, double difference, double deviation) {
        double[] logRatios = new double[pairs];
        for (int pair = 0; pair < pairs; pair++) {
            logRatios[pair] = difference + noise.heavyTailed(deviation) - noise.heavyTailed(deviation);
        }
        return TestingPairs.of(logRatios);
    }

    @Test
    void claimsADifferenceInAtMostOneOfTwentyComparisonsWhereNothingDiffers() {
        table("nothing differs: better or worse claimed, at 3, 6, 12 pairs; interval holds 1, at 3, 6, 12 pairs");
        for (Same same : Same.values()) {
            StringBuilder claims = new StringBuilder();
            StringBuilder covers = new StringBuilder();
            for (int pairs : PAIRS) {
                TestingNoise noise = new TestingNoise(TestingNoise.SEED);
                int claimed = 0;
                int covered = 0;
                for (int i = 0; i < EXPERIMENTS; i++) {
                    RatioEstimate ratio = same.experiment.of(noise, pairs);
                    claimed += ratio != null && isClaim(decide(ratio)) ? 1 : 0;
                    covered +=
                            ratio == null || ratio.interval(0.95).orElseThrow().contains(1) ? 1 : 0;
                }
                String what = same + " with " + pairs + " pairs, seed " + TestingNoise.SEED;
                assertAtMost(same == Same.RARE_BURSTS ? 0.1 : 0.05, claimed, what);
                assertAtMost(same == Same.RARE_BURSTS ? 0.1 : 0.07, EXPERIMENTS - covered, what);
                assertTrue(!same.sharp || covered <= most(0.97), covered + " covered of " + what);
                claims.append(percent(claimed));
                covers.append(percent(covered));
            }
            row(same.label, claims + "|" + covers);
        }
    }

    /** The baseline's bursts make no difference, however the blocks are drawn. */
    @Test
    void staysBesideTheBootstrapOfResummedBlocks() {
        TestingNoise noise = new TestingNoise(TestingNoise.SEED);
        int experiments = EXPERIMENTS / 4;
        int covered = 0;
        for (int i = 0; i < experiments; i++) {
            covered += Same.BURSTY_BASELINE
                            .experiment
                            .of(noise, 12)
                            .bootstrapInterval()
                            .orElseThrow()
                            .contains(1)
                    ? 1
                    : 0;
        }
        row("bootstrap of 12 pairs with bursts of the baseline alone holds 1", percent(4 * covered));
        assertTrue(covered >= 0.85 * experiments, covered + " of " + experiments + ", seed " + TestingNoise.SEED);
    }

    @Test
    void errsNoMoreOftenThanTheTableSays() {
        double[] noises = {0.005, 0.01, 0.02, 0.05};
        table("no difference, claimed; equivalent; 3 % and 5 % more, found: launch noise 0.5, 1, 2, 5 %");
        for (int pairs : PAIRS) {
            for (double difference : new double[] {0, 0.03, 0.05}) {
                for (boolean heavyTailed : new boolean[] {false, true}) {
                    StringBuilder shares = new StringBuilder();
                    StringBuilder equal = new StringBuilder();
                    for (double deviation : noises) {
                        TestingNoise noise = new TestingNoise(TestingNoise.SEED);
                        int claimed = 0;
                        int equivalent = 0;
                        for (int i = 0; i < EXPERIMENTS; i++) {
                            double log = Math.log1p(difference);
                            Finding finding = decide(
                                    heavyTailed
                                            ? heavy(noise, pairs, log, deviation)
                                            : normal(noise, pairs, log, deviation));
                            claimed += isClaim(finding) ? 1 : 0;
                            equivalent += finding == Finding.EQUIVALENT ? 1 : 0;
                        }
                        if (difference == 0) {
                            assertAtMost(0.05, claimed, pairs + " pairs that vary by " + deviation);
                        } else if (difference == 0.05 && deviation == 0.01 && pairs >= 6) {
                            assertAtMost(0.1, EXPERIMENTS - claimed, pairs + " pairs do not find 5 %");
                        }
                        shares.append(percent(claimed));
                        equal.append(percent(equivalent));
                    }
                    row(
                            pairs + " pairs, " + difference + (heavyTailed ? ", heavy-tailed" : ""),
                            shares + (difference == 0 ? "| equivalent" + equal : ""));
                }
            }
        }
    }

    @Test
    void claimsAnythingWrongOfTwelveMetricsInAboutOneOfTwentyComparisons() {
        TestingNoise noise = new TestingNoise(TestingNoise.SEED);
        int wrong = 0;
        for (int i = 0; i < EXPERIMENTS; i++) {
            boolean any = false;
            for (int metric = 0; metric < 12; metric++) {
                any |= isClaim(Decision.of(normal(noise, 6, 0, 0.02), direction(metric), MARGIN, 1 - 0.05 / 12)
                        .finding());
            }
            wrong += any ? 1 : 0;
        }
        assertAtMost(0.05, wrong, "family of twelve");
        row("anything claimed of 12 metrics", percent(wrong));
    }

    private static Direction direction(int metric) {
        return metric % 2 == 0 ? Direction.LOWER_IS_BETTER : Direction.HIGHER_IS_BETTER;
    }

    /** What a run with more launches where nothing is decided comes to. */
    private static final class Course {
        int claimed;
        int equivalent;
        int launches;
        int covered;
    }

    private static Course course(int[] after, Looks looks, double difference, double deviation, double margin) {
        double[] levels = Arrays.stream(after)
                .mapToDouble(done -> looks.levelAt(done, 0.05))
                .toArray();
        TestingNoise noise = new TestingNoise(TestingNoise.SEED);
        Course course = new Course();
        for (int i = 0; i < EXPERIMENTS; i++) {
            double[] logRatios = new double[after[after.length - 1]];
            for (int pair = 0; pair < logRatios.length; pair++) {
                logRatios[pair] = Math.log1p(difference) + noise.normal(deviation) - noise.normal(deviation);
            }
            for (int look = 0; look < after.length; look++) {
                int done = after[look];
                double level = levels[look];
                PairedRatio ratio = TestingPairs.of(Arrays.copyOf(logRatios, done));
                Finding finding = Decision.of(ratio, Direction.LOWER_IS_BETTER, margin, level)
                        .finding();
                if (finding != Finding.INCONCLUSIVE || done == logRatios.length) {
                    course.claimed += isClaim(finding) ? 1 : 0;
                    course.equivalent += finding == Finding.EQUIVALENT ? 1 : 0;
                    course.launches += done;
                    course.covered += ratio.interval(level).orElseThrow().contains(1 + difference) ? 1 : 0;
                    break;
                }
            }
        }
        return course;
    }

    @Test
    void looksAgainWithoutErringMoreOften() {
        table("looked at after 6, 8, 10, 12 launches: claimed, equivalent, interval holds the truth, launches");
        int[] after = {6, 8, 10, 12};
        Looks looks = Looks.after(after);
        for (double deviation : new double[] {0.005, 0.01, 0.02, 0.05}) {
            for (double difference : new double[] {0, 0.02, 0.03, 0.05}) {
                for (double margin : difference == 0 ? new double[] {0, MARGIN} : new double[] {MARGIN}) {
                    Course planned = course(after, looks, difference, deviation, margin);
                    Course careless = course(after, Looks.after(), difference, deviation, margin);
                    Course once = course(new int[] {12}, Looks.after(), difference, deviation, margin);
                    if (difference == 0) {
                        assertAtMost(0.05, planned.claimed, "looked at again, noise " + deviation);
                    }
                    assertAtMost(0.07, EXPERIMENTS - planned.covered, "intervals of looks, noise " + deviation);
                    row(
                            "noise " + deviation + ", difference " + difference + ", margin " + margin,
                            of(planned) + " | without a plan " + of(careless) + " | once, of 12 " + of(once));
                }
            }
        }
    }

    /** Blocks of servers that run already, each of which keeps a share of its process's level. */
    @Test
    void widensIntervalsWhereBlocksAreLikeTheirNeighbours() {
        table("blocks that keep a share of the one before: claimed, interval holds 1, 5 % more found, a drift seen; the"
                + " same without a look at neighbours");
        for (int blocks : new int[] {6, 12}) {
            for (double share : new double[] {0, 0.3, 0.5, 0.7, 0.9}) {
                int[] widened = blocks(blocks, share, true);
                int[] plain = blocks(blocks, share, false);
                if (share <= 0.5) {
                    assertAtMost(0.1, widened[0], blocks + " blocks that keep " + share);
                }
                assertTrue(
                        share == 0 || widened[1] >= plain[1],
                        "the widened interval holds the truth more often, with " + blocks + " blocks that keep "
                                + share);
                row(
                        blocks + " blocks, share " + share,
                        percent(widened[0]) + percent(widened[1]) + percent(widened[2]) + percent(widened[3])
                                + " | plain" + percent(plain[0]) + percent(plain[1]) + percent(plain[2]));
            }
        }
    }

    /**
     * Returns how often a difference was claimed where there is none, was 1 within the interval, 5 % found, and a drift
     * seen where there is none.
     */
    private static int[] blocks(int blocks, double share, boolean widened) {
        TestingNoise noise = new TestingNoise(TestingNoise.SEED);
        int[] found = new int[4];
        for (int i = 0; i < EXPERIMENTS; i++) {
            double[] target = noise.autocorrelated(blocks, share, 0.02);
            double[] baseline = noise.autocorrelated(blocks, share, 0.02);
            List<PairedRatio.Pair> same = new ArrayList<>();
            List<PairedRatio.Pair> more = new ArrayList<>();
            double[] logs = new double[blocks];
            for (int block = 0; block < blocks; block++) {
                double log = target[block] - baseline[block] + noise.normal(0.007);
                logs[block] = log;
                same.add(PairedRatio.Pair.of(log));
                more.add(PairedRatio.Pair.of(log + Math.log(1.05)));
            }
            PairedRatio ratio = PairedRatio.of(same, 0, widened);
            found[0] += isClaim(decide(ratio)) ? 1 : 0;
            found[1] += ratio.interval().orElseThrow().contains(1) ? 1 : 0;
            found[2] += isClaim(decide(PairedRatio.of(more, 0, widened))) ? 1 : 0;
            found[3] += BlockDrift.of(logs).isPresent() ? 1 : 0;
        }
        return found;
    }

    /** Of blocks whose ratio rises evenly, by so many of its deviations from the first to the last. */
    @Test
    void seesARatioDriftAndSeldomOneThatDoesNot() {
        table("blocks whose ratio rises by 0, 4, 6, 8, 10 deviations from the first to the last: seen");
        for (int blocks : new int[] {6, 12}) {
            StringBuilder shares = new StringBuilder();
            for (int deviations : new int[] {0, 4, 6, 8, 10}) {
                TestingNoise noise = new TestingNoise(TestingNoise.SEED);
                int seen = 0;
                for (int i = 0; i < EXPERIMENTS; i++) {
                    double[] logs = new double[blocks];
                    for (int block = 0; block < blocks; block++) {
                        logs[block] = 0.01 * deviations * block / (blocks - 1) + noise.normal(0.01);
                    }
                    seen += BlockDrift.of(logs).isPresent() ? 1 : 0;
                }
                if (deviations == 0) {
                    assertAtMost(0.02, seen, blocks + " blocks that do not drift");
                } else if (deviations == 10) {
                    assertAtMost(0.05, EXPERIMENTS - seen, blocks + " blocks whose drift is not seen");
                }
                shares.append(percent(seen));
            }
            row(blocks + " blocks", shares.toString());
        }
    }

    private static String of(Course course) {
        return percent(course.claimed)
                + percent(course.equivalent)
                + percent(course.covered)
                + String.format(Locale.ROOT, " %.1f", course.launches / (double) EXPERIMENTS);
    }

    private static Finding decide(RatioEstimate ratio) {
        return Decision.of(ratio, Direction.LOWER_IS_BETTER, MARGIN, 0.95).finding();
    }

    private static boolean isClaim(Finding finding) {
        return finding == Finding.BETTER || finding == Finding.WORSE;
    }

    /** Asserts that a share is at most this, and three standard errors of so many experiments. */
    private static void assertAtMost(double share, int found, String what) {
        assertTrue(found <= most(share), found + " of " + EXPERIMENTS + ", expected a share of " + share + ": " + what);
    }

    private static double most(double share) {
        return EXPERIMENTS * (share + 3 * Math.sqrt(share * (1 - share) / EXPERIMENTS));
    }

    private static String percent(int found) {
        return String.format(Locale.ROOT, " %.1f %%", 100.0 * found / EXPERIMENTS);
    }

    private static void table(String heading) {
        row("\n" + heading, "");
    }

    private static void row(String label, String cells) {
        if (EXPERIMENTS >= 1_000) {
            System.out.println(label + ":" + cells);
        }
    }
}
