package dev.lockstep.exporter;

import dev.lockstep.measurement.Interval;
import dev.lockstep.results.Drift;
import dev.lockstep.results.RunPlan;
import io.micrometer.core.instrument.Clock;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.function.Function;
import java.util.function.LongSupplier;

/**
 * Publishes what a run measures, second by second, for Prometheus: at {@code /metrics} of an address. What was not
 * measured is not published. {@code docs/metrics.md} lists the metrics. The intervals of the warm-up are published too,
 * and {@code lockstep_target_warming_up} says so.
 */
public final class MetricsExporter implements Exporter {
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
    private final RunMetrics metrics;
    private MetricsServer server;

    private MetricsExporter(RunPlan plan, String version, long startMs, LongSupplier clockNs) {
        PrometheusRegistry prometheus = new PrometheusRegistry();
        registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT, prometheus, Clock.SYSTEM);
        prometheus.register(responseTime);
        prometheus.register(serviceTime);
        prometheus.register(generatorLag);
        prometheus.register(trends);
        metrics = new RunMetrics(registry, plan, version, startMs, false, clockNs);
    }

    /**
     * Starts to serve the metrics of a run.
     *
     * @param version Lockstep's own
     * @throws ExporterException when the address cannot be listened on
     */
    public static MetricsExporter launch(InetSocketAddress address, RunPlan plan, String version) {
        return launch(address, plan, version, System::nanoTime);
    }

    /** @param clockNs monotonic */
    static MetricsExporter launch(InetSocketAddress address, RunPlan plan, String version, LongSupplier clockNs) {
        MetricsExporter exporter = new MetricsExporter(plan, version, System.currentTimeMillis(), clockNs);
        try {
            exporter.server = MetricsServer.launch(
                    address,
                    () -> exporter.page(PrometheusMeterRegistry::scrape),
                    () -> exporter.page(OpenMetrics::scrape));
            return exporter;
        } catch (IOException e) {
            exporter.registry.close();
            throw new ExporterException(
                    "--metrics: cannot listen on " + address.getHostString() + ":" + address.getPort() + ": "
                            + e.getMessage() + "; choose another port",
                    e);
        }
    }

    private String page(Function<PrometheusMeterRegistry, String> format) {
        metrics.withdrawSilent();
        return format.apply(registry);
    }

    /** Returns where it listens, with the port that was found for port 0. */
    public InetSocketAddress address() {
        return server.address();
    }

    @Override
    public void ready(String target, String address) {
        metrics.ready(target, address);
    }

    @Override
    public void trends(List<Drift> drifts) {
        trends.set(drifts);
    }

    @Override
    public void interval(String target, Interval interval) {
        if (interval.phase == Interval.Phase.FULL_LOAD) {
            // A load of its own, beside which what was measured could not be seen.
            return;
        }
        metrics.interval(target, interval);
        responseTime.add(target, interval.responseTime());
        serviceTime.add(target, interval.serviceTime());
        generatorLag.add(target, interval.generatorLag());
    }

    /** Ends the server; the metrics are gone with it. */
    @Override
    public void close() {
        server.close();
        registry.close();
    }
}
