package dev.lockstep.analysis;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.lockstep.measurement.CaptureReference;
import dev.lockstep.measurement.Cost;
import dev.lockstep.measurement.Costs;
import dev.lockstep.measurement.Environment;
import dev.lockstep.measurement.LaunchResult;
import dev.lockstep.measurement.LoadCounts;
import dev.lockstep.measurement.LoadResult;
import dev.lockstep.measurement.Pace;
import dev.lockstep.measurement.RunPlan;
import dev.lockstep.measurement.RunResult;
import dev.lockstep.measurement.TargetExit;
import dev.lockstep.measurement.TargetPlan;
import dev.lockstep.measurement.TargetResult;
import dev.lockstep.measurement.Verdict;
import dev.lockstep.measurement.Verdict.Finding;
import java.time.Duration;
import java.time.OffsetDateTime;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;

final class LaunchVerdictsTest {
    private static final OffsetDateTime START = OffsetDateTime.parse("2026-11-21T07:42:00+01:00");
    private static final String HASH = "ab".repeat(32);

    /** CPU time of each launch of c2, per request. */
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

    @Test
    void knowsTheIntervalOfEachMetricAloneToo() {
        TargetResult graal = target("graal", 91, 93, 89.5, 92, 90, 91.2);
        Verdict primary = primary(run(plan(), target("c2", C2), graal), 6);
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
        RunResult run = run(plan(), target("c2", 1, 1e12), target("graal", 1e12, 1));

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
        assertEquals(1.001, verdicts.get(0).noiseFloor().low(), 1e-4);
        assertEquals(1.001, verdicts.get(0).noiseFloor().high(), 1e-4);
        assertEquals("c2-aa", verdicts.get(1).target());
        assertEquals(Finding.EQUIVALENT, verdicts.get(1).finding());
        assertTrue(verdicts.get(1).noiseFloor().high() > 1.01);
    }

    @Test
    void drawsItsBootstrapFromTheBlocksOfLaunches() {
        LaunchVerdicts.Blocks blocks = (metric, target, launch) -> metric != Metric.USER_CPU_PER_REQUEST
                ? new double[0]
                : target.equals("c2") ? new double[] {10, 20} : new double[] {9, 20};

        Verdict verdict = LaunchVerdicts.of(run(plan(), target("c2", 15, 15), target("graal", 14, 14)), 2, blocks)
                .get(0);

        assertEquals(Math.sqrt(0.9), verdict.ratio().orElseThrow(), 1e-9);
        assertNotNull(verdict.bootstrap());
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
        return plan.launches(6);
    }

    private static RunResult run(RunPlan plan, TargetResult... targets) {
        RunResult.Builder run = RunResult.builder(plan)
                .startedAt(START)
                .finishedAt(START.plusSeconds(5))
                .environment(Environment.builder().lockstepVersion("0.1.0").build());
        Arrays.stream(targets).forEach(run::target);
        return run.build();
    }

    /**
     * Returns a target of which each launch answered 100 requests at this CPU time each; 0 stands for a launch that failed,
     * less than that for one that died while it was measured.
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
                                .set(Cost.USER_CPU, Math.round(100 * Math.abs(cpuPerRequest[i])))
                                .set(Cost.SYSTEM_CPU, 1000)
                                .build());
            }
            target.launch(launch.build());
        }
        return target.build();
    }

    private static LoadResult load() {
        LoadCounts counts = new LoadCounts();
        counts.sent = 100;
        counts.completed = 100;
        Histogram times = new Histogram(3);
        for (int i = 0; i < 100; i++) {
            times.recordValue(1000 + i);
        }
        return LoadResult.builder()
                .counts(counts)
                .measuredNs(1_000_000_000)
                .responseTime(times)
                .build();
    }
}
