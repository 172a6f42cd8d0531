package dev.lockstep.report;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.lockstep.analysis.Metric;
import dev.lockstep.measurement.Cost;
import dev.lockstep.measurement.LoadResult;
import dev.lockstep.results.AssertionResult;
import dev.lockstep.results.FleetCost;
import dev.lockstep.results.FullLoad;
import dev.lockstep.results.LaunchResult;
import dev.lockstep.results.RunPlan;
import dev.lockstep.results.RunResult;
import dev.lockstep.results.TargetPlan;
import dev.lockstep.results.TargetResult;
import dev.lockstep.results.Verdict;
import dev.lockstep.results.Verdict.Finding;
import dev.lockstep.results.Verdict.Interval;
import dev.lockstep.results.Warmup;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalDouble;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

class VerdictLinesTest {
    private static final String EXACT = "VERDICT by CPU per request, exact (counted by the control group)";

    private static final TargetResult[] TARGETS = {
        TargetResult.builder("c2").build(), TargetResult.builder("graal").build()
    };

    @Test
    void saysNothingWhereNothingWasCompared() {
        assertEquals(List.of(), new VerdictLines(TestingRuns.run(TARGETS)).all());
    }

    /** Its warm-ups were steady, what came after them was not. */
    @Test
    void saysWhoseJitReplacedTheCodeAtFullLoad() {
        TargetResult[] targets = {compiling("c2", 0.01), compiling("graal", 0.2)};
        RunPlan plan = TestingRuns.plan(targets).launches(2).build();
        Verdict verdict = Verdict.builder("fullLoadCpuPerRequest", "graal", "c2")
                .primary(true)
                .ratio(0.93)
                .launches(2)
                .finding(Finding.NOT_STEADY)
                .build();

        String text = new VerdictLines(TestingRuns.run(plan, targets).build().withVerdicts(List.of(verdict)))
                .answers(false)
                .get(1)
                .text();

        assertTrue(text.endsWith("not steady: graal (its JIT took up to 20 % of its CPU at full load)"), text);
    }

    private static TargetResult compiling(String name, double jitShare) {
        FullLoad load = FullLoad.of(1, 1, OptionalDouble.of(1)).withJit(OptionalDouble.of(jitShare), jitShare > 0.1);
        TargetResult.Builder target = TargetResult.builder(name)
                .warmup(Warmup.builder(Warmup.State.STEADY).build())
                .fullLoad(load);
        for (int launch = 1; launch <= 2; launch++) {
            target.launch(LaunchResult.builder(launch, 1).fullLoad(load).build());
        }
        return target.build();
    }

    @Test
    void saysWhoIsBetterAndHowSureThatIs() {
        List<String> lines = lines(
                6,
                verdict()
                        .ratio(0.917)
                        .interval(Interval.of(0.902, 0.931))
                        .noiseFloor(Interval.of(0.987, 1.013))
                        .launches(6)
                        .finding(Finding.BETTER)
                        .build(),
                Verdict.builder("p99", "graal", "c2")
                        .ratio(1.02)
                        .interval(Interval.of(0.96, 1.09))
                        .noiseFloor(Interval.of(1e-9, 1e9))
                        .launches(6)
                        .finding(Finding.INCONCLUSIVE)
                        .build());

        assertEquals(
                List.of(
                        EXACT,
                        "graal uses 8.3 % less CPU per request than c2 (0.917, 95 % interval 0.902 to",
                        "  0.931, 6 launches): better",
                        "Noise floor: 0.987 to 1.013, from the launches of c2, at most; --aa measures it",
                        "",
                        "other metrics  ratio  interval        finding",
                        "p99            1.020  0.960 to 1.090  inconclusive",
                        "Margin: 1 %"),
                lines);
    }

    /** Both are warm, but the metric holds what a JIT still takes, and the money rests on another one. */
    @Test
    void saysWhoseJitIsInAMetricThatHoldsIt() {
        TargetResult[] targets = {steady("c2", 0.02), steady("graal", 0.34)};
        RunPlan plan = TestingRuns.plan(targets).launches(6).build();
        RunResult result = TestingRuns.run(plan, targets)
                .build()
                .withVerdicts(List.of(verdict()
                        .ratio(1.2)
                        .interval(Interval.of(1.1, 1.3))
                        .launches(6)
                        .finding(Finding.NOT_STEADY)
                        .build()))
                .withFleetCost(FleetCost.of("steadyCpuPerRequest", 127, 24, 10_000, List.of()));

        List<String> lines = new VerdictLines(result).all();

        assertEquals(
                "graal: no verdict on CPU per request against c2 (1.200, 95 % interval 1.100 to 1.300, 6 launches): not"
                        + " steady: graal (still compiles, JIT 34 % of its CPU)",
                lines.stream()
                        .skip(1)
                        .takeWhile(line -> !line.startsWith("The fleet"))
                        .map(String::strip)
                        .collect(Collectors.joining(" "))
                        .strip());
        assertTrue(lines.contains("What a target saves is not known, because its CPU is not"), lines.toString());
        assertTrue(new VerdictLines(result)
                .answers(true).stream().noneMatch(answer -> answer.text().contains("both steady")));
    }

    /** What it saw of two that were not warm is no answer, and was read as one. */
    @Test
    void beginsWithWhyALookHasNoAnswer() {
        String seen = "graal uses 51.2 % more CPU per request than c2 (1.512, 1 launch)";

        assertEquals(
                "No answer yet: not steady: c2 (still compiles, JIT 46 % of its CPU), graal (still compiles, JIT 80 % of"
                        + " its CPU); " + seen,
                ofLook(compiled("c2", Warmup.State.NOT_STEADY, 0.46)));
        assertEquals(
                seen + "; not steady: graal (still compiles, JIT 80 % of its CPU)",
                ofLook(compiled("c2", Warmup.State.STEADY, 0.01)));
    }

    private static String ofLook(TargetResult c2) {
        TargetResult[] targets = {c2, compiled("graal", Warmup.State.NOT_STEADY, 0.8)};
        RunPlan plan = TestingRuns.plan(targets).launches(1).build();
        return new VerdictLines(TestingRuns.run(plan, targets)
                        .build()
                        .withVerdicts(List.of(verdict()
                                .ratio(1.512)
                                .launches(1)
                                .finding(Finding.NOT_STEADY)
                                .build())))
                .answers(false)
                .get(1)
                .text();
    }

    private static TargetResult compiled(String name, Warmup.State state, double jitShare) {
        return TargetResult.builder(name)
                .warmup(Warmup.builder(state).jitShare(jitShare).build())
                .build();
    }

    /** A JVM whose threads have no names may compile all the time. */
    @Test
    void saysOfWhichSteadyTargetsTheJitIsNotKnown() {
        TargetResult unknown = TargetResult.builder("graal")
                .warmup(Warmup.builder(Warmup.State.STEADY).build())
                .build();

        assertTrue(ofSteady(steady("graal", 0.01)).endsWith("): better; both steady"));
        assertTrue(ofSteady(unknown).endsWith("): better; both steady, as far as can be told without the JIT's CPU"));
    }

    private static String ofSteady(TargetResult graal) {
        TargetResult[] targets = {steady("c2", 0.01), graal};
        RunPlan plan = TestingRuns.plan(targets).launches(6).build();
        return new VerdictLines(TestingRuns.run(plan, targets).build().withVerdicts(List.of(decided())))
                .answers(false)
                .get(1)
                .text();
    }

    private static Verdict decided() {
        return verdict()
                .ratio(0.9)
                .interval(Interval.of(0.89, 0.91))
                .launches(6)
                .finding(Finding.BETTER)
                .build();
    }

    /** A server that was deployed a minute ago still compiles; in six blocks, a drift of their ratio is looked for. */
    @Test
    void saysThatNobodyJudgedWhetherServersThatRunAlreadyAreSteady() {
        VerdictLines lines = new VerdictLines(ofBlocks(decided())
                .withFleetCost(FleetCost.of(
                        "cpuPerRequest",
                        127,
                        24,
                        10_000,
                        List.of(FleetCost.Saving.of("graal", 3_048_000, Interval.of(2_743_200, 3_352_800))))));

        assertEquals(
                "graal uses 10.0 % less CPU per request than c2 (0.900, 95 % interval 0.890 to 0.910, 6 blocks): better;"
                        + " nobody judged whether each of them is steady",
                lines.answers(false).get(1).text());
        assertEquals(
                "graal saves 3,048,000 USD a year (95 % interval 2,743,200 to 3,352,800); nobody judged whether each of"
                        + " them is steady",
                lines.money().get(1));
    }

    private static RunResult ofBlocks(Verdict verdict) {
        RunPlan plan = TestingRuns.plan()
                .target(TargetPlan.builder("c2").address("h:1").build())
                .target(TargetPlan.builder("graal").address("h:2").build())
                .launches(6)
                .build();
        return TestingRuns.run(plan, TARGETS).build().withVerdicts(List.of(verdict));
    }

    private static TargetResult steady(String name, double jitShare) {
        return TargetResult.builder(name)
                .warmup(Warmup.builder(Warmup.State.STEADY).jitShare(jitShare).build())
                .build();
    }

    private static String ofUnsure(Metric metric, Interval interval, double... steps) {
        TargetResult[] targets = new TargetResult[steps.length];
        for (int i = 0; i < steps.length; i++) {
            targets[i] = TargetResult.builder(i == 0 ? "c2" : "graal")
                    .warmup(Warmup.builder(Warmup.State.UNDECIDABLE)
                            .visibleStep(steps[i])
                            .jitShare(0.01)
                            .build())
                    .build();
        }
        RunPlan plan = TestingRuns.plan(targets).launches(6).build();
        RunResult result = TestingRuns.run(plan, targets)
                .build()
                .withVerdicts(List.of(Verdict.builder(metric.key(), "graal", "c2")
                        .primary(true)
                        .ratio(0.5)
                        .interval(interval)
                        .launches(6)
                        .finding(Finding.NOT_STEADY)
                        .build()));
        return new VerdictLines(result).answers(true).get(1).text();
    }

    /** Where noise hides 5 % nothing is said of 10 %, but half is half. */
    @Test
    void saysThatADifferenceIsLargerThanWhatNoiseHides() {
        String beyond = "; yet they differ by more than could have changed unseen";

        Metric cpu = Metric.STEADY_CPU_PER_REQUEST;
        assertTrue(ofUnsure(cpu, Interval.of(0.45, 0.55), 0.2, 0.3).endsWith(beyond));
        assertTrue(ofUnsure(cpu, Interval.of(1.6, 1.9), 0.2, 0.3).endsWith(beyond));
        assertFalse(ofUnsure(cpu, Interval.of(0.6, 0.65), 0.2, 0.3).contains(beyond), "1 / (1.2 * 1.3) is 0.64");
        assertFalse(ofUnsure(cpu, Interval.of(0.9, 1.1), 0.01, 0.01).contains(beyond));
    }

    /** What grows for an hour would not have been seen: the CPU and the time of requests were looked at. */
    @Test
    void saysNothingOfChangesInWhatNobodyWatched() {
        for (Metric metric : List.of(Metric.RSS, Metric.P99, Metric.GC_CYCLES)) {
            assertFalse(ofUnsure(metric, Interval.of(0.45, 0.55), 0.2, 0.3).contains("yet they differ"));
        }
    }

    @Test
    void saysWhoWasNotSteadyInsteadOfWhoIsBetter() {
        TargetResult[] targets = {
            TargetResult.builder("c2")
                    .warmup(Warmup.builder(Warmup.State.UNDECIDABLE)
                            .visibleStep(0.098)
                            .build())
                    .build(),
            TargetResult.builder("graal")
                    .warmup(Warmup.builder(Warmup.State.NOT_STEADY)
                            .jitShare(0.8)
                            .build())
                    .build()
        };
        RunPlan plan = TestingRuns.plan(targets).launches(6).build();
        RunResult result = TestingRuns.run(plan, targets)
                .build()
                .withVerdicts(List.of(
                        verdict()
                                .ratio(2.404)
                                .interval(Interval.of(2, 3))
                                .launches(6)
                                .finding(Finding.NOT_STEADY)
                                .build(),
                        Verdict.builder("startup", "graal", "c2")
                                .question(Verdict.Question.COLD)
                                .ratio(1.5)
                                .interval(Interval.of(1.4, 1.6))
                                .launches(6)
                                .finding(Finding.WORSE)
                                .build()))
                .withFleetCost(FleetCost.of("cpuPerRequest", 127, 24, 10_000, List.of()));

        List<String> lines = new VerdictLines(result).all();

        assertEquals(
                "graal: no verdict on CPU per request against c2 (2.404, 95 % interval 2.000"
                        + " to 3.000, 6 launches): not steady: graal (still compiles, JIT 80"
                        + " % of its CPU); too noisy to tell whether steady: c2 (a change of 10 % would show)",
                lines.stream()
                        .skip(1)
                        .takeWhile(line -> !line.startsWith("The fleet"))
                        .map(String::strip)
                        .collect(Collectors.joining(" ")));
        assertTrue(
                lines.contains("What a target saves is not known, because the targets were not steady"),
                lines.toString());
        assertTrue(
                lines.stream().anyMatch(line -> line.startsWith("time to first answer (cold)  1.500")),
                lines.toString());
    }

    @Test
    void keepsItsColumnsUnderLongNames() {
        TargetResult[] targets = {
            TargetResult.builder("c2").build(),
            TargetResult.builder("g".repeat(64)).build(),
            TargetResult.builder("zero").build()
        };
        List<Verdict> verdicts = new ArrayList<>();
        for (String name : List.of("g".repeat(64), "zero")) {
            verdicts.add(Verdict.builder("cpuPerRequest", name, "c2")
                    .primary(true)
                    .ratio(0.9)
                    .launches(6)
                    .build());
            verdicts.add(Verdict.builder("systemCpuPerRequest", name, "c2")
                    .ratio(0.9)
                    .interval(Interval.of(0.8, 0.99))
                    .launches(6)
                    .finding(Finding.BETTER)
                    .build());
        }
        List<String> lines = new VerdictLines(
                        TestingRuns.run(TestingRuns.plan(targets).launches(6).build(), targets)
                                .build()
                                .withVerdicts(verdicts))
                .all();
        assertEquals(
                List.of(
                        "other metrics            ratio  interval        finding",
                        "g".repeat(64),
                        " system CPU per request  0.900  0.800 to 0.990  better",
                        "zero",
                        " system CPU per request  0.900  0.800 to 0.990  better",
                        "Margin: 1 %"),
                lines.subList(lines.size() - 6, lines.size()));
    }

    @Test
    void writesTheLevelOfIntervalsAndMarksWhatIsAHint() {
        List<String> lines = lines(
                3,
                verdict().ratio(0.9).launches(3).indicative(true).build(),
                secondary("p99")
                        .ratio(1.4)
                        .interval(Interval.of(1.2, 1.6))
                        .finding(Finding.WORSE)
                        .launches(3)
                        .indicative(true)
                        .build(),
                secondary("rss")
                        .ratio(1.1)
                        .interval(Interval.of(0.95, 1.3))
                        .launches(2)
                        .indicative(true)
                        .build());

        assertEquals(
                List.of(
                        "other metrics    ratio  99.7 % interval  finding",
                        "p99              1.400  1.200 to 1.600   worse *",
                        "resident memory  1.100  0.950 to 1.300   inconclusive (2 of 3)",
                        "Margin: 1 %; * indicative: a verdict rests on 6 launches"),
                lines.subList(lines.size() - 4, lines.size()));
    }

    /** As at the first look of a run that may make a hundred launches. */
    @Test
    void callsNoIntervalCertain() {
        List<String> lines = lines(
                6,
                verdict().ratio(0.9).launches(6).build(),
                secondary("p99")
                        .ratio(1.4)
                        .interval(Interval.of(1.2, 1.6))
                        .level(0.99971)
                        .launches(6)
                        .build());

        assertTrue(lines.contains("other metrics  ratio  99.9 % interval  finding"), lines.toString());
    }

    @Test
    void writesEachLevelWhereQuestionsHaveTheirOwn() {
        List<String> lines = lines(
                6,
                verdict().ratio(0.9).launches(6).build(),
                secondary("p99")
                        .ratio(1.4)
                        .interval(Interval.of(1.2, 1.6))
                        .launches(6)
                        .build(),
                secondary("startup")
                        .question(Verdict.Question.COLD)
                        .ratio(1.1)
                        .interval(Interval.of(0.95, 1.3))
                        .level(0.95)
                        .launches(6)
                        .build());

        assertEquals(
                List.of(
                        "other metrics                ratio  interval        finding",
                        "p99                          1.400  1.200 to 1.600  inconclusive",
                        "time to first answer (cold)  1.100  0.950 to 1.300  inconclusive",
                        "Margin: 1 %; intervals: steady 99.7 %; cold 95 %"),
                lines.subList(lines.size() - 4, lines.size()));
    }

    @Test
    void showsEventsThatOneTargetHadNoneOf() {
        List<String> lines = lines(
                6,
                verdict().ratio(0.9).launches(6).build(),
                secondary("errors")
                        .count(54)
                        .baselineCount(0)
                        .interval(Interval.of(7.12, Double.POSITIVE_INFINITY))
                        .finding(Finding.WORSE)
                        .launches(6)
                        .ofLaunches(6)
                        .build(),
                secondary("gcCycles")
                        .ratio(0)
                        .count(0)
                        .baselineCount(60)
                        .interval(Interval.of(0, 0.459))
                        .finding(Finding.BETTER)
                        .launches(6)
                        .ofLaunches(6)
                        .build(),
                secondary("oldGenUsed")
                        .interval(Interval.of(2.18, Double.POSITIVE_INFINITY))
                        .finding(Finding.WORSE)
                        .launches(6)
                        .ofLaunches(6)
                        .build());

        assertEquals(
                List.of(
                        "other metrics    ratio   99.7 % interval  finding",
                        "share of errors  54 : 0  7.120 or more    worse",
                        "GC cycles        0 : 60  0.000 to 0.459   better",
                        "old generation   from 0  2.180 or more    worse",
                        "Margin: 1 %"),
                lines.subList(lines.size() - 5, lines.size()));
        assertEquals(
                "graal exceeds c2 in share of errors (54 : 0, 95 % interval 7.120 or more, 6 launches): worse",
                new VerdictLines(TestingRuns.run(
                                        TestingRuns.plan(TARGETS)
                                                .launches(6)
                                                .primaryMetric("errors")
                                                .build(),
                                        TARGETS)
                                .build()
                                .withVerdicts(List.of(Verdict.builder("errors", "graal", "c2")
                                        .primary(true)
                                        .count(54)
                                        .baselineCount(0)
                                        .interval(Interval.of(7.12, Double.POSITIVE_INFINITY))
                                        .level(0.95)
                                        .finding(Finding.WORSE)
                                        .launches(6)
                                        .build())))
                        .all().stream().skip(1).collect(Collectors.joining(" ")).replaceAll(" +", " "));
    }

    @Test
    void saysInHowManyLaunchesATargetDied() {
        assertEquals(
                "graal differs from c2 in CPU per request, but what died in a launch is not called better"
                        + " (0.911, 96.9 % interval 0.890 to 0.930, 4 of 6 launches; graal died in 2): inconclusive",
                text(verdict()
                        .ratio(0.911)
                        .interval(Interval.of(0.89, 0.93))
                        .level(0.969)
                        .launches(4)
                        .ofLaunches(6)
                        .died(2)
                        .indicative(true)));
        assertTrue(text(verdict()
                        .ratio(1.099)
                        .interval(Interval.of(1.05, 1.2))
                        .launches(4)
                        .ofLaunches(6)
                        .died(2)
                        .indicative(true))
                .contains("its launches do not agree enough yet (1.099, "));
        assertEquals(
                "graal uses 9.9 % more CPU per request than c2 (1.099, 95 % interval 1.080 to 1.110,"
                        + " 5 of 6 launches; graal died in 1): worse (indicative: a verdict rests on 6 launches)",
                text(verdict()
                        .ratio(1.099)
                        .interval(Interval.of(1.08, 1.11))
                        .launches(5)
                        .ofLaunches(6)
                        .died(1)
                        .finding(Finding.WORSE)
                        .indicative(true)));
    }

    @Test
    void holdsADifferenceBackThatTheSecondInstanceShowsToo() {
        TargetResult[] targets = {
            TargetResult.builder("c2").build(),
            TargetResult.builder("graal").build(),
            TargetResult.builder("c2-aa").build()
        };
        RunPlan plan =
                TestingRuns.plan(targets).launches(6).sameAsBaseline("c2-aa").build();
        List<String> lines = new VerdictLines(TestingRuns.run(plan, targets)
                        .build()
                        .withVerdicts(List.of(verdict()
                                .ratio(0.95)
                                .interval(Interval.of(0.93, 0.97))
                                .noiseFloor(Interval.of(0.94, 1.02))
                                .launches(6)
                                .build())))
                .all();

        assertEquals(
                List.of(
                        EXACT,
                        "graal differs from c2 in CPU per request by no more than c2-aa does (0.950, 95 %",
                        "  interval 0.930 to 0.970, 6 launches): inconclusive",
                        "Noise floor: 0.940 to 1.020, from c2-aa"),
                lines);
    }

    private static Verdict.Builder secondary(String metric) {
        return Verdict.builder(metric, "graal", "c2").level(0.9974).ofLaunches(3);
    }

    @Test
    void saysWhatWasNotFound() {
        assertEquals(
                List.of(
                        EXACT,
                        "graal: no difference in CPU per request to c2 was found (1.002, 95 % interval",
                        "  0.994 to 1.009, 6 launches): equivalent within 1 %"),
                lines(
                        6,
                        verdict()
                                .ratio(1.002)
                                .interval(Interval.of(0.994, 1.009))
                                .launches(6)
                                .finding(Finding.EQUIVALENT)
                                .build()));
        String inconclusive = String.join(
                        " ",
                        lines(
                                3,
                                verdict()
                                        .ratio(1.02)
                                        .interval(Interval.of(0.95, 1.09))
                                        .launches(3)
                                        .indicative(true)
                                        .moreLaunches(9)
                                        .build()))
                .replaceAll(" +", " ");
        assertTrue(inconclusive.endsWith("3 launches): inconclusive: about 9 more launches would tell"), inconclusive);
    }

    @Test
    void saysOfADifferenceThatIsNotDecidedWhatIsMissing() {
        assertEquals(
                List.of(
                        EXACT,
                        "graal differs from c2 in CPU per request, but not by more than can be told apart",
                        "  from the margin of 1 % yet (0.980, 95 % interval 0.965 to 0.995, 3 launches):",
                        "  inconclusive: about 3 more launches would tell"),
                lines(
                        3,
                        verdict()
                                .ratio(0.98)
                                .interval(Interval.of(0.965, 0.995))
                                .launches(3)
                                .indicative(true)
                                .moreLaunches(3)
                                .build()));
        assertTrue(text(verdict().ratio(0.96).interval(Interval.of(0.94, 0.98)).launches(6))
                .startsWith("graal differs from c2 in CPU per request, but its launches do not agree enough yet ("));
        assertEquals(
                "graal uses 0.5 % less CPU per request than c2 (0.995, 95 % interval 0.993 to 0.997, 6 launches):"
                        + " equivalent within 1 %",
                text(verdict()
                        .ratio(0.995)
                        .interval(Interval.of(0.993, 0.997))
                        .launches(6)
                        .finding(Finding.EQUIVALENT)));
        assertEquals(
                "graal: cannot tell it from c2 in CPU per request (0.500, interval too wide, 2 launches):"
                        + " inconclusive",
                text(verdict().ratio(0.5).launches(2).indicative(true)));
        assertEquals(
                "graal: cannot tell, between 0.997 and 6.19 times the CPU per request of c2 (2.484, 95 % interval 0.997 to"
                        + " 6.187, 6 launches): inconclusive",
                text(verdict().ratio(2.484).interval(Interval.of(0.997, 6.187)).launches(6)));
        assertEquals(
                "graal: cannot tell, between 4.0 % less and 6.0 % more CPU per request than c2 (1.010, 95 % interval 0.960"
                        + " to 1.060, 6 launches): inconclusive",
                text(verdict().ratio(1.01).interval(Interval.of(0.96, 1.06)).launches(6)));
    }

    /** Returns the sentence of a verdict of several launches, as one line. */
    private static String text(Verdict.Builder verdict) {
        List<String> lines = lines(6, verdict.build());
        return String.join(" ", lines.subList(1, lines.size())).replaceAll(" +", " ");
    }

    @Test
    void saysThatOneLaunchTellsNothing() {
        assertEquals(
                List.of(
                        "LOOK by CPU per request, exact (counted by the control group): one launch",
                        "  decides nothing, --verdict does",
                        "graal uses 10.0 % less CPU per request than c2 (0.900, 1 launch)"),
                lines(
                        1,
                        verdict()
                                .ratio(0.9)
                                .launches(1)
                                .indicative(true)
                                .moreLaunches(5)
                                .build()));
    }

    @Test
    void callsNothingASavingThatNoVerdictBearsOut() {
        FleetCost.Saving saving = FleetCost.Saving.of("graal", 609_600, Interval.of(152_400, 1_066_800));
        assertEquals(
                List.of(
                        "The fleet costs 30,480,000 USD a year.",
                        "graal would save 609,600 USD a year (95 % interval 152,400 to 1,066,800) if the",
                        "  difference is real, which is not shown"),
                money(saving, Finding.INCONCLUSIVE, 3));
        assertEquals(
                List.of(
                        "The fleet costs 30,480,000 USD a year.",
                        "graal would save 609,600 USD a year (95 % interval 152,400 to 1,066,800), by a",
                        "  difference within the margin"),
                money(saving, Finding.EQUIVALENT, 6));
        assertEquals(
                List.of(
                        "The fleet costs 30,480,000 USD a year.",
                        "graal would save 200 USD a year (no interval: one launch) if the difference is",
                        "  real, which is not shown"),
                money(FleetCost.Saving.of("graal", 200, null), Finding.INCONCLUSIVE, 1));
        assertEquals(
                List.of(
                        "The fleet costs 30,480,000 USD a year.",
                        "graal would cost 200 USD a year more (interval too wide) if the difference is",
                        "  real, which is not shown"),
                money(FleetCost.Saving.of("graal", -200, null), Finding.INCONCLUSIVE, 2));
    }

    @Test
    void callsNothingASavingThatMayBeALoss() {
        assertEquals(
                List.of(
                        "The fleet costs 30,480,000 USD a year.",
                        "graal: cannot tell what it saves, between 11,471,411 USD a year more and",
                        "  10,111,454 USD a year less (95 % interval)"),
                money(
                        FleetCost.Saving.of("graal", 1_248_352, Interval.of(-11_471_411, 10_111_454)),
                        Finding.INCONCLUSIVE,
                        6));
        assertEquals(
                List.of(
                        "The fleet costs 30,480,000 USD a year.",
                        "graal: cannot tell what it saves, between 3.0 times what the fleet costs more",
                        "  and 600,000 USD a year less (95 % interval)"),
                money(
                        FleetCost.Saving.of("graal", -45_221_256, Interval.of(-91_440_000, 600_000)),
                        Finding.INCONCLUSIVE,
                        6));
        assertEquals(
                List.of(
                        "The fleet costs 30,480,000 USD a year.",
                        "graal costs 200 USD a year more (95 % interval 100 to 300)"),
                money(FleetCost.Saving.of("graal", -200, Interval.of(-300, -100)), Finding.WORSE, 6));
    }

    /** The lines about money of a run of which nothing is known but a verdict. */
    private static List<String> money(FleetCost.Saving saving, Finding finding, int launches) {
        RunResult result = run(
                        6,
                        verdict().ratio(0.9).launches(launches).finding(finding).build())
                .withFleetCost(FleetCost.of("cpuPerRequest", 127, 24, 10_000, List.of(saving)));
        List<String> lines = new VerdictLines(result).all();
        return lines.stream()
                .dropWhile(line -> !line.startsWith("The fleet"))
                .takeWhile(line -> !line.isEmpty())
                .collect(Collectors.toList());
    }

    @Test
    void saysWhatItIsWorthAndWhichConditionsHold() {
        RunResult result = run(
                        6,
                        verdict()
                                .ratio(0.9)
                                .interval(Interval.of(0.89, 0.91))
                                .launches(6)
                                .finding(Finding.BETTER)
                                .build())
                .withFleetCost(FleetCost.of(
                        "cpuPerRequest",
                        127,
                        24,
                        10_000,
                        List.of(FleetCost.Saving.of("graal", 3_048_000, Interval.of(2_743_200, 3_352_800)))))
                .withAssertions(List.of(AssertionResult.of(
                        "graal.p99 <= 20ms",
                        false,
                        OptionalDouble.of(2.1e7),
                        OptionalDouble.of(2e7),
                        "fails: graal.p99 <= 20ms (21 ms, not <= 20 ms)")));

        List<String> lines = new VerdictLines(result).all();

        assertEquals(
                List.of(
                        "The fleet costs 30,480,000 USD a year.",
                        "graal saves 3,048,000 USD a year (95 % interval 2,743,200 to 3,352,800)",
                        "",
                        "CONDITIONS",
                        "fails: graal.p99 <= 20ms (21 ms, not <= 20 ms)"),
                lines.subList(3, lines.size()));
        assertEquals(
                lines, new VerdictLines(RunResult.fromJson(result.toJson())).all(), "of the result as it was read");
    }

    /** The sentence said what the launches claim, and a look left the reason out. */
    @Test
    void saysWhyThereIsNoVerdictInsteadOfWhatTheLaunchesClaim() {
        Verdict.Builder spoiled = verdict()
                .ratio(0.9)
                .interval(Interval.of(0.88, 0.92))
                .launches(6)
                .whyNot("c2: others had its processor");
        assertEquals(
                "graal: no verdict on CPU per request against c2 (0.900, 95 % interval 0.880 to 0.920, 6 launches): c2:"
                        + " others had its processor",
                text(spoiled));
        String look = String.join(
                        " ",
                        lines(
                                1,
                                verdict()
                                        .ratio(0.9)
                                        .launches(1)
                                        .whyNot("the run is INVALID: late")
                                        .build()))
                .replaceAll(" +", " ");
        assertTrue(
                look.endsWith(
                        "graal: no verdict on CPU per request against c2 (0.900, 1 launch): the run is INVALID: late"),
                look);
        assertEquals(
                "graal: no verdict on share of errors against c2: neither had any in 6 launches",
                text(Verdict.builder("errors", "graal", "c2")
                        .primary(true)
                        .count(0)
                        .baselineCount(0)
                        .launches(6)));
    }

    @Test
    void saysOnceWhatSpoilsTheCostAtBothLoads() {
        Verdict beside = Verdict.builder("fullLoadCpuPerRequest", "graal", "c2")
                .ratio(0.9)
                .launches(6)
                .whyNot("the run is INVALID: late")
                .build();
        Verdict primary = verdict()
                .ratio(0.9)
                .launches(6)
                .whyNot("the run is INVALID: late")
                .build();

        assertEquals(2, new VerdictLines(run(6, primary, beside)).answers(true).size());
        assertEquals(
                3,
                new VerdictLines(run(6, verdict().ratio(0.9).launches(6).build(), beside))
                        .answers(true)
                        .size());
    }

    @Test
    void knowsNoSavingOfWhatHasNoVerdictAndTheLevelOfTheIntervalThatItRestsOn() {
        RunResult spoiled = run(
                        6, verdict().ratio(0.9).launches(6).whyNot("late").build())
                .withFleetCost(FleetCost.of("cpuPerRequest", 127, 24, 10_000, List.of()));
        assertEquals(
                "What a target saves is not known, because there is no verdict on its CPU",
                new VerdictLines(spoiled).money().get(1));
        RunResult looked = run(
                        6,
                        verdict()
                                .ratio(0.9)
                                .launches(6)
                                .finding(Finding.BETTER)
                                .interval95Level(0.969)
                                .build())
                .withFleetCost(FleetCost.of(
                        "cpuPerRequest",
                        127,
                        24,
                        10_000,
                        List.of(FleetCost.Saving.of("graal", 609_600, Interval.of(152_400, 1_066_800)))));
        assertEquals(
                "graal saves 609,600 USD a year (96.9 % interval 152,400 to 1,066,800)",
                new VerdictLines(looked).money().get(1));
    }

    /** They had 86 columns. */
    @Test
    void fitsATerminalWithANoiseFloorForEachOfSeveralTargets() {
        TargetResult[] targets = {
            TargetResult.builder("c2").build(),
            TargetResult.builder("graal").build(),
            TargetResult.builder("c2-aa").build()
        };
        RunPlan plan =
                TestingRuns.plan(targets).launches(6).sameAsBaseline("c2-aa").build();
        Verdict.Builder ofGraal = Verdict.builder("steadyCpuPerRequest", "graal", "c2")
                .ratio(1.07)
                .interval(Interval.of(1.014, 1.129))
                .noiseFloor(Interval.of(0.948, 1.054));
        Verdict.Builder ofNoise = Verdict.builder("steadyCpuPerRequest", "c2-aa", "c2")
                .ratio(1.001)
                .interval(Interval.of(0.99, 1.012));

        List<String> lines = new VerdictLines(TestingRuns.run(plan, targets)
                        .build()
                        .withVerdicts(List.of(
                                verdict().ratio(1).launches(6).build(),
                                ofGraal.level(0.9974).launches(6).build(),
                                ofNoise.level(0.9974).launches(6).build())))
                .all();

        assertEquals(
                List.of(
                        "other metrics                     ratio  99.7 % interval  finding",
                        "graal",
                        " CPU per request without the JIT  1.070  1.014 to 1.129   inconclusive",
                        "c2-aa (noise)",
                        " CPU per request without the JIT  1.001  0.990 to 1.012   inconclusive",
                        "",
                        "other metrics                     noise floor",
                        "graal",
                        " CPU per request without the JIT  0.948 to 1.054",
                        "c2-aa (noise)",
                        " CPU per request without the JIT  -",
                        "Margin: 1 %"),
                lines.subList(lines.size() - 12, lines.size()));
    }

    @Test
    void saysHowExactlyItsMetricIsKnown() {
        TargetResult[] ofProcess = {
            TargetResult.builder("c2")
                    .load(TestingRuns.load(1, 1_000_000))
                    .cost(Cost.USER_CPU, 5)
                    .cost(Cost.SYSTEM_CPU, 5)
                    .build(),
            TARGETS[1]
        };
        RunResult run =
                TestingRuns.run(ofProcess).withVerdicts(List.of(verdict().build()));

        assertEquals(
                List.of(
                        "LOOK by CPU per request, user and system time of the process (no control group",
                        "  counts it): one launch decides nothing, --verdict does"),
                new VerdictLines(run).all().subList(0, 2));
        assertEquals(
                "VERDICT by user CPU per request, sampled by timer ticks (cpuPerRequest is exact)",
                by("userCpuPerRequest"));
        assertEquals("VERDICT by p99", by("p99"));
        assertEquals(
                "VERDICT by CPU per request, exact (counted by the control group), the JIT's",
                by("steadyCpuPerRequest", "cpuPerRequest"));
    }

    @Test
    void saysThatRequestsWithoutAnAnswerLeaveNoVerdictOnAPercentile() {
        TargetResult[] targets = {TargetResult.builder("c2").build(), unanswered("graal")};
        RunPlan plan =
                TestingRuns.plan(targets).primaryMetric("p99").launches(6).build();
        List<String> lines = new VerdictLines(TestingRuns.run(plan, targets)
                        .build()
                        .withVerdicts(List.of(Verdict.builder("p99", "graal", "c2")
                                .primary(true)
                                .build())))
                .all();

        assertEquals(
                List.of(
                        "NO VERDICT by p99",
                        "graal: no verdict on p99 against c2: requests without an answer reach it, so",
                        "  that it has no value"),
                lines);
    }

    /** Returns a target of which a launch left one in ten requests without an answer. */
    private static TargetResult unanswered(String name) {
        LoadResult load = TestingRuns.load(1, counts -> counts.unsent = 100, TestingRuns.evenly(900, 1_000_000));
        return TargetResult.builder(name)
                .load(load)
                .launch(LaunchResult.builder(1, 1).load(load).build())
                .build();
    }

    private static String by(String primary) {
        return by(primary, primary);
    }

    private static String by(String primary, String judged) {
        RunPlan plan =
                TestingRuns.plan(TARGETS).primaryMetric(primary).launches(6).build();
        return new VerdictLines(TestingRuns.run(plan, TARGETS)
                        .build()
                        .withVerdicts(List.of(Verdict.builder(judged, "graal", "c2")
                                .primary(true)
                                .launches(6)
                                .ratio(1)
                                .interval(Interval.of(0.98, 1.02))
                                .build())))
                .all()
                .get(0);
    }

    private static Verdict.Builder verdict() {
        return Verdict.builder("cpuPerRequest", "graal", "c2").primary(true);
    }

    private static List<String> lines(int launches, Verdict... verdicts) {
        List<String> lines = new VerdictLines(run(launches, verdicts)).all();
        assertTrue(lines.stream().allMatch(line -> line.length() <= 80), lines.toString());
        return new ArrayList<>(lines);
    }

    private static RunResult run(int launches, Verdict... verdicts) {
        RunPlan plan = TestingRuns.plan(TARGETS).launches(launches).build();
        return TestingRuns.run(plan, TARGETS).build().withVerdicts(List.of(verdicts));
    }
}
