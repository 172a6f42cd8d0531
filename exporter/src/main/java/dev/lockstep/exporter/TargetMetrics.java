package dev.lockstep.exporter;

import dev.lockstep.measurement.Cost;
import dev.lockstep.measurement.Costs;
import dev.lockstep.measurement.Interval;
import dev.lockstep.measurement.LatencyRecorder;
import dev.lockstep.measurement.LoadCounts;
import dev.lockstep.results.PerRequest;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.OptionalLong;
import java.util.Set;
import org.HdrHistogram.Histogram;

/**
 * The counters and gauges of one target, which appear with their first value. A gauge that gets no value any more
 * disappears; a counter stays. Used by one thread at a time; what it registers is read by others meanwhile.
 */
final class TargetMetrics {
    private static final double NS_PER_SEC = 1e9;
    private static final int STATUS_CLASSES = 10;
    private static final double[] QUANTILES = {0.5, 0.9, 0.99, 0.999};

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
    /** What the phase of the launch that is under way cost, and for how many requests. */
    private Costs spent;

    private long successful;
    private int launch;
    private Interval.Phase phase;
    /** The response times of the phase; null where no quantiles are asked for. */
    private final Histogram times;

    /** @param quantiles whether quantiles of response times are published */
    TargetMetrics(MeterRegistry registry, String target, boolean quantiles) {
        this.registry = registry;
        this.target = target;
        times = quantiles ? new Histogram(LatencyRecorder.SIGNIFICANT_DIGITS) : null;
    }

    void add(Interval interval) {
        seen.clear();
        add(interval.counts());
        set(TargetMetric.IN_FLIGHT, interval.inFlight, null, null);
        set(TargetMetric.LAUNCH, interval.launch, null, null);
        set(TargetMetric.WARMING_UP, interval.phase == Interval.Phase.WARM_UP ? 1 : 0, null, null);
        if (interval.responseTime().getTotalCount() > 0) {
            set(TargetMetric.SLOWEST_RESPONSE, interval.responseTime().getMaxValue() / NS_PER_SEC, null, null);
        } else {
            // It stays that of the last second with answers.
            seen.add(TargetMetric.SLOWEST_RESPONSE.meterName);
        }
        add(interval.costs);
        boolean begins = interval.launch != launch || interval.phase != phase || spent == null;
        addPerRequest(interval, begins);
        if (times != null) {
            addTimes(interval.responseTime(), begins);
        }
        withdrawUnseen();
    }

    /** A phase's costs by its requests, so that the last figure of the last launch is nearly that of its result. */
    private void addPerRequest(Interval interval, boolean begins) {
        launch = interval.launch;
        phase = interval.phase;
        spent = begins ? interval.costs : spent.plus(interval.costs);
        successful = interval.counts().successful() + (begins ? 0 : successful);
        PerRequest per = PerRequest.of(spent, successful);
        setPerRequest("all", per.cpuNsPerRequest());
        setPerRequest("application", per.appCpuNsPerRequest());
        setPerRequest("jit", per.jitCpuNsPerRequest());
        setPerRequest("gc", per.gcCpuNsPerRequest());
        setPerRequest("user", per.userCpuNsPerRequest());
        setPerRequest("system", per.systemCpuNsPerRequest());
    }

    private void addTimes(Histogram interval, boolean begins) {
        if (begins) {
            times.reset();
        }
        times.add(interval);
        if (times.getTotalCount() > 0) {
            for (double quantile : QUANTILES) {
                double ns = times.getValueAtPercentile(100 * quantile);
                set(TargetMetric.RESPONSE_TIME_QUANTILE, ns / NS_PER_SEC, "quantile", Double.toString(quantile));
            }
        }
    }

    private void setPerRequest(String kind, OptionalDouble ns) {
        ns.ifPresent(value -> set(TargetMetric.CPU_PER_REQUEST, value / NS_PER_SEC, "kind", kind));
    }

    private void add(LoadCounts counts) {
        count(TargetMetric.REQUESTS, counts.sent, null, null);
        count(TargetMetric.COMPLETED, counts.completed, null, null);
        count(TargetMetric.SUCCESSFUL, counts.successful(), null, null);
        count(TargetMetric.DEFERRED, counts.deferred, null, null);
        count(TargetMetric.ONEWAY, counts.oneway, null, null);
        count(TargetMetric.STRAY_ANSWERS, counts.strayAnswers, null, null);
        count(TargetMetric.CONNECTIONS, counts.connections, null, null);
        count(TargetMetric.SENT, counts.bytesSent, null, null);
        count(TargetMetric.OPAQUE_SENT, counts.opaqueBytesSent, null, null);
        count(TargetMetric.RECEIVED, counts.bytesReceived, null, null);
        count(TargetMetric.RECEIVED_BODY, counts.bodyBytesReceived, null, null);
        for (int hundreds = 0; hundreds < STATUS_CLASSES; hundreds++) {
            long answers = counts.statusClass(hundreds);
            if (answers > 0) {
                count(TargetMetric.RESPONSES, answers, "status", hundreds + "xx");
            }
        }
        counts.errorsByKind().forEach((kind, failed) -> count(TargetMetric.ERRORS, failed, "kind", kind.key()));
    }

    private void add(Costs costs) {
        boolean byCollector = !costs.collectors().isEmpty();
        for (Cost cost : Cost.values()) {
            OptionalLong value = costs.get(cost);
            TargetMetric.Place place = TargetMetric.Place.of(cost);
            boolean ofCollectors = TargetMetric.COLLECTOR.equals(place.label);
            // Before the first collection nobody knows whether they will be told apart.
            if (value.isPresent() && !(ofCollectors && (byCollector || value.getAsLong() == 0))) {
                put(place, value.getAsLong());
            }
        }
        costs.collectors().forEach((name, collector) -> {
            collector.cycles().ifPresent(cycles -> count(TargetMetric.GC_CYCLES, cycles, TargetMetric.COLLECTOR, name));
            count(TargetMetric.GC_PAUSE, collector.pauseNs() / NS_PER_SEC, TargetMetric.COLLECTOR, name);
        });
    }

    private void put(TargetMetric.Place place, long value) {
        if (place.metric.counter) {
            count(place.metric, value / place.divisor, place.label, place.value);
        } else {
            set(place.metric, value / place.divisor, place.label, place.value);
        }
    }

    /** Adds to a counter. */
    private void count(TargetMetric metric, double amount, String label, String labelValue) {
        Figure figure = figure(metric, label, labelValue);
        // Only this thread writes it.
        figure.value = figure.value + amount;
    }

    /** Sets a gauge. */
    private void set(TargetMetric metric, double value, String label, String labelValue) {
        figure(metric, label, labelValue).value = value;
    }

    private Figure figure(TargetMetric metric, String label, String labelValue) {
        String key = label == null ? metric.meterName : metric.meterName + ' ' + labelValue;
        Figure figure = figures.computeIfAbsent(key, name -> new Figure());
        if (figure.meter == null) {
            Tags tags = Tags.of("target", target);
            figure.meter = register(metric, figure, label == null ? tags : tags.and(label, labelValue));
            if (!metric.counter) {
                levels.add(key);
            }
        }
        seen.add(key);
        return figure;
    }

    private Meter register(TargetMetric metric, Figure figure, Tags tags) {
        return metric.counter
                ? FunctionCounter.builder(metric.meterName, figure, Figure::value)
                        .baseUnit(metric.unit)
                        .description(metric.help)
                        .tags(tags)
                        .register(registry)
                : Gauge.builder(metric.meterName, figure, Figure::value)
                        .baseUnit(metric.unit)
                        .description(metric.help)
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
