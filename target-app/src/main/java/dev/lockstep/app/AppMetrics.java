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
 * What Vert.x measures of its HTTP servers and sockets, by Micrometer for Prometheus. Any thread; closed by the
 * application.
 *
 * <p>Nothing is measured of the JVM: the comparison reads that from outside, and the beans behind it would be part of
 * the start-up time.
 */
final class AppMetrics implements AutoCloseable {
    private static final Set<String> METHODS =
            Set.of("CONNECT", "DELETE", "GET", "HEAD", "OPTIONS", "PATCH", "POST", "PUT", "TRACE");

    private static final AtomicInteger COUNT = new AtomicInteger();

    private final PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
    /** Vert.x keeps registries by name for the whole JVM, where tests have several applications. */
    private final String name = "target-app-" + COUNT.incrementAndGet();

    AppMetrics() {
        // Recorded traffic may name any method; each would be a time series for ever.
        registry.config()
                .meterFilter(MeterFilter.replaceTagValues(
                        Label.HTTP_METHOD.toString(), method -> METHODS.contains(method) ? method : "OTHER"));
    }

    /** Makes a Vert.x that measures into this. */
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

    /** Shows what was burnt, so that the true ratio of an experiment can be checked. */
    void add(ExtraCpu extraCpu) {
        FunctionCounter.builder("target.extra.cpu.seconds", extraCpu, burner -> burner.burntNs() / 1e9)
                .description("CPU time burnt on purpose, see --burn-cpu")
                .register(registry);
    }

    /** Returns all metrics in Prometheus's text format. */
    String text() {
        return registry.scrape();
    }

    @Override
    public void close() {
        BackendRegistries.stop(name);
        registry.close();
    }
}
