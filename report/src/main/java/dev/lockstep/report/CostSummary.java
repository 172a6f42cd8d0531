package dev.lockstep.report;

import static dev.lockstep.report.Figures.threeDigits;

import dev.lockstep.measurement.Cost;
import dev.lockstep.measurement.Costs;
import dev.lockstep.measurement.GcOverlap;
import dev.lockstep.measurement.LaunchResult;
import dev.lockstep.measurement.TargetResult;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalDouble;
import java.util.OptionalLong;

/** What one target cost, a line for each quantity that is known, below its {@link HeySummary} and in its layout. */
final class CostSummary {
    private static final double NS_PER_US = 1e3;
    private static final double NS_PER_MS = 1e6;
    private static final double NS_PER_SEC = 1e9;
    private static final double BYTES_PER_KIB = 1 << 10;
    private static final double BYTES_PER_MIB = 1 << 20;

    private final StringBuilder out = new StringBuilder();

    private CostSummary() {}

    /** Returns the lines, starting with an empty one; nothing where nothing is known. */
    static String of(TargetResult target) {
        CostSummary summary = new CostSummary();
        summary.append(target);
        long launches =
                target.launches().stream().filter(LaunchResult::isMeasured).count();
        return summary.out.length() == 0
                ? ""
                : "\nCost" + (launches > 1 ? " of " + launches + " launches" : "") + ":\n" + summary.out;
    }

    private void append(TargetResult target) {
        Costs costs = target.costs();
        line(
                "CPU/request",
                "",
                part("user", target.userCpuNsPerRequest(), NS_PER_US, "us"),
                part("system", target.systemCpuNsPerRequest(), NS_PER_US, "us"));
        line(
                "CPU by threads",
                "",
                part("application", costs.get(Cost.APPLICATION_CPU), NS_PER_SEC, "s"),
                part("JIT", costs.get(Cost.JIT_CPU), NS_PER_SEC, "s"),
                part("GC", costs.get(Cost.GC_CPU), NS_PER_SEC, "s"));
        line("Allocated/request", "", part("", target.perRequest(Cost.ALLOCATED), BYTES_PER_KIB, "KiB"));
        costs.get(Cost.GC_CYCLES)
                .ifPresent(cycles -> line(
                        "Collections",
                        Long.toString(cycles),
                        part("stopped for", costs.get(Cost.GC_PAUSE), NS_PER_MS, "ms")));
        target.gcOverlap().ifPresent(overlap -> line("Tail", tail(overlap)));
        line(
                "Java heap",
                "",
                part("used", costs.get(Cost.HEAP_USED), BYTES_PER_MIB, "MiB"),
                part("old generation", costs.get(Cost.OLD_GEN_USED), BYTES_PER_MIB, "MiB"));
        line(
                "Memory",
                "",
                part("RSS", target.rssBytes(), BYTES_PER_MIB, "MiB"),
                part("peak of the group", target.memoryPeakBytes(), BYTES_PER_MIB, "MiB"),
                part("limit", target.memoryLimitBytes(), BYTES_PER_MIB, "MiB"));
        target.cpus().ifPresent(cpus -> line("Ran on CPUs", Figures.printable(cpus)));
    }

    private static String tail(GcOverlap overlap) {
        String kept = overlap.requestsAbove() > overlap.requests()
                ? Figures.format(" whose times were kept, of %d", overlap.requestsAbove())
                : "";
        return overlap.share().isPresent()
                ? Figures.format(
                        "%.0f %% of the requests above p99.9 overlapped a GC pause (%d of %d%s)",
                        100 * overlap.share().getAsDouble(), overlap.overlapped(), overlap.requests(), kept)
                : Figures.format(
                        "%d of the %d slowest request%s overlapped a GC pause (too few for a share)",
                        overlap.overlapped(), overlap.requests(), overlap.requests() == 1 ? "" : "s");
    }

    private void line(String name, String first, String... others) {
        List<String> parts = new ArrayList<>();
        for (String part : others) {
            if (!part.isEmpty()) {
                parts.add(part);
            }
        }
        if (!first.isEmpty()) {
            parts.add(0, first);
        }
        if (!parts.isEmpty()) {
            out.append("  ")
                    .append(name)
                    .append(":\t")
                    .append(String.join(", ", parts))
                    .append('\n');
        }
    }

    private static String part(String name, OptionalDouble value, double unit, String unitName) {
        return value.isEmpty()
                ? ""
                : (name.isEmpty() ? "" : name + " ") + threeDigits(value.getAsDouble() / unit) + " " + unitName;
    }

    private static String part(String name, OptionalLong value, double unit, String unitName) {
        return part(
                name, value.isEmpty() ? OptionalDouble.empty() : OptionalDouble.of(value.getAsLong()), unit, unitName);
    }
}
