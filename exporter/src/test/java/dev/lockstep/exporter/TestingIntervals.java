package dev.lockstep.exporter;

import dev.lockstep.measurement.Cost;
import dev.lockstep.measurement.Costs;
import dev.lockstep.measurement.ErrorKind;
import dev.lockstep.measurement.GcCosts;
import dev.lockstep.measurement.Interval;
import dev.lockstep.results.CaptureReference;
import dev.lockstep.results.Drift;
import dev.lockstep.results.RunPlan;
import dev.lockstep.results.TargetPlan;
import java.time.Duration;
import java.util.List;

/** A plan, and intervals with known figures. */
final class TestingIntervals {
    static final long START_MS = 1_795_243_320_000L;
    private static final String DIGEST = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef";

    private TestingIntervals() {}

    static RunPlan plan() {
        return RunPlan.builder()
                .capture(CaptureReference.builder()
                        .path("samples/a \"b\"\\c.bin")
                        .sha256(DIGEST)
                        .streamSha256(DIGEST)
                        .requests(1000)
                        .requestBytes(123_456)
                        .build())
                .target(TargetPlan.builder("c2")
                        .profile("c2")
                        .memoryLimitBytes(128 << 20)
                        .build())
                .target(TargetPlan.builder("other").address("127.0.0.1:8080").build())
                .duration(Duration.ofHours(24))
                .build();
    }

    /** A trend of every quantity; that of the old generation is found. */
    static List<Drift> trends() {
        return List.of(
                Drift.of("c2", Drift.Metric.RSS, 3_600_000, -1_800_000, 7_200_000, 0.4, false),
                Drift.of("c2", Drift.Metric.OLD_GEN_USED, 36e6, 35e6, 37e6, 1e-9, true),
                Drift.of("c2", Drift.Metric.RESPONSE_TIME_P99, 7.2e9, 3.6e9, 10.8e9, 0.01, false),
                Drift.of("zgc", Drift.Metric.HEAP_USED, 0, -36e6, 36e6, 0.9, false));
    }

    /** A second with four requests, of which one fails, and no costs. */
    static Interval load(int second) {
        Interval interval = new Interval();
        interval.startMs = START_MS + 1000L * second;
        interval.endMs = interval.startMs + 1000;
        interval.startNs = 1_000_000_000L * second;
        interval.endNs = interval.startNs + 1_000_000_000L;
        interval.inFlight = 3;
        interval.counts().sent = 4;
        interval.counts().completed = 3;
        interval.counts().bytesSent = 480;
        interval.counts().bytesReceived = 600;
        interval.counts().status(200);
        interval.counts().status(204);
        interval.counts().status(503);
        interval.counts().error(ErrorKind.READ_TIMEOUT);
        for (long responseNs : new long[] {1_000_000, 2_000_000, 40_000_000}) {
            interval.responseTime().recordValue(responseNs);
            interval.serviceTime().recordValue(responseNs - 100_000);
            interval.generatorLag().recordValue(100_000);
        }
        return interval;
    }

    /** The same, and every cost there is: the number of the cost, counted from 1, in its unit. */
    static Interval full(int second) {
        Interval interval = load(second);
        Costs.Builder costs = Costs.builder();
        for (Cost cost : Cost.values()) {
            long number = cost.ordinal() + 1;
            costs.set(cost, cost.key().endsWith("Ns") ? number * 1_000_000_000 : number);
        }
        interval.costs = costs.collector("G1 Young", GcCosts.of(2, 30_000_000))
                .collector("G1 Old", GcCosts.of(1, 500_000_000))
                .build();
        return interval;
    }
}
