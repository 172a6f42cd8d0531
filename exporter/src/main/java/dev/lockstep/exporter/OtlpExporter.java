package dev.lockstep.exporter;

import dev.lockstep.measurement.Interval;
import dev.lockstep.results.Drift;
import dev.lockstep.results.RunPlan;
import io.micrometer.core.instrument.Clock;
import io.micrometer.core.instrument.MultiGauge;
import io.micrometer.core.instrument.Tags;
import io.micrometer.registry.otlp.AggregationTemporality;
import io.micrometer.registry.otlp.OtlpConfig;
import io.micrometer.registry.otlp.OtlpMeterRegistry;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.logging.Level;
import java.util.logging.Logger;

/**
 * Sends what a run measures to a collector of OpenTelemetry, every ten seconds and once more when closed: the metrics
 * of {@link MetricsExporter} under names with dots, with quantiles in place of histograms. A collector that does not
 * take them costs the run nothing but one warning.
 */
public final class OtlpExporter implements Exporter {
    private static final String PATH = "/v1/metrics";
    private static final String SERVICE = "service.name";
    private static final Duration STEP = Duration.ofSeconds(10);
    private static final double SECONDS_PER_HOUR = 3600;
    private static final double NS_PER_SEC = 1e9;
    /** Micrometer tells of itself on standard error; held here, for the JDK forgets loggers and their levels. */
    private static final Logger NARRATION = Logger.getLogger("io.micrometer");

    static {
        NARRATION.setLevel(Level.OFF);
    }

    private final OtlpMeterRegistry registry;
    private final OtlpSender sender;
    private final RunMetrics metrics;
    private final MultiGauge memoryTrend;
    private final MultiGauge timeTrend;
    private final MultiGauge trendFound;

    private OtlpExporter(
            OtlpMeterRegistry registry, OtlpSender sender, RunPlan plan, String version, LongSupplier clockNs) {
        this.registry = registry;
        this.sender = sender;
        metrics = new RunMetrics(registry, plan, version, System.currentTimeMillis(), true, clockNs);
        memoryTrend = MultiGauge.builder("lockstep.target.memory.trend")
                .baseUnit("bytes_per_second")
                .register(registry);
        timeTrend = MultiGauge.builder("lockstep.target.response.time.p99.trend")
                .baseUnit("seconds_per_second")
                .register(registry);
        trendFound = MultiGauge.builder("lockstep.target.trend.found").register(registry);
    }

    /**
     * Starts to send.
     *
     * @param endpoint of the collector; {@code /v1/metrics} is added to one without a path
     * @param headers as {@code OTEL_EXPORTER_OTLP_HEADERS} has them, {@code name=value,name=value}; may be null, and is
     *     never part of a message
     * @param version Lockstep's own
     * @param warning gets one line where the collector does not take the metrics, the first time
     * @throws ExporterException where the headers are none
     */
    public static OtlpExporter launch(
            URI endpoint, String headers, RunPlan plan, String version, Consumer<String> warning) {
        return launch(endpoint, headers, plan, version, warning, System::nanoTime);
    }

    /** @param clockNs monotonic */
    static OtlpExporter launch(
            URI endpoint,
            String headers,
            RunPlan plan,
            String version,
            Consumer<String> warning,
            LongSupplier clockNs) {
        boolean bare = endpoint.getRawPath().isEmpty() || endpoint.getRawPath().equals("/");
        URI address = bare ? endpoint.resolve(PATH) : endpoint;
        Config config = new Config(address, version);
        boolean deltas = config.aggregationTemporality() == AggregationTemporality.DELTA;
        OtlpSender sender = new OtlpSender(address, OtlpHeaders.parse(headers), deltas, warning);
        OtlpMeterRegistry registry = OtlpMeterRegistry.builder(config)
                .clock(Clock.SYSTEM)
                .threadFactory(task -> {
                    Thread thread = new Thread(task, "lockstep-otlp");
                    thread.setDaemon(true);
                    return thread;
                })
                .metricsSender(sender)
                .build();
        OtlpExporter exporter = new OtlpExporter(registry, sender, plan, version, clockNs);
        // The registry says to nobody that it is about to look: it is the next time that lacks them.
        sender.afterwards(exporter.metrics::withdrawSilent);
        return exporter;
    }

    /** Everything that is not set here is as OpenTelemetry's environment variables have it, else as by default. */
    private static final class Config implements OtlpConfig {
        private final URI address;
        private final String version;

        Config(URI address, String version) {
            this.address = address;
            this.version = version;
        }

        @Override
        public String get(String key) {
            return null;
        }

        @Override
        public String url() {
            return address.toString();
        }

        @Override
        public Duration step() {
            return STEP;
        }

        @Override
        public AggregationTemporality aggregationTemporality() {
            return temporality(System.getenv("OTEL_EXPORTER_OTLP_METRICS_TEMPORALITY_PREFERENCE"));
        }

        /** Those of the sender. */
        @Override
        public Map<String, String> headers() {
            return Map.of();
        }

        @Override
        public Map<String, String> resourceAttributes() {
            return resource(OtlpConfig.super.resourceAttributes(), System.getenv("OTEL_SERVICE_NAME"), version);
        }
    }

    /**
     * Returns the attributes of what sends.
     *
     * @param found as Micrometer takes them from the environment: values percent-encoded, which it leaves as they are
     * @param service its name as the environment has it, which is not encoded; may be null
     */
    static Map<String, String> resource(Map<String, String> found, String service, String version) {
        Map<String, String> attributes = new HashMap<>(found);
        attributes.replaceAll((name, value) -> {
            String decoded = OtlpHeaders.decoded(value);
            boolean plain = name.equals(SERVICE) && value.equals(service) || decoded == null;
            return plain ? value : decoded;
        });
        attributes.putIfAbsent(SERVICE, "lockstep");
        attributes.putIfAbsent("service.version", version);
        return attributes;
    }

    /**
     * Returns what counters are sent as. Of {@code lowmemory}, which Micrometer does not know, that is cumulative for
     * counters like ours, which are read when they are sent; what is no preference is ignored, as OpenTelemetry wants.
     *
     * @param preference may be null
     */
    static AggregationTemporality temporality(String preference) {
        return "delta".equalsIgnoreCase(preference) ? AggregationTemporality.DELTA : AggregationTemporality.CUMULATIVE;
    }

    @Override
    public void ready(String target, String address) {
        metrics.ready(target, address);
    }

    @Override
    public void trends(List<Drift> drifts) {
        List<MultiGauge.Row<?>> memory = new ArrayList<>();
        List<MultiGauge.Row<?>> time = new ArrayList<>();
        List<MultiGauge.Row<?>> found = new ArrayList<>();
        for (Drift drift : drifts) {
            Tags target = Tags.of("target", drift.target());
            String quantity = TrendMetrics.quantity(drift.metric());
            if (drift.metric().isMemory()) {
                addBounds(memory, drift, target.and("kind", quantity), SECONDS_PER_HOUR);
            } else {
                addBounds(time, drift, target, NS_PER_SEC * SECONDS_PER_HOUR);
            }
            found.add(MultiGauge.Row.of(target.and("quantity", quantity), drift.found() ? 1 : 0));
        }
        memoryTrend.register(memory, true);
        timeTrend.register(time, true);
        trendFound.register(found, true);
    }

    private static void addBounds(List<MultiGauge.Row<?>> rows, Drift drift, Tags tags, double perSecond) {
        rows.add(MultiGauge.Row.of(tags.and("bound", "estimate"), drift.slopePerHour() / perSecond));
        rows.add(MultiGauge.Row.of(tags.and("bound", "low"), drift.low() / perSecond));
        rows.add(MultiGauge.Row.of(tags.and("bound", "high"), drift.high() / perSecond));
    }

    @Override
    public void interval(String target, Interval interval) {
        if (interval.phase != Interval.Phase.FULL_LOAD) {
            metrics.interval(target, interval);
        }
    }

    /** Sends the last figures, for some seconds at most. */
    @Override
    public void close() {
        metrics.withdrawSilent();
        sender.ends();
        registry.close();
    }
}
