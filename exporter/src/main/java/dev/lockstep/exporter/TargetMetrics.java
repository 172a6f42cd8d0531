package dev.lockstep.exporter;

import dev.lockstep.measurement.Cost;
import dev.lockstep.measurement.Costs;
import dev.lockstep.measurement.Interval;
import dev.lockstep.measurement.LoadCounts;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;

/**
 * The counters and gauges of one target, which appear with their first value. A gauge that gets no value any more
 * disappears; a counter stays. Filled by the run's thread, read by those of the HTTP server.
 */
final class TargetMetrics {
    private static final double NS_PER_SEC = 1e9;
    private static final int STATUS_CLASSES = 10;

    /** A number that one thread sets and others read. */
    private static final class Figure {
        private volatile double value;
        private Meter meter;

        double value() {
            return value;
        }
    }

    private final MeterRegistry registry;
    private final String target;
    private final Map<String, Figure> figures = new HashMap<>();
    private final Set<String> levels = new HashSet<>();
    private final Set<String> seen = new HashSet<>();

    TargetMetrics(MeterRegistry registry, String target) {
        this.registry = registry;
        this.target = target;
    }

    void add(Interval interval) {
        seen.clear();
        add(interval.counts());
        set(Metric.IN_FLIGHT, interval.inFlight, null, null);
        set(Metric.LAUNCH, interval.launch, null, null);
        set(Metric.WARMING_UP, interval.warmup ? 1 : 0, null, null);
        if (interval.responseTime().getTotalCount() > 0) {
            set(Metric.SLOWEST_RESPONSE, interval.responseTime().getMaxValue() / NS_PER_SEC, null, null);
        }
        add(interval.costs);
        withdrawUnseen();
    }

    private void add(LoadCounts counts) {
        count(Metric.REQUESTS, counts.sent, null, null);
        count(Metric.COMPLETED, counts.completed, null, null);
        count(Metric.DEFERRED, counts.deferred, null, null);
        count(Metric.ONEWAY, counts.oneway, null, null);
        count(Metric.STRAY_ANSWERS, counts.strayAnswers, null, null);
        count(Metric.CONNECTIONS, counts.connections, null, null);
        count(Metric.SENT, counts.bytesSent, null, null);
        count(Metric.OPAQUE_SENT, counts.opaqueBytesSent, null, null);
        count(Metric.RECEIVED, counts.bytesReceived, null, null);
        count(Metric.RECEIVED_BODY, counts.bodyBytesReceived, null, null);
        for (int hundreds = 0; hundreds < STATUS_CLASSES; hundreds++) {
            long answers = counts.statusClass(hundreds);
            if (answers > 0) {
                count(Metric.RESPONSES, answers, "status", hundreds + "xx");
            }
        }
        counts.errorsByKind().forEach((kind, failed) -> count(Metric.ERRORS, failed, "kind", kind.key()));
    }

    private void add(Costs costs) {
        boolean byCollector = !costs.collectors().isEmpty();
        for (Cost cost : Cost.values()) {
            OptionalLong value = costs.get(cost);
            Metric.Place place = Metric.Place.of(cost);
            boolean ofCollectors = Metric.COLLECTOR.equals(place.label);
            // Before the first collection nobody knows whether they will be told apart.
            if (value.isPresent() && !(ofCollectors && (byCollector || value.getAsLong() == 0))) {
                put(place, value.getAsLong());
            }
        }
        costs.collectors().forEach((name, collector) -> {
            collector.cycles().ifPresent(cycles -> count(Metric.GC_CYCLES, cycles, Metric.COLLECTOR, name));
            count(Metric.GC_PAUSE, collector.pauseNs() / NS_PER_SEC, Metric.COLLECTOR, name);
        });
    }

    private void put(Metric.Place place, long value) {
        if (place.metric.isCounter()) {
            count(place.metric, value / place.divisor, place.label, place.value);
        } else {
            set(place.metric, value / place.divisor, place.label, place.value);
        }
    }

    /** Adds to a counter. */
    private void count(Metric metric, double amount, String label, String labelValue) {
        Figure figure = figure(metric, label, labelValue);
        // Only this thread writes it.
        figure.value = figure.value + amount;
    }

    /** Sets a gauge. */
    private void set(Metric metric, double value, String label, String labelValue) {
        figure(metric, label, labelValue).value = value;
    }

    private Figure figure(Metric metric, String label, String labelValue) {
        String key = label == null ? metric.name() : metric.name() + ' ' + labelValue;
        Figure figure = figures.computeIfAbsent(key, name -> new Figure());
        if (figure.meter == null) {
            Tags tags = Tags.of("target", target);
            figure.meter = register(metric, figure, label == null ? tags : tags.and(label, labelValue));
            if (!metric.isCounter()) {
                levels.add(key);
            }
        }
        seen.add(key);
        return figure;
    }

    private Meter register(Metric metric, Figure figure, Tags tags) {
        return metric.isCounter()
                ? FunctionCounter.builder(metric.meterName(), figure, Figure::value)
                        .baseUnit(metric.unit())
                        .description(metric.help())
                        .tags(tags)
                        .register(registry)
                : Gauge.builder(metric.meterName(), figure, Figure::value)
                        .baseUnit(metric.unit())
                        .description(metric.help())
                        .tags(tags)
                        .register(registry);
    }

    /** Takes back the gauges, because the target is not measured any more. */
    void withdraw() {
        seen.clear();
        withdrawUnseen();
    }

    private void withdrawUnseen() {
        levels.removeIf(key -> {
            if (seen.contains(key)) {
                return false;
            }
            registry.remove(figures.remove(key).meter);
            return true;
        });
    }
}
