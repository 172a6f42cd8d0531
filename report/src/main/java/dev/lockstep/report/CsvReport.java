package dev.lockstep.report;

import dev.lockstep.measurement.Cost;
import dev.lockstep.measurement.ErrorKind;
import dev.lockstep.measurement.LoadCounts;
import dev.lockstep.measurement.Percentiles;
import dev.lockstep.measurement.Percentiles.Level;
import dev.lockstep.results.FullLoad;
import dev.lockstep.results.PerRequest;
import dev.lockstep.results.RunResult;
import dev.lockstep.results.Startup;
import dev.lockstep.results.TargetResult;
import dev.lockstep.results.Verdict;
import dev.lockstep.results.Warmup;
import java.math.BigDecimal;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalLong;
import java.util.function.ToLongFunction;
import java.util.stream.Collectors;

/**
 * One line per target with a heading line, as {@link Csv} writes them. Columns have the names of the fields in
 * {@code run.json}, with a dot for one within another; what is absent there or not supported by enough answers is empty
 * here.
 */
final class CsvReport {
    private static final int LAST_STATUS_CLASS = 5;

    /** Those that have no column per request. */
    private static final List<Cost> COSTS = List.of(
            Cost.JIT_CPU,
            Cost.GC_CPU,
            Cost.GC_CYCLES,
            Cost.GC_PAUSE,
            Cost.HEAP_USED,
            Cost.OLD_GEN_USED,
            Cost.OOM_KILLS,
            Cost.APPLICATION_CPU);

    private final RunResult result;

    CsvReport(RunResult result) {
        this.result = result;
    }

    @Override
    public String toString() {
        List<Map<String, String>> rows =
                result.targets().stream().map(this::row).collect(Collectors.toList());
        StringBuilder out = new StringBuilder(Csv.line(rows.get(0).keySet()));
        rows.forEach(row -> out.append(Csv.line(row.values())));
        return out.toString();
    }

    /** Returns the cells of a target by their headings, in order. */
    private Map<String, String> row(TargetResult target) {
        Optional<LoadCounts> counts = target.counts();
        // What only the end of a run knows.
        Optional<LoadCounts> ended = counts.filter(any -> !target.knowsStatusClassesOnly());
        Map<String, String> cells = new LinkedHashMap<>();
        cells.put("status", result.status().name());
        cells.put("name", target.name());
        cells.put("jit", target.jit().orElse(""));
        cells.put("jvm", target.jvm().orElse(""));
        cells.put("sent", cell(counts, c -> c.sent));
        cells.put("completed", cell(counts, c -> c.completed));
        cells.put("errors", cell(counts, LoadCounts::errors));
        cells.put("unanswered", cell(counts, c -> c.unanswered));
        cells.put("unsent", cell(ended, c -> c.unsent));
        cells.put("deferred", cell(counts, c -> c.deferred));
        cells.put("connections", cell(counts, c -> c.connections));
        cells.put("oneway", cell(counts, c -> c.oneway));
        cells.put("opaqueBytesSent", cell(counts, c -> c.opaqueBytesSent));
        cells.put("outages", cell(ended, c -> target.outages().size() + target.outagesLeftOut()));
        cells.put("throughputPerSec", cell(target.throughputPerSec()));
        for (ErrorKind kind : ErrorKind.values()) {
            cells.put("errors." + kind.key(), cell(counts, c -> c.errors(kind)));
        }
        for (int hundreds = 1; hundreds <= LAST_STATUS_CLASS; hundreds++) {
            int status = hundreds;
            cells.put("statusClasses." + status + "xx", cell(counts, c -> c.statusClass(status)));
        }
        times(cells, "responseTimeNs", target.responseTime());
        times(cells, "serviceTimeNs", target.serviceTime());
        times(cells, "generatorLagNs", target.generatorLag());
        times(cells, "ownLagNs", target.ownLag());
        PerRequest per = target.perRequest();
        cells.put("cpuNsPerRequest", cell(per.cpuNsPerRequest()));
        cells.put("appCpuNsPerRequest", cell(per.appCpuNsPerRequest()));
        cells.put("jitCpuNsPerRequest", cell(per.jitCpuNsPerRequest()));
        cells.put("gcCpuNsPerRequest", cell(per.gcCpuNsPerRequest()));
        cells.put("userCpuNsPerRequest", cell(per.userCpuNsPerRequest()));
        cells.put("systemCpuNsPerRequest", cell(per.systemCpuNsPerRequest()));
        cells.put("rssBytes", cell(target.rssBytes()));
        cells.put("memoryLimitBytes", cell(target.memoryLimitBytes()));
        cells.put("memoryPeakBytes", cell(target.memoryPeakBytes()));
        cells.put("cpus", target.cpus().orElse(""));
        cells.put("startupNs", cell(target.startupNs()));
        cells.put(
                "comparison.compared",
                target.comparison().map(c -> Long.toString(c.compared())).orElse(""));
        cells.put(
                "comparison.different",
                target.comparison().map(c -> Long.toString(c.different())).orElse(""));
        cells.put("allocatedBytesPerRequest", cell(per.allocatedBytesPerRequest()));
        cells.put("startup.jvmNs", cell(target.startup().map(Startup::jvmNs).orElse(OptionalLong.empty())));
        cells.put("startup.portNs", cell(target.startup().map(Startup::portNs).orElse(OptionalLong.empty())));
        for (Cost cost : COSTS) {
            cells.put(cost.key(), cell(target.costs().get(cost)));
        }
        cells.put(
                "warmup.steady",
                target.warmup()
                        .map(warmup -> Boolean.toString(warmup.isSteady()))
                        .orElse(""));
        // Of a steady one until then, where that is known.
        Optional<Warmup> warmup =
                target.warmup().filter(found -> !found.isSteady()).or(target::warmupToSteady);
        cells.put("warmup.durationNs", cell(warmup.map(Warmup::durationNs).orElse(OptionalLong.empty())));
        cells.put("warmup.requests", cell(warmup.map(Warmup::requests).orElse(OptionalLong.empty())));
        // What the primary metric says; nothing of the baseline, as of one that was not compared.
        Optional<Verdict> verdict = result.verdicts().stream()
                .filter(one -> one.primary() && one.target().equals(target.name()))
                .findFirst();
        Optional<Verdict.Interval> interval = verdict.map(Verdict::interval);
        cells.put("verdict.metric", verdict.map(Verdict::metric).orElse(""));
        cells.put("verdict.ratio", verdict.map(one -> cell(one.ratio())).orElse(""));
        cells.put(
                "verdict.low",
                interval.map(one -> cell(OptionalDouble.of(one.low()))).orElse(""));
        cells.put(
                "verdict.high",
                interval.map(one -> cell(OptionalDouble.of(one.high()))).orElse(""));
        cells.put("verdict.verdict", verdict.map(one -> one.finding().key()).orElse(""));
        cells.put("died", Long.toString(died(target)));
        cells.put("steadyCpuNsPerRequest", cell(per.steadyCpuNsPerRequest()));
        cells.put(
                "fullLoad.steadyCpuNsPerRequest",
                cell(target.fullLoad().map(FullLoad::steadyCpuNsPerRequest).orElseGet(OptionalDouble::empty)));
        return cells;
    }

    /** Returns in how many launches it died. */
    private static long died(TargetResult target) {
        long launches = target.launches().stream()
                .filter(launch -> launch.exit().isPresent())
                .count();
        return launches == 0 && target.exit().isPresent() ? 1 : launches;
    }

    private static void times(Map<String, String> cells, String name, Optional<Percentiles> times) {
        boolean any = times.map(Percentiles::count).orElse(0L) > 0;
        for (Level level : Level.values()) {
            boolean known = any && times.get().supports(level) && times.get().stands(level);
            cells.put(
                    name + "." + level.key(), known ? Long.toString(times.get().at(level)) : "");
        }
        // The slowest request may be one without an answer, of which nothing but a lower bound is known.
        boolean answered = any && times.get().withoutAnswer() == 0;
        cells.put(name + ".max", answered ? Long.toString(times.get().max()) : "");
        cells.put(name + ".mean", any ? Long.toString(times.get().mean()) : "");
    }

    private static String cell(Optional<LoadCounts> counts, ToLongFunction<LoadCounts> which) {
        return counts.map(c -> Long.toString(which.applyAsLong(c))).orElse("");
    }

    private static String cell(OptionalLong value) {
        return value.isPresent() ? Long.toString(value.getAsLong()) : "";
    }

    private static String cell(OptionalDouble value) {
        return value.isPresent() && Double.isFinite(value.getAsDouble())
                ? BigDecimal.valueOf(value.getAsDouble()).toPlainString()
                : "";
    }
}
