package dev.lockstep.report;

import dev.lockstep.measurement.EndpointLoad;
import dev.lockstep.measurement.Interval;
import dev.lockstep.measurement.LoadCounts;
import dev.lockstep.measurement.LoadResult;
import dev.lockstep.measurement.Outage;
import dev.lockstep.measurement.StreamDigest;
import dev.lockstep.results.CaptureReference;
import dev.lockstep.results.Environment;
import dev.lockstep.results.RunPlan;
import dev.lockstep.results.RunResult;
import dev.lockstep.results.TargetPlan;
import dev.lockstep.results.TargetResult;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.time.OffsetDateTime;
import java.util.Arrays;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.IntUnaryOperator;
import java.util.stream.LongStream;

/** Runs with known figures. */
final class TestingRuns {
    static final String STREAM_SHA256 = "fedcba9876543210fedcba9876543210fedcba9876543210fedcba9876543210";
    private static final OffsetDateTime START = OffsetDateTime.parse("2026-11-21T07:42:00+01:00");

    private TestingRuns() {}

    /** Returns a load of one status 200 answer for each time, over this long, with lags of 1 us. */
    static LoadResult load(double seconds, long... responseTimesNs) {
        return load(seconds, counts -> {}, responseTimesNs);
    }

    static LoadResult load(double seconds, Consumer<LoadCounts> change, long... responseTimesNs) {
        return load(seconds, change, i -> 200, responseTimesNs);
    }

    static LoadResult load(
            double seconds, Consumer<LoadCounts> change, IntUnaryOperator statusOf, long... responseTimesNs) {
        return load(seconds, change, statusOf, List.of(), responseTimesNs);
    }

    static LoadResult load(
            double seconds,
            Consumer<LoadCounts> change,
            IntUnaryOperator statusOf,
            List<Outage> outages,
            long... responseTimesNs) {
        Interval all = interval(statusOf, responseTimesNs);
        LoadCounts counts = all.counts().copy();
        change.accept(counts);
        return LoadResult.builder()
                .counts(counts)
                .measuredNs((long) (seconds * 1e9))
                .responseTime(all.responseTime())
                .serviceTime(all.serviceTime())
                .generatorLag(all.generatorLag())
                .ownLag(all.generatorLag().copy())
                .outages(outages)
                .outagesLeftOut(0)
                .streamDigest(StreamDigest.of(STREAM_SHA256))
                .build();
    }

    /** Returns a load of nothing but endpoints, to be added to another with {@link LoadResult#then}. */
    static LoadResult endpoints(EndpointLoad... endpoints) {
        return LoadResult.builder().endpoints(List.of(endpoints)).build();
    }

    /** Returns an endpoint with so many answers, evenly spread up to a maximum, and so many requests without one. */
    static EndpointLoad endpoint(String name, int answers, long maxNs, int withoutAnswer) {
        EndpointLoad endpoint = new EndpointLoad(name);
        for (long ns : evenly(answers, maxNs)) {
            endpoint.answered(ns, 200);
        }
        endpoint.withoutAnswer(withoutAnswer);
        return endpoint;
    }

    /** Returns the one interval of such a load. */
    static Interval interval(IntUnaryOperator statusOf, long... responseTimesNs) {
        Interval interval = new Interval();
        interval.startMs = START.toInstant().toEpochMilli();
        interval.endMs = interval.startMs + 1000;
        interval.endNs = 1_000_000_000;
        LoadCounts counts = interval.counts();
        for (long ns : responseTimesNs) {
            interval.responseTime().recordValue(ns);
            interval.serviceTime().recordValue(Math.max(0, ns - 1000));
            interval.generatorLag().recordValue(1000);
            counts.completed++;
            counts.bodyBytesReceived += 37;
            counts.status(statusOf.applyAsInt((int) counts.sent++));
        }
        return interval;
    }

    /** Returns this many times from 1 us on, evenly spread up to a maximum. */
    static long[] evenly(int count, long maxNs) {
        return LongStream.rangeClosed(1, count)
                .map(i -> 1000 + (maxNs - 1000) / count * i)
                .toArray();
    }

    static RunPlan.Builder plan(TargetResult... targets) {
        RunPlan.Builder plan = RunPlan.builder()
                // Of what costs its targets have, the JIT's is not known.
                .primaryMetric("cpuPerRequest")
                .capture(CaptureReference.builder()
                        .path("samples/users.bin")
                        .sha256("0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef")
                        .streamSha256(STREAM_SHA256)
                        .requests(1000)
                        .connections(12)
                        .build());
        Arrays.stream(targets)
                .forEach(target -> plan.target(
                        TargetPlan.builder(target.name()).profile("c2").build()));
        return plan;
    }

    static RunResult.Builder run(RunPlan plan, TargetResult... targets) {
        RunResult.Builder run = RunResult.builder(plan)
                .startedAt(START)
                .finishedAt(START.plusSeconds(5))
                .environment(Environment.builder().lockstepVersion("0.1.0").build());
        Arrays.stream(targets).forEach(run::target);
        return run;
    }

    static RunResult run(TargetResult... targets) {
        return run(plan(targets).build(), targets).build();
    }

    static String text(RunResult result) {
        return Report.of(result).as(ReportFormat.TEXT);
    }

    static String resource(String name) throws IOException {
        try (InputStream in = TestingRuns.class.getResourceAsStream(name)) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        }
    }
}
