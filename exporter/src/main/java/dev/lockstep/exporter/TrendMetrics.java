package dev.lockstep.exporter;

import dev.lockstep.results.Drift;
import io.prometheus.metrics.model.registry.MultiCollector;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot.GaugeDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.Labels;
import io.prometheus.metrics.model.snapshots.MetricMetadata;
import io.prometheus.metrics.model.snapshots.MetricSnapshots;
import java.util.ArrayList;
import java.util.List;

/**
 * What a soak run knows of leaks and drifts, as gauges. They stand until the next look, also of a target that awaits
 * its turn: a trend is about the whole time so far. Thread-safe.
 *
 * <p>Design note: a collector of our own, so that a page never shows half of a look. Gauges of Micrometer would be
 * removed and added one by one.
 */
final class TrendMetrics implements MultiCollector {
    private static final double SECONDS_PER_HOUR = 3600;
    private static final double NS_PER_SEC = 1e9;

    private static final MetricMetadata MEMORY = new MetricMetadata(
            "lockstep_target_memory_trend_bytes_per_second",
            "How fast memory rises under load by kind, over the whole time so far, with its 95 % interval.");
    private static final MetricMetadata TIME = new MetricMetadata(
            "lockstep_target_response_time_p99_trend_seconds_per_second",
            "How fast the 99th percentile of the response time rises under load, with its 95 % interval.");
    private static final MetricMetadata FOUND =
            new MetricMetadata("lockstep_target_trend_found", "Whether a quantity rises or falls for good: 1 or 0.");

    private volatile List<Drift> drifts = List.of();

    /** Replaces all that was known by this. */
    void set(List<Drift> known) {
        drifts = List.copyOf(known);
    }

    @Override
    public MetricSnapshots collect() {
        List<GaugeDataPointSnapshot> memory = new ArrayList<>();
        List<GaugeDataPointSnapshot> time = new ArrayList<>();
        List<GaugeDataPointSnapshot> found = new ArrayList<>();
        for (Drift drift : drifts) {
            Labels target = Labels.of("target", drift.target());
            String quantity = quantity(drift.metric());
            if (drift.metric().isMemory()) {
                addBounds(memory, drift, target.add("kind", quantity), 1);
            } else {
                addBounds(time, drift, target, NS_PER_SEC);
            }
            found.add(point(drift.found() ? 1 : 0, target.add("quantity", quantity)));
        }
        return new MetricSnapshots(
                new GaugeSnapshot(MEMORY, memory), new GaugeSnapshot(TIME, time), new GaugeSnapshot(FOUND, found));
    }

    private static void addBounds(List<GaugeDataPointSnapshot> points, Drift drift, Labels labels, double divisor) {
        double perSecond = divisor * SECONDS_PER_HOUR;
        points.add(point(drift.slopePerHour() / perSecond, labels.add("bound", "estimate")));
        points.add(point(drift.low() / perSecond, labels.add("bound", "low")));
        points.add(point(drift.high() / perSecond, labels.add("bound", "high")));
    }

    private static GaugeDataPointSnapshot point(double value, Labels labels) {
        return new GaugeDataPointSnapshot(value, labels, null);
    }

    /** Returns the quantity by the name that the other metrics have for it. */
    static String quantity(Drift.Metric metric) {
        switch (metric) {
            case RSS:
                return "rss";
            case OLD_GEN_USED:
                return "old_gen";
            case HEAP_USED:
                return "heap";
            case RESPONSE_TIME_P99:
                return "response_time_p99";
            default:
                throw new IllegalArgumentException("a trend without a name: " + metric);
        }
    }
}
