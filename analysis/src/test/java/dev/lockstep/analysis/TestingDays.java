package dev.lockstep.analysis;

import dev.lockstep.measurement.Cost;
import dev.lockstep.measurement.Costs;
import dev.lockstep.measurement.LoadCounts;
import dev.lockstep.measurement.LoadResult;
import dev.lockstep.results.CaptureReference;
import dev.lockstep.results.Environment;
import dev.lockstep.results.FullLoad;
import dev.lockstep.results.LaunchResult;
import dev.lockstep.results.RunPlan;
import dev.lockstep.results.RunResult;
import dev.lockstep.results.TargetPlan;
import dev.lockstep.results.TargetResult;
import dev.lockstep.results.Warmup;
import java.time.Duration;
import java.time.OffsetDateTime;
import java.util.Arrays;
import java.util.List;
import java.util.OptionalDouble;
import org.HdrHistogram.Histogram;

/** Runs of different days whose CPU per request at full load is known. */
final class TestingDays {
    static final OffsetDateTime FIRST = OffsetDateTime.parse("2026-11-02T07:42:00Z");
    private static final long SECOND_NS = 1_000_000_000;
    /** Counted by a control group, and in no ticks. */
    private static final Costs EXACT = Costs.NONE.with(Cost.GROUP_CPU, SECOND_NS);

    private TestingDays() {}

    static NamedRun run(int day, TargetResult.Builder... targets) {
        return NamedRun.of("day-" + day, result(day, "ab", targets).build());
    }

    /** Returns a run of a server that ran already, with a block of load for each value. */
    static NamedRun blocks(int day, double... cpuNsPerRequest) {
        RunResult result = result(day, "ab", target("svc", cpuNsPerRequest)).build();
        return NamedRun.of(
                "day-" + day,
                RunResult.builder(result.plan().toBuilder()
                                .targets(List.of(
                                        TargetPlan.builder("svc").address("h:1").build()))
                                .build())
                        .startedAt(result.startedAt())
                        .finishedAt(result.finishedAt())
                        .environment(result.environment())
                        .targets(result.targets())
                        .build());
    }

    /** @param capture two digits that tell its requests apart */
    static RunResult.Builder result(int day, String capture, TargetResult.Builder... targets) {
        TargetResult[] built =
                Arrays.stream(targets).map(TargetResult.Builder::build).toArray(TargetResult[]::new);
        RunPlan.Builder plan = RunPlan.builder()
                .capture(CaptureReference.builder()
                        .path("users.bin")
                        .sha256(capture.repeat(32))
                        .streamSha256(capture.repeat(32))
                        .requests(10)
                        .build())
                .primaryMetric("fullLoadCpuPerRequest")
                .fullLoad(Duration.ofSeconds(2))
                .launches(Arrays.stream(built)
                        .mapToInt(target -> target.launches().size())
                        .max()
                        .orElse(1));
        for (TargetResult target : built) {
            plan.target(TargetPlan.builder(target.name()).profile("c2").build());
        }
        return RunResult.builder(plan.build())
                .startedAt(FIRST.plusDays(day))
                .finishedAt(FIRST.plusDays(day).plusMinutes(12))
                .environment(Environment.builder()
                        .lockstepVersion("0.1.0")
                        .cpuModel("AMD EPYC")
                        .cores(2)
                        .build())
                .targets(Arrays.asList(built));
    }

    /** Returns a steady target of JVM 17.0.21 with a launch for each value. */
    static TargetResult.Builder target(String name, double... cpuNsPerRequest) {
        TargetResult.Builder target = TargetResult.builder(name)
                .jvm("OpenJDK 17.0.21")
                .jit("c2")
                .warmup(Warmup.builder(Warmup.State.STEADY).jitShare(0.02).build());
        for (int i = 0; i < cpuNsPerRequest.length; i++) {
            target.launch(LaunchResult.builder(i + 1, 1)
                    .warmup(Warmup.builder(Warmup.State.STEADY).jitShare(0.02).build())
                    .fullLoad(FullLoad.of(2 * SECOND_NS, 1000, OptionalDouble.of(cpuNsPerRequest[i])))
                    .costs(EXACT)
                    .build());
        }
        return target;
    }

    /** Returns a load of which so many of 100 requests got a 503. */
    static LoadResult load(int errors) {
        LoadCounts counts = new LoadCounts();
        counts.sent = 100;
        counts.completed = 100;
        for (int i = 0; i < errors; i++) {
            counts.status(503);
        }
        Histogram times = new Histogram(3);
        for (int i = 0; i < 100; i++) {
            times.recordValue(1000 + i);
        }
        return LoadResult.builder()
                .counts(counts)
                .measuredNs(SECOND_NS)
                .responseTime(times)
                .build();
    }

    /** Returns values of launches around a mean, each as far from it as the one on its other side. */
    static double[] around(double mean, double deviation, int launches) {
        double[] values = new double[launches];
        Arrays.setAll(values, i -> mean * Math.exp(deviation * (i - (launches - 1) / 2.0) / Math.max(1, launches)));
        return values;
    }
}
