package dev.lockstep.cli.replay;

import dev.lockstep.analysis.AnalysisException;
import dev.lockstep.analysis.Metric;
import dev.lockstep.analysis.NamedRun;
import dev.lockstep.analysis.RunComparisons;
import dev.lockstep.analysis.RunCriteria;
import dev.lockstep.analysis.RunHistories;
import dev.lockstep.cli.command.CliException;
import dev.lockstep.cli.command.ExitCode;
import dev.lockstep.cli.command.OutputWriter;
import dev.lockstep.cli.command.ReportFile;
import dev.lockstep.cli.command.ToolCommand;
import dev.lockstep.cli.command.UsageException;
import dev.lockstep.cli.terminal.Terminal;
import dev.lockstep.measurement.MeasurementException;
import dev.lockstep.page.ComparisonPage;
import dev.lockstep.report.ComparisonReport;
import dev.lockstep.report.HistoryReport;
import dev.lockstep.results.TargetResult;
import dev.lockstep.results.comparison.Outcome;
import dev.lockstep.results.comparison.RunComparison;
import dev.lockstep.results.comparison.RunHistory;
import dev.lockstep.results.directory.RunDirectories;
import dev.lockstep.results.directory.RunDirectoryReader;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code compare}: judges runs against earlier ones, from their directories alone. */
@Command(
        name = "compare",
        header = "Compares runs of different days, and finds regressions.",
        description = "Judges each run against the first one, or the newest of a folder against those before it. See "
                + "docs/trend.md.",
        footer = {
            "  replay compare lockstep-runs/monday lockstep-runs/tuesday",
            "  replay compare --fail-on p99,rss --margin 2%% monday tuesday",
            "  replay compare --html compare.html monday tuesday wednesday",
            "  replay compare --history lockstep-runs --html history.html"
        },
        exitCodeList = {
            "0:No regression was found.",
            "1:A run is worse by a metric that decides, or cannot be read.",
            "2:Wrong command line, or runs of different captures.",
            "3:A run is INVALID for a metric that decides, and none is worse."
        })
public final class CompareCommand extends ToolCommand {
    private static final String NO_CONTROL = "none";

    @Parameters(arity = "0..*", paramLabel = "DIR", description = "Run directories, two at least, the baseline first.")
    private List<Path> directories = new ArrayList<>();

    @Option(
            names = "--history",
            paramLabel = "FOLDER",
            description = "Takes all runs below this folder, and judges the newest against those before it.")
    private Path history;

    @Option(
            names = "--baseline",
            paramLabel = "DIR",
            description = "The run that the others are judged against. Default: the first.")
    private Path baseline;

    @Option(
            names = "--primary",
            paramLabel = "METRIC",
            description = "The metric that decides, as in docs/comparing.md. Default: that of the runs.")
    private String primary;

    @Option(
            names = "--fail-on",
            paramLabel = "METRIC",
            split = ",",
            description = "Further metrics by which worse is a regression, with commas between them.")
    private List<String> failOn = new ArrayList<>();

    @Option(
            names = "--margin",
            paramLabel = "SHARE",
            defaultValue = "1%",
            description = "Differences below this count as none: 1%% or 0.01. Default: 1%%.")
    private String margin;

    @Option(
            names = "--control",
            paramLabel = "TARGET",
            description = "The target whose ratio between the runs stands for the day, or none. Default: one that is "
                    + "the same in both, if not all.")
    private String control;

    @Option(names = "--force", description = "Compares runs of different captures too, and says by what they differ.")
    private boolean force;

    @Option(names = "--json", description = "Prints the comparison as JSON and nothing else.")
    private boolean json;

    @Option(
            names = "--html",
            paramLabel = "FILE",
            description = "Writes a page with all metrics to this file, beside what is printed; - is standard output, "
                    + "in place of it.")
    private Path html;

    @Option(
            names = "--markdown",
            paramLabel = "FILE",
            description = "Writes the answer and the tables as GitHub shows Markdown, likewise.")
    private Path markdown;

    /** Whether one of the files is standard output. */
    private boolean printed;

    @Override
    public Integer call() {
        check();
        return history == null ? compare() : history();
    }

    private void check() {
        Map<String, Path> files = new LinkedHashMap<>();
        files.put("--html", html);
        files.put("--markdown", markdown);
        printed = ReportFile.isPrinted(files, json ? "--json" : null);
        VerdictOptions.share(margin);
        failOn.forEach(name -> metric("--fail-on", name));
        if (primary != null) {
            metric("--primary", primary);
        }
        int runs = history == null ? inOrder().size() : 0;
        if (history == null && runs < 2) {
            throw new UsageException("expected two run directories at least, or --history FOLDER, found "
                    + (runs == 0 ? "none" : "one"));
        }
        if (history != null) {
            List<String> others = Stream.of(
                            directories.isEmpty() ? null : directories.get(0).toString(),
                            baseline == null ? null : "--baseline",
                            control == null ? null : "--control",
                            force ? "--force" : null)
                    .filter(name -> name != null)
                    .collect(Collectors.toList());
            if (!others.isEmpty()) {
                throw new UsageException(
                        "--history takes all runs of its folder, found " + others.get(0) + " beside it; leave it out");
            }
        }
    }

    private RunCriteria criteria(List<NamedRun> runs) {
        failOn.forEach(name -> requireMeaning("--fail-on", name, runs));
        RunCriteria criteria = RunCriteria.of(VerdictOptions.share(margin))
                .failOn(failOn.stream().map(name -> metric("--fail-on", name)).collect(Collectors.toList()));
        if (primary != null) {
            requireMeaning("--primary", primary, runs);
            criteria = criteria.primary(metric("--primary", primary));
        }
        if (NO_CONTROL.equals(control)) {
            return criteria.withoutControl();
        }
        return control == null ? criteria : criteria.control(control);
    }

    private static Metric metric(String option, String name) {
        return Metric.of(name)
                .orElseThrow(() ->
                        new UsageException(option + ": expected one of " + Metric.names() + ", found '" + name + "'"));
    }

    private static void requireMeaning(String option, String name, List<NamedRun> runs) {
        Metric metric = metric(option, name);
        runs.forEach(run -> metric.whyNotIn(run.result().plan()).ifPresent(why -> {
            throw new UsageException(option + " " + name + ": " + run.directory() + ": " + why);
        }));
    }

    // ---- a few runs ---------------------------------------------------------------------------------------------

    private int compare() {
        List<NamedRun> runs = inOrder().stream().map(CompareCommand::read).collect(Collectors.toList());
        RunCriteria criteria = criteria(runs);
        if (!force && !RunComparisons.isSameCapture(runs)) {
            NamedRun first = runs.get(0);
            NamedRun other = runs.stream()
                    .filter(run -> !RunComparisons.isSameCapture(List.of(first, run)))
                    .findFirst()
                    .orElseThrow();
            throw new UsageException("expected runs of the same requests, found " + requests(first) + " and "
                    + requests(other) + "; --force compares them all the same");
        }
        // One that was renamed would else never be found worse again.
        runs.stream()
                .skip(1)
                .filter(run -> !RunComparisons.haveATargetInCommon(List.of(runs.get(0), run)))
                .findFirst()
                .ifPresent(run -> {
                    throw new UsageException("expected a target of the baseline in each run, found "
                            + targets(runs.get(0)) + ", " + targets(run) + "; targets are compared by their names");
                });
        RunComparison comparison;
        try {
            comparison = RunComparisons.of(runs, criteria);
        } catch (AnalysisException e) {
            throw new UsageException("--control: " + e.getMessage());
        }
        ComparisonReport report = ComparisonReport.of(comparison);
        String text = json
                ? comparison.toJson()
                : report.on(Terminal.paint(), next("compare.html")).text();
        return print(() -> ComparisonPage.of(comparison), report::markdown, text, comparison.outcome());
    }

    private static String targets(NamedRun run) {
        return run.result().targets().stream().map(TargetResult::name).collect(Collectors.joining(" and ")) + " in "
                + run.directory();
    }

    /** Returns the words that ask for the same comparison as a page; none where there is one. */
    private List<String> next(String page) {
        return html == null ? CommandWords.ofComparison(spec.commandLine().getParseResult(), page) : List.of();
    }

    /** Returns the directories, the baseline first; one that is named twice would be compared with itself. */
    private List<Path> inOrder() {
        List<Path> all = new ArrayList<>();
        if (baseline != null) {
            all.add(baseline);
        }
        directories.stream()
                .filter(directory -> baseline == null || !isSame(directory, baseline))
                .forEach(all::add);
        for (int i = 0; i < all.size(); i++) {
            for (int j = i + 1; j < all.size(); j++) {
                if (isSame(all.get(i), all.get(j))) {
                    throw new UsageException("expected different run directories, found " + all.get(j) + " twice");
                }
            }
        }
        return all;
    }

    private static boolean isSame(Path one, Path other) {
        try {
            return one.toRealPath().equals(other.toRealPath());
        } catch (IOException e) {
            // What is not there is told when it is read.
            return false;
        }
    }

    private static NamedRun read(Path directory) {
        ReportCommand.requireEnded(directory);
        try {
            return NamedRun.of(directory.toString(), RunDirectoryReader.readResult(directory));
        } catch (AnalysisException e) {
            throw new CliException(e.getMessage());
        }
    }

    private static String requests(NamedRun run) {
        return run.directory() + " with " + run.result().plan().capture().requests() + " requests of "
                + run.result().plan().capture().path() + " (SHA-256 "
                + run.result().plan().capture().streamSha256().substring(0, 12) + ")";
    }

    // ---- a history ----------------------------------------------------------------------------------------------

    private int history() {
        RunDirectories found = RunDirectories.below(history);
        List<NamedRun> runs = new ArrayList<>();
        List<RunHistory.Skipped> skipped = new ArrayList<>();
        found.others().forEach((directory, why) -> skipped.add(RunHistory.Skipped.of(directory.toString(), why)));
        for (Path directory : found.finished()) {
            try {
                runs.add(read(directory));
            } catch (MeasurementException | CliException e) {
                skipped.add(RunHistory.Skipped.of(directory.toString(), e.getMessage()));
            }
        }
        if (runs.isEmpty()) {
            throw new CliException(history + ": expected finished runs below it, found none"
                    + (skipped.isEmpty()
                            ? ""
                            : "; " + skipped.get(0).directory() + ": "
                                    + skipped.get(0).why()));
        }
        NamedRun newest = Collections.max(
                runs, Comparator.comparing(run -> run.result().startedAt().toInstant()));
        // An older run that lacks the metric counts for nothing in its series.
        RunHistory made = RunHistories.of(history.toString(), runs, skipped, criteria(List.of(newest)));
        HistoryReport report = HistoryReport.of(made);
        String text = json
                ? made.toJson()
                : report.on(Terminal.paint(), next("history.html")).text();
        return print(() -> ComparisonPage.of(made), report::markdown, text, made.outcome());
    }

    /**
     * Writes the files that are asked for, and prints the result unless one of them is standard output; JSON as UTF-8,
     * whatever the terminal's encoding is.
     */
    private int print(Supplier<ComparisonPage> page, Supplier<String> asMarkdown, String text, Outcome outcome) {
        PrintWriter out = spec.commandLine().getOut();
        if (html != null) {
            ReportFile.write(html, page.get().html(), out);
        }
        if (markdown != null) {
            ReportFile.write(markdown, asMarkdown.get(), out);
        }
        if (!printed) {
            PrintWriter to = json ? OutputWriter.utf8(out) : out;
            to.print(text);
            to.flush();
        }
        return outcome == Outcome.REGRESSION
                ? ExitCode.FAILED
                : outcome == Outcome.INVALID ? ExitCode.INVALID : ExitCode.DONE;
    }
}
