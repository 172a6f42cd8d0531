package dev.lockstep.report;

import static dev.lockstep.report.Figures.printable;

import dev.lockstep.measurement.Cost;
import dev.lockstep.measurement.Quantities;
import dev.lockstep.results.IntervalFigures;
import dev.lockstep.results.RunResult;
import dev.lockstep.results.TargetExit;
import dev.lockstep.results.TargetResult;
import java.util.List;
import java.util.Optional;

/** One target by itself: what it is, how it ended if it did, and its {@link HeySummary}. */
final class TargetBlock {
    private static final double NS_PER_SEC = 1e9;
    private static final double BYTES_PER_MIB = 1 << 20;

    private final StringBuilder out = new StringBuilder();

    private TargetBlock() {}

    /**
     * Returns the lines, each with its end.
     *
     * @param result that the target is of
     */
    static String of(RunResult result, TargetResult target) {
        TargetBlock block = new TargetBlock();
        block.target(target, new Distrust(result).caption(true));
        return block.out.toString();
    }

    /** @param distrust why the figures are not to be trusted; empty where they are */
    private void target(TargetResult target, String distrust) {
        StringBuilder facts = new StringBuilder();
        for (Optional<String> fact : List.of(
                target.jit(),
                target.jvm(),
                target.jit().isPresent() ? Optional.<String>empty() : target.address(),
                target.collector(),
                heap(target),
                processors(target))) {
            fact.ifPresent(text -> facts.append(facts.length() == 0 ? "" : ", ").append(printable(text)));
        }
        wrapped("Target " + target.name() + (facts.length() == 0 ? "" : " (" + facts + ")"));
        if (!distrust.isEmpty()) {
            wrapped("  " + distrust);
        }
        target.exit().ifPresent(this::exit);
        if (target.counts().isPresent()) {
            out.append(HeySummary.of(target));
        } else {
            line("  No load reached this target.");
        }
    }

    private static Optional<String> heap(TargetResult target) {
        return target.maxHeapBytes().isPresent()
                ? Optional.of("heap up to "
                        + Quantities.mebibytes(target.maxHeapBytes().getAsLong()))
                : Optional.empty();
    }

    private static Optional<String> processors(TargetResult target) {
        return target.processors().isPresent()
                ? Optional.of("sees " + Quantities.count(target.processors().getAsInt(), "processor"))
                : Optional.empty();
    }

    private void exit(TargetExit exit) {
        wrapped("  Died" + howItDied(exit));
        exit.kernelMessage().ifPresent(message -> wrapped("  Kernel: " + printable(message)));
        if (!exit.lastLogLines().isEmpty()) {
            line("  Last log lines:");
            exit.lastLogLines().forEach(log -> line("    " + printable(log)));
        }
        if (!exit.lastMinute().isEmpty()) {
            lastMinute(exit.lastMinute());
        }
    }

    /** The last intervals before an OOM kill, a line each. */
    private void lastMinute(List<IntervalFigures> intervals) {
        long endNs = intervals.get(intervals.size() - 1).endNs();
        line("  Last " + Quantities.count(intervals.size(), "interval") + " before it, MiB:");
        Table table = new Table("    ");
        table.row(List.of("seconds", "req/s", "p99 ms", "in flight", "errors", "RSS", "heap", "old gen", "group"));
        for (IntervalFigures row : intervals) {
            double lengthSec = (row.endNs() - row.startNs()) / NS_PER_SEC;
            table.row(List.of(
                    Figures.format("%7.1f", (row.endNs() - endNs) / NS_PER_SEC),
                    Figures.format("%.0f", lengthSec == 0 ? 0 : row.successful() / lengthSec),
                    row.p99Ns().isPresent() ? Figures.format("%.2f", row.p99Ns().getAsLong() / 1e6) : Figures.ABSENT,
                    Long.toString(row.inFlight()),
                    Long.toString(row.failed()),
                    mebibytes(row, Cost.RSS),
                    mebibytes(row, Cost.HEAP_USED),
                    mebibytes(row, Cost.OLD_GEN_USED),
                    mebibytes(row, Cost.MEMORY)));
        }
        out.append(table);
    }

    private static String mebibytes(IntervalFigures row, Cost cost) {
        return row.costs().get(cost).isPresent()
                ? Figures.format("%.1f", row.costs().get(cost).getAsLong() / BYTES_PER_MIB)
                : Figures.ABSENT;
    }

    private void line(String line) {
        out.append(line).append('\n');
    }

    private void wrapped(String text) {
        Lines.wrapped(text).forEach(this::line);
    }

    /** Returns the exit code and its signal behind these words; empty where it never came to one. */
    static String exitCode(TargetExit exit, String before) {
        return exit.exitCode().isEmpty()
                ? ""
                : before + "exit code " + exit.exitCode().getAsInt()
                        + exit.signalName().map(signal -> " (" + signal + ")").orElse("");
    }

    static String howItDied(TargetExit exit) {
        StringBuilder text = new StringBuilder();
        exit.phase().ifPresent(phase -> text.append(" during ").append(printable(phase)));
        text.append(exitCode(exit, ": "));
        if (exit.oomKilled()) {
            text.append(", killed by the kernel for lack of memory (OOM)");
        }
        return text.toString();
    }
}
