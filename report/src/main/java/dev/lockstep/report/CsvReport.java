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
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalLong;
import java.util.function.ToLongFunction;

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
        StringBuilder out = new StringBuilder();
        out.append(Csv.line(headings()));
        for (TargetResult target : result.targets()) {
            out.append(Csv.line(row(target)));
        }
        return out.toString();
    }

    private static List<String> headings() {
        List<String> headings = new ArrayList<>(List.of(
                "status",
                "name",
                "jit",
                "jvm",
                "sent",
                "completed",
                "errors",
                "unanswered",
                "unsent",
                "deferred",
                "connections",
                "oneway",
                "opaqueBytesSent",
                "outages",
                "throughputPerSec"));
        for (ErrorKind kind : ErrorKind.values()) {
            headings.add("errors." + kind.key());
        }
        for (int hundreds = 1; hundreds <= LAST_STATUS_CLASS; hundreds++) {
            headings.add("statusClasses." + hundreds + "xx");
        }
        for (String times : List.of("responseTimeNs", "serviceTimeNs", "generatorLagNs", "ownLagNs")) {
            for (Level level : Level.values()) {
                headings.add(times + "." + level.key());
            }
            headings.add(times + ".max");
            headings.add(times + ".mean");
        }
        headings.addAll(List.of(
                "cpuNsPerRequest",
                "appCpuNsPerRequest",
                "jitCpuNsPerRequest",
                "gcCpuNsPerRequest",
                "userCpuNsPerRequest",
                "systemCpuNsPerRequest",
                "rssBytes",
                "memoryLimitBytes",
                "memoryPeakBytes",
                "cpus",
                "startupNs",
                "comparison.compared",
                "comparison.different",
                "allocatedBytesPerRequest",
                "startup.jvmNs",
                "startup.portNs"));
        for (Cost cost : COSTS) {
            headings.add(cost.key());
        }
        headings.addAll(List.of(
                "warmup.steady",
                "warmup.durationNs",
                "warmup.requests",
                "verdict.metric",
                "verdict.ratio",
                "verdict.low",
                "verdict.high",
                "verdict.verdict",
                "died",
                "steadyCpuNsPerRequest",
                "fullLoad.steadyCpuNsPerRequest"));
        return headings;
    }

    private List<String> row(TargetResult target) {
        Optional<LoadCounts> counts = target.counts();
        List<String> cells = new ArrayList<>();
        cells.add(result.status().name());
        cells.add(target.name());
        cells.add(target.jit().orElse(""));
        cells.add(target.jvm().orElse(""));
        cells.add(cell(counts, c -> c.sent));
        cells.add(cell(counts, c -> c.completed));
        cells.add(cell(counts, LoadCounts::errors));
        cells.add(cell(counts, c -> c.unanswered));
        cells.add(cell(counts, c -> c.unsent));
        cells.add(cell(counts, c -> c.deferred));
        cells.add(cell(counts, c -> c.connections));
        cells.add(cell(counts, c -> c.oneway));
        cells.add(cell(counts, c -> c.opaqueBytesSent));
        cells.add(cell(counts, c -> target.outages().size() + target.outagesLeftOut()));
        cells.add(cell(target.throughputPerSec()));
        for (ErrorKind kind : ErrorKind.values()) {
            cells.add(cell(counts, c -> c.errors(kind)));
        }
        for (int hundreds = 1; hundreds <= LAST_STATUS_CLASS; hundreds++) {
            int status = hundreds;
            cells.add(cell(counts, c -> c.statusClass(status)));
        }
        times(cells, target.responseTime());
        times(cells, target.serviceTime());
        times(cells, target.generatorLag());
        times(cells, target.ownLag());
        PerRequest per = target.perRequest();
        cells.add(cell(per.cpuNsPerRequest()));
        cells.add(cell(per.appCpuNsPerRequest()));
        cells.add(cell(per.jitCpuNsPerRequest()));
        cells.add(cell(per.gcCpuNsPerRequest()));
        cells.add(cell(per.userCpuNsPerRequest()));
        cells.add(cell(per.systemCpuNsPerRequest()));
        cells.add(cell(target.rssBytes()));
        cells.add(cell(target.memoryLimitBytes()));
        cells.add(cell(target.memoryPeakBytes()));
        cells.add(target.cpus().orElse(""));
        cells.add(cell(target.startupNs()));
        cells.add(target.comparison().map(c -> Long.toString(c.compared())).orElse(""));
        cells.add(target.comparison().map(c -> Long.toString(c.different())).orElse(""));
        cells.add(cell(per.allocatedBytesPerRequest()));
        cells.add(cell(target.startup().map(Startup::jvmNs).orElse(OptionalLong.empty())));
        cells.add(cell(target.startup().map(Startup::portNs).orElse(OptionalLong.empty())));
        for (Cost cost : COSTS) {
            cells.add(cell(target.costs().get(cost)));
        }
        cells.add(target.warmup()
                .map(warmup -> Boolean.toString(warmup.isSteady()))
                .orElse(""));
        // Of a steady one until then, where that is known.
        Optional<Warmup> warmup =
                target.warmup().filter(found -> !found.isSteady()).or(target::warmupToSteady);
        cells.add(cell(warmup.map(Warmup::durationNs).orElse(OptionalLong.empty())));
        cells.add(cell(warmup.map(Warmup::requests).orElse(OptionalLong.empty())));
        verdict(cells, target);
        cells.add(Long.toString(died(target)));
        cells.add(cell(per.steadyCpuNsPerRequest()));
        cells.add(cell(target.fullLoad().map(FullLoad::steadyCpuNsPerRequest).orElseGet(OptionalDouble::empty)));
        return cells;
    }

    /** Returns in how many launches it died. */
    private static long died(TargetResult target) {
        long launches = target.launches().stream()
                .filter(launch -> launch.exit().isPresent())
                .count();
        return launches == 0 && target.exit().isPresent() ? 1 : launches;
    }

    /** Adds what the primary metric says of a target; nothing of the baseline, as of one that was not compared. */
    private void verdict(List<String> cells, TargetResult target) {
        Verdict verdict = result.verdicts().stream()
                .filter(one -> one.primary() && one.target().equals(target.name()))
                .findFirst()
                .orElse(null);
        if (verdict == null) {
            cells.addAll(List.of("", "", "", "", ""));
            return;
        }
        Verdict.Interval interval = verdict.interval();
        cells.add(verdict.metric());
        cells.add(cell(verdict.ratio()));
        cells.add(interval == null ? "" : cell(OptionalDouble.of(interval.low())));
        cells.add(interval == null ? "" : cell(OptionalDouble.of(interval.high())));
        cells.add(verdict.finding().key());
    }

    private static void times(List<String> cells, Optional<Percentiles> times) {
        boolean any = times.map(Percentiles::count).orElse(0L) > 0;
        for (Level level : Level.values()) {
            cells.add(
                    any && times.get().supports(level) && times.get().stands(level)
                            ? Long.toString(times.get().at(level))
                            : "");
        }
        // The slowest request may be one without an answer, of which nothing but a lower bound is known.
        cells.add(
                any && times.get().withoutAnswer() == 0
                        ? Long.toString(times.get().max())
                        : "");
        cells.add(any ? Long.toString(times.get().mean()) : "");
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
