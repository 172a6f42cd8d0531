package dev.lockstep.report;

import static dev.lockstep.report.Figures.printable;

import dev.lockstep.measurement.Quantities;
import dev.lockstep.report.Paint.Tone;
import dev.lockstep.results.RunStatus;
import dev.lockstep.results.Verdict.Finding;
import dev.lockstep.results.comparison.ComparedRun;
import dev.lockstep.results.comparison.Fact;
import dev.lockstep.results.comparison.Outcome;
import dev.lockstep.results.comparison.RunComparison;
import dev.lockstep.results.comparison.RunVerdict;
import dev.lockstep.results.comparison.TargetFacts;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Runs of different days on one screen: the answer, what differs, one table, what to do next; and the same as Markdown.
 * Two runs of two targets take {@value FirstScreen#MOST_LINES} lines at most: what differs has what the rest leaves.
 * Immutable.
 */
public final class ComparisonReport {
    private static final int LEAST_DIFFERENCES = 2;
    /** Of what was found, behind a figure. */
    static final Map<Finding, String> MARKS = Map.of(Finding.WORSE, "w", Finding.BETTER, "b", Finding.EQUIVALENT, "=");

    private static final Map<Outcome, Tone> TONES = Map.of(
            Outcome.REGRESSION, Tone.BAD,
            Outcome.INVALID, Tone.BAD,
            Outcome.NOT_DECIDED, Tone.DOUBT,
            Outcome.NO_REGRESSION, Tone.GOOD);
    private static final Map<Outcome, String> REMARKS =
            Map.of(Outcome.INVALID, ", NO VERDICT", Outcome.NOT_DECIDED, ", NO REGRESSION FOUND");

    private final RunComparison comparison;
    private final Paint paint;
    private final List<String> next;

    private ComparisonReport(RunComparison comparison, Paint paint, List<String> next) {
        this.comparison = comparison;
        this.paint = paint;
        this.next = next;
    }

    public static ComparisonReport of(RunComparison comparison) {
        return new ComparisonReport(comparison, Paint.NONE, List.of());
    }

    /**
     * Returns the report for a terminal.
     *
     * @param next the words of a command that makes the page; none where there is one
     */
    public ComparisonReport on(Paint with, List<String> next) {
        return new ComparisonReport(comparison, with, List.copyOf(next));
    }

    // ---- sentences ----------------------------------------------------------------------------------------------

    /** Returns what spoils all others: another capture, runs that are INVALID. */
    public List<String> banner() {
        List<String> lines = new ArrayList<>();
        if (!comparison.captures().isEmpty()) {
            lines.add("NOT THE SAME REQUESTS (--force): what differs below may be the requests: "
                    + comparison.captures().stream()
                            .filter(fact -> fact.differs() && !fact.name().contains("SHA"))
                            .map(ComparisonReport::difference)
                            .collect(Collectors.joining("; ")));
        }
        for (int i = 0; i < comparison.runs().size(); i++) {
            ComparedRun run = comparison.runs().get(i);
            if (!run.statusReasons().isEmpty()) {
                lines.add("INVALID: run " + (i + 1) + ": " + (run.onlyLate() ? Headlines.LATE : "")
                        + printable(run.statusReasons().get(0))
                        + (run.statusReasons().size() > 1
                                ? ", and " + (run.statusReasons().size() - 1) + " more"
                                : ""));
            }
        }
        return lines;
    }

    /** Returns by which metric runs are judged, and a sentence for each target of each run. */
    public List<Findings.Sentence> answers() {
        List<Findings.Sentence> answers = new ArrayList<>();
        answers.add(new Findings.Sentence(
                tone(comparison.outcome()),
                inWords(comparison.outcome()) + " by "
                        + decisive()
                                .map(metric -> MetricColumn.of(metric).label())
                                .collect(Collectors.joining(", "))));
        RunSentences sentences = new RunSentences(comparison.margin());
        for (RunVerdict verdict : comparison.verdicts()) {
            if (verdict.primary() || verdict.decides()) {
                answers.add(new Findings.Sentence(
                        RunSentences.tone(verdict),
                        (comparison.runs().size() > 2 ? "Run " + number(verdict) + ": " : "")
                                + sentences.sentence(verdict, "in run 1")));
            }
        }
        if (comparison.verdicts().isEmpty()) {
            answers.add(new Findings.Sentence(Tone.DOUBT, "No target is in two of these runs"));
        }
        return answers;
    }

    /** Returns the metrics by which a run is worse; the primary one where none is. */
    private Stream<String> decisive() {
        return comparison.outcome() == Outcome.REGRESSION
                ? comparison.verdicts().stream()
                        .filter(RunVerdict::regression)
                        .map(RunVerdict::metric)
                        .distinct()
                : Stream.of(comparison.primaryMetric());
    }

    /** Returns what it comes to, as a page shows it beside its title. */
    public Findings.Sentence outcome() {
        return outcome(comparison.outcome());
    }

    /** Returns the tone of the first line, which is a heading unless it is bad. */
    static Tone tone(Outcome outcome) {
        return TONES.get(outcome) == Tone.BAD ? Tone.BAD : Tone.HEADING;
    }

    static Findings.Sentence outcome(Outcome outcome) {
        return new Findings.Sentence(TONES.get(outcome), outcome.label());
    }

    /** Returns the same words with what they leave open. */
    static String inWords(Outcome outcome) {
        return outcome.label() + REMARKS.getOrDefault(outcome, "");
    }

    private int number(RunVerdict verdict) {
        return 1
                + comparison.runs().stream()
                        .map(ComparedRun::directory)
                        .collect(Collectors.toList())
                        .indexOf(verdict.run());
    }

    /** Returns what differs between the runs, what matters most first. */
    public List<String> differences() {
        List<String> lines = new ArrayList<>();
        for (TargetFacts target : comparison.targets()) {
            target.facts().stream()
                    .filter(Fact::differs)
                    .forEach(fact -> lines.add(printable(target.target()) + ": " + difference(fact)));
        }
        comparison.plans().forEach(fact -> lines.add("plan: " + difference(fact)));
        comparison.machines().stream().filter(Fact::differs).forEach(fact -> lines.add("machine: " + difference(fact)));
        comparison.notes().forEach(note -> lines.add(printable(note)));
        return lines;
    }

    /** Returns the values in the order of two runs, or of more with the numbers of those that have each. */
    private static String difference(Fact fact) {
        if (fact.values().size() == 2) {
            return fact.name() + " "
                    + fact.values().stream().map(Figures::printable).collect(Collectors.joining(" -> "));
        }
        Map<String, List<String>> byValue = new LinkedHashMap<>();
        for (int i = 0; i < fact.values().size(); i++) {
            byValue.computeIfAbsent(printable(fact.values().get(i)), value -> new ArrayList<>())
                    .add(Integer.toString(i + 1));
        }
        return fact.name() + " "
                + byValue.entrySet().stream()
                        .map(one -> one.getKey()
                                + (one.getValue().size() == 1 ? " in run " : " in runs ")
                                + String.join(", ", one.getValue()))
                        .collect(Collectors.joining("; "));
    }

    /** Returns when a run began. */
    public static String began(ComparedRun run) {
        return Quantities.moment(run.startedAt());
    }

    /** Returns a line for each run: its number, its directory, when it began. */
    private List<String> runs() {
        List<String> lines = new ArrayList<>();
        for (int i = 0; i < comparison.runs().size(); i++) {
            ComparedRun run = comparison.runs().get(i);
            lines.add("Run " + (i + 1) + ": " + printable(run.directory()) + ", "
                    + began(run)
                    + (run.launches() == 1 ? ", 1 launch" : ", " + run.launches() + " launches")
                    + run.died().stream()
                            .map(name -> ", " + printable(name) + " died")
                            .collect(Collectors.joining()));
        }
        return lines;
    }

    /** Returns which runs have another reference than the first target, a line each: it explains their ratios. */
    private List<String> references() {
        String usual = comparison.targets().stream()
                .map(TargetFacts::target)
                .findFirst()
                .orElse("");
        List<String> lines = new ArrayList<>();
        for (ComparedRun run : comparison.judged()) {
            Optional<String> control = comparison.verdicts().stream()
                    .filter(verdict -> verdict.run().equals(run.directory()))
                    .flatMap(verdict -> verdict.control().stream())
                    .findFirst();
            control.filter(name -> !name.equals(usual))
                    .ifPresent(name -> lines.add("Run " + (comparison.runs().indexOf(run) + 1) + ": " + printable(name)
                            + " stands for the day; ratios of others are without it"));
        }
        return lines;
    }

    /** Returns whose figures are not to be trusted, as it stands at tables; empty where all are. */
    public String distrust() {
        List<String> parts = new ArrayList<>();
        numbers(false).ifPresent(runs -> parts.add("the figures of " + runs));
        numbers(true).ifPresent(runs -> parts.add("rates and latencies of " + runs));
        return parts.isEmpty()
                ? ""
                : "INVALID: " + String.join(" and ", parts) + ", and ratios to them, are not to be trusted";
    }

    /** Returns which runs are INVALID, for being late only or for more. */
    private Optional<String> numbers(boolean onlyLate) {
        List<String> numbers = new ArrayList<>();
        for (int i = 0; i < comparison.runs().size(); i++) {
            ComparedRun run = comparison.runs().get(i);
            if (run.status() == RunStatus.INVALID && run.onlyLate() == onlyLate) {
                numbers.add(Integer.toString(i + 1));
            }
        }
        return numbers.isEmpty()
                ? Optional.empty()
                : Optional.of((numbers.size() == 1 ? "run " : "runs ") + String.join(", ", numbers));
    }

    /** Returns what stands behind what is not to be trusted, in words or in the little room that a screen has. */
    private static String invalid(boolean is, boolean inWords) {
        return is ? inWords ? " " + Distrust.SIGN : "!" : "";
    }

    private static String died(ComparedRun run, String target, boolean inWords) {
        return run.died().contains(target) ? inWords ? ComparisonTable.DIED : "x" : "";
    }

    /**
     * Returns what a reader of all of a target's figures in a run must see beside them.
     *
     * @param inWords else in the little room that a screen has
     */
    private static String marks(ComparedRun run, String target, boolean inWords) {
        return invalid(run.status() == RunStatus.INVALID && !run.onlyLate(), inWords) + died(run, target, inWords);
    }

    // ---- the table ----------------------------------------------------------------------------------------------

    private List<MetricColumn> columns(boolean all) {
        return comparison.verdicts().stream()
                .map(RunVerdict::metric)
                .distinct()
                // Beside the CPU of a request in all and at full load it says little for its place.
                .filter(metric ->
                        all || metric.equals(comparison.primaryMetric()) || !metric.equals("steadyCpuPerRequest"))
                .map(MetricColumn::of)
                .collect(Collectors.toList());
    }

    private Map<String, RunVerdict> verdicts(String target, String run) {
        Map<String, RunVerdict> byMetric = new LinkedHashMap<>();
        comparison.verdicts().stream()
                .filter(verdict ->
                        verdict.target().equals(target) && verdict.run().equals(run))
                .forEach(verdict -> byMetric.put(verdict.metric(), verdict));
        return byMetric;
    }

    /** Returns rows of cells, the headings first. */
    private List<List<String>> rows(boolean all) {
        List<MetricColumn> columns = columns(all);
        List<List<String>> rows = new ArrayList<>();
        rows.add(row("run", columns, column -> isCounted(column) ? column.shortLabel() : column.heading()));
        for (String target : comparison.verdicts().stream()
                .map(RunVerdict::target)
                .distinct()
                .collect(Collectors.toList())) {
            boolean first = true;
            for (ComparedRun run : comparison.judged()) {
                Map<String, RunVerdict> found = verdicts(target, run.directory());
                if (found.isEmpty()) {
                    continue;
                }
                if (first) {
                    rows.add(row(
                            printable(target) + " 1" + marks(comparison.runs().get(0), target, all),
                            columns,
                            column -> before(target, column)));
                    first = false;
                }
                int number = comparison.runs().indexOf(run) + 1;
                rows.add(row(
                        number + marks(run, target, all),
                        columns,
                        column -> after(found.get(column.metric()), column)));
                rows.add(row("ratio", columns, column -> ratio(found.get(column.metric()), all)));
            }
        }
        return rows;
    }

    private boolean isCounted(MetricColumn column) {
        return comparison.verdicts().stream()
                .anyMatch(verdict -> verdict.metric().equals(column.metric())
                        && verdict.count().isPresent());
    }

    private static List<String> row(String name, List<MetricColumn> columns, Function<MetricColumn, String> cell) {
        List<String> row = new ArrayList<>(List.of(name));
        columns.forEach(column -> row.add(cell.apply(column)));
        return row;
    }

    /** Returns what the baseline had, by the first verdict that knows it. */
    private String before(String target, MetricColumn column) {
        return comparison.verdicts().stream()
                .filter(verdict ->
                        verdict.target().equals(target) && verdict.metric().equals(column.metric()))
                .map(verdict -> verdict.baselineCount().isPresent()
                        ? Long.toString(verdict.baselineCount().getAsLong())
                        : column.cell(verdict.baselineValue()))
                .filter(cell -> !cell.equals(Figures.ABSENT))
                .findFirst()
                .orElse(Figures.ABSENT);
    }

    private static String after(RunVerdict verdict, MetricColumn column) {
        return verdict == null
                ? Figures.ABSENT
                : verdict.count().isPresent()
                        ? Long.toString(verdict.count().getAsLong())
                        : column.cell(verdict.value());
    }

    private static String ratio(RunVerdict verdict, boolean inWords) {
        if (verdict == null || verdict.ratio().isEmpty()) {
            return Figures.ABSENT;
        }
        OptionalDouble ratio = verdict.ratio();
        return Figures.ratio(ratio.getAsDouble())
                + (verdict.standsForDay() ? "" : MARKS.getOrDefault(verdict.finding(), ""))
                + invalid(verdict.invalid(), inWords);
    }

    private String legend() {
        List<String> controls = comparison.verdicts().stream()
                .flatMap(verdict -> verdict.control().stream())
                .distinct()
                .collect(Collectors.toList());
        String control = controls.isEmpty()
                ? ""
                : controls.size() > 1
                        ? "; ratios without the day: see above"
                        : "; ratios of others than " + printable(controls.get(0))
                                + ": without the day, by its own ratio";
        return "w worse, b better, = equivalent within " + RunSentences.percent(comparison.margin()) + control;
    }

    private String legendOfMarks() {
        return (distrust().isEmpty() ? "" : ", ! INVALID")
                + (comparison.runs().stream().allMatch(run -> run.died().isEmpty()) ? "" : ", x died");
    }

    // ---- the screen ---------------------------------------------------------------------------------------------

    /** Returns the screen, ending with a line feed. */
    public String text() {
        List<List<String>> parts = new ArrayList<>();
        List<String> answer = new ArrayList<>();
        List<Findings.Sentence> answers = answers();
        paint.add(answer, answers.get(0).tone(), answers.get(0).text());
        banner().forEach(line -> paint.add(answer, Tone.BAD, line));
        answers.stream().skip(1).forEach(one -> paint.add(answer, one.tone(), one.text()));
        parts.add(answer);
        List<String> table = new ArrayList<>();
        runs().forEach(line -> table.addAll(Lines.wrapped(line)));
        references().forEach(line -> table.addAll(Lines.wrapped(line)));
        if (!comparison.verdicts().isEmpty()) {
            if (!distrust().isEmpty()) {
                paint.add(table, Tone.BAD, distrust());
            }
            Table cells = new Table("");
            rows(false).forEach(cells::row);
            List<String> lines = cells.toString().lines().collect(Collectors.toList());
            table.add(paint.of(Tone.HEADING, lines.get(0)));
            table.addAll(lines.subList(1, lines.size()));
            table.addAll(Lines.wrapped(legend() + legendOfMarks()));
        }
        List<String> next = next();
        int used = answer.size() + table.size() + next.size() + 3;
        List<String> differences = shortened(Math.max(LEAST_DIFFERENCES, FirstScreen.MOST_LINES - used));
        parts.add(differences);
        parts.add(table);
        parts.add(next);
        boolean tight = used + differences.size() > FirstScreen.MOST_LINES;
        return parts.stream()
                        .filter(part -> !part.isEmpty())
                        .map(part -> String.join("\n", part))
                        .collect(Collectors.joining(tight ? "\n" : "\n\n"))
                + "\n";
    }

    private List<String> shortened(int most) {
        List<String> all = differences();
        List<String> lines = new ArrayList<>();
        int left = 0;
        for (String text : all) {
            List<String> wrapped = Lines.wrapped(text);
            boolean last = all.indexOf(text) == all.size() - 1 && left == 0;
            if (left == 0 && lines.size() + wrapped.size() <= most - (last ? 0 : 1)) {
                lines.addAll(wrapped);
            } else {
                left++;
            }
        }
        if (left > 0) {
            lines.add((lines.isEmpty() ? "" : "and ") + Quantities.count(left, "more difference")
                    + ": --markdown or --html");
        }
        if (all.isEmpty()) {
            lines.add("Nothing is known to differ: targets, plans, machine, Lockstep's version");
        }
        return lines;
    }

    private List<String> next() {
        return next.isEmpty()
                ? List.of()
                : next("Next, all metrics and what the runs were, beside each other", next, paint);
    }

    /** Returns what to type next, and why. */
    static List<String> next(String why, List<String> words, Paint paint) {
        NextCommand command = new NextCommand(why, words);
        List<String> lines = new ArrayList<>(List.of(command.why()));
        command.lines().forEach(line -> lines.add(paint.of(Tone.COMMAND, line)));
        return lines;
    }

    // ---- Markdown -----------------------------------------------------------------------------------------------

    /** Returns the comparison as GitHub shows Markdown. */
    public String markdown() {
        StringBuilder text = new StringBuilder("## Lockstep: runs compared\n");
        List<Findings.Sentence> answers = answers();
        text.append('\n').append(MarkdownReport.line(answers.get(0))).append('\n');
        banner().forEach(line ->
                text.append("\n> ").append(MarkdownReport.escaped(line)).append('\n'));
        answers.stream().skip(1).forEach(answer -> text.append('\n')
                .append(MarkdownReport.line(answer))
                .append('\n'));
        text.append('\n');
        runs().forEach(line ->
                text.append("- ").append(MarkdownReport.escaped(line)).append('\n'));
        references()
                .forEach(line ->
                        text.append("- ").append(MarkdownReport.escaped(line)).append('\n'));
        text.append("\n### Figures\n\n");
        distrust(text);
        table(text, rows(true));
        text.append('\n').append(MarkdownReport.escaped(legend())).append("\n\n### Verdicts\n\n");
        distrust(text);
        List<List<String>> verdicts = new ArrayList<>();
        verdicts.add(List.of("run", "target", "metric", "ratio", "interval", "finding"));
        comparison.verdicts().forEach(verdict -> verdicts.add(cells(verdict)));
        table(text, verdicts);
        text.append("\n### What the runs were\n\n");
        List<List<String>> facts = new ArrayList<>();
        List<String> headings = new ArrayList<>(List.of("what"));
        for (int i = 1; i <= comparison.runs().size(); i++) {
            headings.add("run " + i);
        }
        headings.add("");
        facts.add(headings);
        comparison.targets().forEach(target -> target.facts()
                .forEach(fact -> facts.add(cells(target.target() + ": " + fact.name(), fact))));
        comparison.plans().forEach(fact -> facts.add(cells("plan: " + fact.name(), fact)));
        comparison.machines().forEach(fact -> facts.add(cells("machine: " + fact.name(), fact)));
        comparison.captures().forEach(fact -> facts.add(cells(fact.name(), fact)));
        table(text, facts);
        comparison.notes().forEach(note -> text.append("\n- ").append(MarkdownReport.escaped(note)));
        return text.append(comparison.notes().isEmpty() ? "" : "\n").toString();
    }

    private void distrust(StringBuilder text) {
        if (!distrust().isEmpty()) {
            text.append("**").append(distrust()).append("**\n\n");
        }
    }

    /** Returns the cells of a verdict: its run's number, target, metric, ratio, interval and finding. */
    public List<String> cells(RunVerdict verdict) {
        ComparedRun run = comparison.runs().get(number(verdict) - 1);
        return List.of(
                number(verdict) + invalid(verdict.invalid(), true) + died(run, verdict.target(), true),
                printable(verdict.target()),
                MetricColumn.of(verdict.metric()).label(),
                RunSentences.ratio(verdict),
                RunSentences.interval(verdict),
                finding(verdict));
    }

    static String finding(RunVerdict verdict) {
        return verdict.whyNot().isPresent()
                ? "no verdict: " + printable(verdict.whyNot().get())
                : verdict.standsForDay()
                        ? "stands for the day"
                        : verdict.finding().key() + (verdict.indicative() ? " (indicative)" : "");
    }

    private static List<String> cells(String name, Fact fact) {
        List<String> cells = new ArrayList<>(List.of(name));
        cells.addAll(fact.values());
        cells.add(fact.differs() ? "differs" : "");
        return cells;
    }

    static void table(StringBuilder text, List<List<String>> rows) {
        int width = rows.get(0).size();
        for (List<String> row : rows) {
            text.append('|');
            for (int i = 0; i < width; i++) {
                text.append(' ')
                        .append(i < row.size() ? MarkdownReport.escaped(row.get(i)) : "")
                        .append(" |");
            }
            text.append('\n');
            if (row == rows.get(0)) {
                text.append('|').append("---|".repeat(width)).append('\n');
            }
        }
    }
}
