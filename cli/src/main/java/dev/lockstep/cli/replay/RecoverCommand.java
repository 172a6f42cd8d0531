package dev.lockstep.cli.replay;

import dev.lockstep.analysis.LaunchVerdicts;
import dev.lockstep.analysis.LoadSeries;
import dev.lockstep.cli.command.CliException;
import dev.lockstep.cli.command.OutputWriter;
import dev.lockstep.cli.command.ToolCommand;
import dev.lockstep.cli.command.Version;
import dev.lockstep.cli.terminal.Terminal;
import dev.lockstep.measurement.IntervalSink;
import dev.lockstep.report.Report;
import dev.lockstep.report.ReportFormat;
import dev.lockstep.results.Environment;
import dev.lockstep.results.LaunchResult;
import dev.lockstep.results.RunResult;
import dev.lockstep.results.directory.RunDirectoryWriter;
import dev.lockstep.run.SoakFindings;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code recover}: makes the result of a run that has none. */
@Command(
        name = "recover",
        header = "Makes the result of a run that has none.",
        description = "Makes run.json and the report of a run that was killed, failed or found the disk full, from the "
                + "intervals in its directory.",
        footer = {"  replay recover lockstep-runs/20261121-074200-c2-graal"},
        exitCodeList = {"0:Recovered; 1 and 3 as for the run itself.", "2:Wrong command line."})
public final class RecoverCommand extends ToolCommand {
    @Parameters(paramLabel = "DIR", description = "The run directory: it has a plan.json and no run.json.")
    private Path path;

    @Option(names = "--json", description = "Prints run.json and nothing else.")
    private boolean json;

    @Override
    public Integer call() {
        if (Files.isRegularFile(path)) {
            throw new CliException(path + ": expected a run directory, found a file; a capture needs no recovery:"
                    + " check it with replay verify, or replay it");
        }
        PrintWriter terminal = spec.commandLine().getOut();
        PrintWriter out = json ? OutputWriter.utf8(terminal) : terminal;
        try (RunDirectoryWriter directory = RunDirectoryWriter.reopen(path)) {
            LoadSeries series = new LoadSeries(IntervalSink.NONE);
            RunResult recovered = directory.recover(
                    Environment.ofThisMachine()
                            .lockstepVersion(Version.number())
                            .warning("written by replay recover, on the machine where that ran")
                            .build(),
                    series);
            RunResult result = SoakFindings.add(judged(recovered, series), path);
            out.print(Report.of(result)
                    .painted(Terminal.paint())
                    .within(Terminal.outputColumns())
                    .as(json ? ReportFormat.JSON : ReportFormat.TEXT));
            out.flush();
            directory.summary(Report.of(result).as(ReportFormat.CSV));
            directory.result(result);
            directory.page(ReportCommand.page(result, path));
            return ReplayCommand.exitCode(result);
        }
    }

    /**
     * Adds the verdicts of the launches before the last one that was begun: nobody knows whether that came to its end.
     */
    private static RunResult judged(RunResult recovered, LoadSeries series) {
        int begun = recovered.targets().stream()
                .flatMap(target -> target.launches().stream())
                .mapToInt(LaunchResult::launch)
                .max()
                .orElse(0);
        int whole = begun - 1;
        return whole < 1
                ? recovered
                : recovered
                        .withVerdicts(LaunchVerdicts.of(recovered, whole, series))
                        .withNote("the verdicts are those of the launches that came to their end, " + whole + " of "
                                + recovered.plan().launchCount());
    }
}
