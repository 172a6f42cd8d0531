package dev.lockstep.cli.replay;

import dev.lockstep.cli.command.CliException;
import dev.lockstep.cli.command.ExitCode;
import dev.lockstep.cli.command.OutputWriter;
import dev.lockstep.cli.command.ReportFile;
import dev.lockstep.cli.command.ToolCommand;
import dev.lockstep.cli.command.UsageException;
import dev.lockstep.cli.terminal.Terminal;
import dev.lockstep.exporter.ResultMetrics;
import dev.lockstep.page.ReportPage;
import dev.lockstep.report.AnswerPairs;
import dev.lockstep.report.IntervalsCsv;
import dev.lockstep.report.Report;
import dev.lockstep.report.ReportFormat;
import dev.lockstep.results.AnswerPair;
import dev.lockstep.results.RunResult;
import dev.lockstep.results.TargetResult;
import dev.lockstep.results.directory.RunDirectoryReader;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code report}: prints what a finished run printed, from its directory alone. */
@Command(
        name = "report",
        header = "Prints the report of a finished run again.",
        description = "Prints what a finished run printed, from the files in its directory alone; --output and the "
                + "formats choose something else.",
        footer = {
            "  replay report lockstep-runs/20261121-074200-c2-graal",
            "  replay report --output full lockstep-runs/20261121-074200-c2-graal",
            "  replay report --csv lockstep-runs/20261121-074200-c2-graal",
            "  replay report --markdown summary.md lockstep-runs/20261121-074200-c2-graal"
        },
        exitCodeList = {"0:Printed, whatever the run came to.", "1:No finished run there.", "2:Wrong command line."})
public final class ReportCommand extends ToolCommand {
    /** Text, unless one of these is given. */
    private static final class Format {
        @Option(names = "--json", description = "Prints run.json and nothing else.")
        private boolean json;

        @Option(names = "--csv", description = "Prints a line for each target, as in summary.csv.")
        private boolean csv;

        @Option(
                names = "--bodies",
                description =
                        "Prints what was kept of answers that differ, both bodies of each, in place of the result.")
        private boolean bodies;
    }

    @Parameters(paramLabel = "DIR", description = "The run directory, with a run.json.")
    private Path directory;

    @ArgGroup
    private final Format format = new Format();

    @Option(
            names = "--html",
            paramLabel = "FILE",
            description =
                    "Writes report.html anew to this file, - for standard output; prints nothing else unless a format is "
                            + "asked for.")
    private Path html;

    @Option(
            names = "--markdown",
            paramLabel = "FILE",
            description = "Writes the answer and the tables as GitHub shows Markdown, likewise.")
    private Path markdown;

    @Option(
            names = "--junit",
            paramLabel = "FILE",
            description = "Writes verdicts and conditions as test cases in JUnit's XML, likewise.")
    private Path junit;

    @Option(
            names = "--summary",
            paramLabel = "FILE",
            description = "Adds the same Markdown to the end of this file, likewise: --summary $$GITHUB_STEP_SUMMARY.")
    private Path summary;

    @Option(
            names = "--intervals-csv",
            paramLabel = "FILE",
            description =
                    "Writes a line of CSV for each interval and target, likewise: intervals.jsonl for spreadsheets.")
    private Path intervals;

    @Option(
            names = "--openmetrics",
            paramLabel = "FILE",
            description = "Writes the final figures as OpenMetrics text, likewise: for the node exporter's textfile "
                    + "collector or a Pushgateway.")
    private Path openMetrics;

    @Mixin
    private final OutputOptions output = new OutputOptions();

    @Override
    public Integer call() {
        requireEnded(directory);
        if (output.output().isPresent() && !asked().equals("--output")) {
            throw new UsageException("--output: expected the result as text, found " + asked() + "; leave one out");
        }
        Map<String, Path> named = files();
        boolean printed = ReportFile.isPrinted(named, asked());
        RunResult result = RunDirectoryReader.read(directory);
        write(result);
        if (printed || asked() == null && named.values().stream().anyMatch(Objects::nonNull)) {
            return ExitCode.DONE;
        }
        PrintWriter out = spec.commandLine().getOut();
        if (format.json) {
            // The file itself: fields that only a newer version knows are printed too.
            out = OutputWriter.utf8(out);
            out.print(RunDirectoryReader.readDocument(directory));
        } else if (format.bodies) {
            printBodies(result);
        } else {
            Report report = Report.of(result);
            out = format.csv ? OutputWriter.utf8(out) : out;
            out.print(output.output()
                    .map(report::with)
                    .orElse(report)
                    .painted(Terminal.paint())
                    .within(Terminal.outputColumns())
                    .as(format.csv ? ReportFormat.CSV : ReportFormat.TEXT));
        }
        out.flush();
        return ExitCode.DONE;
    }

    /** Refuses the directory of a run that goes on. */
    static void requireEnded(Path directory) {
        if (RunDirectoryReader.isBeingWritten(directory)) {
            throw new CliException(directory + ": expected the directory of a finished run, found one that a run is"
                    + " writing; wait for its end");
        }
    }

    /** Returns the files that are written, by their options. */
    private Map<String, Path> files() {
        Map<String, Path> files = new LinkedHashMap<>();
        files.put("--html", html);
        files.put("--markdown", markdown);
        files.put("--junit", junit);
        files.put("--summary", summary);
        files.put("--openmetrics", openMetrics);
        files.put("--intervals-csv", intervals);
        return files;
    }

    /** Returns the option that says what is printed, or null. */
    private String asked() {
        return format.json
                ? "--json"
                : format.csv
                        ? "--csv"
                        : format.bodies ? "--bodies" : output.output().isPresent() ? "--output" : null;
    }

    private void write(RunResult result) {
        PrintWriter out = spec.commandLine().getOut();
        Report report = Report.of(result);
        if (html != null) {
            ReportFile.write(html, page(result, directory), out);
        }
        if (markdown != null) {
            ReportFile.write(markdown, report.as(ReportFormat.MARKDOWN), out);
        }
        if (junit != null) {
            ReportFile.write(junit, report.as(ReportFormat.JUNIT), out);
        }
        if (summary != null) {
            ReportFile.append(summary, report.as(ReportFormat.MARKDOWN), out);
        }
        if (openMetrics != null) {
            ReportFile.write(openMetrics, ResultMetrics.page(result), out);
        }
        if (intervals != null) {
            ReportFile.write(
                    intervals, to -> IntervalsCsv.write(row -> RunDirectoryReader.readCells(directory, row), to), out);
        }
    }

    /** Returns what was kept of answers that differ, by target; without those of which nothing was. */
    private static Map<String, List<AnswerPair>> answers(RunResult result, Path directory) {
        Map<String, List<AnswerPair>> answers = new LinkedHashMap<>();
        for (TargetResult target : result.targets()) {
            List<AnswerPair> pairs = RunDirectoryReader.answers(directory, target.name());
            if (!pairs.isEmpty()) {
                answers.put(target.name(), pairs);
            }
        }
        return answers;
    }

    private void printBodies(RunResult result) {
        Map<String, List<AnswerPair>> answers = answers(result, directory);
        PrintWriter out = spec.commandLine().getOut();
        if (answers.isEmpty()) {
            throw new CliException(directory + ": expected bodies of answers that differ, found none; a run keeps them"
                    + " with --compare, where answers differ");
        }
        answers.forEach(
                (target, pairs) -> out.println(new AnswerPairs(result.baseline().name(), target, pairs)));
        out.flush();
    }

    /** Returns the page of a run whose files are all there. */
    public static String page(RunResult result, Path directory) {
        return ReportPage.of(
                        result,
                        figures -> {
                            // A run has none whose targets all died while they started.
                            if (RunDirectoryReader.hasIntervals(directory)) {
                                RunDirectoryReader.readFigures(directory, figures);
                            }
                        },
                        RunDirectoryReader.flameGraphs(directory))
                .withAnswers(answers(result, directory))
                .withStacks((target, stack) -> RunDirectoryReader.readStacks(directory, target, stack))
                .html();
    }
}
