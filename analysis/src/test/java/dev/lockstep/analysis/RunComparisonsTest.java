package dev.lockstep.analysis;

import static dev.lockstep.analysis.TestingDays.around;
import static dev.lockstep.analysis.TestingDays.run;
import static dev.lockstep.analysis.TestingDays.target;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.lockstep.measurement.Cost;
import dev.lockstep.measurement.Costs;
import dev.lockstep.results.Environment;
import dev.lockstep.results.FullLoad;
import dev.lockstep.results.LaunchResult;
import dev.lockstep.results.RunResult;
import dev.lockstep.results.TargetExit;
import dev.lockstep.results.TargetResult;
import dev.lockstep.results.Verdict.Finding;
import dev.lockstep.results.Warmup;
import dev.lockstep.results.comparison.Fact;
import dev.lockstep.results.comparison.Outcome;
import dev.lockstep.results.comparison.RunComparison;
import dev.lockstep.results.comparison.RunVerdict;
import dev.lockstep.results.comparison.TargetFacts;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

final class RunComparisonsTest {
    private static final RunCriteria USUAL = RunCriteria.of(0.01);
    private static final double[] C2 = around(100, 0.02, 6);

    private static RunVerdict primary(RunComparison comparison, String target) {
        return comparison.verdicts().stream()
                .filter(verdict -> verdict.primary() && verdict.target().equals(target))
                .reduce((first, last) -> last)
                .orElseThrow();
    }

    private static double[] times(double factor) {
        double[] scaled = C2.clone();
        for (int i = 0; i < scaled.length; i++) {
            scaled[i] *= factor;
        }
        return scaled;
    }

    /** The machine is 5 % slower on the second day; graal of another JVM uses 4 % more beside that. */
    @Test
    void takesTheDayOutByATargetThatIsTheSame() {
        RunComparison comparison = RunComparisons.of(
                List.of(
                        run(0, target("c2", C2), target("graal", times(0.9))),
                        run(
                                1,
                                target("c2", times(1.05)),
                                target("graal", times(0.9 * 1.05 * 1.04)).jvm("OpenJDK 17.0.22"))),
                USUAL);

        RunVerdict graal = primary(comparison, "graal");
        assertEquals(Optional.of("c2"), graal.control());
        assertEquals(1.04, graal.ratio().orElseThrow(), 1e-9);
        assertEquals(Finding.WORSE, graal.finding());
        assertTrue(graal.regression());
        RunVerdict c2 = primary(comparison, "c2");
        assertTrue(c2.standsForDay());
        assertEquals(1.05, c2.ratio().orElseThrow(), 1e-9);
        assertFalse(c2.regression(), "what happened to the control is the day");
        assertEquals(Outcome.REGRESSION, comparison.outcome());
    }

    @Test
    void takesNoTargetForTheDayThatDiffersOrThatNobodyKnows() {
        RunComparison differs = RunComparisons.of(
                List.of(
                        run(0, target("c2", C2), target("graal", C2)),
                        run(
                                1,
                                target("c2", C2).jvm("OpenJDK 25"),
                                target("graal", C2).jvm("GraalVM 25"))),
                USUAL);
        RunComparison unknown = RunComparisons.of(
                List.of(
                        run(0, target("c2", C2).jvm(Optional.empty()), target("graal", C2)),
                        run(
                                1,
                                target("c2", C2).jvm(Optional.empty()),
                                target("graal", C2).jvm("GraalVM 25"))),
                USUAL);

        assertTrue(primary(differs, "graal").control().isEmpty());
        assertTrue(primary(unknown, "graal").control().isEmpty());
    }

    @Test
    void takesTheControlThatIsNamedOrNone() {
        List<NamedRun> runs =
                List.of(run(0, target("c2", C2), target("graal", C2)), run(1, target("c2", C2), target("graal", C2)));

        assertEquals(
                Optional.of("graal"),
                primary(RunComparisons.of(runs, USUAL.control("graal")), "c2").control());
        RunComparison without = RunComparisons.of(runs, USUAL.withoutControl());
        assertTrue(without.verdicts().stream()
                .noneMatch(verdict -> verdict.control().isPresent()));
        assertTrue(without.verdicts().stream().noneMatch(RunVerdict::standsForDay));
        assertEquals(
                "expected a target of all runs, found 'zing', which day-0 does not have; its targets are c2, graal",
                assertThrows(AnalysisException.class, () -> RunComparisons.of(runs, USUAL.control("zing")))
                        .getMessage());
    }

    @Test
    void givesAPairTheSameRatioWhateverAThirdRunIs() {
        NamedRun first = run(0, target("c2", C2), target("graal", C2));
        NamedRun second = run(1, target("c2", times(0.96)), target("graal", times(0.9)));
        TargetResult.Builder dead =
                TargetResult.builder("c2").jvm("OpenJDK 17.0.21").jit("c2");
        dead.launch(LaunchResult.builder(1, 1).exit(died()).build());
        NamedRun died = run(2, dead, target("graal", C2));

        List<RunVerdict> verdicts =
                RunComparisons.of(List.of(first, second, died), USUAL).verdicts();

        assertEquals(0.96, verdicts.get(0).ratio().orElseThrow(), 1e-9);
        assertEquals(
                0.96,
                primary(RunComparisons.of(List.of(first, second), USUAL), "c2")
                        .ratio()
                        .orElseThrow(),
                1e-9);
        assertTrue(verdicts.stream().noneMatch(RunVerdict::standsForDay), "nothing is known to differ");
    }

    @Test
    void takesTheNextTargetForTheDayInThePairInWhichTheBaselineDiedOnly() {
        NamedRun first = run(0, target("c2", C2), target("graal", C2), target("new", C2));
        NamedRun second =
                run(1, target("c2", C2), target("graal", C2), target("new", C2).jvm("OpenJDK 25"));
        TargetResult.Builder dead = TargetResult.builder("c2").jvm("OpenJDK 17.0.21");
        dead.launch(LaunchResult.builder(1, 1).exit(died()).build());
        NamedRun third = run(2, dead, target("graal", C2), target("new", C2).jvm("OpenJDK 25"));

        assertEquals(
                List.of("day-1 c2", "day-2 graal"),
                RunComparisons.of(List.of(first, second, third), USUAL).verdicts().stream()
                        .filter(verdict -> verdict.primary() && verdict.target().equals("new"))
                        .map(verdict -> verdict.run() + " " + verdict.control().orElseThrow())
                        .collect(Collectors.toList()));
    }

    @Test
    void letsFurtherRunsSayHowMuchDaysDiffer() {
        List<NamedRun> two = List.of(run(0, target("c2", C2)), run(5, target("c2", times(1.05))));
        List<NamedRun> six = List.of(
                run(0, target("c2", C2)),
                run(5, target("c2", times(1.05))),
                run(1, target("c2", times(1.04))),
                run(2, target("c2", times(0.97))),
                run(3, target("c2", times(1.01))),
                run(4, target("c2", times(0.98))));

        RunVerdict ofTwo = primary(RunComparisons.of(two, USUAL), "c2");
        RunVerdict ofSix = RunComparisons.of(six, USUAL).verdicts().get(0);

        assertTrue(ofTwo.dayRuns().isEmpty());
        assertEquals(Finding.WORSE, ofTwo.finding());
        assertEquals(5, ofSix.dayRuns().orElseThrow());
        assertEquals(0.03, ofSix.dayDeviation().orElseThrow(), 0.01);
        assertEquals(Finding.INCONCLUSIVE, ofSix.finding());
    }

    /** Its ratio to a control that still compiled told of nothing but that. */
    @Test
    void letsNoRunSayHowMuchDaysDifferWhoseControlWasNotSteady() {
        List<NamedRun> runs = List.of(
                run(0, target("c2", C2), target("graal", C2)),
                run(1, target("c2", C2), target("graal", times(1.1)).jvm("OpenJDK 17.0.22")),
                run(2, target("c2", C2), target("graal", C2)),
                run(
                        3,
                        target("c2", times(2))
                                .warmup(Warmup.builder(Warmup.State.NOT_STEADY).build()),
                        target("graal", C2)));

        RunVerdict graal = RunComparisons.of(runs, USUAL).verdicts().stream()
                .filter(verdict -> verdict.primary()
                        && verdict.target().equals("graal")
                        && verdict.run().equals("day-1"))
                .findFirst()
                .orElseThrow();

        assertEquals(Optional.of("c2"), graal.control());
        assertEquals(2, graal.dayRuns().orElseThrow());
    }

    @Test
    void namesTargetsThatAreInOneRunOnly() {
        RunComparison comparison = RunComparisons.of(
                List.of(run(0, target("c2", C2), target("old", C2)), run(1, target("c2", C2), target("new", C2))),
                USUAL);

        assertEquals(
                List.of("c2"),
                comparison.targets().stream().map(TargetFacts::target).collect(Collectors.toList()));
        assertEquals(
                List.of(
                        "only in day-0, and compared with nothing: old",
                        "only in day-1, and compared with nothing: new"),
                comparison.notes());
    }

    @Test
    void saysNothingOfAMetricForWhichARunIsInvalid() {
        NamedRun late = NamedRun.of(
                "day-1",
                TestingDays.result(1, "ab", target("c2", times(1.2)))
                        .late("late by 12 ms")
                        .build());
        NamedRun wrong = NamedRun.of(
                "day-1",
                TestingDays.result(1, "ab", target("c2", times(1.2)))
                        .invalid("other bytes")
                        .build());

        RunComparison ofLate = RunComparisons.of(List.of(run(0, target("c2", C2)), late), USUAL);
        RunComparison ofWrong = RunComparisons.of(List.of(run(0, target("c2", C2)), wrong), USUAL);

        assertEquals(Finding.WORSE, primary(ofLate, "c2").finding(), "CPU is right where Lockstep was late");
        assertEquals(Outcome.REGRESSION, ofLate.outcome());
        assertEquals(Finding.INCONCLUSIVE, primary(ofWrong, "c2").finding());
        assertEquals(
                Optional.of("day-1: INVALID: other bytes"),
                primary(ofWrong, "c2").whyNot());
        assertEquals(Outcome.INVALID, ofWrong.outcome());
    }

    @Test
    void saysNothingOfATargetThatWasNotSteady() {
        TargetResult.Builder unsteady = target("c2", times(1.2))
                .warmup(Warmup.builder(Warmup.State.NOT_STEADY).build());

        RunVerdict verdict =
                primary(RunComparisons.of(List.of(run(0, target("c2", C2)), run(1, unsteady)), USUAL), "c2");

        assertEquals(Finding.NOT_STEADY, verdict.finding());
        assertEquals(Optional.of("not steady: c2 in day-1"), verdict.whyNot());
    }

    /** The mean of the blocks of a server that was deployed a minute before was called worse. */
    @Test
    void saysNothingOfAServerWhoseFigureStillChangesFromBlockToBlock() {
        NamedRun level = TestingDays.blocks(0, 100, 101, 99, 100.5, 99.5, 100);
        NamedRun falling = TestingDays.blocks(1, 118, 117.5, 117, 116.5, 116, 115.5);

        RunVerdict verdict = primary(RunComparisons.of(List.of(level, falling), USUAL), "svc");

        assertEquals(Finding.NOT_STEADY, verdict.finding());
        assertEquals(Optional.of("svc still changes from block to block in day-1"), verdict.whyNot());
        NamedRun dearer = TestingDays.blocks(1, 117, 118, 116, 117.5, 116.5, 117);
        assertEquals(
                Finding.WORSE,
                primary(RunComparisons.of(List.of(level, dearer), USUAL), "svc").finding());
        NamedRun launched = run(1, target("c2", 118, 117.5, 117, 116.5, 116, 115.5));
        assertEquals(
                Finding.WORSE,
                primary(RunComparisons.of(List.of(run(0, target("c2", C2)), launched), USUAL), "c2")
                        .finding(),
                "each launch is a new process");
    }

    @Test
    void decidesNothingWithoutATargetOfTwoRuns() {
        RunComparison comparison =
                RunComparisons.of(List.of(run(0, target("old", C2)), run(1, target("new", C2))), USUAL);

        assertEquals(Outcome.NOT_DECIDED, comparison.outcome());
    }

    @Test
    void saysWhatARunWasWarnedOfAndNotHowMuchOfIt() {
        List<NamedRun> runs = new ArrayList<>();
        for (String warning : List.of(
                "busy machine: other programs take 1.03 of 2 processors: java (pid 92) 27 %; stop them, or wait",
                "busy machine: other programs take 0.93 of 2 processors: java (pid 52) 40 %; stop them, or wait")) {
            runs.add(NamedRun.of(
                    "day-" + runs.size(),
                    TestingDays.result(runs.size(), "ab", target("c2", C2))
                            .environment(Environment.builder()
                                    .lockstepVersion("0.1.0")
                                    .warning(warning)
                                    .build())
                            .build()));
        }

        Fact warnings = RunComparisons.of(runs, USUAL).machines().stream()
                .filter(fact -> fact.name().equals("warnings"))
                .findFirst()
                .orElseThrow();
        assertEquals(List.of("busy machine", "busy machine"), warnings.values());
        assertEquals(
                "busy machine: other programs take 0.93 of 2 processors: java (pid 52) 40 %; stop them, or wait",
                warnings.whole().get(1));
        assertFalse(warnings.differs());
    }

    @Test
    void callsNothingBetterThatDied() {
        TargetResult.Builder dying = target("c2", times(0.8))
                .launch(LaunchResult.builder(7, 1)
                        .exit(TargetExit.builder()
                                .exitCode(137)
                                .phase("measurement")
                                .build())
                        .build());

        RunVerdict verdict = primary(RunComparisons.of(List.of(run(0, target("c2", C2)), run(1, dying)), USUAL), "c2");

        assertEquals(Finding.INCONCLUSIVE, verdict.finding());
        assertEquals(Optional.of("what died in a launch is not called better"), verdict.whyNot());
    }

    @Test
    void callsNothingBetterThatRefusedAtFullLoadOrNeverWasReady() {
        LaunchResult refused = LaunchResult.builder(7, 1)
                .fullLoad(FullLoad.refusing(1, 1000, 0.2))
                .build();
        for (LaunchResult launch : List.of(refused, LaunchResult.builder(7, 1).build())) {
            TargetResult.Builder idle = target("c2", times(0.8)).launch(launch);

            RunVerdict verdict =
                    primary(RunComparisons.of(List.of(run(0, target("c2", C2)), run(1, idle)), USUAL), "c2");

            assertEquals(Finding.INCONCLUSIVE, verdict.finding());
            assertEquals(
                    Optional.of("what answers nothing or refuses in a launch is not called better"), verdict.whyNot());
        }
    }

    /** Both are compared by the CPU at the pace then, at which it refuses nothing. */
    @Test
    void callsNothingBetterThatRefusedAtFullLoadInAllLaunches() {
        TargetResult.Builder able = TargetResult.builder("c2").load(TestingDays.load(0));
        TargetResult.Builder refusing = TargetResult.builder("c2").load(TestingDays.load(0));
        for (int i = 0; i < C2.length; i++) {
            able.launch(atThePace(i + 1, C2[i], FullLoad.of(1, 1000, OptionalDouble.of(10))));
            refusing.launch(atThePace(i + 1, 0.8 * C2[i], FullLoad.refusing(1, 1000, 0.2)));
        }

        RunVerdict verdict = primary(RunComparisons.of(List.of(run(0, able), run(1, refusing)), USUAL), "c2");

        assertEquals("steadyCpuPerRequest", verdict.metric());
        assertEquals(Optional.of("what answers nothing or refuses in a launch is not called better"), verdict.whyNot());
    }

    private static LaunchResult atThePace(int launch, double cpuNsPerRequest, FullLoad fullLoad) {
        return LaunchResult.builder(launch, 1)
                .load(TestingDays.load(0))
                .costs(Costs.builder()
                        .set(Cost.GROUP_CPU, Math.round(100_000 * cpuNsPerRequest))
                        .set(Cost.JIT_CPU, 0)
                        .build())
                .fullLoad(fullLoad)
                .build();
    }

    /** Five collections in each launch, and six of the other day: a little more in each is one more. */
    @Test
    void trustsCountsAndTicksNoFurtherThanOne() {
        Costs five = Costs.NONE.with(Cost.GC_CYCLES, 5);
        Costs ticks = Costs.builder()
                .set(Cost.USER_CPU, 60_000_000)
                .set(Cost.SYSTEM_CPU, 40_000_000)
                .build();

        assertEquals(Finding.INCONCLUSIVE, ofCosts(Metric.GC_CYCLES, five, five.with(Cost.GC_CYCLES, 6)));
        assertEquals(
                Finding.WORSE,
                ofCosts(Metric.GC_CYCLES, five.with(Cost.GC_CYCLES, 500), five.with(Cost.GC_CYCLES, 600)));
        assertEquals(Finding.INCONCLUSIVE, ofCosts(Metric.CPU_PER_REQUEST, ticks, ticks));
        assertEquals(
                Finding.EQUIVALENT,
                ofCosts(
                        Metric.CPU_PER_REQUEST,
                        ticks.with(Cost.GROUP_CPU, 100_000_000),
                        ticks.with(Cost.GROUP_CPU, 100_000_000)));
    }

    /** Returns what is found where each launch of a run has the same costs. */
    private static Finding ofCosts(Metric metric, Costs first, Costs second) {
        List<NamedRun> runs = new ArrayList<>();
        for (Costs costs : List.of(first, second)) {
            TargetResult.Builder target = TargetResult.builder("c2").load(TestingDays.load(0));
            for (int launch = 1; launch <= 6; launch++) {
                target.launch(LaunchResult.builder(launch, 1)
                        .load(TestingDays.load(0))
                        .costs(costs)
                        .build());
            }
            runs.add(run(runs.size(), target));
        }
        return primary(RunComparisons.of(runs, USUAL.primary(metric)), "c2").finding();
    }

    @Test
    void countsErrorsOfAllLaunches() {
        RunComparison comparison = RunComparisons.of(
                List.of(run(0, failing(0, 0, 0, 0, 0, 0)), run(1, failing(9, 8, 10, 9, 9, 8))),
                USUAL.failOn(List.of(Metric.ERRORS)));

        RunVerdict errors = comparison.verdicts().stream()
                .filter(verdict -> verdict.metric().equals("errors"))
                .findFirst()
                .orElseThrow();
        assertEquals(53, errors.count().orElseThrow());
        assertEquals(0, errors.baselineCount().orElseThrow());
        assertEquals(Finding.WORSE, errors.finding());
        assertTrue(errors.regression());
    }

    /** Half of its launches hung at their start, and the others had few errors. */
    @Test
    void callsFewErrorsNotBetterWhereTheTargetNeverWasReadyInALaunch() {
        TargetResult.Builder idle = failing(20, 20, 20);
        for (int launch = 4; launch <= 6; launch++) {
            idle.launch(LaunchResult.builder(launch, 1).build());
        }

        RunVerdict errors = errors(List.of(run(0, failing(50, 50, 50, 50, 50, 50)), run(1, idle)));

        assertEquals(Finding.INCONCLUSIVE, errors.finding());
        assertEquals(Optional.of("what answers nothing or refuses in a launch is not called better"), errors.whyNot());
    }

    @Test
    void failsAGateOnErrorsWhereTheNewBuildNeverGotARequest() {
        TargetResult.Builder never = TargetResult.builder("c2")
                .launch(LaunchResult.builder(1, 1)
                        .exit(TargetExit.builder().exitCode(1).phase("start").build())
                        .build());

        RunComparison comparison =
                RunComparisons.of(List.of(run(0, failing(0, 0)), run(1, never)), USUAL.failOn(List.of(Metric.ERRORS)));

        RunVerdict errors = comparison.verdicts().stream()
                .filter(verdict -> verdict.metric().equals("errors"))
                .findFirst()
                .orElseThrow();
        assertTrue(errors.regression());
        assertEquals(Finding.INCONCLUSIVE, errors.finding());
        assertEquals(Optional.of("day-1: no request was sent to it, in any launch"), errors.whyNot());
    }

    @Test
    void failsAGateOnErrorsWhereATargetDiedThatWasNotSteady() {
        TargetResult.Builder dying = TargetResult.builder("c2")
                .jvm("OpenJDK 17.0.21")
                .warmup(Warmup.builder(Warmup.State.NOT_STEADY).build())
                .launch(LaunchResult.builder(1, 1)
                        .load(TestingDays.load(90))
                        .exit(died())
                        .build());

        RunVerdict errors = errors(List.of(run(0, failing(0)), run(1, dying)));

        assertEquals(Optional.empty(), errors.whyNot());
        assertEquals(90, errors.count().orElseThrow());
        assertTrue(errors.died() && errors.regression());
    }

    @Test
    void failsAGateOnErrorsWhereATargetDiedInOneOfManyLaunchesAlsoTheControl() {
        TargetResult.Builder without = target("c2", C2);
        TargetResult.Builder with =
                target("c2", C2).launch(LaunchResult.builder(7, 1).exit(died()).build());

        RunVerdict errors = errors(List.of(
                run(0, without, target("graal", C2)),
                run(1, with, target("graal", C2).jvm("GraalVM 25"))));

        assertEquals(Finding.WORSE, errors.finding());
        assertTrue(errors.regression());
        assertFalse(errors.standsForDay());
        assertEquals(
                Optional.empty(),
                RunComparisons.of(List.of(run(0, with), run(1, with)), USUAL.failOn(List.of(Metric.ERRORS)))
                        .verdicts()
                        .stream()
                        .filter(RunVerdict::regression)
                        .findFirst(),
                "it died before too");
    }

    @Test
    void showsWhatARunHadThoughTheTargetDiedInTheOther() {
        TargetResult.Builder dead = TargetResult.builder("c2")
                .jvm("OpenJDK 17.0.21")
                .launch(LaunchResult.builder(1, 1).exit(died()).build());
        List<NamedRun> runs = List.of(run(0, target("c2", C2)), run(1, dead));

        RunVerdict other = RunComparisons.of(runs, USUAL.primary(Metric.P50)).verdicts().stream()
                .filter(verdict -> verdict.metric().equals("fullLoadCpuPerRequest"))
                .findFirst()
                .orElseThrow();

        assertEquals(100, other.baselineValue().orElseThrow(), 1);
        assertTrue(other.value().isEmpty() && other.ratio().isEmpty());
        assertEquals(Optional.of("c2 died in day-1"), other.whyNot());
    }

    private static TargetExit died() {
        return TargetExit.builder().exitCode(137).phase("measurement").build();
    }

    private static RunVerdict errors(List<NamedRun> runs) {
        return RunComparisons.of(runs, USUAL.failOn(List.of(Metric.ERRORS))).verdicts().stream()
                .filter(verdict -> verdict.metric().equals("errors"))
                .findFirst()
                .orElseThrow();
    }

    private static TargetResult.Builder failing(int... errors) {
        TargetResult.Builder target = TargetResult.builder("c2").jvm("OpenJDK 17.0.21");
        for (int i = 0; i < errors.length; i++) {
            target.launch(LaunchResult.builder(i + 1, 1)
                    .load(TestingDays.load(errors[i]))
                    .build());
        }
        return target;
    }

    @Test
    void decidesByWhatAllRunsHave() {
        RunResult planned = TestingDays.result(1, "ab", target("c2", C2)).build();
        RunResult other = RunResult.builder(
                        planned.plan().toBuilder().primaryMetric("p99").build())
                .startedAt(planned.startedAt())
                .finishedAt(planned.finishedAt())
                .environment(planned.environment())
                .targets(planned.targets())
                .build();

        assertEquals(
                Metric.FULL_LOAD_CPU_PER_REQUEST,
                RunComparisons.primary(List.of(run(0, target("c2", C2)), NamedRun.of("other", other))));
        assertEquals(
                "p50",
                RunComparisons.of(
                                List.of(run(0, target("c2", C2)), NamedRun.of("other", other)),
                                USUAL.primary(Metric.P50))
                        .primaryMetric());
    }

    @Test
    void tellsOtherRequestsApart() {
        NamedRun other = NamedRun.of(
                "other", TestingDays.result(1, "cd", target("c2", C2)).build());
        List<NamedRun> runs = List.of(run(0, target("c2", C2)), other);

        assertFalse(RunComparisons.isSameCapture(runs));
        assertEquals(3, RunComparisons.of(runs, USUAL).captures().size());
        assertTrue(RunComparisons.isSameCapture(runs.subList(0, 1)));
    }

    @Test
    void saysByWhatTargetsPlansAndMachinesDiffer() {
        TargetResult.Builder other = target("c2", C2)
                .jvm("OpenJDK 17.0.22")
                .jvmOptions(List.of("-XX:+UseG1GC", "-Xss1m", "-XX:MaxHeapSize=2"));
        RunComparison comparison = RunComparisons.of(
                List.of(
                        run(
                                0,
                                target("c2", around(100, 0.02, 5))
                                        .jvmOptions(List.of("-XX:+UseSerialGC", "-Xss1m", "-XX:MaxHeapSize=1"))),
                        run(1, other)),
                USUAL);

        TargetFacts c2 = comparison.targets().get(0);
        assertFalse(c2.same());
        assertEquals(
                List.of(
                        "JVM [OpenJDK 17.0.21, OpenJDK 17.0.22]",
                        "JVM options that differ [-XX:+UseSerialGC, -XX:+UseG1GC]"),
                c2.facts().stream()
                        .filter(fact -> fact.differs())
                        .map(fact -> fact.name() + " " + fact.values())
                        .collect(Collectors.toList()));
        assertEquals("launches", comparison.plans().get(0).name());
        assertEquals(List.of("5", "6"), comparison.plans().get(0).values());
        assertTrue(comparison.machines().stream().noneMatch(fact -> fact.differs()));
    }
}
