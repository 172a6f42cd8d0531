package dev.lockstep.report;

import static dev.lockstep.report.Figures.printable;

import dev.lockstep.analysis.Decision;
import dev.lockstep.analysis.Metric;
import dev.lockstep.measurement.AssertionResult;
import dev.lockstep.measurement.FleetCost;
import dev.lockstep.measurement.RunResult;
import dev.lockstep.measurement.Verdict;
import dev.lockstep.measurement.Verdict.Finding;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/**
 * What the run says of the targets against the baseline: a sentence for the primary metric of each, the money it is worth,
 * the other metrics as a table, the conditions.
 */
final class VerdictLines {
    /** Two launches that differ give intervals over many powers of ten, which say no more than this. */
    private static final double TOO_WIDE = 100;

    private static final String ONE_LAUNCH = "one launch tells nothing about the next: --launches 6";

    private final RunResult result;
    private final List<String> lines = new ArrayList<>();

    VerdictLines(RunResult result) {
        this.result = result;
    }

    /** Returns the lines, with an empty one between its parts; none where nothing was compared. */
    List<String> all() {
        lines.clear();
        List<Verdict> primary =
                result.verdicts().stream().filter(Verdict::primary).collect(Collectors.toList());
        if (!primary.isEmpty()) {
            lines.add("VERDICT" + (result.plan().launches() > 1 ? "" : " (" + ONE_LAUNCH + ")"));
            primary.forEach(verdict -> wrapped(sentence(verdict)));
            floor(primary);
            result.fleetCost().ifPresent(this::money);
            if (result.plan().launches() > 1) {
                table(result.verdicts().stream()
                        .filter(verdict -> !verdict.primary())
                        .collect(Collectors.toList()));
            }
        }
        if (!result.assertions().isEmpty()) {
            if (!lines.isEmpty()) {
                lines.add("");
            }
            lines.add("CONDITIONS");
            for (AssertionResult assertion : result.assertions()) {
                wrapped(printable(assertion.sentence()));
            }
        }
        return lines;
    }

    // ---- the primary metric -------------------------------------------------------------------------------------

    private String sentence(Verdict verdict) {
        String against = metric(verdict) + " than " + verdict.baseline();
        StringBuilder text = new StringBuilder(verdict.target());
        if (isSame(verdict)) {
            text.append(" (the same as ").append(verdict.baseline()).append(", so this is noise)");
        }
        if (verdict.ratio().isEmpty()) {
            return text + ": no launch gave the " + metric(verdict) + " of both it and " + verdict.baseline()
                    + ", measured to the end";
        }
        double ratio = verdict.ratio().getAsDouble();
        if (isDecided(verdict)
                || verdict.launches() == 1
                || verdict.finding() == Finding.EQUIVALENT && leavesOut(verdict.interval(), 1)) {
            text.append(verb()).append(difference(ratio)).append(' ').append(against);
        } else if (leavesOut(verdict.interval(), 1)) {
            text.append(" differs from ")
                    .append(verdict.baseline())
                    .append(" in ")
                    .append(metric(verdict))
                    .append(
                            isBeyondMargin(verdict.interval())
                                    ? ", but its launches do not agree enough yet"
                                    : ", but not by more than can be told apart from the margin of " + margin()
                                            + " yet");
        } else {
            text.append(": no difference in ")
                    .append(metric(verdict))
                    .append(" to ")
                    .append(verdict.baseline())
                    .append(" was found");
        }
        return text.append(" (").append(figures(verdict)).append("): ").append(found(verdict)) + "";
    }

    private static boolean isDecided(Verdict verdict) {
        return verdict.finding() == Finding.BETTER || verdict.finding() == Finding.WORSE;
    }

    private static boolean leavesOut(Verdict.Interval interval, double value) {
        return interval != null && (interval.low() > value || interval.high() < value);
    }

    private boolean isBeyondMargin(Verdict.Interval interval) {
        double margin = 1 + result.plan().margin();
        return interval.low() > margin || interval.high() < 1 / margin;
    }

    private String verb() {
        Metric metric = Metric.of(result.plan().primaryMetric()).orElse(null);
        return metric != null && metric.isPerRequest() ? " uses " : " has ";
    }

    private static String difference(double ratio) {
        return ratio < 1
                ? Figures.format("%.1f %% less", 100 * (1 - ratio))
                : Figures.format("%.1f %% more", 100 * (ratio - 1));
    }

    private static String figures(Verdict verdict) {
        StringBuilder text = new StringBuilder(Figures.ratio(verdict.ratio().getAsDouble()));
        if (verdict.interval() != null) {
            text.append(", 95 % interval ").append(interval(verdict.interval()));
        } else if (verdict.launches() > 1) {
            // One that goes to infinity is in no file.
            text.append(", 95 % interval too wide");
        }
        return text.append(", ").append(launches(verdict.launches())).toString();
    }

    private String found(Verdict verdict) {
        switch (verdict.finding()) {
            case EQUIVALENT:
                return "equivalent within " + margin() + hint(verdict);
            case INCONCLUSIVE:
                return "inconclusive" + more(verdict);
            default:
                return verdict.finding().key() + hint(verdict);
        }
    }

    private static String hint(Verdict verdict) {
        return verdict.indicative() ? " (indicative: a verdict rests on " + Decision.FULL_PAIRS + " launches)" : "";
    }

    private String more(Verdict verdict) {
        if (result.plan().launches() == 1 || verdict.moreLaunches().isEmpty()) {
            return "";
        }
        int more = verdict.moreLaunches().getAsInt();
        return (more >= Decision.MOST_MORE_PAIRS ? ": more than " : ": about ") + more
                + (more == 1 ? " more launch" : " more launches") + " would tell";
    }

    private String margin() {
        return Figures.threeDigits(100 * result.plan().margin()).replaceAll("\\.?0+$", "") + " %";
    }

    /** The primary metric's noise floor, which is the same for all targets but for the number of their pairs. */
    private void floor(List<Verdict> primary) {
        primary.stream()
                .filter(verdict -> verdict.noiseFloor() != null && !isSame(verdict))
                .findFirst()
                .ifPresent(verdict -> wrapped("Noise floor: " + interval(verdict.noiseFloor()) + ", "
                        + (result.plan().sameAsBaseline().isPresent()
                                ? "from " + result.plan().sameAsBaseline().get()
                                : "from the launches of " + verdict.baseline() + ", at most; --aa measures it")));
    }

    private boolean isSame(Verdict verdict) {
        return result.plan().sameAsBaseline().filter(verdict.target()::equals).isPresent();
    }

    private static String metric(Verdict verdict) {
        return Metric.of(verdict.metric()).map(Metric::label).orElse(verdict.metric());
    }

    private static String interval(Verdict.Interval interval) {
        if (interval.high() > TOO_WIDE * interval.low()) {
            return "too wide";
        }
        return Figures.ratio(interval.low()) + " to " + Figures.ratio(interval.high());
    }

    private static String launches(int launches) {
        return launches + (launches == 1 ? " launch" : " launches");
    }

    // ---- money --------------------------------------------------------------------------------------------------

    private void money(FleetCost cost) {
        wrapped(Figures.format("The fleet costs %,.0f USD a year.", cost.usdPerYear()));
        cost.savings().forEach(saving -> wrapped(money(saving)));
        if (cost.savings().isEmpty()) {
            wrapped("What a target saves is not known, because its CPU is not");
        }
    }

    /** A sum whose interval holds 0 may be a loss as well, and what no verdict bears out may be none: neither is a saving. */
    private String money(FleetCost.Saving saving) {
        double sum = saving.usdPerYear();
        Verdict.Interval interval = saving.interval().orElse(null);
        Verdict verdict = result.verdicts().stream()
                .filter(one -> one.metric().equals(Metric.USER_CPU_PER_REQUEST.key())
                        && one.target().equals(saving.target()))
                .findFirst()
                .orElse(null);
        if (interval != null && interval.low() <= 0 && interval.high() >= 0) {
            return saving.target()
                    + Figures.format(
                            ": no saving was found (%,.0f USD a year, 95 %% interval %,.0f to %,.0f)",
                            sum, interval.low(), interval.high());
        }
        String range = interval == null
                ? verdict != null && verdict.launches() > 1 ? " (95 % interval too wide)" : " (no interval: one launch)"
                : Figures.format(
                        " (95 %% interval %,.0f to %,.0f)",
                        sum < 0 ? -interval.high() : interval.low(), sum < 0 ? -interval.low() : interval.high());
        boolean shown = verdict != null && isDecided(verdict);
        boolean within = verdict != null && verdict.finding() == Finding.EQUIVALENT;
        return saving.target()
                + (shown ? sum < 0 ? " costs " : " saves " : sum < 0 ? " would cost " : " would save ")
                + Figures.format("%,.0f USD a year", Math.abs(sum))
                + (sum < 0 ? " more" : "")
                + range
                + (shown
                        ? ""
                        : within
                                ? ", by a difference within the margin"
                                : " if the difference is real, which is not shown");
    }

    // ---- the other metrics --------------------------------------------------------------------------------------

    private void table(List<Verdict> others) {
        if (others.isEmpty()) {
            return;
        }
        boolean several = others.stream().map(Verdict::target).distinct().count() > 1;
        List<List<String>> rows = new ArrayList<>();
        rows.add(List.of("other metrics", "ratio", "interval", "noise floor", "finding"));
        String target = null;
        for (Verdict verdict : others) {
            if (several && !verdict.target().equals(target)) {
                target = verdict.target();
                rows.add(List.of(target + (isSame(verdict) ? " (noise)" : "")));
            }
            rows.add(List.of(
                    (several ? " " : "") + metric(verdict),
                    Figures.ratio(verdict.ratio().orElse(1)),
                    verdict.interval() == null ? Figures.ABSENT : interval(verdict.interval()),
                    verdict.noiseFloor() == null ? Figures.ABSENT : interval(verdict.noiseFloor()),
                    verdict.finding().key()));
        }
        int[] widths = new int[rows.get(0).size()];
        for (List<String> row : rows) {
            for (int i = 0; i < widths.length && row.size() > 1; i++) {
                widths[i] = Math.max(widths[i], row.get(i).length());
            }
        }
        lines.add("");
        for (List<String> row : rows) {
            StringBuilder line = new StringBuilder();
            for (int i = 0; i < row.size(); i++) {
                line.append(row.get(i))
                        .append(" ".repeat(Math.max(0, widths[i] - row.get(i).length()) + 2));
            }
            lines.add(line.toString().stripTrailing());
        }
    }

    private void wrapped(String text) {
        lines.addAll(Lines.wrapped(text));
    }
}
