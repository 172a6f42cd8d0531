package dev.lockstep.exporter;

import dev.lockstep.measurement.Cost;
import dev.lockstep.measurement.LoadCounts;
import dev.lockstep.measurement.Percentiles;
import dev.lockstep.measurement.Percentiles.Level;
import dev.lockstep.results.FullLoad;
import dev.lockstep.results.PerRequest;
import dev.lockstep.results.RunResult;
import dev.lockstep.results.RunStatus;
import dev.lockstep.results.TargetResult;
import dev.lockstep.results.Verdict;
import io.micrometer.core.instrument.Clock;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.prometheus.metrics.model.registry.MultiCollector;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import io.prometheus.metrics.model.snapshots.Exemplars;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot.GaugeDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.Labels;
import io.prometheus.metrics.model.snapshots.MetricMetadata;
import io.prometheus.metrics.model.snapshots.MetricSnapshot;
import io.prometheus.metrics.model.snapshots.MetricSnapshots;
import io.prometheus.metrics.model.snapshots.Quantile;
import io.prometheus.metrics.model.snapshots.Quantiles;
import io.prometheus.metrics.model.snapshots.SummarySnapshot;
import io.prometheus.metrics.model.snapshots.SummarySnapshot.SummaryDataPointSnapshot;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalLong;
import java.util.TreeMap;
import java.util.regex.Pattern;

/**
 * The final figures of a run as a page of OpenMetrics: for the node exporter's textfile collector, a Pushgateway, or
 * whatever else reads such a file. Only gauges and summaries, which are the same in Prometheus's own format, so that
 * readers of either take it. What was not measured is not in it.
 */
public final class ResultMetrics {
    private static final String PREFIX = "lockstep_result_";
    private static final String TARGET = "target";
    private static final double NS_PER_SEC = 1e9;
    private static final int STATUS_CLASSES = 10;
    /** What could command a terminal or turn the direction of its text. */
    private static final Pattern CONTROL =
            Pattern.compile("[\\p{Cc}\\p{Cs}\\p{Zl}\\p{Zp}\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069]");

    private static final Map<Level, Double> QUANTILES = Map.of(
            Level.P50, 0.5, Level.P90, 0.9, Level.P95, 0.95, Level.P99, 0.99, Level.P999, 0.999, Level.P9999, 0.9999);

    private final Map<String, String> help = new TreeMap<>();
    private final Map<String, List<GaugeDataPointSnapshot>> gauges = new TreeMap<>();
    private final Map<String, List<SummaryDataPointSnapshot>> summaries = new TreeMap<>();

    private ResultMetrics(RunResult result) {
        gauge(
                "run",
                "What was run: always 1.",
                1,
                labels("version", result.environment().lockstepVersion())
                        .add("capture", printable(result.plan().capture().path()))
                        .add("pace", result.plan().pace().toString())
                        .add("schedule", result.plan().schedule().key())
                        .add("baseline", result.plan().baseline()));
        gauge("valid", "Whether the figures are to be trusted: 1 or 0.", bit(result.status() == RunStatus.VALID));
        gauge(
                "finish_time_seconds",
                "When the run ended, Unix time.",
                result.finishedAt().toInstant().toEpochMilli() / 1e3);
        for (TargetResult target : result.targets()) {
            Labels labels = labels(TARGET, target.name());
            load(target, labels);
            costs(target, labels);
            gauge(
                    "died",
                    "Whether it ended before Lockstep stopped it: 1 or 0.",
                    bit(target.exit().isPresent()),
                    labels);
            target.startupNs()
                    .ifPresent(ns -> gauge(
                            "startup_seconds",
                            "From the start of the process to the first good answer.",
                            ns / NS_PER_SEC,
                            labels));
            target.warmup()
                    .ifPresent(warmup -> gauge(
                            "steady",
                            "Whether the target was steady when measured: 1 or 0.",
                            bit(warmup.isSteady()),
                            labels));
        }
        result.verdicts().forEach(this::verdict);
        // One that was given twice is one.
        Map<String, Boolean> conditions = new LinkedHashMap<>();
        result.assertions().forEach(one -> conditions.merge(one.text(), one.holds(), Boolean::logicalAnd));
        conditions.forEach((text, holds) -> gauge(
                "condition", "Whether a condition of --assert holds: 1 or 0.", bit(holds), labels("condition", text)));
    }

    /** Returns the page, to be written as UTF-8. */
    public static String page(RunResult result) {
        ResultMetrics metrics = new ResultMetrics(result);
        PrometheusRegistry prometheus = new PrometheusRegistry();
        PrometheusMeterRegistry registry =
                new PrometheusMeterRegistry(PrometheusConfig.DEFAULT, prometheus, Clock.SYSTEM);
        prometheus.register((MultiCollector) metrics::snapshots);
        try {
            return OpenMetrics.scrape(registry);
        } finally {
            registry.close();
        }
    }

    private MetricSnapshots snapshots() {
        List<MetricSnapshot> all = new ArrayList<>();
        gauges.forEach((name, points) -> all.add(new GaugeSnapshot(new MetricMetadata(name, help.get(name)), points)));
        summaries.forEach(
                (name, points) -> all.add(new SummarySnapshot(new MetricMetadata(name, help.get(name)), points)));
        return new MetricSnapshots(all);
    }

    private void load(TargetResult target, Labels labels) {
        target.counts().ifPresent(counts -> counts(counts, labels));
        target.throughputPerSec()
                .ifPresent(rate -> gauge("requests_per_second", "Completed requests in a second.", rate, labels));
        times("response_time_seconds", "From the intended send to the last byte.", target.responseTime(), labels);
        times("service_time_seconds", "From the actual send to the last byte.", target.serviceTime(), labels);
        times("generator_lag_seconds", "From the intended to the actual send.", target.generatorLag(), labels);
    }

    private void counts(LoadCounts counts, Labels labels) {
        String requests = "What came of the requests that were due; a 5xx is a completed one, and told by responses.";
        gauge("requests", requests, counts.completed, labels.add("outcome", "completed"));
        gauge("requests", requests, counts.errors(), labels.add("outcome", "failed"));
        gauge("requests", requests, counts.unanswered, labels.add("outcome", "unanswered"));
        gauge("requests", requests, counts.unsent, labels.add("outcome", "unsent"));
        for (int hundreds = 0; hundreds < STATUS_CLASSES; hundreds++) {
            long answers = counts.statusClass(hundreds);
            if (answers > 0) {
                gauge("responses", "Answers by class of status.", answers, labels.add("status", hundreds + "xx"));
            }
        }
        counts.errorsByKind()
                .forEach((kind, failed) ->
                        gauge("errors", "Failed requests by kind.", failed, labels.add("kind", kind.key())));
    }

    /** Percentiles that few values or requests without an answer make undependable are left out. */
    private void times(String name, String text, Optional<Percentiles> found, Labels labels) {
        Percentiles times = found.filter(some -> some.count() > 0).orElse(null);
        if (times == null) {
            return;
        }
        List<Quantile> quantiles = new ArrayList<>();
        for (Level level : Level.values()) {
            if (times.supports(level) && times.stands(level)) {
                quantiles.add(new Quantile(QUANTILES.get(level), times.at(level) / NS_PER_SEC));
            }
        }
        summaries
                .computeIfAbsent(named(name, text), first -> new ArrayList<>())
                .add(new SummaryDataPointSnapshot(
                        times.count(),
                        times.mean() / NS_PER_SEC * times.count(),
                        Quantiles.of(quantiles),
                        labels,
                        Exemplars.EMPTY,
                        0));
    }

    private void costs(TargetResult target, Labels labels) {
        for (Cost cost : Cost.values()) {
            OptionalLong value = target.costs().get(cost);
            TargetMetric.Place place = TargetMetric.Place.of(cost);
            if (value.isPresent()) {
                gauge(
                        name(place.metric),
                        place.metric.help,
                        value.getAsLong() / place.divisor,
                        place.label == null ? labels : labels.add(place.label, place.value));
            }
        }
        PerRequest per = target.perRequest();
        perRequest(per.cpuNsPerRequest(), "all", labels);
        perRequest(per.steadyCpuNsPerRequest(), "without_jit", labels);
        perRequest(per.appCpuNsPerRequest(), "application", labels);
        perRequest(per.jitCpuNsPerRequest(), "jit", labels);
        perRequest(per.gcCpuNsPerRequest(), "gc", labels);
        perRequest(per.userCpuNsPerRequest(), "user", labels);
        perRequest(per.systemCpuNsPerRequest(), "system", labels);
        perRequest(
                target.fullLoad().map(FullLoad::steadyCpuNsPerRequest).orElseGet(OptionalDouble::empty),
                "without_jit_at_full_load",
                labels);
        per.allocatedBytesPerRequest()
                .ifPresent(bytes -> gauge(
                        "allocated_per_request_bytes",
                        "What a successful request allocated on the heap.",
                        bytes,
                        labels));
    }

    private void perRequest(OptionalDouble ns, String kind, Labels labels) {
        ns.ifPresent(value -> gauge(
                "cpu_per_request_seconds",
                "CPU time of a successful request by what it was spent on.",
                value / NS_PER_SEC,
                labels.add("kind", kind)));
    }

    /** Returns the rest of the name that a metric has here: of final figures none is a counter. */
    private static String name(TargetMetric metric) {
        return metric.meterName.replaceFirst("^lockstep\\.target\\.", "").replace('.', '_')
                + (metric.unit == null ? "" : "_" + metric.unit);
    }

    private void verdict(Verdict verdict) {
        Labels labels = labels(TARGET, verdict.target())
                .add("baseline", verdict.baseline())
                .add("metric", verdict.metric())
                .add("primary", Boolean.toString(verdict.primary()));
        String text = "Target over baseline, with the interval that decides.";
        verdict.ratio().ifPresent(ratio -> gauge("ratio", text, ratio, labels.add("bound", "estimate")));
        if (verdict.interval() != null) {
            gauge("ratio", text, verdict.interval().low(), labels.add("bound", "low"));
            gauge("ratio", text, verdict.interval().high(), labels.add("bound", "high"));
        }
        gauge(
                "verdict",
                "What was found of a metric: always 1.",
                1,
                labels.add("verdict", verdict.finding().key()));
    }

    private void gauge(String name, String text, double value) {
        gauge(name, text, value, Labels.EMPTY);
    }

    private void gauge(String name, String text, double value, Labels labels) {
        gauges.computeIfAbsent(named(name, text), first -> new ArrayList<>())
                .add(new GaugeDataPointSnapshot(value, labels, null));
    }

    private String named(String name, String text) {
        help.put(PREFIX + name, text);
        return PREFIX + name;
    }

    private static double bit(boolean holds) {
        return holds ? 1 : 0;
    }

    private static Labels labels(String name, String value) {
        return Labels.of(name, printable(value));
    }

    private static String printable(String foreign) {
        return CONTROL.matcher(foreign).replaceAll("?");
    }
}
