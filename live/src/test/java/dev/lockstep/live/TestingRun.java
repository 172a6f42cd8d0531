package dev.lockstep.live;

import dev.lockstep.measurement.Cost;
import dev.lockstep.measurement.Costs;
import dev.lockstep.measurement.Interval;
import dev.lockstep.measurement.LoadCounts;
import dev.lockstep.results.CaptureReference;
import dev.lockstep.results.Environment;
import dev.lockstep.results.IntervalFigures;
import dev.lockstep.results.RunPlan;
import dev.lockstep.results.RunResult;
import dev.lockstep.results.TargetPlan;
import dev.lockstep.results.TargetResult;
import java.time.OffsetDateTime;

/** A plan of two targets, and what a run of it tells. */
final class TestingRun {
    private static final long SECOND_NS = 1_000_000_000;
    private static final long START_MS = 1_795_243_320_000L;
    private static final String DIGEST = "ab".repeat(32);
    private static final int WARM_UP_SECONDS = 10;

    private TestingRun() {}

    /** @param capture the path of the capture, the only name in a plan that may hold anything */
    static RunPlan plan(String capture, int launches, String... targets) {
        RunPlan.Builder plan = RunPlan.builder()
                .capture(CaptureReference.builder()
                        .path(capture)
                        .sha256(DIGEST)
                        .streamSha256(DIGEST)
                        .requests(3461)
                        .build())
                .launches(launches);
        for (String target : targets) {
            plan.target(TargetPlan.builder(target)
                    .profile("c2")
                    .memoryLimitBytes(128 << 20)
                    .build());
        }
        return plan.build();
    }

    /** Returns what a target did in a second of a run; launches are a minute apart, and begin with ten of warm-up. */
    static IntervalFigures second(int launch, int number, double weight) {
        int warm = number - 60 * (launch - 1) - WARM_UP_SECONDS;
        Interval interval = new Interval();
        interval.launch = launch;
        interval.phase = warm < 0 ? Interval.Phase.WARM_UP : Interval.Phase.MEASURED;
        interval.startMs = START_MS + 1000L * number;
        interval.endMs = interval.startMs + 1000;
        interval.startNs = number * SECOND_NS;
        interval.endNs = interval.startNs + SECOND_NS;
        int answers = 290 + number * 7 % 20;
        LoadCounts counts = interval.counts();
        counts.sent = answers;
        counts.completed = answers;
        double wave = weight * (1 + 0.2 * Math.sin(number / 3.0)) * (warm < 0 ? 2 : 1);
        interval.responseTime().recordValueWithCount((long) (90_000 * wave), answers - 5);
        interval.responseTime().recordValueWithCount((long) (1_500_000 * wave), 5);
        interval.costs = Costs.builder()
                .set(Cost.APPLICATION_CPU, (long) (answers * 74_000 * wave))
                .set(Cost.JIT_CPU, (long) (answers * 300_000 * weight / (1 + Math.max(0, warm + WARM_UP_SECONDS))))
                .set(Cost.GC_CPU, answers * 700L)
                .set(Cost.GC_CYCLES, number % 9 == 0 ? 1 : 0)
                .set(Cost.GC_PAUSE, number % 9 == 0 ? 2_000_000L : 0)
                .set(Cost.GROUP_CPU, (long) (answers * 76_000 * wave))
                .set(Cost.ALLOCATED, answers * 24_000L)
                .set(Cost.OLD_GEN_USED, (10L << 20) + number * 20_000L)
                .set(Cost.RSS, (long) (weight * (80L << 20)))
                .set(Cost.MEMORY, (long) (weight * (90L << 20)) + number * 40_000L)
                .build();
        return IntervalFigures.of(interval);
    }

    /** A result without figures. */
    static RunResult result(RunPlan plan) {
        RunResult.Builder result = RunResult.builder(plan)
                .startedAt(OffsetDateTime.parse("2026-11-21T07:42:00+01:00"))
                .finishedAt(OffsetDateTime.parse("2026-11-21T07:42:05+01:00"))
                .environment(Environment.builder().lockstepVersion("0.1.0").build());
        plan.targets()
                .forEach(target ->
                        result.target(TargetResult.builder(target.name()).build()));
        return result.build();
    }
}
