package dev.lockstep.exporter;

import dev.lockstep.measurement.Interval;
import dev.lockstep.measurement.IntervalSink;
import dev.lockstep.results.Drift;
import dev.lockstep.results.RunPlan;
import dev.lockstep.results.TargetPlan;
import io.micrometer.core.instrument.Clock;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.Tags;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Publishes what a run measures, second by second, for Prometheus: at {@code /metrics} of an address. What was not
 * measured is not published. {@code docs/metrics.md} lists the metrics.
 *
 * <p>Intervals are taken on the run's thread, addresses and trends on one other; the warm-up's are published too, and
 * {@code lockstep_target_warming_up} says so. Closed by whoever launched it.
 */
public final class MetricsExporter implements IntervalSink, AutoCloseable {
    /** Who was not measured for so long, because it died or awaits its turn, has no levels. */
    private static final long SILENT_MS = 60_000;

    private final PrometheusMeterRegistry registry;
    private final TimeMetric responseTime = new TimeMetric(
            "lockstep_target_response_time_seconds",
            "From the intended send of a request to the last byte of its answer.");
    private final TimeMetric serviceTime = new TimeMetric(
            "lockstep_target_service_time_seconds",
            "From the actual send of a request to the last byte of its answer.");
    private final TimeMetric generatorLag = new TimeMetric(
            "lockstep_target_generator_lag_seconds", "How long after its intended send a request was sent.");
    private final TrendMetrics trends = new TrendMetrics();
    private final Map<String, TargetPlan> plans = new HashMap<>();
    private final Map<String, Meter> infos = new HashMap<>();
    private final Map<String, TargetMetrics> targets = new HashMap<>();
    private final Map<String, Long> lastEndMs = new HashMap<>();
    private MetricsServer server;

    private MetricsExporter(RunPlan plan, String version, long startMs) {
        PrometheusRegistry prometheus = new PrometheusRegistry();
        registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT, prometheus, Clock.SYSTEM);
        prometheus.register(responseTime);
        prometheus.register(serviceTime);
        prometheus.register(generatorLag);
        prometheus.register(trends);
        describe(plan, version, startMs);
    }

    /**
     * Starts to serve the metrics of a run.
     *
     * @param version Lockstep's own
     * @throws ExporterException when the address cannot be listened on
     */
    public static MetricsExporter launch(InetSocketAddress address, RunPlan plan, String version) {
        MetricsExporter exporter = new MetricsExporter(plan, version, System.currentTimeMillis());
        try {
            exporter.server = MetricsServer.launch(address, exporter.registry::scrape);
            return exporter;
        } catch (IOException e) {
            exporter.registry.close();
            throw new ExporterException(
                    "--metrics: cannot listen on " + address.getHostString() + ":" + address.getPort() + ": "
                            + e.getMessage() + "; choose another port",
                    e);
        }
    }

    /** Returns where it listens, with the port that was found for port 0. */
    public InetSocketAddress address() {
        return server.address();
    }

    private void describe(RunPlan plan, String version, long startMs) {
        Gauge.builder("lockstep.run.info", () -> 1)
                .description("What is run: always 1.")
                .tags(Tags.of("version", version, "capture", plan.capture().path())
                        .and(
                                "pace",
                                plan.pace().toString(),
                                "schedule",
                                plan.schedule().key())
                        .and("baseline", plan.baseline()))
                .register(registry);
        Gauge.builder("lockstep.run.start.time", () -> startMs / 1e3)
                .description("When the run began, Unix time.")
                .baseUnit("seconds")
                .register(registry);
        plan.duration().map(Duration::toMillis).ifPresent(plannedMs -> Gauge.builder(
                        "lockstep.run.planned.measurement", () -> plannedMs / 1e3)
                .description("How long each target is to be measured.")
                .baseUnit("seconds")
                .register(registry));
        for (TargetPlan target : plan.targets()) {
            plans.put(target.name(), target);
            target.address().ifPresent(address -> ready(target.name(), address));
            target.memoryLimitBytes().ifPresent(limit -> Gauge.builder("lockstep.target.memory.limit", () -> limit)
                    .description("Memory that the target may use.")
                    .baseUnit("bytes")
                    .tags(Tags.of("target", target.name()))
                    .register(registry));
        }
    }

    /**
     * Takes the address of a target, which one that Lockstep starts has anew in each launch. Before that nobody knows
     * it, and there is nothing to describe.
     *
     * @param address {@code HOST:PORT}
     */
    public void ready(String target, String address) {
        Meter known = infos.get(target);
        if (known != null) {
            if (address.equals(known.getId().getTag("address"))) {
                return;
            }
            registry.remove(known);
        }
        infos.put(
                target,
                Gauge.builder("lockstep.target.info", () -> 1)
                        .description("What a target is: always 1.")
                        .tags(Tags.of(
                                "target",
                                target,
                                "profile",
                                plans.get(target).profile().orElse(""),
                                "address",
                                address))
                        .register(registry));
    }

    /** Takes what is known of leaks and drifts of all targets, in place of what was known before. */
    public void trends(List<Drift> drifts) {
        trends.set(drifts);
    }

    @Override
    public void interval(String target, Interval interval) {
        targets.computeIfAbsent(target, name -> new TargetMetrics(registry, name))
                .add(interval);
        responseTime.add(target, interval.responseTime());
        serviceTime.add(target, interval.serviceTime());
        generatorLag.add(target, interval.generatorLag());
        lastEndMs.put(target, interval.endMs);
        lastEndMs.forEach((name, endMs) -> {
            if (interval.endMs - endMs > SILENT_MS) {
                targets.get(name).withdraw();
            }
        });
    }

    /** Ends the server; the metrics are gone with it. */
    @Override
    public void close() {
        server.close();
        registry.close();
    }
}
