package dev.lockstep.analysis;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.lockstep.measurement.Cost;
import dev.lockstep.measurement.Costs;
import dev.lockstep.measurement.Interval;
import dev.lockstep.measurement.IntervalSink;
import dev.lockstep.measurement.LoadCounts;
import dev.lockstep.measurement.SelfReport;
import dev.lockstep.results.LaunchResult;
import dev.lockstep.results.TargetResult;
import dev.lockstep.results.Warmup;
import dev.lockstep.results.Warmup.State;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.IntToDoubleFunction;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** Launches whose warm-up was too noisy, with simulated full load in 40 turns of 250 ms. */
final class SteadyBesideTest {
    private static final long TURN_NS = 250_000_000;
    private static final int TURNS = 40;

    private final LoadSeries series = new LoadSeries(IntervalSink.NONE);
    private final TestingNoise noise = new TestingNoise(TestingNoise.SEED);
    private double jitShare = 0.01;
    /** By how much response times deviate beside what the CPU does, in log. */
    private double timeDeviation;
    /** How many of a turn's requests c2 refuses. */
    private int refused;

    private List<SelfReport.Bottleneck> paced = List.of();

    /** Gives a launch its full load: CPU per request in us, by turn. */
    private void fullLoad(String target, int launch, IntToDoubleFunction costUs, double deviation) {
        Interval interval = new Interval();
        interval.launch = launch;
        interval.phase = Interval.Phase.FULL_LOAD;
        for (int i = 0; i < TURNS; i++) {
            interval.startNs = i * TURN_NS;
            interval.endNs = interval.startNs + TURN_NS;
            interval.counts().set(new LoadCounts());
            interval.counts().completed = 10_000;
            if (refused > 0 && target.equals("c2")) {
                interval.counts().status(503, refused);
            }
            double cpuNs = 10_000 * 1000 * costUs.applyAsDouble(i) * Math.exp(noise.normal(deviation));
            interval.costs = Costs.builder()
                    .set(Cost.APPLICATION_CPU, (long) cpuNs)
                    .set(Cost.JIT_CPU, (long) (cpuNs * jitShare / (1 - jitShare)))
                    .set(Cost.GROUP_CPU, (long) (cpuNs / (1 - jitShare)))
                    .set(Cost.USER_CPU, (long) (cpuNs / (1 - jitShare)))
                    .set(Cost.SYSTEM_CPU, 0)
                    .build();
            series.interval(target, interval);
        }
    }

    private static TargetResult target(String name, State state, int launches) {
        TargetResult.Builder target =
                TargetResult.builder(name).warmup(Warmup.builder(state).build());
        for (int launch = 1; launch <= launches; launch++) {
            target.launch(LaunchResult.builder(launch, 1)
                    .warmup(Warmup.builder(Warmup.State.UNDECIDABLE).build())
                    .build());
        }
        return target.build();
    }

    private SteadyBeside judge(State baseline, State other, int launches) {
        return judge(launches, target("c2", baseline, launches), target("graal", other, launches));
    }

    private SteadyBeside judge(int launches, TargetResult... targets) {
        return SteadyBeside.of(List.of(targets), "c2", launches, series, paced);
    }

    private static List<State> states(SteadyBeside beside) {
        return beside.targets().stream()
                .map(target -> target.warmup().orElseThrow().state())
                .collect(Collectors.toList());
    }

    private void launches(int count, IntToDoubleFunction graalUs, double deviation) {
        for (int launch = 1; launch <= count; launch++) {
            fullLoad("c2", launch, turn -> 20, deviation);
            fullLoad("graal", launch, graalUs, deviation);
        }
    }

    @Test
    void isSteadyWhereTheRatioOfAllLaunchesWouldHaveShownAStep() {
        launches(6, turn -> 21, 0.08);

        SteadyBeside beside = judge(State.UNDECIDABLE, State.UNDECIDABLE, 6);

        assertEquals(List.of(State.STEADY, State.STEADY), states(beside));
        double step =
                beside.targets().get(0).warmup().orElseThrow().visibleStep().orElseThrow();
        assertTrue(step > 0.035 && step <= 0.05, "step " + step);
        assertTrue(
                beside.notes()
                        .get(0)
                        .matches(
                                "graal beside c2: their ratio at full load was level in all launches together, and a change of"
                                        + " [34]\\.[0-9] % would have been seen"),
                beside.notes().toString());
        assertEquals(List.of(State.STEADY, State.STEADY), states(judge(State.STEADY, State.UNDECIDABLE, 6)));
    }

    /** A refusal is cheap, and a request that Lockstep keeps waiting pays for waking up: neither shows a step. */
    @Test
    void isUndecidableWhereFullLoadWasNotTheTargetsOwn() {
        launches(6, turn -> 21, 0.03);
        paced = List.of(SelfReport.Bottleneck.of("graal", 3, 0.98));
        assertEquals(
                List.of(State.UNDECIDABLE, State.UNDECIDABLE), states(judge(State.UNDECIDABLE, State.UNDECIDABLE, 6)));
        paced = List.of(SelfReport.Bottleneck.of("other", 3, 0.98), SelfReport.Bottleneck.of("graal", 7, 0.98));
        assertEquals(List.of(State.STEADY, State.STEADY), states(judge(State.UNDECIDABLE, State.UNDECIDABLE, 6)));
    }

    @Test
    void isUndecidableWhereFullLoadWasRefused() {
        refused = 2_000;
        launches(6, turn -> 21, 0.03);
        SteadyBeside beside = judge(State.UNDECIDABLE, State.UNDECIDABLE, 6);

        assertEquals(List.of(State.UNDECIDABLE, State.UNDECIDABLE), states(beside));
        assertEquals(List.of(), beside.notes());
    }

    @Test
    void isUndecidableWhereOneLaunchIsTooNoisyToTell() {
        launches(1, turn -> 21, 0.08);

        SteadyBeside beside = judge(State.UNDECIDABLE, State.STEADY, 1);

        assertEquals(List.of(State.UNDECIDABLE, State.STEADY), states(beside));
        assertEquals(List.of(), beside.notes());
    }

    @Test
    void isUndecidableWhereTheRatioChanges() {
        launches(6, turn -> turn < 22 ? 22 : 20.5, 0.03);

        assertEquals(
                List.of(State.UNDECIDABLE, State.UNDECIDABLE), states(judge(State.UNDECIDABLE, State.UNDECIDABLE, 6)));
    }

    @Test
    void isUndecidableWhereOneLaunchChangesByMore() {
        launches(5, turn -> 21, 0.02);
        fullLoad("c2", 6, turn -> 20, 0.02);
        fullLoad("graal", 6, turn -> turn < 22 ? 24 : 20, 0.02);

        assertEquals(
                List.of(State.UNDECIDABLE, State.UNDECIDABLE), states(judge(State.UNDECIDABLE, State.UNDECIDABLE, 6)));
    }

    @Test
    void judgesTheBaselineByAllThatAreComparedWithIt() {
        launches(6, turn -> 21, 0.03);
        for (int launch = 1; launch <= 6; launch++) {
            fullLoad("openj9", launch, turn -> turn < 22 ? 24 : 20, 0.03);
        }

        SteadyBeside beside = judge(
                6,
                target("c2", State.UNDECIDABLE, 6),
                target("graal", State.UNDECIDABLE, 6),
                target("openj9", State.STEADY, 6));

        assertEquals(List.of(State.UNDECIDABLE, State.STEADY, State.STEADY), states(beside));
    }

    /** One that is too noisy to tell takes the verdicts of no others. */
    @Test
    void judgesTheBaselineByOneThoughAnotherIsTooNoisy() {
        launches(6, turn -> 21, 0.03);
        for (int launch = 1; launch <= 6; launch++) {
            fullLoad("zero", launch, turn -> 300, 0.5);
        }

        SteadyBeside beside = judge(
                6,
                target("c2", State.UNDECIDABLE, 6),
                target("zero", State.UNDECIDABLE, 6),
                target("graal", State.UNDECIDABLE, 6));

        assertEquals(List.of(State.STEADY, State.UNDECIDABLE, State.STEADY), states(beside));
    }

    @Test
    void leavesOutALaunchThatWasNotWhole() {
        launches(6, turn -> 21, 0.03);

        SteadyBeside beside = judge(6, target("c2", State.UNDECIDABLE, 7), target("graal", State.STEADY, 7));

        assertEquals(List.of(State.STEADY, State.STEADY), states(beside));
    }

    @Test
    void asksLaunchesTogetherBeforeItAsksTheirTurns() {
        Warmup together = warmedUp(1).warmup().orElseThrow();
        assertEquals(State.STEADY, together.state());
        assertEquals(30_000_000_000L, together.durationNs().orElseThrow(), "so long it was warmed up");
        assertEquals(State.UNDECIDABLE, warmedUp(0.93).warmup().orElseThrow().state(), "all launches fell alike");
    }

    /** The response times of thousands of connections that wait for each other. */
    @Test
    void tellsWhatRequestsCostWhereOnlyTheirTimesAreTooNoisy() {
        timeDeviation = 0.5;
        Warmup together = warmedUp(1).warmup().orElseThrow();

        assertEquals(State.UNDECIDABLE, together.state());
        assertTrue(together.visibleCostStep().orElseThrow() <= 0.05, together.toString());
        assertTrue(Metric.ALLOCATED_BYTES_PER_REQUEST.isSteady(together));
        assertFalse(Metric.P50.isSteady(together));
    }

    /** Returns a target of which each of six warm-ups was too noisy, and fell by a factor in its middle. */
    private TargetResult warmedUp(double factor) {
        TargetResult.Builder target = TargetResult.builder("c2")
                .warmup(Warmup.builder(State.UNDECIDABLE)
                        .durationNs(30_000_000_000L)
                        .cpuNs(6_000_000_000L)
                        .build());
        LoadSeries own = new LoadSeries(IntervalSink.NONE);
        for (int launch = 1; launch <= 6; launch++) {
            Interval interval = new Interval();
            interval.launch = launch;
            interval.phase = Interval.Phase.WARM_UP;
            for (int i = 0; i < 30; i++) {
                interval.startNs = i * 1_000_000_000L;
                interval.endNs = interval.startNs + 1_000_000_000L;
                interval.counts().completed = 10_000;
                interval.responseTime().reset();
                double cpuNs = 2e8 * (i < 15 ? 1 : factor) * Math.exp(noise.normal(0.06));
                double times = timeDeviation == 0 ? 1 : Math.exp(noise.normal(timeDeviation));
                interval.responseTime().recordValueWithCount((long) (cpuNs / 1000 * times), 10_000);
                interval.costs = Costs.builder()
                        .set(Cost.APPLICATION_CPU, (long) cpuNs)
                        .set(Cost.JIT_CPU, 1_000_000)
                        .build();
                own.interval("c2", interval);
            }
            Warmup warmup = own.warmup("c2", launch, OptionalLong.empty(), true).orElseThrow();
            target.launch(LaunchResult.builder(launch, 1).warmup(warmup).build());
        }
        return SteadyBeside.of(List.of(target.build()), "c2", 6, own, List.of())
                .targets()
                .get(0);
    }

    /** However quiet the turns are: beside the middle of all of them a step would lie far out. */
    @Test
    void seesAStepInTurnsThatHardlyVary() {
        launches(6, turn -> turn < 30 ? 21 : 25, 0.005);

        assertEquals(
                List.of(State.UNDECIDABLE, State.UNDECIDABLE), states(judge(State.UNDECIDABLE, State.UNDECIDABLE, 6)));
    }

    /** Which has neither an end nor a warm-up. */
    @Test
    void passesOverALaunchThatWasNeverReady() {
        launches(6, turn -> 21, 0.01);
        TargetResult baseline = target("c2", State.UNDECIDABLE, 6);
        List<LaunchResult> launches = new ArrayList<>(baseline.launches());
        launches.set(2, LaunchResult.builder(3, 1).build());

        SteadyBeside judged = SteadyBeside.of(
                List.of(
                        TargetResult.builder("c2")
                                .warmup(Warmup.builder(State.UNDECIDABLE).build())
                                .launches(launches)
                                .build(),
                        target("graal", State.UNDECIDABLE, 6)),
                "c2",
                6,
                series,
                List.of());

        assertEquals(List.of(State.STEADY, State.STEADY), states(judged));
    }

    @Test
    void saysNothingOfJvmsThatStillCompile() {
        jitShare = 0.2;
        launches(6, turn -> 21, 0.01);

        assertEquals(
                List.of(State.UNDECIDABLE, State.UNDECIDABLE), states(judge(State.UNDECIDABLE, State.UNDECIDABLE, 6)));
    }

    /** A tenth of a JIT's share too much in one of twelve launches hid what all others showed. */
    @Test
    void passesOverAFewLaunchesInWhichAJitTookUpItsWork() {
        launches(4, turn -> 21, 0.02);
        jitShare = 0.2;
        fullLoad("c2", 5, turn -> 20, 0.02);
        fullLoad("graal", 5, turn -> 21, 0.02);

        SteadyBeside few = judge(State.UNDECIDABLE, State.UNDECIDABLE, 5);

        assertEquals(List.of(State.STEADY, State.STEADY), states(few));
        assertTrue(
                few.notes().get(0).contains("level in 4 of 5 launches (in the others a JIT compiled much) together"));
        fullLoad("c2", 6, turn -> 20, 0.02);
        fullLoad("graal", 6, turn -> turn < 22 ? 24 : 20, 0.02);
        assertEquals(
                List.of(State.UNDECIDABLE, State.UNDECIDABLE),
                states(judge(State.UNDECIDABLE, State.UNDECIDABLE, 6)),
                "what changed for certain is passed over in none");
    }

    @Test
    void passesOverNoMoreLaunchesThanAccidents() {
        launches(4, turn -> 21, 0.02);
        jitShare = 0.2;
        fullLoad("c2", 5, turn -> 20, 0.02);
        fullLoad("graal", 5, turn -> 21, 0.02);
        fullLoad("c2", 6, turn -> 20, 0.02);
        fullLoad("graal", 6, turn -> 21, 0.02);
        SteadyBeside six = judge(State.UNDECIDABLE, State.UNDECIDABLE, 6);
        assertEquals(
                List.of(State.UNDECIDABLE, State.UNDECIDABLE), states(six), "two of six are more than an accident");
        assertEquals(8, six.needed(Set.of("graal"), 12));
        assertEquals(0, six.needed(Set.of("graal"), 7), "so many would not do");
        assertEquals(0, six.needed(Set.of(), 12), "nobody asks");

        jitShare = 0.01;
        for (int launch = 7; launch <= 8; launch++) {
            fullLoad("c2", launch, turn -> 20, 0.02);
            fullLoad("graal", launch, turn -> 21, 0.02);
        }
        SteadyBeside eight = judge(State.UNDECIDABLE, State.UNDECIDABLE, 8);
        assertEquals(List.of(State.STEADY, State.STEADY), states(eight));
        assertEquals(0, eight.needed(Set.of("graal"), 12));
    }

    @Test
    void needsMoreLaunchesWhereTheseAreTooNoisyTogether() {
        launches(4, turn -> 21, 0.08);
        SteadyBeside four = judge(State.UNDECIDABLE, State.UNDECIDABLE, 4);
        assertEquals(List.of(State.UNDECIDABLE, State.UNDECIDABLE), states(four));
        int needed = four.needed(Set.of("graal"), 12);
        assertTrue(needed > 4 && needed <= 8, "needs " + needed);
    }

    /** A baseline of which nobody knows may be what changed beside one of them. */
    @Test
    void needsNoLaunchesForOneOfTwoTargetsWhereTheBaselineHangsOnTheOther() {
        launches(4, turn -> 21, 0.08);
        for (int launch = 1; launch <= 4; launch++) {
            fullLoad("other", launch, turn -> turn < 22 ? 24 : 20, 0.02);
        }
        for (State baseline : new State[] {State.UNDECIDABLE, State.STEADY}) {
            SteadyBeside beside = SteadyBeside.of(
                    List.of(
                            target("c2", baseline, 4),
                            target("graal", State.UNDECIDABLE, 4),
                            target("other", State.UNDECIDABLE, 4)),
                    "c2",
                    4,
                    series,
                    List.of());
            assertEquals(baseline == State.STEADY, beside.needed(Set.of("graal", "other"), 12) > 4);
        }
    }

    @Test
    void knowsNoNumberOfLaunchesWhereOneChanged() {
        launches(4, turn -> 21, 0.02);
        fullLoad("c2", 5, turn -> 20, 0.02);
        fullLoad("graal", 5, turn -> turn < 22 ? 24 : 20, 0.02);
        assertEquals(0, judge(State.UNDECIDABLE, State.UNDECIDABLE, 5).needed(Set.of("graal"), 12));
    }

    @Test
    void leavesAloneWhatIsKnownNotToBeSteadyAndWhatGotNoFullLoad() {
        assertEquals(
                List.of(State.UNDECIDABLE, State.UNDECIDABLE), states(judge(State.UNDECIDABLE, State.UNDECIDABLE, 6)));
        launches(6, turn -> 21, 0.01);

        assertEquals(
                List.of(State.UNDECIDABLE, State.NOT_STEADY), states(judge(State.UNDECIDABLE, State.NOT_STEADY, 6)));
        assertEquals(List.of(State.STEADY, State.STEADY), states(judge(State.STEADY, State.STEADY, 6)));
    }
}
