package dev.lockstep.report;

import static dev.lockstep.report.Figures.printable;

import dev.lockstep.analysis.Metric;
import dev.lockstep.measurement.Quantities;
import dev.lockstep.report.Paint.Tone;
import dev.lockstep.results.comparison.ComparedRun;
import dev.lockstep.results.comparison.RunHistory;
import dev.lockstep.results.comparison.RunHistory.Change;
import dev.lockstep.results.comparison.RunHistory.Drift;
import dev.lockstep.results.comparison.RunHistory.Group;
import dev.lockstep.results.comparison.RunHistory.Point;
import dev.lockstep.results.comparison.RunHistory.Series;
import dev.lockstep.results.comparison.RunVerdict;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.DoubleSummaryStatistics;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * A history of runs as text: what the newest run says against those before it, and for each metric its newest value,
 * its last change, its drift and a line of its newest runs. Immutable.
 */
public final class HistoryReport {
    private static final DateTimeFormatter DAY = DateTimeFormatter.ofPattern("yyyy-MM-dd", Locale.ROOT);
    private static final DateTimeFormatter MINUTE = DateTimeFormatter.ofPattern("yyyy-MM-dd HH:mm", Locale.ROOT);
    /** So many of the newest runs has a line of digits. */
    private static final int LINE = 12;

    private static final int MOST_SKIPPED = 3;
    /** Of a drift that is said. */
    private static final double CLEAR = 0.01;

    private static final String NONE = "none";
    /** In place of what counts in no verdict. */
    private static final String LEFT_OUT = "x";
    /** Counts, which are never left out. */
    private static final String ERRORS = Metric.ERRORS.key();

    private static final String LEGEND =
            "newest: w worse than before, b better, = equivalent; newest runs: the newest on"
                    + " the right, 0 the lowest of the last " + LINE + ", 9 the highest; x left out, - none";

    private final RunHistory history;
    private final Paint paint;
    private final List<String> next;

    private HistoryReport(RunHistory history, Paint paint, List<String> next) {
        this.history = history;
        this.paint = paint;
        this.next = next;
    }

    public static HistoryReport of(RunHistory history) {
        return new HistoryReport(history, Paint.NONE, List.of());
    }

    /**
     * Returns the report for a terminal.
     *
     * @param next the words of a command that makes the page; none where there is one
     */
    public HistoryReport on(Paint with, List<String> next) {
        return new HistoryReport(history, with, List.copyOf(next));
    }

    /** Returns what the newest run comes to, as a page shows it beside its title. */
    public Findings.Sentence outcome() {
        return ComparisonReport.outcome(history.outcome());
    }

    private static String of(Group group, ComparedRun run) {
        return printable(run.directory()) + " of " + when(group, run);
    }

    /** Returns the day on which a run began, with the time where another began on that day. */
    private static String when(Group group, ComparedRun run) {
        String day = DAY.format(run.startedAt());
        boolean alone = group.runs().stream()
                .noneMatch(
                        other -> other != run && DAY.format(other.startedAt()).equals(day));
        return alone ? day : MINUTE.format(run.startedAt());
    }

    /** Returns what the newest run says, target by target, by the metrics that decide. */
    public List<Findings.Sentence> answers() {
        List<Findings.Sentence> answers = new ArrayList<>();
        Group group = history.groups().get(0);
        ComparedRun newest = group.runs().get(group.runs().size() - 1);
        answers.add(new Findings.Sentence(
                ComparisonReport.tone(history.outcome()),
                ComparisonReport.inWords(history.outcome()) + " in the newest run, " + of(group, newest)));
        newest.statusReasons()
                .forEach(reason -> answers.add(new Findings.Sentence(
                        Tone.BAD, "INVALID: " + (newest.onlyLate() ? Headlines.LATE : "") + printable(reason))));
        RunSentences sentences = new RunSentences(history.margin());
        List<RunVerdict> verdicts = history.newest().filter(RunVerdict::decides).collect(Collectors.toList());
        verdicts.forEach(verdict -> answers.add(new Findings.Sentence(
                RunSentences.tone(verdict),
                sentences.sentence(
                        verdict,
                        verdict.baselineRuns() == 1
                                ? "in the run before it"
                                : "in the " + verdict.baselineRuns() + " runs before it"))));
        if (verdicts.isEmpty()) {
            answers.add(new Findings.Sentence(Tone.DOUBT, "No verdict: " + whyNone(group)));
        }
        return answers;
    }

    /** Returns why the newest run is judged against no other: what all earlier ones were left out for. */
    private static String whyNone(Group group) {
        Set<Integer> runs = new TreeSet<>();
        Set<String> reasons = new LinkedHashSet<>();
        int newest = group.runs().size() - 1;
        for (Series series : group.series()) {
            if (!series.primary()) {
                continue;
            }
            series.points().stream()
                    .filter(point -> point.run() < newest && point.leftOut().isPresent())
                    .forEach(point -> {
                        runs.add(point.run());
                        reasons.add(printable(point.leftOut().get()));
                    });
            lacking(group, series).stream().filter(run -> run < newest).forEach(run -> {
                runs.add(run);
                reasons.add(printable(whyLacking(group, run, series)));
            });
        }
        return runs.isEmpty()
                ? "no run before it had the same requests at the same load and this metric"
                : (runs.size() == 1 ? "1 earlier run was left out: " : runs.size() + " earlier runs were left out: ")
                        + String.join("; ", reasons);
    }

    /** Returns what was passed over, and how runs were put together, a line each. */
    public List<String> notes() {
        List<String> notes = new ArrayList<>();
        history.notes().forEach(note -> notes.add(printable(note)));
        history.skipped().stream()
                .limit(MOST_SKIPPED)
                .forEach(skipped ->
                        notes.add("skipped " + printable(skipped.directory()) + ": " + printable(skipped.why())));
        if (history.skipped().size() > MOST_SKIPPED) {
            notes.add("skipped " + (history.skipped().size() - MOST_SKIPPED) + " more: --json names them");
        }
        return notes;
    }

    /** Returns what a group of runs had in common, in a line. */
    public static String title(Group group) {
        return printable(group.capture()) + ", " + printable(group.load()) + ": "
                + Quantities.count(group.runs().size(), "run") + ", "
                + when(group, group.runs().get(0)) + " to "
                + when(group, group.runs().get(group.runs().size() - 1));
    }

    /** Returns what the marks in the cells mean. */
    public static String legend() {
        return LEGEND;
    }

    /** Returns what stands above each cell of {@link #cells}. */
    public static List<String> headings() {
        return List.of("metric", "newest", "last change", "when", "30 days", "newest runs");
    }

    /** Returns the row of a series. */
    public static List<String> cells(Group group, Series series) {
        MetricColumn column = MetricColumn.of(series.metric());
        Optional<Change> change = lastChange(series);
        return List.of(
                column.heading(),
                newest(group, series, column),
                change.map(one -> signed(one.ratio())).orElse(NONE),
                change.map(one -> when(group, group.runs().get(one.run()))).orElse(Figures.ABSENT),
                series.drift()
                        .map(drift -> isClear(drift) ? signed(drift.ratio()) : NONE)
                        .orElse(Figures.ABSENT),
                line(group, series));
    }

    /** Returns the value of the newest run, and what was found of it; no older one in its place. */
    private static String newest(Group group, Series series, MetricColumn column) {
        Point last = series.points().get(series.points().size() - 1);
        if (last.run() < group.runs().size() - 1) {
            return Figures.ABSENT;
        }
        return column.cell(OptionalDouble.of(last.value()))
                + (last.leftOut().isPresent()
                        ? " " + LEFT_OUT
                        : series.newest()
                                .map(verdict -> ComparisonReport.MARKS.getOrDefault(verdict.finding(), ""))
                                .orElse(""));
    }

    /** Returns the last change of a series. */
    static Optional<Change> lastChange(Series series) {
        List<Change> changes = series.changes();
        return changes.isEmpty() ? Optional.empty() : Optional.of(changes.get(changes.size() - 1));
    }

    private static boolean isClear(Drift drift) {
        return drift.pValue() < CLEAR
                && (drift.interval().low() > 1 || drift.interval().high() < 1);
    }

    private static String signed(double ratio) {
        return Figures.format("%+.1f %%", 100 * (ratio - 1));
    }

    private static boolean isNew(Group group, int run) {
        return run >= group.runs().size() - LINE;
    }

    private static List<Point> newest(Group group, Series series) {
        return series.points().stream()
                .filter(point -> isNew(group, point.run()))
                .collect(Collectors.toList());
    }

    /**
     * Returns a line for each of the newest runs that counts in no verdict and no change, or lacks the metric that
     * decides: which figures of which targets, and why; the newest run first.
     */
    public static List<String> leftOut(Group group) {
        Map<Integer, Map<String, Map<String, List<String>>>> byRun = new TreeMap<>(Comparator.reverseOrder());
        for (Series series : group.series()) {
            for (Point point : newest(group, series)) {
                point.leftOut().ifPresent(why -> leaveOut(byRun, point.run(), why, series));
            }
            if (series.primary()) {
                lacking(group, series).stream()
                        .filter(run -> isNew(group, run))
                        .forEach(run -> leaveOut(byRun, run, whyLacking(group, run, series), series));
            }
        }
        List<String> lines = new ArrayList<>();
        byRun.forEach((run, reasons) -> reasons.forEach((why, targets) -> lines.add("Left out: "
                + of(group, group.runs().get(run)) + ", "
                + targets.entrySet().stream()
                        .map(target -> figures(group, run, target.getKey(), target.getValue()))
                        .collect(Collectors.joining(", "))
                + ": " + printable(why))));
        return lines;
    }

    private static void leaveOut(
            Map<Integer, Map<String, Map<String, List<String>>>> byRun, int run, String why, Series series) {
        byRun.computeIfAbsent(run, number -> new LinkedHashMap<>())
                .computeIfAbsent(why, reason -> new LinkedHashMap<>())
                .computeIfAbsent(series.target(), target -> new ArrayList<>())
                .add(series.metric());
    }

    private static String whyLacking(Group group, int run, Series series) {
        return group.runs().get(run).died().contains(series.target())
                ? series.target() + " died"
                : "it has no such figure";
    }

    /** Returns the runs that had the target, and not this metric of it. */
    private static List<Integer> lacking(Group group, Series series) {
        return group.series().stream()
                .filter(other -> other.target().equals(series.target()))
                .flatMap(other -> other.points().stream())
                .map(Point::run)
                .distinct()
                .filter(run -> series.points().stream().noneMatch(point -> point.run() == run))
                .collect(Collectors.toList());
    }

    /** Returns a target's name, with the metrics in brackets where not all are meant that a run has of it. */
    private static String figures(Group group, int run, String target, List<String> metrics) {
        boolean all = group.series().stream()
                .filter(series -> series.target().equals(target) && !metrics.contains(series.metric()))
                .noneMatch(series -> series.points().stream()
                        .anyMatch(
                                point -> point.run() == run && !series.metric().equals(ERRORS)));
        return printable(target)
                + (all
                        ? ""
                        : metrics.stream()
                                .map(metric -> MetricColumn.of(metric).shortLabel())
                                .collect(Collectors.joining(", ", " (", ")")));
    }

    /**
     * Returns the values of the newest runs as digits, 0 the lowest of those that count and 9 the highest, a place for
     * each run: what a terminal always shows.
     */
    private static String line(Group group, Series series) {
        List<Point> newest = newest(group, series);
        if (newest.isEmpty()) {
            return Figures.ABSENT;
        }
        // An INVALID run may be far from all others, which would all be 0 beside it.
        DoubleSummaryStatistics counted = newest.stream()
                .filter(point -> point.leftOut().isEmpty())
                .mapToDouble(Point::value)
                .summaryStatistics();
        double low = counted.getMin();
        double high = counted.getMax();
        Map<Integer, String> marks = new TreeMap<>();
        newest.forEach(point -> marks.put(
                point.run(),
                point.leftOut().isPresent()
                        ? LEFT_OUT
                        : Long.toString(high == low ? 0 : Math.round(9 * (point.value() - low) / (high - low)))));
        return IntStream.range(
                        Math.max(0, group.runs().size() - LINE), group.runs().size())
                .mapToObj(run -> marks.getOrDefault(run, Figures.ABSENT))
                .collect(Collectors.joining());
    }

    /** Returns a sentence for each change of a metric that decides or is the primary one, the newest first. */
    public List<String> changes(Group group) {
        List<String> lines = new ArrayList<>();
        for (Series series : group.series()) {
            if (series.primary()) {
                List<Change> changes = series.changes();
                for (int i = changes.size() - 1; i >= 0; i--) {
                    lines.add(change(group, series, changes.get(i)));
                }
            }
        }
        return lines;
    }

    /** Returns what a change was, and what else changed with it. */
    public static String change(Group group, Series series, Change change) {
        ComparedRun before = group.runs().get(change.after());
        ComparedRun after = group.runs().get(change.run());
        return printable(series.target()) + ": " + signed(change.ratio()) + " "
                + MetricColumn.of(series.metric()).label()
                + Figures.format(
                        " (%s, 95 %% interval %s to %s) between %s of %s and %s of %s",
                        Figures.ratio(change.ratio()),
                        Figures.ratio(change.interval().low()),
                        Figures.ratio(change.interval().high()),
                        printable(before.directory()),
                        when(group, before),
                        printable(after.directory()),
                        when(group, after))
                + (change.with().isEmpty()
                        ? "; nothing that is known differs"
                        : "; with " + printable(String.join("; ", change.with())));
    }

    /** Returns the text, ending with a line feed. */
    public String text() {
        List<String> lines = new ArrayList<>();
        answers().forEach(one -> paint.add(lines, one.tone(), one.text()));
        for (Group group : history.groups()) {
            lines.add("");
            paint.add(lines, Tone.HEADING, title(group));
            Table table = new Table("");
            List<String> headings = new ArrayList<>(headings());
            headings.set(0, "target, metric");
            table.row(headings);
            for (Series series : group.series()) {
                List<String> cells = new ArrayList<>(cells(group, series));
                cells.set(0, printable(series.target()) + ", " + cells.get(0));
                table.row(cells);
            }
            lines.addAll(table.toString().lines().collect(Collectors.toList()));
            changes(group).forEach(line -> lines.addAll(Lines.wrapped(line)));
            leftOut(group).forEach(line -> lines.addAll(Lines.wrapped(line)));
        }
        lines.add("");
        lines.addAll(Lines.wrapped(LEGEND));
        notes().forEach(note -> lines.addAll(Lines.wrapped(note)));
        if (!next.isEmpty()) {
            lines.addAll(ComparisonReport.next("Next, all metrics over time", next, paint));
        }
        return String.join("\n", lines) + "\n";
    }

    /** Returns the history as GitHub shows Markdown. */
    public String markdown() {
        StringBuilder text = new StringBuilder("## Lockstep: runs over time\n");
        answers()
                .forEach(answer ->
                        text.append('\n').append(MarkdownReport.line(answer)).append('\n'));
        for (Group group : history.groups()) {
            text.append("\n### ").append(MarkdownReport.escaped(title(group))).append("\n\n");
            List<List<String>> rows = new ArrayList<>();
            List<String> headings = new ArrayList<>(List.of("target"));
            headings.addAll(headings());
            rows.add(headings);
            for (Series series : group.series()) {
                List<String> row = new ArrayList<>(List.of(series.target()));
                row.addAll(cells(group, series));
                rows.add(row);
            }
            ComparisonReport.table(text, rows);
            Stream.concat(changes(group).stream(), leftOut(group).stream()).forEach(line -> text.append("\n- ")
                    .append(MarkdownReport.escaped(line))
                    .append('\n'));
        }
        text.append('\n').append(MarkdownReport.escaped(LEGEND)).append('\n');
        notes().forEach(note ->
                text.append("\n- ").append(MarkdownReport.escaped(note)).append('\n'));
        return text.toString();
    }
}
