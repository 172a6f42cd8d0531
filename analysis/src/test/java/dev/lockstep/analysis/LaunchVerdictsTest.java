package dev.lockstep.analysis;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.lockstep.measurement.Cost;
import dev.lockstep.measurement.Costs;
import dev.lockstep.measurement.EndpointLoad;
import dev.lockstep.measurement.ErrorKind;
import dev.lockstep.measurement.LoadCounts;
import dev.lockstep.measurement.LoadResult;
import dev.lockstep.measurement.Pace;
import dev.lockstep.measurement.SelfReport;
import dev.lockstep.results.AssertionResult;
import dev.lockstep.results.CaptureReference;
import dev.lockstep.results.Environment;
import dev.lockstep.results.FirstMinute;
import dev.lockstep.results.FullLoad;
import dev.lockstep.results.LaunchResult;
import dev.lockstep.results.RunPlan;
import dev.lockstep.results.RunResult;
import dev.lockstep.results.TargetExit;
import dev.lockstep.results.TargetPlan;
import dev.lockstep.results.TargetResult;
import dev.lockstep.results.Verdict;
import dev.lockstep.results.Verdict.Finding;
import dev.lockstep.results.Warmup;
import java.time.Duration;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.stream.Collectors;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;

final class LaunchVerdictsTest {
    private static final OffsetDateTime START = OffsetDateTime.parse("2026-11-21T07:42:00+01:00");
    private static final String HASH = "ab".repeat(32);

    private static final long MS = 1_000_000;
    /** CPU time of each launch of c2, per request, in milliseconds. */
    private static final double[] C2 = {100, 102, 98, 101, 99, 100};

    @Test
    void findsADifferenceThatAllLaunchesShow() {
        List<Verdict> verdicts = LaunchVerdicts.of(
                run(plan(), target("c2", C2), target("graal", 91, 93, 89.5, 92, 90, 91.2)),
                6,
                LaunchVerdicts.Blocks.NONE);

        Verdict primary = verdicts.get(0);
        assertEquals("userCpuPerRequest", primary.metric());
        assertTrue(primary.primary());
        assertEquals(6, primary.launches());
        assertEquals(0.911, primary.ratio().orElseThrow(), 0.002);
        assertEquals(Finding.BETTER, primary.finding());
        assertFalse(primary.indicative());
        assertTrue(primary.interval().low() < 0.911 && primary.interval().high() > 0.911);
        assertTrue(primary.bootstrap().low() > 0.9 && primary.bootstrap().high() < 0.92);
        assertTrue(primary.noiseFloor().low() < 1 && primary.noiseFloor().high() > 1);
        assertEquals(1, verdicts.stream().filter(Verdict::primary).count());
    }

    /** Finding 1 of the review: "140 % more CPU" was the JIT's, and became millions of dollars a year. */
    @Test
    void saysNothingOfWhatAYearCostsWhereATargetWasNotSteady() {
        TargetResult graal = target("graal", 91, 93, 89.5, 92, 90, 91.2);
        for (Warmup.State state : Warmup.State.values()) {
            boolean steady = state == Warmup.State.STEADY;
            RunResult run = run(plan(), warmed(target("c2", C2), Warmup.State.STEADY, 5), warmed(graal, state, 9));
            List<Verdict> verdicts = LaunchVerdicts.of(run, 6, LaunchVerdicts.Blocks.NONE);

            Verdict primary = verdicts.get(0);
            assertEquals(steady ? Finding.BETTER : Finding.NOT_STEADY, primary.finding());
            assertEquals(Verdict.Question.STEADY, primary.question());
            assertEquals(
                    !steady,
                    Conditions.parse(List.of("graal.userCpuPerRequest < c2"), List.of("c2", "graal"))
                            .outcomes(run)
                            .get(0)
                            .sentence()
                            .endsWith("; not known to be steady: graal)"));
            assertEquals(0.911, primary.ratio().orElseThrow(), 0.002);
            assertEquals(
                    steady ? 1 : 0,
                    Fleet.of(127, 24, 10_000)
                            .worth(run.withVerdicts(verdicts))
                            .savings()
                            .size());
        }
    }

    /** At a low rate one method compiled late is much of the CPU, of which a year knows nothing. */
    @Test
    void restsOnTheCpuWithoutTheJitWhereThatIsKnown() {
        RunPlan plan = plan("c2", "graal").primaryMetric("steadyCpuPerRequest").build();
        TargetResult c2 = compiling(target("c2", C2), 0.02);
        TargetResult graal = compiling(target("graal", C2), 0.4);

        List<Verdict> verdicts = LaunchVerdicts.of(run(plan, c2, graal), 6, LaunchVerdicts.Blocks.NONE);

        Verdict primary = verdicts.get(0);
        assertEquals("steadyCpuPerRequest", primary.metric());
        assertEquals(Finding.EQUIVALENT, primary.finding());
        assertEquals(Finding.NOT_STEADY, verdict(verdicts, "cpuPerRequest").finding(), "it holds the JIT's CPU");
        assertEquals(
                "cpuPerRequest",
                LaunchVerdicts.of(run(plan, target("c2", C2), graal), 6, LaunchVerdicts.Blocks.NONE)
                        .get(0)
                        .metric(),
                "of one the JIT's is not known");
    }

    /** Returns the target with a JIT that took this share of the CPU beside what it had. */
    private static TargetResult compiling(TargetResult target, double jitShare) {
        List<LaunchResult> launches = new ArrayList<>();
        long totalNs = 0;
        long totalJitNs = 0;
        Warmup warmup = Warmup.builder(Warmup.State.STEADY).jitShare(jitShare).build();
        for (LaunchResult launch : target.launches()) {
            long ns = launch.costs().get(Cost.USER_CPU).getAsLong();
            long jitNs = Math.round(ns * jitShare / (1 - jitShare));
            totalNs += ns + jitNs;
            totalJitNs += jitNs;
            launches.add(LaunchResult.builder(launch.launch(), 1)
                    .from(launch)
                    .warmup(warmup)
                    .costs(costs(ns + jitNs, jitNs))
                    .build());
        }
        return TargetResult.builder(target.name())
                .from(target)
                .launches(launches)
                .warmup(warmup)
                .costs(costs(totalNs, totalJitNs))
                .build();
    }

    private static Costs costs(long ns, long jitNs) {
        return Costs.builder()
                .set(Cost.USER_CPU, ns)
                .set(Cost.SYSTEM_CPU, 0)
                .set(Cost.JIT_CPU, jitNs)
                .build();
    }

    @Test
    void answersTheQuestionsOfStartAndWarmUpWhateverComesAfter() {
        List<Verdict> verdicts = LaunchVerdicts.of(
                run(
                        plan(),
                        warmed(target("c2", C2), Warmup.State.NOT_STEADY, 5),
                        warmed(target("graal", C2), Warmup.State.STEADY, 10)),
                6,
                LaunchVerdicts.Blocks.NONE);

        Verdict cold = verdict(verdicts, "firstMinuteCpu");
        assertEquals(Verdict.Question.COLD, cold.question());
        assertEquals(2, cold.ratio().orElseThrow(), 0.05);
        assertEquals(Finding.WORSE, cold.finding());
        assertTrue(
                verdicts.stream().noneMatch(verdict -> verdict.metric().equals("warmupTime")),
                "c2 was never steady, and took longer than it was looked at");
        List<Verdict> both = LaunchVerdicts.of(
                run(
                        plan("c2", "graal").fullLoad(Duration.ofSeconds(10)).build(),
                        warmed(target("c2", C2), Warmup.State.STEADY, 5),
                        warmed(target("graal", C2), Warmup.State.STEADY, 10)),
                6,
                LaunchVerdicts.Blocks.NONE);
        assertEquals(Verdict.Question.WARMING, verdict(both, "warmupTime").question());
        assertEquals(2, verdict(both, "warmupCpu").ratio().orElseThrow(), 0.05);
        Verdict fullLoad = verdict(both, "fullLoadCpuPerRequest");
        assertEquals(Finding.WORSE, fullLoad.finding());
        assertEquals(0.975, fullLoad.level().orElseThrow(), 1e-9, "beside the primary metric, with half of its error");
    }

    @Test
    void decidesByFullLoadWhereThatWasPlannedAndByTheMeasuredPaceWhereATargetGotNone() {
        RunPlan plan = byFullLoad();
        TargetResult graal = warmed(target("graal", C2), Warmup.State.STEADY, 10);

        List<Verdict> both = LaunchVerdicts.of(
                run(plan, warmed(target("c2", C2), Warmup.State.STEADY, 5), graal), 6, LaunchVerdicts.Blocks.NONE);

        assertEquals("fullLoadCpuPerRequest", both.get(0).metric());
        assertTrue(both.get(0).primary());
        assertEquals(Finding.WORSE, both.get(0).finding());
        assertEquals(0.95, both.get(0).level().orElseThrow(), 1e-9);
        List<Verdict> without = LaunchVerdicts.of(run(plan, target("c2", C2), graal), 6, LaunchVerdicts.Blocks.NONE);
        assertEquals("cpuPerRequest", without.get(0).metric(), "the JIT's is not known either");
        assertTrue(without.get(0).primary());
    }

    @Test
    void endsAVerdictOfWhatIsNotSteadyAndNoRunThatWasAskedFor() {
        RunResult undecided = run(
                plan("c2", "graal").maxLaunches(12).build(),
                warmed(target("c2", 100), Warmup.State.UNDECIDABLE, 5),
                warmed(target("graal", 100), Warmup.State.STEADY, 5));
        assertEquals(Optional.empty(), LaunchVerdicts.whyHopeless(undecided, 1), "more launches may show it");
        TargetResult once = warmed(target("graal", 100), Warmup.State.NOT_STEADY, 5);
        TargetResult unsteady = warmed(target("graal", 100, 100), Warmup.State.NOT_STEADY, 5);
        TargetResult c2 = warmed(target("c2", 100, 100), Warmup.State.STEADY, 5);
        RunPlan verdict = plan("c2", "graal").maxLaunches(12).build();
        assertEquals(Optional.empty(), LaunchVerdicts.whyHopeless(run(verdict, c2, once), 1), "it may be an accident");
        assertEquals(
                Optional.of("not steady launch after launch: graal"),
                LaunchVerdicts.whyHopeless(run(verdict, c2, unsteady), 2));
        assertEquals(Optional.empty(), LaunchVerdicts.whyHopeless(run(plan(), c2, unsteady), 2));
    }

    @Test
    void endsAVerdictOnFullLoadThatLockstepPaced() {
        RunPlan plan = plan("c2", "graal")
                .maxLaunches(12)
                .fullLoad(Duration.ofSeconds(10))
                .primaryMetric("fullLoadCpuPerRequest")
                .build();
        TargetResult c2 = warmed(target("c2", 100), Warmup.State.STEADY, 5);
        TargetResult graal = warmed(target("graal", 100), Warmup.State.STEADY, 5);
        RunResult paced = RunResult.builder(plan)
                .from(run(plan, c2, graal))
                .self(SelfReport.of(9, 9, 0, 0, 0, List.of(), List.of())
                        .withFullLoadBottlenecks(List.of(SelfReport.Bottleneck.of("c2", 1, 0.98))))
                .build();

        assertEquals(
                Optional.of("Lockstep was busy 98 % of the time that it sent to c2 and set its pace"),
                LaunchVerdicts.whyHopeless(paced, 1));
        assertEquals(Optional.empty(), LaunchVerdicts.whyHopeless(run(plan, c2, graal), 1));
    }

    /** What the second instance of the baseline shows is no verdict. */
    @Test
    void endsAVerdictWhereOnlyASecondInstanceOfTheBaselineIsSteady() {
        RunPlan plan = plan("c2", "graal", "c2-aa")
                .maxLaunches(12)
                .sameAsBaseline("c2-aa")
                .build();
        RunResult run = run(
                plan,
                warmed(target("c2", 100, 100), Warmup.State.STEADY, 5),
                warmed(target("graal", 100, 100), Warmup.State.NOT_STEADY, 5),
                warmed(target("c2-aa", 100, 100), Warmup.State.STEADY, 5));

        assertEquals(Optional.of("not steady launch after launch: graal"), LaunchVerdicts.whyHopeless(run, 2));
    }

    @Test
    void leavesALaunchOutThatWasNotSteadyByAccident() {
        RunPlan plan = plan("c2", "graal").maxLaunches(12).build();
        TargetResult c2 = warmed(target("c2", C2), Warmup.State.STEADY, 5);
        TargetResult graal = warmed(target("graal", 91, 93, 89.5, 140, 90, 91.2), Warmup.State.STEADY, 9);
        List<LaunchResult> launches = new ArrayList<>(graal.launches());
        launches.set(
                3,
                LaunchResult.builder(4, 1)
                        .from(launches.get(3))
                        .warmup(Warmup.builder(Warmup.State.NOT_STEADY).build())
                        .build());
        TargetResult once =
                TargetResult.builder("graal").from(graal).launches(launches).build();

        List<Verdict> verdicts = LaunchVerdicts.of(run(plan, c2, once), 6, LaunchVerdicts.Blocks.NONE);
        Verdict primary = verdicts.get(0);
        assertEquals(Finding.BETTER, primary.finding());
        assertEquals(5, primary.launches());
        assertEquals(6, primary.ofLaunches().orElseThrow());
        assertTrue(primary.ratio().orElseThrow() < 0.95, "the 140 is in no pair");
        assertEquals(7, LaunchVerdicts.needed(run(plan, c2, once), 6), "so another one is made");
        assertEquals(
                6, LaunchVerdicts.needed(run(plan, c2, target("graal", 91, 93, -9, 0, 90, 91)), 6), "but for deaths");
        assertEquals(0, LaunchRatios.mostUnsteady(3));
        assertEquals(1, LaunchRatios.mostUnsteady(7));
    }

    /** A death is told as a death. */
    @Test
    void takesNoDeathInAWarmUpForALaunchThatWasNotSteady() {
        RunPlan plan = plan("c2", "graal").maxLaunches(12).build();
        TargetResult c2 = warmed(target("c2", 100, 100), Warmup.State.STEADY, 5);
        TargetResult dead = warmed(target("graal", -100, -100), Warmup.State.NOT_STEADY, 5);

        assertEquals(
                Optional.of("none of them gave figures both of graal and of c2"),
                LaunchVerdicts.whyHopeless(run(plan, c2, dead), 2));
        assertEquals(6, LaunchVerdicts.needed(run(plan, c2, dead), 2));
    }

    /** Returns the target, whose requests of launch 4 all ran into their time-out though it lived. */
    private static TargetResult mute(TargetResult target) {
        LoadCounts counts = new LoadCounts();
        counts.sent = 100;
        counts.error(ErrorKind.READ_TIMEOUT, 100);
        return with(
                target,
                LaunchResult.builder(4, 1)
                        .load(LoadResult.builder()
                                .counts(counts)
                                .measuredNs(1_000_000_000)
                                .responseTime(new Histogram(3))
                                .serviceTime(new Histogram(3))
                                .build())
                        .costs(costs(1000, 0))
                        .build());
    }

    private static TargetResult with(TargetResult target, LaunchResult launch) {
        List<LaunchResult> launches = new ArrayList<>(target.launches());
        launches.set(launch.launch() - 1, launch);
        return TargetResult.builder(target.name())
                .from(target)
                .launches(launches)
                .build();
    }

    /** It was left out, and what was measured in the other five was called better. */
    @Test
    void callsNothingBetterThatAnsweredNothingInALaunch() {
        TargetResult c2 = target("c2", C2);
        TargetResult cheap = target("graal", 91, 93, 89.5, 92, 90, 91.2);
        TargetResult dear = target("graal", 111, 113, 109.5, 112, 110, 111.2);
        String why = " answered no request well in launch 4, and what answers nothing is not called better";

        Verdict better = primary(run(plan(), c2, mute(cheap)), 6);
        assertEquals(Finding.INCONCLUSIVE, better.finding());
        assertEquals(Optional.of("graal" + why), better.whyNot());
        assertEquals(5, better.launches());
        assertTrue(better.moreLaunches().isEmpty());
        assertEquals(Finding.WORSE, primary(run(plan(), c2, mute(dear)), 6).finding());
        assertEquals(
                Optional.of("c2" + why), primary(run(plan(), mute(c2), dear), 6).whyNot());
        Verdict p50 = primary(run(plan("c2", "graal").primaryMetric("p50").build(), c2, mute(cheap)), 6);
        assertEquals(0, p50.launches(), "it is at least the time that was allowed");
    }

    /** One launch decides nothing, but says by how much they differ. */
    @Test
    void saysOfNothingThatItIsQuickerWhichAnsweredNothingWell() {
        TargetResult[] targets = new TargetResult[2];
        for (int i = 0; i < 2; i++) {
            LoadResult load = TestingDays.load(100 * i);
            targets[i] = TargetResult.builder(i == 0 ? "c2" : "graal")
                    .load(load)
                    .launch(LaunchResult.builder(1, 1).load(load).build())
                    .build();
        }

        Verdict look =
                primary(run(plan("c2", "graal").launches(1).primaryMetric("p50").build(), targets[0], targets[1]), 1);

        assertEquals(
                Optional.of(
                        "graal answered no request well in launch 1, and what answers nothing is not called better"),
                look.whyNot());
        Verdict onePairOfTwo =
                primary(run(plan("c2", "graal").launches(2).primaryMetric("p50").build(), targets[0], targets[1]), 1);
        assertEquals(Optional.empty(), onePairOfTwo.whyNot(), "which side looks better is chance, and more may tell");
    }

    /** Its p50 is lower for what fails, at once. */
    @Test
    void callsNothingQuickerThatFailsMore() {
        RunPlan p50 = plan("c2", "graal").launches(1).primaryMetric("p50").build();
        for (int status : new int[] {503, 401}) {
            TargetResult sound = answering("c2", status, 0, 1000);
            TargetResult quick = answering("graal", status, 40, 100);

            assertEquals(
                    Optional.of("graal answered 40.0 % of its requests with " + status / 100 + "xx, c2 0.0 %, and what"
                            + " fails or refuses is not called better"),
                    primary(run(p50, sound, quick), 1).whyNot());
            assertEquals(
                    Optional.empty(),
                    primary(run(p50, answering("c2", status, 40, 1000), quick), 1)
                            .whyNot(),
                    "both alike");
            assertEquals(
                    Optional.empty(),
                    primary(run(p50, answering("c2", status, 0, 10), quick), 1).whyNot(),
                    "it is slower, too");
        }
    }

    /** Of what a request costs, failures have no part; but where the dear ones fail, the others are cheap. */
    @Test
    void callsNothingCheaperThatFailsMoreOrAllOfAnEndpoint() {
        RunPlan cpu =
                plan("c2", "graal").launches(1).primaryMetric("cpuPerRequest").build();
        String end = ", and what fails or refuses is not called better";

        assertEquals(
                Optional.of("graal answered 2.0 % of its requests with 5xx, c2 0.0 %" + end),
                primary(run(cpu, costing("c2", 0, 1000), costing("graal", 200, 900)), 1)
                        .whyNot());
        assertEquals(
                Optional.of("50.0 % of GET /report failed at graal, 0.0 % at c2" + end),
                primary(run(cpu, costing("c2", 0, 1000), costing("graal", 50, 900)), 1)
                        .whyNot());
        assertEquals(
                Optional.empty(),
                primary(run(cpu, costing("c2", 50, 1000), costing("graal", 50, 900)), 1)
                        .whyNot());
        assertEquals(
                Optional.empty(),
                primary(run(cpu, costing("c2", 50, 1000), costing("graal", 0, 900)), 1)
                        .whyNot());
    }

    /** Ten ticks of the kernel's clock each time may be ten and a half of the one. */
    @Test
    void takesEqualCountsOfFewTicksForNoEquivalence() {
        RunPlan cpu = plan("c2", "graal").primaryMetric("cpuPerRequest").build();
        Costs ticks = Costs.builder()
                .set(Cost.USER_CPU, 60_000_000)
                .set(Cost.SYSTEM_CPU, 40_000_000)
                .build();

        assertEquals(
                Finding.INCONCLUSIVE,
                primary(run(cpu, alike("c2", ticks), alike("graal", ticks)), 6).finding());
        Costs exact = ticks.with(Cost.GROUP_CPU, 100_000_000);
        assertEquals(
                Finding.EQUIVALENT,
                primary(run(cpu, alike("c2", exact), alike("graal", exact)), 6).finding());
    }

    private static TargetResult alike(String name, Costs costs) {
        LoadResult load = loadOf(1_000, 200, 0, 1_000);
        TargetResult.Builder target = TargetResult.builder(name).load(load).costs(costs);
        for (int launch = 1; launch <= 6; launch++) {
            target.launch(
                    LaunchResult.builder(launch, 1).load(load).costs(costs).build());
        }
        return target.build();
    }

    /** 10,000 requests, of which a hundred are of an endpoint whose first ones fail. */
    private static TargetResult costing(String name, int failing, long cpuNs) {
        LoadResult answered = loadOf(10_000, 503, failing, 1_000);
        EndpointLoad report = new EndpointLoad("GET /report");
        for (int i = 0; i < 100; i++) {
            report.answered(1_000, i < failing ? 503 : 200);
        }
        LoadResult load =
                LoadResult.builder().from(answered).endpoints(List.of(report)).build();
        Costs costs = Costs.builder().set(Cost.GROUP_CPU, 10_000 * cpuNs).build();
        return TargetResult.builder(name)
                .load(load)
                .costs(costs)
                .launch(LaunchResult.builder(1, 1).load(load).costs(costs).build())
                .build();
    }

    /** One of 200 requests that waits for seconds is all of a p99.9, and gone where it fails at once. */
    @Test
    void callsNoTailShorterForFewThatFailAtOnce() {
        String end = ", and what fails or refuses is not called better";

        assertEquals(
                Optional.of("graal answered 0.5 % of its requests with 5xx, c2 0.0 %" + end), shedding("p999", 100));
        assertEquals(
                Optional.of("graal answered 0.07 % of its requests with 5xx, c2 0.00 %" + end), shedding("p999", 14));
        assertEquals(Optional.empty(), shedding("p999", 3), "more than a tenth of the tail, but by chance perhaps");
        assertEquals(
                Optional.empty(),
                shedding("p999", answering("c2", 20_000, 503, 40, 1000), 65),
                "two and a half deviations, and conditions look at both of two targets, at 4xx and at 5xx");
        assertEquals(
                Optional.of("graal answered 0.5 % of its requests with 5xx, c2 0.0 %" + end), shedding("p99", 100));
        assertEquals(Optional.empty(), shedding("p99", 10));
        assertEquals(Optional.empty(), shedding("p90", 100));
        assertEquals(
                Optional.empty(),
                shedding("p99", answering("c2", 2_000, 503, 4, 1000), 88),
                "the slower one got fewer requests, so that chance is more");
    }

    /** Returns why graal is not called quicker, of whose 20,000 requests so many fail. */
    private static Optional<String> shedding(String metric, int failing) {
        return shedding(metric, answering("c2", 20_000, 503, 0, 1000), failing);
    }

    private static Optional<String> shedding(String metric, TargetResult baseline, int failing) {
        return primary(
                        run(
                                plan("c2", "graal")
                                        .launches(1)
                                        .primaryMetric(metric)
                                        .build(),
                                baseline,
                                answering("graal", 20_000, 503, failing, 100)),
                        1)
                .whyNot();
    }

    private static TargetResult answering(String name, int status, int percent, int us) {
        return answering(name, 100, status, percent, us);
    }

    private static TargetResult answering(String name, int requests, int status, int failing, int us) {
        LoadResult load = loadOf(requests, status, failing, us);
        return TargetResult.builder(name)
                .load(load)
                .launch(LaunchResult.builder(1, 1).load(load).build())
                .build();
    }

    private static LoadResult loadOf(int requests, int status, int failing, int us) {
        LoadCounts counts = new LoadCounts();
        counts.sent = requests;
        counts.completed = requests;
        counts.status(status, failing);
        counts.status(200, requests - failing);
        Histogram times = new Histogram(3);
        times.recordValueWithCount(us, requests);
        return LoadResult.builder()
                .counts(counts)
                .measuredNs(1_000_000_000)
                .responseTime(times)
                .serviceTime(times)
                .build();
    }

    /** It was no pair and no death, and so was forgotten. */
    @Test
    void callsNothingBetterThatNeverWasReadyInALaunch() {
        TargetResult graal = target("graal", 91, 0, 89.5, 0, 90, 91.2);

        Verdict verdict = primary(run(plan(), target("c2", C2), graal), 6);

        assertEquals(Finding.INCONCLUSIVE, verdict.finding());
        assertEquals(
                Optional.of("graal answered no request well in launches 2 and 4, and what answers nothing is not called"
                        + " better"),
                verdict.whyNot());
    }

    /** What answers nothing is as steady as nothing is. */
    @Test
    void callsNothingBetterThatAnsweredNothingInALaunchThatWasNotSteady() {
        TargetResult graal = warmed(target("graal", 91, 93, 89.5, 92, 90, 91.2), Warmup.State.STEADY, 9);
        TargetResult mute = mute(graal);
        LaunchResult unsteady = LaunchResult.builder(4, 1)
                .from(mute.launches().get(3))
                .warmup(Warmup.builder(Warmup.State.NOT_STEADY).build())
                .build();

        Verdict verdict =
                primary(run(plan(), warmed(target("c2", C2), Warmup.State.STEADY, 5), with(mute, unsteady)), 6);

        assertEquals(Finding.INCONCLUSIVE, verdict.finding());
        assertTrue(
                verdict.whyNot().orElseThrow().startsWith("graal answered no request well in launch 4"),
                verdict.whyNot().toString());
    }

    /** Requests without a good answer are what it is of. */
    @Test
    void callsFewerErrorsBetterWhereALaunchHadNothingElse() {
        RunPlan plan = plan("c2", "graal").launches(8).primaryMetric("errors").build();
        int[] none = new int[8];
        TargetResult c2 = counting("c2", new int[] {1000, 1000, 1000, 1000, 1000, 1000, 1000, 1000}, none);
        TargetResult graal = counting("graal", new int[] {1000, 500, 510, 490, 505, 495, 500, 500}, none);

        assertEquals(Finding.BETTER, primary(run(plan, c2, graal), 8).finding());
    }

    /** Of one launch of six it may be an accident. */
    @Test
    void saysNothingOfFullLoadAtWhichAJitReplacesTheCode() {
        RunPlan plan = byFullLoad();
        TargetResult c2 = warmed(target("c2", C2), Warmup.State.STEADY, 10);
        TargetResult graal = warmed(target("graal", C2), Warmup.State.STEADY, 5);
        TargetResult once = with(graal, compiling(graal.launches().get(2)));
        TargetResult twice = with(once, compiling(graal.launches().get(3)));

        assertEquals(Finding.BETTER, primary(run(plan, c2, once), 6).finding());
        assertEquals(Finding.NOT_STEADY, primary(run(plan, c2, twice), 6).finding());
    }

    private static RunPlan byFullLoad() {
        return plan("c2", "graal")
                .fullLoad(Duration.ofSeconds(10))
                .primaryMetric("fullLoadCpuPerRequest")
                .build();
    }

    private static LaunchResult compiling(LaunchResult launch) {
        FullLoad load = launch.fullLoad().orElseThrow().withJit(OptionalDouble.of(0.2), true);
        return LaunchResult.builder(launch.launch(), 1)
                .from(launch)
                .fullLoad(load)
                .build();
    }

    @Test
    void callsNothingBetterThatRefusedInALaunchAtFullLoad() {
        RunPlan plan = byFullLoad();
        TargetResult c2 = warmed(target("c2", C2), Warmup.State.STEADY, 10);
        TargetResult graal = warmed(target("graal", C2), Warmup.State.STEADY, 5);
        assertEquals(Finding.BETTER, primary(run(plan, c2, graal), 6).finding());
        LaunchResult refused = LaunchResult.builder(3, 1)
                .from(graal.launches().get(2))
                .fullLoad(FullLoad.refusing(1, 100, 0.2))
                .build();

        Verdict verdict = primary(run(plan, c2, with(graal, refused)), 6);

        assertEquals("fullLoadCpuPerRequest", verdict.metric());
        assertTrue(
                verdict.whyNot().orElseThrow().startsWith("graal refused requests at full load in launch 3, and what"),
                verdict.whyNot().toString());
    }

    /** It was judged by the CPU at the pace then, at which it refuses nothing. */
    @Test
    void callsNothingBetterThatRefusedInAllLaunchesAtFullLoad() {
        RunPlan plan = byFullLoad();
        TargetResult c2 = loaded(target("c2", C2), FullLoad.of(1, 100, OptionalDouble.of(9)));
        TargetResult graal = loaded(target("graal", 91, 93, 89.5, 92, 90, 91.2), FullLoad.refusing(1, 100, 0.2));

        Verdict verdict = primary(run(plan, c2, graal), 6);

        assertEquals("steadyCpuPerRequest", verdict.metric());
        assertTrue(
                verdict.whyNot().orElseThrow().startsWith("graal refused requests at full load in launches 1, 2, 3, 4"),
                verdict.whyNot().toString());
    }

    private static TargetResult loaded(TargetResult target, FullLoad fullLoad) {
        TargetResult loaded = warmed(target, Warmup.State.STEADY, 10);
        for (LaunchResult launch : loaded.launches()) {
            loaded = with(
                    loaded,
                    LaunchResult.builder(launch.launch(), 1)
                            .from(launch)
                            .costs(launch.costs().with(Cost.JIT_CPU, 0))
                            .fullLoad(fullLoad)
                            .build());
        }
        return loaded;
    }

    /** "None of them gave figures", it said, and ended. */
    @Test
    void saysThatNeitherHadAnyWhereBothHadNone() {
        int[] none = new int[6];
        for (String metric : List.of("errors", "gcCycles")) {
            RunPlan plan =
                    plan("c2", "graal").maxLaunches(12).primaryMetric(metric).build();
            RunResult run = run(plan, counting("c2", none, none), counting("graal", none, none));

            Verdict verdict = primary(run, 6);

            assertEquals(metric, verdict.metric());
            assertEquals(6, verdict.launches());
            assertFalse(verdict.indicative());
            assertEquals(0, verdict.count().orElseThrow());
            assertEquals(0, verdict.baselineCount().orElseThrow());
            assertTrue(verdict.ratio().isEmpty());
            assertFalse(LaunchVerdicts.isOpen(plan, List.of(verdict)));
            assertEquals(Optional.empty(), LaunchVerdicts.whyHopeless(run, 2), "a later one may have some");
        }
    }

    @Test
    void endsAVerdictOnAPercentileThatRequestsWithoutAnAnswerReach() {
        TargetResult graal = with(
                target("graal", 100, 100),
                LaunchResult.builder(2, 1).load(unsent(150)).build());
        RunPlan plan = plan("c2", "graal").maxLaunches(12).primaryMetric("p50").build();

        assertEquals(
                Optional.of("p50 of graal, or of c2, has no value, since requests without an answer reach it"),
                LaunchVerdicts.whyHopeless(run(plan, target("c2", 100, 100), graal), 2));
    }

    @Test
    void endsAVerdictWithoutAPairAfterTwoLaunches() {
        RunPlan plan = plan("c2", "graal").maxLaunches(12).build();
        RunResult run = run(plan, target("c2", 100, 100), target("graal", 0, 0));
        assertEquals(Optional.empty(), LaunchVerdicts.whyHopeless(run, 1));
        assertEquals(
                Optional.of("none of them gave figures both of graal and of c2"), LaunchVerdicts.whyHopeless(run, 2));
        assertEquals(
                Optional.empty(),
                LaunchVerdicts.whyHopeless(run(plan, target("c2", 100, 100), target("graal", 0, 90)), 2));
    }

    @Test
    void endsARunOfLatenciesInWhichLockstepWasLate() {
        RunResult.Builder late = begin(plan("c2", "graal").primaryMetric("p99").build())
                .target(target("c2", 100))
                .target(target("graal", 100))
                .late("c2: late");
        assertEquals(
                Optional.of("p99 is not the targets' own, since Lockstep was late"),
                LaunchVerdicts.whyHopeless(late.build(), 1));
        RunResult cpu = begin(plan("c2", "graal").build())
                .target(target("c2", 100))
                .target(target("graal", 100))
                .late("c2: late")
                .build();
        assertEquals(Optional.empty(), LaunchVerdicts.whyHopeless(cpu, 1), "CPU stands");
    }

    private static Verdict verdict(List<Verdict> verdicts, String metric) {
        return verdicts.stream()
                .filter(verdict -> verdict.metric().equals(metric))
                .findFirst()
                .orElseThrow();
    }

    /** Returns a target whose launches took about so many seconds to be steady. */
    private static TargetResult warmed(TargetResult target, Warmup.State state, int seconds) {
        List<LaunchResult> launches = new ArrayList<>();
        Warmup warmup = null;
        for (LaunchResult launch : target.launches()) {
            // No two launches are quite the same.
            long ns = seconds * 1_000_000_000L + launch.launch() * 1_000_000;
            warmup = Warmup.builder(state).durationNs(ns).cpuNs(ns).requests(7).build();
            launches.add(LaunchResult.builder(launch.launch(), 1)
                    .from(launch)
                    .warmup(warmup)
                    .firstMinute(FirstMinute.of(ns, 100))
                    .fullLoad(FullLoad.of(1, 100, OptionalDouble.of(ns)))
                    .build());
        }
        return TargetResult.builder(target.name())
                .from(target)
                .launches(launches)
                .warmup(warmup)
                .build();
    }

    @Test
    void knowsTheIntervalOfEachMetricAloneToo() {
        TargetResult graal = target("graal", 91, 93, 89.5, 92, 90, 91.2);
        Verdict primary = primary(run(plan(), target("c2", C2), graal), 6);
        assertEquals(0.95, primary.interval95Level().orElseThrow(), 1e-12);
        assertEquals(primary.interval().low(), primary.interval95().low());
        assertEquals(primary.interval().high(), primary.interval95().high());

        RunPlan other = plan("c2", "graal").primaryMetric("mean").build();
        Verdict secondary =
                LaunchVerdicts.of(run(other, target("c2", C2), graal), 6, LaunchVerdicts.Blocks.NONE).stream()
                        .filter(verdict -> verdict.metric().equals("userCpuPerRequest"))
                        .findFirst()
                        .orElseThrow();
        assertFalse(secondary.primary());
        assertEquals(primary.interval().low(), secondary.interval95().low(), 1e-12);
        assertEquals(primary.interval().high(), secondary.interval95().high(), 1e-12);
        assertTrue(secondary.interval().low() < secondary.interval95().low());
        assertTrue(secondary.interval().high() > secondary.interval95().high());
    }

    @Test
    void leavesOutLaunchesThatLackOneOfThePairOrDoNotCount() {
        TargetResult graal = target("graal", 91, 0, 89.5, 92, 90, 91.2);

        assertEquals(5, primary(run(plan(), target("c2", C2), graal), 6).launches());
        assertEquals(3, primary(run(plan(), target("c2", C2), graal), 4).launches());
        Verdict none = primary(run(plan(), target("c2", C2), graal), 0);
        assertEquals(0, none.launches());
        assertTrue(none.ratio().isEmpty());
        assertEquals(Finding.INCONCLUSIVE, none.finding());
    }

    @Test
    void leavesOutLaunchesThatOneOfThePairDidNotSurvive() {
        TargetResult graal = target("graal", 91, -50, 89.5, 92, 90, 91.2);

        assertEquals(5, primary(run(plan(), target("c2", C2), graal), 6).launches());
        Verdict other = primary(run(plan("graal", "c2").build(), graal, target("c2", C2)), 6);
        assertEquals(5, other.launches());
        assertTrue(
                other.noiseFloor().high() < 1.1,
                "that of the five: " + other.noiseFloor().high());
        assertTrue(primary(run(plan(), target("c2", C2), target("graal", -50)), 6)
                .ratio()
                .isEmpty());
    }

    @Test
    void isInconclusiveAfterOneLaunch() {
        Verdict verdict = primary(run(plan(), target("c2", 100), target("graal", 50)), 1);

        assertEquals(Finding.INCONCLUSIVE, verdict.finding());
        assertEquals(0.5, verdict.ratio().orElseThrow(), 1e-9);
        assertNull(verdict.interval());
        assertNull(verdict.noiseFloor());
        assertTrue(verdict.indicative());
    }

    @Test
    void givesNoIntervalThatIsInfinite() {
        RunResult run = run(plan(), target("c2", 1e-4, 1e8), target("graal", 1e8, 1e-4));

        List<Verdict> verdicts = LaunchVerdicts.of(run, 2, LaunchVerdicts.Blocks.NONE);

        assertTrue(verdicts.stream().anyMatch(verdict -> verdict.interval() == null));
        for (Verdict verdict : verdicts) {
            assertEquals(2, verdict.launches());
            assertTrue(verdict.interval() == null
                    || Double.isFinite(verdict.interval().high()));
            assertTrue(verdict.noiseFloor() == null
                    || Double.isFinite(verdict.noiseFloor().high()));
        }
    }

    @Test
    void takesTheNoiseFloorFromTheSecondInstanceOfTheBaseline() {
        RunPlan plan = plan("c2", "graal", "c2-aa").sameAsBaseline("c2-aa").build();
        TargetResult same = target("c2-aa", 100.1, 102.1, 98.1, 101.1, 99.1, 100.1);
        TargetResult graal = target("graal", 91, 93, 89.5, 92, 90, 91.2);

        List<Verdict> verdicts =
                LaunchVerdicts.of(run(plan, target("c2", C2), graal, same), 6, LaunchVerdicts.Blocks.NONE);

        // The pairs of c2 and c2-aa differ by 0.1 % without any spread; the launches of c2 alone spread by 1.4 %.
        assertEquals(0.9995, verdicts.get(0).noiseFloor().low(), 1e-4);
        assertEquals(1.0025, verdicts.get(0).noiseFloor().high(), 1e-4);
        assertEquals("c2-aa", verdicts.get(1).target());
        assertEquals(Finding.EQUIVALENT, verdicts.get(1).finding());
        assertTrue(verdicts.get(1).noiseFloor().high() > 1.01);
    }

    /** By the mean of the logs of the blocks it was 0.80, beside tables that said 1.00. */
    @Test
    void dividesTotalsAndLeavesTheBlocksToTheBootstrap() {
        LaunchVerdicts.Blocks blocks = (metric, target, launch) -> metric != Metric.USER_CPU_PER_REQUEST
                ? List.of()
                : target.equals("c2")
                        ? List.of(Block.of(1000, 50), Block.of(1000, 50))
                        : List.of(Block.of(1600, 50), Block.of(400, 50));

        Verdict verdict = LaunchVerdicts.of(run(plan(), target("c2", 20, 20), target("graal", 20, 20)), 2, blocks)
                .get(0);

        assertEquals(1, verdict.ratio().orElseThrow(), 1e-9);
        assertTrue(verdict.bootstrap().low() < 0.9 && verdict.bootstrap().high() > 1.1);
    }

    @Test
    void comparesThroughputOnlyWhereTargetsSetIt() {
        RunPlan closed = plan("c2", "graal").pace(Pace.MAX).connections(1).build();
        assertTrue(metrics(closed).contains("throughput"));
        assertFalse(metrics(plan()).contains("throughput"));
        assertTrue(
                metrics(plan()).containsAll(List.of("cpuPerRequest", "mean", "p50")),
                metrics(plan()).toString());
        assertFalse(metrics(plan()).contains("p99"), "100 answers are too few");
        assertFalse(metrics(plan()).contains("errors"), "there are none");
    }

    @Test
    void comparesTotalsOnlyWhereAllTargetsGetEquallyManyRequests() {
        RunPlan counted = plan("c2", "graal")
                .pace(Pace.MAX)
                .connections(1)
                .maxRequests(10)
                .build();
        RunPlan timed = plan("c2", "graal")
                .pace(Pace.MAX)
                .connections(1)
                .duration(Duration.ofSeconds(1))
                .build();
        RunPlan scheduled = plan("c2", "graal").duration(Duration.ofSeconds(1)).build();
        for (Metric metric : List.of(Metric.GC_CYCLES, Metric.JIT_CPU)) {
            assertTrue(metric.comparesIn(counted));
            assertTrue(metric.comparesIn(scheduled));
            assertFalse(metric.comparesIn(timed));
        }
        assertTrue(Metric.GC_PAUSE.comparesIn(timed));
        assertTrue(Metric.THROUGHPUT.comparesIn(timed));
    }

    /** Before, a pair with a 0 on either side was dropped. */
    @Test
    void countsLaunchesWithoutAnErrorAndWithoutACollection() {
        TargetResult c2 = counting("c2", new int[6], 10, 9, 11, 10, 10, 10);
        TargetResult graal = counting("graal", new int[] {9, 11, 8, 7, 10, 9}, 0, 0, 0, 0, 5, 6);
        RunResult run = run(plan(), c2, graal);

        Verdict errors = of(run, "errors");
        assertEquals(6, errors.launches());
        assertEquals(54, errors.count().orElseThrow());
        assertEquals(0, errors.baselineCount().orElseThrow());
        assertTrue(errors.ratio().isEmpty());
        assertTrue(errors.interval().low() > 1
                && Double.isInfinite(errors.interval().high()));
        Verdict cycles = of(run, "gcCycles");
        assertEquals(6, cycles.launches());
        assertEquals(11 / 60.0, cycles.ratio().orElseThrow(), 1e-9);
        assertNull(cycles.noiseFloor());
        // And from the file.
        List<Verdict> read = RunResult.fromJson(
                        run.withVerdicts(List.of(errors, cycles)).toJson())
                .verdicts();
        assertEquals(List.of(errors, cycles), read);
    }

    /** Two launches with nearly the same pause were an upper bound of what six without and with one differ by. */
    @Test
    void takesNoNoiseFloorFromLaunchesOfWhichSomeHaveNothing() {
        RunResult run = run(plan(), pausing("c2", 0, 0, 0, 0, 50, 51), pausing("graal", 0, 0, 50, 52, 0, 49));

        Verdict pause = of(run, "gcPause");

        assertEquals(151 / 101.0, pause.ratio().orElseThrow(), 1e-9);
        assertNull(pause.noiseFloor());
    }

    private static TargetResult pausing(String name, long... pauseMs) {
        TargetResult.Builder target = TargetResult.builder(name);
        for (int i = 0; i < pauseMs.length; i++) {
            target.launch(LaunchResult.builder(i + 1, 1)
                    .load(load())
                    .costs(Costs.NONE.with(Cost.GC_PAUSE, MS * pauseMs[i]))
                    .build());
        }
        return target.build();
    }

    /** What failed before a death failed, and so did what failed by it. */
    @Test
    void countsTheErrorsOfLaunchesInWhichATargetDied() {
        TargetResult.Builder graal = TargetResult.builder("graal");
        for (int launch = 1; launch <= 6; launch++) {
            LaunchResult.Builder died = LaunchResult.builder(launch, 1).load(load(1_000, 200));
            died.exit(TargetExit.builder().exitCode(137).phase("measurement").build());
            graal.launch(died.build());
        }
        Verdict errors = of(
                run(plan(), counting("c2", new int[] {1, 0, 2, 0, 1, 0}, 1, 1, 1, 1, 1, 1), graal.build()), "errors");

        assertEquals(6, errors.launches());
        assertEquals(6, errors.died());
        assertEquals(300, errors.ratio().orElseThrow(), 1e-9);
        assertEquals(Finding.WORSE, errors.finding());
    }

    @Test
    void decidesNothingByOneCollectionInEachLaunch() {
        int[] none = new int[6];
        Verdict cycles = of(
                run(plan(), counting("c2", none, 1, 1, 1, 1, 1, 1), counting("graal", none, 1, 1, 1, 1, 1, 1)),
                "gcCycles");

        assertEquals(Finding.INCONCLUSIVE, cycles.finding());
        assertEquals(1, cycles.ratio().orElseThrow());
        assertTrue(cycles.interval().low() < 0.3 && cycles.interval().high() > 3.5);
        assertNull(cycles.noiseFloor(), "six equal numbers bound nothing");
    }

    @Test
    void trustsManyCollectionsNoFurtherThanOne() {
        int[] none = new int[6];
        Verdict few = of(
                run(
                        plan(),
                        counting("c2", none, 40, 40, 40, 40, 40, 40),
                        counting("graal", none, 40, 40, 40, 40, 40, 40)),
                "gcCycles");
        assertEquals(Finding.INCONCLUSIVE, few.finding());
        Verdict many = of(
                run(
                        plan(),
                        counting("c2", none, 1000, 1001, 999, 1000, 1002, 1000),
                        counting("graal", none, 961, 960, 962, 959, 960, 958)),
                "gcCycles");
        assertEquals(Finding.BETTER, many.finding());
        assertTrue(many.count().isEmpty());
    }

    @Test
    void saysInHowManyLaunchesWhichOfBothDied() {
        TargetResult graal = target("graal", 91, -50, 89.5, -70, 90, 91.2);
        Verdict verdict = primary(run(plan(), target("c2", C2), graal), 6);
        assertEquals(4, verdict.launches());
        assertEquals(6, verdict.ofLaunches().orElseThrow());
        assertEquals(2, verdict.died());
        assertEquals(0, verdict.baselineDied());

        TargetResult once = target("graal", 91, 93, -89.5, 92, 90, 91.2, 91);
        RunResult run =
                run(plan("c2", "graal").launches(7).build(), target("c2", 100, 102, 98, 101, 99, 100, 100), once);
        assertEquals(Finding.INCONCLUSIVE, primary(run, 7).finding(), "died in one of seven");
        assertEquals(
                Finding.BETTER,
                primary(run(plan(), target("c2", C2), target("graal", 91, 93, 89.5, 92, 90, 91)), 6)
                        .finding());
    }

    @Test
    void holdsBackADifferenceThatTheSecondInstanceShowsToo() {
        RunPlan plan = plan("c2", "graal", "c2-aa").sameAsBaseline("c2-aa").build();
        TargetResult same = target("c2-aa", 91, 92.5, 90, 92, 90.5, 91.5);
        TargetResult graal = target("graal", 91, 93, 89.5, 92, 90, 91.2);

        Verdict verdict = primary(run(plan, target("c2", C2), graal, same), 6);

        assertEquals(Finding.INCONCLUSIVE, verdict.finding());
        assertTrue(verdict.pValue().orElseThrow() < 0.001);
        assertTrue(verdict.noiseFloor().high() > 0.911 && verdict.noiseFloor().low() < 0.911);
    }

    @Test
    void asksForMoreWhereItIsLookedAtAgain() {
        RunResult run = run(plan(), target("c2", C2), target("graal", 91, 93, 89.5, 92, 90, 91.2));
        Verdict once = primary(run, 6);
        RunResult goesOn = run(
                run.plan().toBuilder().maxLaunches(12).build(),
                target("c2", C2),
                target("graal", 91, 93, 89.5, 92, 90, 91.2));
        Verdict first = primary(goesOn, 6);

        assertEquals(0.95, once.level().orElseThrow(), 1e-12);
        assertTrue(first.level().orElseThrow() > 0.96);
        assertEquals(first.level(), first.interval95Level());
        assertTrue(first.interval().low() < once.interval().low());
        assertEquals(Finding.BETTER, first.finding());
        Verdict secondary = of(run, "cpuPerRequest");
        assertTrue(secondary.level().orElseThrow() > 0.98, "one of several");
    }

    /** By totals it is 0.82, by launches 0.78; tables, conditions and money take the verdict's. */
    @Test
    void givesConditionsAndMoneyTheRatioOfTheVerdict() {
        RunResult run = run(
                plan("c2", "graal").primaryMetric("userCpuPerRequest").build(),
                target("c2", 100, 300, 100, 100, 100, 100),
                target("graal", 50, 300, 80, 80, 80, 80));
        RunResult judged = run.withVerdicts(LaunchVerdicts.of(run, 6, LaunchVerdicts.Blocks.NONE));
        double ratio = of(run, "userCpuPerRequest").ratio().orElseThrow();

        assertEquals(Math.pow(0.5 * Math.pow(0.8, 4), 1 / 6.0), ratio, 1e-9);
        AssertionResult condition = Conditions.parse(
                        List.of("graal.userCpuPerRequest <= 0.8 * c2"), List.of("c2", "graal"))
                .outcomes(judged)
                .get(0);
        assertEquals(ratio, condition.left().orElseThrow(), 1e-12);
        assertTrue(condition.holds());
        assertEquals(
                ratio,
                LaunchRatios.of(judged)
                        .of(judged.targets().get(1), judged.baseline(), launch -> launch.perRequest()
                                .userCpuNsPerRequest())
                        .orElseThrow(),
                1e-12);
    }

    /** Published comparisons are of the tuned one with the default one too, and the baseline is neither. */
    @Test
    void comparesTwoTargetsOfWhichNoneIsTheBaseline() {
        TargetResult graal = target("graal", 91, 93, 89.5, 92, 90, 91.2);
        TargetResult tuned = target("tuned", 82, 84, 80.5, 83, 81, 82.2);
        RunPlan plan = plan("c2", "graal", "tuned").build();
        RunResult run = run(plan, target("c2", C2), graal, tuned);

        Verdict between = LaunchVerdicts.between(run, Metric.USER_CPU_PER_REQUEST, "tuned", "graal")
                .orElseThrow();

        Verdict asBaseline = LaunchVerdicts.of(
                        run(plan("graal", "tuned").build(), graal, tuned), 6, LaunchVerdicts.Blocks.NONE)
                .get(0);
        assertEquals("graal", between.baseline());
        assertEquals(asBaseline.ratio(), between.ratio());
        assertEquals(asBaseline.interval95(), between.interval95());
        assertEquals(Finding.BETTER, between.finding());
        RunResult unsteady = run(plan, target("c2", C2), warmed(graal, Warmup.State.NOT_STEADY, 5), tuned);
        assertEquals(
                Finding.NOT_STEADY,
                LaunchVerdicts.between(unsteady, Metric.USER_CPU_PER_REQUEST, "tuned", "graal")
                        .orElseThrow()
                        .finding());
        assertTrue(LaunchVerdicts.between(run, Metric.USER_CPU_PER_REQUEST, "tuned", "zing")
                .isEmpty());
    }

    @Test
    void givesTheDifferenceOfPairsAnInterval() {
        RunResult run = run(plan(), target("c2", 100, 104, 99), target("graal", 140, 141, 142));

        LaunchMean difference = LaunchRatios.of(run)
                .difference(run.targets().get(1), run.baseline(), launch -> launch.perRequest()
                        .userCpuNsPerRequest())
                .orElseThrow();

        // Of 40, 37 and 43: 40 ± 4.302652729911275 · 3 / √3.
        assertEquals(40, difference.mean() / MS, 1e-9);
        assertEquals(40 - 7.452413, difference.interval().orElseThrow().low() / MS, 1e-5);
        assertEquals(40 + 7.452413, difference.interval().orElseThrow().high() / MS, 1e-5);
        assertEquals(3, difference.launches());
    }

    static Verdict of(RunResult run, String metric) {
        return LaunchVerdicts.of(run, 6, LaunchVerdicts.Blocks.NONE).stream()
                .filter(verdict -> verdict.metric().equals(metric))
                .findFirst()
                .orElseThrow();
    }

    /** Returns a target of which each launch answered 1,000 requests, some of them with a 503. */
    private static TargetResult counting(String name, int[] errors, int... cycles) {
        TargetResult.Builder target = TargetResult.builder(name);
        for (int i = 0; i < cycles.length; i++) {
            target.launch(LaunchResult.builder(i + 1, 1)
                    .load(load(1_000, errors[i]))
                    .costs(Costs.builder()
                            .set(Cost.USER_CPU, 100_000 * MS)
                            .set(Cost.SYSTEM_CPU, 1000 * MS)
                            .set(Cost.GC_CYCLES, cycles[i])
                            .build())
                    .build());
        }
        return target.build();
    }

    /** Of servers that run already nobody judges a warm-up, so the mean of their blocks was called worse. */
    @Test
    void isNotSteadyWhereTheRatioOfServersThatRunAlreadyStillChanges() {
        RunPlan running = plan().toBuilder()
                .targets(List.of(
                        TargetPlan.builder("c2").address("h:1").build(),
                        TargetPlan.builder("graal").address("h:2").build()))
                .build();
        TargetResult c2 = target("c2", 100, 100, 100, 100, 100, 100);
        TargetResult falling = target("graal", 220, 212, 204, 196, 188, 180);
        RunResult run = run(running, c2, falling);

        List<Verdict> verdicts = LaunchVerdicts.of(run, 6, LaunchVerdicts.Blocks.NONE);

        assertEquals(Finding.NOT_STEADY, verdicts.get(0).finding());
        assertEquals(1.995, verdicts.get(0).ratio().orElseThrow(), 0.001);
        assertEquals(
                "graal / c2 in user CPU per request still changes from block to block, by -18.2 % from the first to the"
                        + " last; a longer --warmup may end that",
                verdicts.get(0).whyNot().orElseThrow());
        assertFalse(LaunchVerdicts.isOpen(running, verdicts));
        assertTrue(Conditions.parse(List.of("graal.userCpuPerRequest < c2"), List.of("c2", "graal"))
                .outcomes(run)
                .get(0)
                .sentence()
                .endsWith("; " + verdicts.get(0).whyNot().orElseThrow() + ")"));
        assertTrue(Fleet.of(127, 24, 10_000)
                .worth(run.withVerdicts(verdicts))
                .savings()
                .isEmpty());
        TargetResult level = target("graal", 200, 204, 198, 201, 203, 199);
        assertEquals(Finding.WORSE, primary(run(running, c2, level), 6).finding());
        assertEquals(Finding.WORSE, primary(run(plan(), c2, falling), 6).finding(), "each launch is a new process");
    }

    /** Two JVMs that are started for each launch were taken for processes that wander, since a third target runs. */
    @Test
    void asksOnlyPairsWithAServerThatRunsAlreadyWhetherTheyStillChange() {
        RunPlan mixed = plan().toBuilder()
                .targets(List.of(
                        TargetPlan.builder("c2").profile("c2").build(),
                        TargetPlan.builder("graal").profile("c2").build(),
                        TargetPlan.builder("running").address("h:1").build()))
                .build();
        TargetResult c2 = target("c2", 100, 100, 100, 100, 100, 100);
        TargetResult falling = target("graal", 220, 212, 204, 196, 188, 180);
        TargetResult running = target("running", 220, 212, 204, 196, 188, 180);

        List<Verdict> verdicts = LaunchVerdicts.of(run(mixed, c2, falling, running), 6, LaunchVerdicts.Blocks.NONE);

        assertEquals(Finding.WORSE, verdicts.get(0).finding());
        assertEquals(
                primary(run(plan(), c2, falling), 6).interval(), verdicts.get(0).interval());
        assertEquals("running", verdicts.get(1).target());
        assertEquals(Finding.NOT_STEADY, verdicts.get(1).finding());
    }

    /** Each look was one more chance that a line is seen in chance, which ended the run. */
    @Test
    void asksARunThatGoesOnAtItsEndOnlyWhetherItsRatioStillChanges() {
        RunPlan running = plan().toBuilder()
                .targets(List.of(
                        TargetPlan.builder("c2").address("h:1").build(),
                        TargetPlan.builder("graal").address("h:2").build()))
                .build();
        RunPlan goesOn = running.toBuilder().maxLaunches(12).build();
        TargetResult c2 = target("c2", 100, 100, 100, 100, 100, 100);
        TargetResult open = target("graal", 104, 103, 102, 101, 100, 99);

        List<Verdict> look = LaunchVerdicts.of(run(goesOn, c2, open), 6, LaunchVerdicts.Blocks.NONE);

        assertEquals(Finding.INCONCLUSIVE, look.get(0).finding());
        assertEquals(Optional.empty(), look.get(0).whyNot());
        assertTrue(LaunchVerdicts.isOpen(goesOn, look));
        assertEquals(Finding.NOT_STEADY, primary(run(running, c2, open), 6).finding());
        TargetResult decided = target("graal", 220, 212, 204, 196, 188, 180);
        assertEquals(Finding.NOT_STEADY, primary(run(goesOn, c2, decided), 6).finding(), "it would end the run");
    }

    private static List<String> metrics(RunPlan plan) {
        RunResult run = run(plan, target("c2", C2), target("graal", C2));
        return LaunchVerdicts.of(run, 6, LaunchVerdicts.Blocks.NONE).stream()
                .map(Verdict::metric)
                .collect(Collectors.toList());
    }

    private static Verdict primary(RunResult run, int launches) {
        return LaunchVerdicts.of(run, launches, LaunchVerdicts.Blocks.NONE).get(0);
    }

    private static RunPlan plan() {
        return plan("c2", "graal").build();
    }

    private static RunPlan.Builder plan(String... targets) {
        RunPlan.Builder plan = RunPlan.builder()
                .capture(CaptureReference.builder()
                        .path("a.bin")
                        .sha256(HASH)
                        .streamSha256(HASH)
                        .build());
        Arrays.stream(targets)
                .forEach(name ->
                        plan.target(TargetPlan.builder(name).profile("c2").build()));
        return plan.launches(6).primaryMetric("userCpuPerRequest");
    }

    /** To leave that launch out would be to judge by the good ones. */
    @Test
    void hasNoVerdictOnAPercentileThatRequestsWithoutAnAnswerReachInOneLaunch() {
        TargetResult.Builder graal = TargetResult.builder("graal").load(unsent(900));
        for (int launch = 1; launch <= 6; launch++) {
            graal.launch(LaunchResult.builder(launch, 1)
                    .load(launch == 4 ? unsent(150) : load())
                    .build());
        }
        RunResult run = run(plan("c2", "graal").primaryMetric("p50").build(), target("c2", C2), graal.build());

        Verdict verdict = primary(run, 6);

        assertEquals(0, verdict.launches());
        assertTrue(verdict.ratio().isEmpty());
        AssertionResult condition = Conditions.parse(List.of("graal.p50 <= 1s"), List.of("c2", "graal"))
                .outcomes(run)
                .get(0);
        assertFalse(condition.holds());
        assertEquals(
                "fails: graal.p50 <= 1s (graal.p50 has no value, because 900 of 1000 requests got no answer)",
                condition.sentence());
    }

    /** All launches together have a value, and it was compared, though the verdict said "at least". */
    @Test
    void noConditionHoldsOnATimeThatRequestsWithoutAnAnswerReachInOneLaunch() {
        TargetResult graal = with(
                target("graal", C2),
                LaunchResult.builder(4, 1).load(unsent(150)).build());
        RunResult run = run(plan(), target("c2", C2), graal);

        AssertionResult outcome = Conditions.parse(List.of("graal.p50 <= 2 * c2"), List.of("c2", "graal"))
                .outcomes(run)
                .get(0);

        assertEquals(
                "fails: graal.p50 <= 2 * c2 (graal.p50 has no value, because 150 of 250 requests got no answer in launch"
                        + " 4)",
                outcome.sentence());
    }

    /** It is the slow one: to leave it out would be to judge by the quick ones. */
    @Test
    void hasNoVerdictOnAPercentileForWhichALaunchOfAClosedLoopHadTooFewRequests() {
        TargetResult.Builder graal = TargetResult.builder("graal").load(load(1_080, 0));
        for (int launch = 1; launch <= 6; launch++) {
            graal.launch(LaunchResult.builder(launch, 1)
                    .load(load(launch == 4 ? 80 : 200, 0))
                    .build());
        }
        RunPlan.Builder plan = plan("c2", "graal").primaryMetric("p90");
        RunResult closed = run(plan.pace(Pace.MAX).build(), target("c2", C2), graal.build());
        String why = "launch 4 had fewer than the 100 requests that it takes, and in a closed loop those are the slow"
                + " ones; have the run last longer";

        Verdict verdict = primary(closed, 6);

        assertEquals(Optional.of(why), verdict.whyNot());
        assertEquals(Finding.INCONCLUSIVE, verdict.finding());
        assertEquals(5, verdict.launches());
        assertEquals(
                "fails: graal.p90 <= 2 * c2 (" + why + ")",
                Conditions.parse(List.of("graal.p90 <= 2 * c2"), List.of("c2", "graal"))
                        .outcomes(closed)
                        .get(0)
                        .sentence());
        RunResult scheduled = run(plan.pace(Pace.rate(100)).build(), target("c2", C2), graal.build());
        assertEquals(Optional.empty(), primary(scheduled, 6).whyNot(), "both got as many, by chance too few");
    }

    @Test
    void comparesNoFiguresOfAllLaunchesWhereNoLaunchHasThem() {
        RunResult run = run(plan(), pooled(target("c2", C2)), pooled(target("graal", C2)));

        List<AssertionResult> outcomes = Conditions.parse(
                        List.of("graal.p99 <= 2 * c2", "graal.p99 <= 1s", "graal.p50 <= 2 * c2"),
                        List.of("c2", "graal"))
                .outcomes(run);

        assertEquals(
                "fails: graal.p99 <= 2 * c2 (no launch gave the p99 of both; have the run last longer or send more)",
                outcomes.get(0).sentence());
        assertTrue(outcomes.get(1).holds(), outcomes.get(1).sentence());
        assertTrue(outcomes.get(2).holds(), outcomes.get(2).sentence());
    }

    /** Returns the target with answers enough for a p99, of which no launch has enough. */
    private static TargetResult pooled(TargetResult target) {
        return TargetResult.builder(target.name())
                .load(load(1_000, 0))
                .launches(target.launches())
                .build();
    }

    @Test
    void saysThatAPercentileOfAConditionTakesMoreAnswers() {
        RunResult run = run(
                plan(),
                TargetResult.builder("c2").load(load(100_000, 0)).build(),
                TargetResult.builder("graal").load(load(999, 0)).build());
        List<String> conditions = List.of("graal.p99 <= 20ms", "graal.p999 <= c2", "graal.p95 <= 20ms");

        List<AssertionResult> outcomes =
                Conditions.parse(conditions, List.of("c2", "graal")).outcomes(run);

        assertEquals(
                "fails: graal.p99 <= 20ms (graal.p99 has no value, because there were 999 requests and it takes at least"
                        + " 1000 of them; have the run last longer or send more)",
                outcomes.get(0).sentence());
        assertEquals(
                "fails: graal.p999 <= c2 (graal.p999 has no value, because there were 999 requests and it"
                        + " takes at least 10000 of them; have the run last longer or send more)",
                outcomes.get(1).sentence());
        assertTrue(outcomes.get(2).holds(), outcomes.get(2).sentence());
    }

    private static LoadResult unsent(int requests) {
        LoadResult load = load();
        load.counts().unsent = requests;
        return load;
    }

    private static RunResult run(RunPlan plan, TargetResult... targets) {
        RunResult.Builder run = begin(plan);
        Arrays.stream(targets).forEach(run::target);
        return run.build();
    }

    private static RunResult.Builder begin(RunPlan plan) {
        return RunResult.builder(plan)
                .startedAt(START)
                .finishedAt(START.plusSeconds(5))
                .environment(Environment.builder().lockstepVersion("0.1.0").build());
    }

    /**
     * Returns a target of which each launch answered 100 requests at this CPU time each; 0 stands for a launch that
     * failed, less than that for one that died while it was measured.
     */
    private static TargetResult target(String name, double... cpuPerRequest) {
        TargetResult.Builder target = TargetResult.builder(name);
        for (int i = 0; i < cpuPerRequest.length; i++) {
            LaunchResult.Builder launch = LaunchResult.builder(i + 1, 1);
            if (cpuPerRequest[i] < 0) {
                launch.exit(
                        TargetExit.builder().exitCode(137).phase("measurement").build());
            }
            if (cpuPerRequest[i] != 0) {
                launch.load(load())
                        .costs(Costs.builder()
                                .set(Cost.USER_CPU, Math.round(100 * MS * Math.abs(cpuPerRequest[i])))
                                .set(Cost.SYSTEM_CPU, 1000 * MS)
                                .build());
            }
            target.launch(launch.build());
        }
        int measured =
                (int) Arrays.stream(cpuPerRequest).filter(cpu -> cpu != 0).count();
        if (measured > 0) {
            long cpu = Math.round(
                    100 * MS * Arrays.stream(cpuPerRequest).map(Math::abs).sum());
            target.load(load(100 * measured, 0))
                    .costs(Costs.builder().set(Cost.USER_CPU, cpu).build());
        }
        return target.build();
    }

    private static LoadResult load() {
        return load(100, 0);
    }

    private static LoadResult load(int requests, int errors) {
        LoadCounts counts = new LoadCounts();
        counts.sent = requests;
        counts.completed = requests;
        for (int i = 0; i < errors; i++) {
            counts.status(503);
        }
        Histogram times = new Histogram(3);
        for (int i = 0; i < requests; i++) {
            times.recordValue(1000 + i);
        }
        return LoadResult.builder()
                .counts(counts)
                .measuredNs(1_000_000_000)
                .responseTime(times)
                .build();
    }
}
