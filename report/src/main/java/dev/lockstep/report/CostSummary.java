package dev.lockstep.report;

import static dev.lockstep.report.Figures.threeDigits;

import dev.lockstep.analysis.Starvation;
import dev.lockstep.measurement.Cost;
import dev.lockstep.measurement.Costs;
import dev.lockstep.measurement.GcOverlap;
import dev.lockstep.results.LaunchResult;
import dev.lockstep.results.PerRequest;
import dev.lockstep.results.TargetResult;
import java.util.List;
import java.util.OptionalDouble;
import java.util.OptionalLong;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** What one target cost, a line for each quantity that is known, below its {@link HeySummary} and in its layout. */
final class CostSummary {
    private static final double NS_PER_US = 1e3;
    private static final double NS_PER_MS = 1e6;
    private static final double NS_PER_SEC = 1e9;
    private static final double BYTES_PER_KIB = 1 << 10;
    private static final double BYTES_PER_MIB = 1 << 20;
    /** How far a tab goes on a terminal. */
    private static final int TAB = 8;

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
                : "\nCost"
                        + (launches > 1
                                ? " of " + launches + (target.address().isPresent() ? " blocks" : " launches")
                                : "")
                        + ":\n" + summary.out;
    }

    private void append(TargetResult target) {
        Costs costs = target.costs();
        PerRequest per = target.perRequest();
        line("CPU/request", part("", per.cpuNsPerRequest(), NS_PER_US, "us"));
        line(
                "by threads",
                part("application", per.appCpuNsPerRequest(), NS_PER_US, "us"),
                part("JIT", per.jitCpuNsPerRequest(), NS_PER_US, "us"),
                part("GC", per.gcCpuNsPerRequest(), NS_PER_US, "us"));
        line(
                "by mode",
                part("user", per.userCpuNsPerRequest(), NS_PER_US, "us"),
                part("system", per.systemCpuNsPerRequest(), NS_PER_US, "us"));
        Starvation.measured(target)
                .ifPresent(wait -> line(
                        "Waited for CPU",
                        part("", OptionalLong.of(wait.delayNs()), NS_PER_SEC, "s of its threads"),
                        part("others ran there", OptionalLong.of(wait.othersNs()), NS_PER_SEC, "s"),
                        part(
                                "other machines",
                                wait.stolenNs() == 0 ? OptionalLong.empty() : OptionalLong.of(wait.stolenNs()),
                                NS_PER_SEC,
                                "s")));
        line("Allocated/request", part("", per.allocatedBytesPerRequest(), BYTES_PER_KIB, "KiB"));
        costs.get(Cost.GC_CYCLES)
                .ifPresent(cycles -> line(
                        "Collections",
                        Long.toString(cycles),
                        part("stopped for", costs.get(Cost.GC_PAUSE), NS_PER_MS, "ms")));
        target.gcOverlap().ifPresent(overlap -> line("Tail", tail(overlap)));
        line(
                "Java heap",
                part("used", costs.get(Cost.HEAP_USED), BYTES_PER_MIB, "MiB"),
                part("old generation", costs.get(Cost.OLD_GEN_USED), BYTES_PER_MIB, "MiB"));
        line(
                "Memory",
                part("RSS", target.rssBytes(), BYTES_PER_MIB, "MiB"),
                part("peak of the group", target.memoryPeakBytes(), BYTES_PER_MIB, "MiB"),
                part("limit", target.memoryLimitBytes(), BYTES_PER_MIB, "MiB"));
        target.cpus().ifPresent(cpus -> line("Ran on CPUs", Figures.printable(cpus)));
    }

    private static String tail(GcOverlap overlap) {
        String kept = overlap.requestsAbove() > overlap.requests()
                ? Figures.format(" whose times were kept, of %d", overlap.requestsAbove())
                : "";
        if (overlap.share().isPresent() && overlap.pausedShare().isPresent()) {
            return Figures.format(
                    "GC pauses took %s of the time of the requests above p99.9%s (%d of %d%s met one)",
                    share(overlap.pausedShare().getAsDouble()),
                    overlap.pausedShareByChance().isPresent()
                            ? ", by chance alone "
                                    + share(overlap.pausedShareByChance().getAsDouble())
                            : "",
                    overlap.overlapped(),
                    overlap.requests(),
                    kept);
        }
        return overlap.share().isPresent()
                ? Figures.format(
                        "%.0f %% of the requests above p99.9 overlapped a GC pause (%d of %d%s)",
                        100 * overlap.share().getAsDouble(), overlap.overlapped(), overlap.requests(), kept)
                : Figures.format(
                        "%d of the %d slowest request%s overlapped a GC pause (too few for a share)",
                        overlap.overlapped(), overlap.requests(), overlap.requests() == 1 ? "" : "s");
    }

    private static String share(double share) {
        return share > 0 && share < 0.0005 ? "under 0.1 %" : Figures.format("%.1f %%", 100 * share);
    }

    private void line(String name, String... parts) {
        String text = Stream.of(parts).filter(part -> !part.isEmpty()).collect(Collectors.joining(", "));
        if (!text.isEmpty()) {
            String label = "  " + name + ":";
            int from = (label.length() / TAB + 1) * TAB;
            List<String> lines = Lines.wrapped(label + " ".repeat(from - label.length()) + text);
            String first = lines.get(0);
            out.append(label)
                    .append('\t')
                    .append(first.substring(Math.min(from, first.length())))
                    .append('\n');
            lines.stream().skip(1).forEach(line -> out.append(line).append('\n'));
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
