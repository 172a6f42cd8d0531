package dev.lockstep.analysis;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.lockstep.measurement.Cost;
import dev.lockstep.measurement.Costs;
import dev.lockstep.measurement.ErrorKind;
import dev.lockstep.measurement.LoadCounts;
import dev.lockstep.measurement.LoadResult;
import dev.lockstep.measurement.Pace;
import dev.lockstep.measurement.SelfReport;
import dev.lockstep.results.AssertionResult;
import dev.lockstep.results.CaptureReference;
import dev.lockstep.results.Environment;
import dev.lockstep.results.LaunchResult;
import dev.lockstep.results.RunPlan;
import dev.lockstep.results.RunResult;
import dev.lockstep.results.TargetPlan;
import dev.lockstep.results.TargetResult;
import dev.lockstep.results.Verdict;
import dev.lockstep.results.Verdict.Finding;
import java.time.Duration;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;

final class SpoilersTest {
    private static final OffsetDateTime START = OffsetDateTime.parse("2026-11-21T07:42:00+01:00");
    private static final String HASH = "ab".repeat(32);
    private static final long US = 1_000;
    private static final long SECOND = 1_000_000_000;
    private static final Costs CALM = costs(SECOND / 2, SECOND / 2);

    private List<SelfReport.Bottleneck> bottlenecks = List.of();
    private Pace pace = Pace.rate(1000);
    private List<Integer> replayerCores = List.of(0);
    private long ownCpuNs = SECOND;
    private long watchedNs = 20 * SECOND;
    private int rounds;
    /** Of a run of up to 12 launches; null for that of any other. */
    private String primary;

    /** Twenty seconds, of which the target computes ten, on its processor. */
    private static Costs costs(long delayNs, long othersNs) {
        return Costs.builder()
                .set(Cost.USER_CPU, 8 * SECOND)
                .set(Cost.SYSTEM_CPU, 2 * SECOND)
                .set(Cost.RUN_DELAY, delayNs)
                .set(Cost.PROCESSORS_BUSY, 10 * SECOND + othersNs)
                .build();
    }

    /** All of its answers took this long, and its sends were late by that. */
    private static TargetResult target(String name, long tookNs, long lagNs, Costs costs) {
        LoadCounts counts = new LoadCounts();
        counts.sent = 20_000;
        counts.completed = 20_000;
        Histogram times = new Histogram(3);
        times.recordValueWithCount(tookNs, 20_000);
        Histogram lag = new Histogram(3);
        if (lagNs > 0) {
            lag.recordValueWithCount(lagNs, 20_000);
        }
        LoadResult load = LoadResult.builder()
                .counts(counts)
                .measuredNs(20 * SECOND)
                .responseTime(times)
                .serviceTime(times)
                .ownLag(lag)
                .build();
        TargetResult.Builder target =
                TargetResult.builder(name).load(load).costs(costs).cpus("1");
        for (int launch = 1; launch <= 6; launch++) {
            target.launch(
                    LaunchResult.builder(launch, 1).load(load).costs(costs).build());
        }
        return target.build();
    }

    private RunResult run(TargetResult... targets) {
        RunPlan.Builder plan = RunPlan.builder()
                .capture(CaptureReference.builder()
                        .path("a.bin")
                        .sha256(HASH)
                        .streamSha256(HASH)
                        .build())
                .pace(pace)
                .connections(5)
                .duration(Duration.ofSeconds(20))
                .replayerCores(replayerCores)
                .launches(6);
        if (primary != null) {
            plan.primaryMetric(primary).maxLaunches(12);
        }
        if (rounds > 0) {
            plan.alternate(rounds);
        }
        for (TargetResult target : targets) {
            plan.target(TargetPlan.builder(target.name()).profile("c2").build());
        }
        RunResult.Builder run = RunResult.builder(plan.build())
                .startedAt(START)
                .finishedAt(START.plusSeconds(5))
                .environment(Environment.builder().lockstepVersion("0.1.0").build())
                .self(SelfReport.of(watchedNs, ownCpuNs, 0, 0, 0, List.of(), bottlenecks));
        for (TargetResult target : targets) {
            run.target(target);
        }
        return run.build();
    }

    private static AssertionResult outcome(RunResult run, String condition) {
        return Conditions.parse(List.of(condition), List.of("c2", "graal"))
                .outcomes(run)
                .get(0);
    }

    private static boolean isSpoiled(long firstUs, long secondUs, long firstLagUs, long secondLagUs) {
        return new Spoilers(new SpoilersTest()
                        .run(
                                target("c2", firstUs * US, firstLagUs * US, CALM),
                                target("graal", secondUs * US, secondLagUs * US, CALM)))
                .why("p99", List.of("c2", "graal"))
                .isPresent();
    }

    @Test
    void noConditionHoldsWhereTheRunIsInvalidForMoreThanLateness() {
        RunResult run = run(target("c2", 360 * US, 0, CALM), target("graal", 400 * US, 0, CALM));
        assertTrue(outcome(run, "c2.p50 <= 1s").holds());

        RunResult other = RunResult.builder(run.plan())
                .from(run)
                .invalid("c2: other bytes were sent")
                .build();

        assertFalse(outcome(other, "c2.p50 <= 1s").holds());
        assertTrue(
                outcome(other, "c2.p50 <= 1s").sentence().contains("the run is INVALID: c2: other bytes were sent"),
                outcome(other, "c2.p50 <= 1s").sentence());
    }

    /** It said "better" of a run whose first line said that other bytes were sent, and how much that saves. */
    @Test
    void noVerdictAndNoMoneyRestsOnARunThatIsInvalidForMoreThanLateness() {
        RunResult run = run(target("c2", 360 * US, 0, CALM), target("graal", 400 * US, 0, CALM));
        RunResult other = RunResult.builder(run.plan())
                .from(run)
                .invalid("c2: other bytes were sent")
                .build();

        List<Verdict> verdicts = LaunchVerdicts.of(other, 6, LaunchVerdicts.Blocks.NONE);

        assertFalse(verdicts.isEmpty());
        for (Verdict verdict : verdicts) {
            assertEquals(Finding.INCONCLUSIVE, verdict.finding(), verdict.metric());
            assertEquals(
                    Optional.of("the run is INVALID: c2: other bytes were sent"), verdict.whyNot(), verdict.metric());
        }
        Fleet fleet = Fleet.of(127, 24, 10_000);
        assertEquals(List.of(), fleet.worth(other.withVerdicts(verdicts)).savings());
        RunResult valid = run.withVerdicts(LaunchVerdicts.of(run, 6, LaunchVerdicts.Blocks.NONE));
        assertEquals(1, fleet.worth(valid).savings().size());
        assertEquals(
                Optional.of("the run is INVALID: c2: other bytes were sent"), LaunchVerdicts.whyHopeless(other, 1));
    }

    @Test
    void aBottleneckAtFullLoadSpoilsWhatARequestCostsThere() {
        RunResult run = run(target("c2", 360 * US, 0, CALM), target("graal", 720 * US, 0, CALM));
        RunResult paced = RunResult.builder(run.plan())
                .from(run)
                .self(run.self()
                        .orElseThrow()
                        .withFullLoadBottlenecks(List.of(SelfReport.Bottleneck.of("c2", 3, 0.98))))
                .build();
        Spoilers spoilers = new Spoilers(paced);

        assertEquals(
                Optional.of("Lockstep was busy 98 % of the time that it sent to c2 and set its pace"),
                spoilers.why("fullLoadCpuPerRequest", List.of("graal", "c2")));
        assertEquals(Optional.empty(), spoilers.why("fullLoadCpuPerRequest", List.of("graal")));
        assertEquals(Optional.empty(), spoilers.why("steadyCpuPerRequest", List.of("graal", "c2")));
        assertEquals(Optional.empty(), spoilers.why("p50", List.of("graal", "c2")));
        Spoilers cut = new Spoilers(
                RunResult.builder(run.plan()).from(paced).launchesDone(2).build());
        assertEquals(
                Optional.empty(), cut.why("fullLoadCpuPerRequest", List.of("graal", "c2")), "the third does not count");
    }

    @Test
    void spoilsTimesAndNotCpuWhereLockstepWasLate() {
        RunResult run = run(target("c2", 360 * US, 0, CALM), target("graal", 400 * US, 0, CALM));
        RunResult late = RunResult.builder(run.plan())
                .from(run)
                .late("c2: sent late, other programs had processor 0")
                .build();
        List<String> both = List.of("c2", "graal");
        assertEquals(Optional.empty(), new Spoilers(run).why("p50", both));
        for (String metric : List.of("p50", "p99", "serviceP99", "throughput")) {
            assertEquals(
                    Optional.of("c2: sent late, other programs had processor 0"),
                    new Spoilers(late).why(metric, both),
                    metric);
        }
        assertEquals(Optional.empty(), new Spoilers(late).why("cpuPerRequest", both));
    }

    @Test
    void ownLagMustBeSmallAgainstThePercentileAndTheDifference() {
        assertFalse(isSpoiled(10_000, 10_000, 20, 20));
        // A tenth of the percentile.
        assertTrue(isSpoiled(360, 400, 60, 60));
        assertFalse(isSpoiled(36_000, 40_000, 60, 60));
        // README once had a lag of 1,205 us for c2 and 98 us for graal at p99.
        assertTrue(isSpoiled(20_000, 21_000, 1205, 98));
        assertFalse(isSpoiled(20_000, 200_000, 1205, 98), "a tenth of the difference");
        assertFalse(isSpoiled(20_000, 20_001, 150, 98), "within the margin of 1 %");
        // A closed loop has no lag.
        assertFalse(isSpoiled(360, 400, 0, 0));
    }

    @Test
    void aVerdictThatLagSpoilsSaysSoAndAnotherPercentileStands() {
        RunResult run = run(target("c2", 360 * US, 60 * US, CALM), target("graal", 720 * US, 60 * US, CALM));

        Verdict spoiled = LaunchVerdictsTest.of(run, "p99");
        assertEquals(Finding.INCONCLUSIVE, spoiled.finding());
        assertTrue(
                spoiled.whyNot().orElseThrow().startsWith("Lockstep's own lag at the same percentile, 60.0"),
                spoiled.whyNot().toString());
        assertTrue(spoiled.moreLaunches().isEmpty());
        assertEquals(
                Optional.empty(),
                LaunchVerdictsTest.of(run, "userCpuPerRequest").whyNot());
        AssertionResult failed = outcome(run, "c2.p99 <= 0.3ms");
        assertFalse(failed.holds());
        assertTrue(failed.sentence().contains("own lag"), failed.sentence());
        assertTrue(outcome(run, "graal.rss == graal.rss").sentence().contains("no value"));
    }

    /** A target that is quicker than Lockstep sleeps between requests, which then pay for waking it up. */
    @Test
    void aBottleneckSpoilsTimesRatesAndTheCpuOfRequestsOfItsTargetOnly() {
        pace = Pace.MAX;
        bottlenecks = List.of(SelfReport.Bottleneck.of("c2", 2, 0.99));
        RunResult run = run(target("c2", 360 * US, 0, CALM), target("graal", 720 * US, 0, CALM));

        for (String metric : List.of("throughput", "p50", "mean", "userCpuPerRequest", "cpuPerRequest")) {
            assertEquals(
                    Optional.of("Lockstep was busy 99 % of the time that it sent to c2 and set its pace"),
                    LaunchVerdictsTest.of(run, metric).whyNot(),
                    metric);
            assertFalse(outcome(run, "graal." + metric + " >= c2." + metric).holds(), metric);
        }
        assertEquals(
                List.of(),
                Fleet.of(127, 24, 10_000)
                        .worth(run.withVerdicts(LaunchVerdicts.of(run, 6, LaunchVerdicts.Blocks.NONE)))
                        .savings());
        for (String metric : List.of("allocatedBytesPerRequest", "gcCycles", "rss", "fullLoadCpuPerRequest")) {
            assertEquals(Optional.empty(), new Spoilers(run).why(metric, List.of("graal", "c2")), metric);
        }
        assertTrue(outcome(run, "graal.p50 <= 1ms").holds());
        assertTrue(outcome(run, "graal.cpuPerRequest <= 1s").holds());
        assertFalse(outcome(run, "c2.p50 <= 1ms").holds());
    }

    @Test
    void whatLockstepTakesOfTheTargetsProcessorsSpoilsTimesAndRatesOfAClosedLoop() {
        pace = Pace.MAX;
        replayerCores = List.of(1);
        ownCpuNs = 3 * SECOND;
        for (String metric : List.of("throughput", "p50")) {
            assertEquals(
                    Optional.of(
                            "Lockstep took 15 % of a processor, and all of its processors are the targets' too; give"
                                    + " it a core of its own (--cores), or a rate (-q)"),
                    why(metric),
                    metric);
        }
        assertEquals(Optional.empty(), why("userCpuPerRequest"));

        ownCpuNs = SECOND / 2;
        assertEquals(Optional.empty(), why("throughput"), "it took hardly any");
        ownCpuNs = 3 * SECOND;
        watchedNs = 0;
        assertEquals(Optional.empty(), why("throughput"), "of no time there is no share");
        watchedNs = 20 * SECOND;
        replayerCores = List.of(0, 1);
        assertEquals(Optional.empty(), why("throughput"), "the event loop has the other one");
        replayerCores = List.of(1);
        pace = Pace.rate(1000);
        assertEquals(Optional.empty(), why("p50"), "sent by the clock");
    }

    /** More launches have the same processors. */
    @Test
    void endsARunOfLatenciesWhereLockstepTakesOfTheTargetsProcessors() {
        pace = Pace.MAX;
        replayerCores = List.of(1);
        ownCpuNs = 3 * SECOND;
        primary = "p99";
        assertEquals(why("p99"), hopeless());
        assertTrue(hopeless().isPresent());

        primary = "userCpuPerRequest";
        assertEquals(Optional.empty(), hopeless(), "CPU stands");
    }

    private Optional<String> hopeless() {
        return LaunchVerdicts.whyHopeless(run(target("c2", 360 * US, 0, CALM), target("graal", 720 * US, 0, CALM)), 1);
    }

    private Optional<String> why(String metric) {
        return new Spoilers(run(target("c2", 360 * US, 0, CALM), target("graal", 720 * US, 0, CALM)))
                .why(metric, List.of("graal", "c2"));
    }

    /** Both of the first two show it; later one in four may be an accident. */
    @Test
    void endsARunOfLatenciesWhoseTargetWaitsForOthersLaunchAfterLaunch() {
        TargetResult calm = target("c2", 360 * US, US, CALM);
        primary = "p99";
        RunResult run = run(calm, starvedIn(List.of(1, 2)));

        assertEquals(Optional.empty(), LaunchVerdicts.whyHopeless(run, 1));
        assertEquals(
                Optional.of(
                        "p99 is not the targets' own, since others had the processors of graal launch after launch"),
                LaunchVerdicts.whyHopeless(run, 2));
        assertEquals(Optional.empty(), LaunchVerdicts.whyHopeless(run, 6), "two of twelve");
        primary = "userCpuPerRequest";
        assertEquals(
                Optional.empty(), LaunchVerdicts.whyHopeless(run(calm, starvedIn(List.of(1, 2))), 2), "CPU stands");
    }

    @Test
    void whatWaitsForOthersHasNoLatencyOfItsOwn() {
        TargetResult calm = target("c2", 360 * US, US, CALM);
        // Its threads wait for each other, though others hardly run; or others run, and it does not mind.
        TargetResult crowded = target("graal", 720 * US, US, costs(30 * SECOND, SECOND / 2));
        TargetResult undisturbed = target("graal", 720 * US, US, costs(SECOND / 2, 9 * SECOND));
        TargetResult starved = target("graal", 720 * US, US, costs(8 * SECOND, 9 * SECOND));

        assertEquals(
                Optional.empty(),
                LaunchVerdictsTest.of(run(calm, undisturbed), "p99").whyNot());
        assertTrue(Starvation.of(run(calm, crowded), crowded).isEmpty());
        RunResult run = run(calm, starved);
        assertEquals(
                Optional.of(
                        "graal: latencies and rates are not its own: its threads waited 8.0 s for a processor in 20.0 s,"
                                + " while others ran there for 9.0 s"),
                LaunchVerdictsTest.of(run, "p99").whyNot());
        assertEquals(
                Optional.empty(),
                LaunchVerdictsTest.of(run, "userCpuPerRequest").whyNot());
        assertFalse(outcome(run, "graal.p99 <= 5 * c2").holds());
        assertFalse(outcome(run, "graal.p99 >= 0.1ms").holds());
        assertTrue(outcome(run, "graal.p99 <= 0.5ms").toString().contains("waited 8.0 s"));
        AssertionResult limit = outcome(run, "graal.p99 <= 5ms");
        assertTrue(limit.holds(), "without that it would be shorter");
        assertTrue(
                limit.toString().contains("ran there for 9.0 s; without that it would be shorter)"), limit.toString());
        pace = Pace.MAX;
        assertFalse(outcome(run(calm, starved), "graal.p99 <= 5ms").holds());
    }

    /** Returns a target that others starved in some of its six launches: a fifth of the time. */
    private static TargetResult starvedIn(List<Integer> launches) {
        TargetResult calm = target("graal", 720 * US, US, CALM);
        TargetResult.Builder target = TargetResult.builder("graal").from(calm).launches(List.of());
        for (LaunchResult launch : calm.launches()) {
            Costs costs = launches.contains(launch.launch()) ? costs(4 * SECOND, 4 * SECOND) : CALM;
            target.launch(LaunchResult.builder(launch.launch(), 1)
                    .from(launch)
                    .costs(costs)
                    .build());
        }
        return target.build();
    }

    /** One of six at a fifth of the time is 3.3 % on average. */
    @Test
    void tellsOfOneLaunchThatWaitedForOthersAndSaysNothingOfTimesAfterMore() {
        TargetResult calm = target("c2", 360 * US, US, CALM);
        TargetResult once = starvedIn(List.of(3));
        TargetResult twice = starvedIn(List.of(2, 5));

        assertEquals(
                Optional.empty(), LaunchVerdictsTest.of(run(calm, once), "p99").whyNot());
        assertEquals(
                "in launch 3 latencies and rates are not its own: its threads waited 4.0 s for a processor in 20.0 s,"
                        + " while others ran there for 4.0 s",
                Starvation.byAccident(run(calm, once), once).orElseThrow().toString());
        assertEquals(
                Optional.of("graal: in launches 2, 5 latencies and rates are not its own: in the worst its threads"
                        + " waited 4.0 s for a processor in 20.0 s, while others ran there for 4.0 s"),
                LaunchVerdictsTest.of(run(calm, twice), "p99").whyNot());
        assertEquals(Optional.empty(), Starvation.byAccident(run(calm, twice), twice));
        assertEquals(Optional.empty(), Starvation.byAccident(run(calm, once), calm));
    }

    /** Of the launch that an interruption cut no verdict is made, nor of one that the target died in. */
    @Test
    void asksNoLaunchThatWasCutOrDiedInWhetherItWaited() {
        TargetResult calm = target("c2", 360 * US, US, CALM);
        TargetResult twice = starvedIn(List.of(2, 5));
        RunResult cut = RunResult.builder(run(calm, twice).plan())
                .from(run(calm, twice))
                .interrupted(true)
                .launchesDone(4)
                .build();

        assertEquals(Optional.empty(), Starvation.of(cut, twice));
        assertEquals(
                "in launch 2 latencies and rates are not its own: its threads waited 4.0 s for a processor in 20.0 s,"
                        + " while others ran there for 4.0 s",
                Starvation.byAccident(cut, twice).orElseThrow().toString());
    }

    @Test
    void noConditionHoldsOfATargetThatAnsweredNothingInALaunch() {
        TargetResult calm = target("c2", 360 * US, US, CALM);
        LoadCounts counts = new LoadCounts();
        counts.sent = 100;
        counts.error(ErrorKind.READ_TIMEOUT, 100);
        List<LaunchResult> launches = new ArrayList<>(calm().launches());
        launches.set(
                3,
                LaunchResult.builder(4, 1)
                        .load(LoadResult.builder()
                                .counts(counts)
                                .measuredNs(20 * SECOND)
                                .build())
                        .costs(CALM)
                        .build());
        TargetResult mute =
                TargetResult.builder("graal").from(calm()).launches(launches).build();

        AssertionResult outcome = outcome(run(calm, mute), "graal.cpuPerRequest <= 5 * c2");

        assertFalse(outcome.holds());
        assertTrue(outcome.toString().contains("graal answered no request well in launch 4 of 6"), outcome.toString());
        assertTrue(outcome(run(calm, calm()), "graal.cpuPerRequest <= 5 * c2").holds());
    }

    @Test
    void whatWaitsForOthersHasNoThroughputOfItsOwnInAClosedLoop() {
        pace = Pace.MAX;
        TargetResult calm = target("c2", 360 * US, US, CALM);
        TargetResult starved = target("graal", 720 * US, US, costs(8 * SECOND, 9 * SECOND));

        assertEquals(
                Optional.empty(),
                LaunchVerdictsTest.of(run(calm, calm()), "throughput").whyNot());
        assertTrue(
                LaunchVerdictsTest.of(run(calm, starved), "throughput").whyNot().isPresent());
        assertFalse(outcome(run(calm, starved), "graal.throughput >= 1").holds());
    }

    /** The slowest request of a turn sets how long nothing is sent at its end. */
    @Test
    void whatAwaitsMoreAtTheEndsOfTurnsHasNoThroughputBesideAnother() {
        pace = Pace.MAX;
        TargetResult even = waiting("c2", 22);
        TargetResult uneven = waiting("graal", 100);

        assertEquals(
                Optional.empty(),
                LaunchVerdictsTest.of(run(even, uneven), "throughput").whyNot(),
                "together there are no turns");
        rounds = 80;
        assertEquals(
                Optional.of(
                        "graal got no new request for 80.0 % of its time, while its last answers of each turn were awaited,"
                                + " c2 for 9.1 %: that is how slow the slowest requests are, and no rate; --schedule together has no turns"),
                LaunchVerdictsTest.of(run(even, uneven), "throughput").whyNot());
        assertEquals(
                Optional.empty(),
                LaunchVerdictsTest.of(run(even, waiting("graal", 22)), "throughput")
                        .whyNot());
    }

    /** 20,000 answers, which it sent in 20 s. */
    private static TargetResult waiting(String name, int seconds) {
        LoadCounts counts = new LoadCounts();
        counts.sent = 20_000;
        counts.completed = 20_000;
        LoadResult load =
                LoadResult.builder().counts(counts).measuredNs(seconds * SECOND).build();
        TargetResult.Builder target =
                TargetResult.builder(name).load(load).costs(CALM).cpus("1");
        for (int launch = 1; launch <= 6; launch++) {
            target.launch(LaunchResult.builder(launch, 1).load(load).costs(CALM).build());
        }
        return target.build();
    }

    private static TargetResult calm() {
        return target("graal", 720 * US, US, CALM);
    }

    @Test
    void saysNothingOfOthersWhereTheReplayerIsAmongThem() {
        TargetResult starved = target("c2", 360 * US, US, costs(8 * SECOND, 9 * SECOND));
        RunResult apart = run(starved);
        assertTrue(Starvation.of(apart, starved).isPresent());
        RunResult shared = RunResult.builder(RunPlan.builder()
                        .capture(apart.plan().capture())
                        .target(TargetPlan.builder("c2").profile("c2").build())
                        .replayerCores(List.of(0, 1))
                        .build())
                .startedAt(START)
                .finishedAt(START)
                .environment(apart.environment())
                .target(starved)
                .build();
        assertTrue(Starvation.of(shared, starved).isEmpty());
    }

    @Test
    void marksLatenciesOfARunInTurns() {
        rounds = 10;
        RunResult run = run(target("c2", 360 * US, US, CALM), target("graal", 720 * US, US, CALM));

        assertTrue(LaunchVerdictsTest.of(run, "p99").inTurns());
        assertFalse(LaunchVerdictsTest.of(run, "userCpuPerRequest").inTurns());
        rounds = 0;
        assertFalse(
                LaunchVerdictsTest.of(run(target("c2", 360 * US, US, CALM), target("graal", 720 * US, US, CALM)), "p99")
                        .inTurns());
    }
}
