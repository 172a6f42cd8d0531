package dev.lockstep.report;

import dev.lockstep.analysis.Metric;
import java.util.Map;
import java.util.OptionalDouble;

/** How values of a metric stand in a table: a short heading with its unit, and three digits. */
public final class MetricColumn {
    private static final Map<Metric, String> SHORT = Map.ofEntries(
            Map.entry(Metric.FULL_LOAD_CPU_PER_REQUEST, "full"),
            Map.entry(Metric.STEADY_CPU_PER_REQUEST, "steady"),
            Map.entry(Metric.CPU_PER_REQUEST, "CPU"),
            Map.entry(Metric.THROUGHPUT, "req/s"),
            Map.entry(Metric.ALLOCATED_BYTES_PER_REQUEST, "alloc"),
            Map.entry(Metric.RSS, "RSS"),
            Map.entry(Metric.STARTUP, "start"),
            Map.entry(Metric.ERRORS, "errors"));

    private static final double NS_PER_US = 1e3;
    private static final double NS_PER_MS = 1e6;
    private static final double BYTES_PER_KIB = 1 << 10;
    private static final double BYTES_PER_MIB = 1 << 20;
    private static final double PERCENT = 0.01;

    private final String metric;
    private final String label;
    private final String heading;
    private final String unit;
    private final double size;

    private MetricColumn(String metric, String label, String heading, String unit, double size) {
        this.metric = metric;
        this.label = label;
        this.heading = heading;
        this.unit = unit;
        this.size = size;
    }

    /** @param key a metric's name; one of a newer version has its plain values */
    public static MetricColumn of(String key) {
        Metric metric = Metric.of(key).orElse(null);
        if (metric == null) {
            return new MetricColumn(key, key, key, "", 1);
        }
        String heading = SHORT.getOrDefault(metric, metric.label());
        switch (metric.quantity()) {
            case TIME:
                return metric.isPerRequest()
                        ? new MetricColumn(key, metric.label(), heading, "us", NS_PER_US)
                        : new MetricColumn(key, metric.label(), heading, "ms", NS_PER_MS);
            case SIZE:
                return metric.isPerRequest()
                        ? new MetricColumn(key, metric.label(), heading, "KiB", BYTES_PER_KIB)
                        : new MetricColumn(key, metric.label(), heading, "MiB", BYTES_PER_MIB);
            case SHARE:
                return new MetricColumn(key, metric.label(), heading, "%", PERCENT);
            default:
                return new MetricColumn(key, metric.label(), heading, "", 1);
        }
    }

    String metric() {
        return metric;
    }

    /** Returns its name in sentences. */
    public String label() {
        return label;
    }

    /** Returns its name where there is little room. */
    public String shortLabel() {
        return heading;
    }

    /** Returns for example {@code p50 ms}. */
    String heading() {
        return unit.isEmpty() ? heading : heading + " " + unit;
    }

    /** Returns the unit of the values; empty for plain numbers. */
    public String unit() {
        return unit;
    }

    /** Returns how much of the unit inside one of these is. */
    public double size() {
        return size;
    }

    String cell(OptionalDouble value) {
        return value.isEmpty() ? Figures.ABSENT : Figures.threeDigits(value.getAsDouble() / size);
    }
}
