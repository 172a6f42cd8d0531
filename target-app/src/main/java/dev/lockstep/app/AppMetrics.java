package dev.lockstep.app;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.config.MeterFilter;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.micrometer.Label;
import io.vertx.micrometer.MetricsDomain;
import io.vertx.micrometer.MicrometerMetricsFactory;
import io.vertx.micrometer.MicrometerMetricsOptions;
import io.vertx.micrometer.backends.BackendRegistries;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Vert.x's metrics of HTTP servers and sockets, through Micrometer, for Prometheus. Any thread; closed by the
 * application.
 *
 * <p>The JVM is not measured: a comparison reads that from outside, and loading the management beans would add to the
 * start-up time.
 */
final class AppMetrics implements AutoCloseable {
    private static final Set<String> METHODS =
            Set.of("CONNECT", "DELETE", "GET", "HEAD", "OPTIONS", "PATCH", "POST", "PUT", "TRACE");

    private static final AtomicInteger COUNT = new AtomicInteger();

    private final PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
    /** Vert.x keeps registries by name for the whole JVM, and tests start several applications in one. */
    private final String name = "target-app-" + COUNT.incrementAndGet();

    AppMetrics() {
        // Recorded traffic may name any method, and each would become a time series.
        registry.config()
                .meterFilter(MeterFilter.replaceTagValues(
                        Label.HTTP_METHOD.toString(), method -> METHODS.contains(method) ? method : "OTHER"));
    }

    Vertx build(VertxOptions options) {
        options.setMetricsOptions(new MicrometerMetricsOptions()
                .setEnabled(true)
                .setRegistryName(name)
                .addDisabledMetricsCategory(MetricsDomain.EVENT_BUS)
                .addDisabledMetricsCategory(MetricsDomain.NAMED_POOLS)
                .addDisabledMetricsCategory(MetricsDomain.VERTICLES));
        return Vertx.builder()
                .with(options)
                .withMetrics(new MicrometerMetricsFactory(registry))
                .build();
    }

    /** Shows what was burnt, to check the true ratio of an experiment. */
    void add(ExtraCpu extraCpu) {
        FunctionCounter.builder("target.extra.cpu.seconds", extraCpu, burner -> burner.burntNs() / 1e9)
                .description("CPU time burnt on purpose, see --burn-cpu")
                .register(registry);
    }

    /** All metrics in Prometheus's text format. */
    String text() {
        return registry.scrape();
    }

    @Override
    public void close() {
        BackendRegistries.stop(name);
        registry.close();
    }
}
