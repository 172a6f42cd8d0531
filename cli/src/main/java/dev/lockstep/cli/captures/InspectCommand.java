package dev.lockstep.cli.captures;

import dev.lockstep.cli.command.ExitCode;
import dev.lockstep.cli.command.OutputWriter;
import dev.lockstep.cli.command.ReportFile;
import dev.lockstep.cli.command.ToolCommand;
import dev.lockstep.cli.command.UsageException;
import dev.lockstep.cli.options.CaptureKeyOptions;
import dev.lockstep.cli.terminal.Terminal;
import dev.lockstep.inspection.ConnectionFacts;
import dev.lockstep.inspection.Inspection;
import dev.lockstep.inspection.InspectionJson;
import dev.lockstep.inspection.InspectionOptions;
import dev.lockstep.inspection.InspectionReport;
import dev.lockstep.inspection.InspectionText;
import dev.lockstep.page.CapturePage;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.ParseResult;

/** {@code replay inspect}: says what is in a capture. */
@Command(
        name = "inspect",
        header = "Tells what is in a capture.",
        description = "Tells what is in a capture: its requests by host, client, server, method and path, their "
                + "sizes, the rate over time, the connections, and what is missing.",
        footer = {
            "  replay inspect capture.bin",
            "  replay inspect --full capture.bin",
            "  replay inspect --html capture.html capture.bin",
            "  replay inspect --connections --json capture.bin"
        },
        exitCodeList = {"0:Inspected.", "1:Not readable, or damaged.", "2:Wrong command line."})
public final class InspectCommand extends ToolCommand {
    /** After so many connections it looks whether somebody still reads the list. */
    private static final int LOOK_EVERY = 100;

    /** Ends the reading of a capture whose list nobody reads on, as behind head. */
    private static final class NobodyReads extends RuntimeException {
        private static final long serialVersionUID = 1;
    }

    @Parameters(paramLabel = "CAPTURE", description = "The capture file.")
    private Path capture;

    @Option(names = "--json", description = "Prints JSON for programs (docs/inspect.md).")
    private boolean json;

    @Option(
            names = "--html",
            paramLabel = "FILE",
            description =
                    "Writes a page of it to this file, - for standard output; prints nothing else unless --json, --full "
                            + "or --connections asks for it.")
    private Path html;

    @Option(
            names = "--full",
            description = "Prints all lists of names and the largest connections, instead of one screen.")
    private boolean full;

    @Option(names = "--head", paramLabel = "N", description = "Shows the first N requests too.")
    private int head;

    @Option(
            names = "--connections",
            description = "Lists the connections instead: addresses, protocol, requests, bytes, gaps and SHA-256, "
                    + "in the order in which they ended.")
    private boolean connections;

    @Option(
            names = "--top",
            paramLabel = "N",
            description = "Shows the N most frequent names of each kind, on one screen 8 at most. "
                    + "Default: ${DEFAULT-VALUE}.")
    private int top = 10;

    @Mixin
    private CaptureKeyOptions key;

    @Override
    public Integer call() throws IOException {
        checkIsShown();
        PrintWriter terminal = spec.commandLine().getOut();
        PrintWriter out = json ? OutputWriter.utf8(terminal) : terminal;
        InspectionOptions options = options();
        ReportFile.isPrinted(
                html == null ? Map.of() : Map.of("--html", html),
                connections ? "--connections" : json ? "--json" : full ? "--full" : null);
        InspectionReport report;
        try {
            report = connections ? listConnections(options, out) : Inspection.run(capture, options);
        } catch (NobodyReads e) {
            return ExitCode.DONE;
        }
        if (html != null) {
            ReportFile.write(html, CapturePage.of(report), terminal);
        }
        if (!connections && json) {
            InspectionJson.write(report, out);
        } else if (!connections && (html == null || full)) {
            InspectionText.lines(report, full).forEach(out::println);
        }
        out.flush();
        if (report.damage() == null) {
            return ExitCode.DONE;
        }
        Terminal.error(spec.commandLine().getErr(), report.damage());
        return ExitCode.FAILED;
    }

    /** Refuses what says how much of a summary is shown where no summary is. */
    private void checkIsShown() {
        ParseResult parsed = spec.commandLine().getParseResult();
        for (String option : List.of("--head", "--top", "--full")) {
            if (connections && html == null && parsed.hasMatchedOption(option)) {
                throw new UsageException(
                        option + ": expected a summary, found --connections, which stands in its place; leave one out");
            }
        }
        if (json && full) {
            throw new UsageException("--full: expected text, found --json, which has every list; leave one out");
        }
    }

    private InspectionOptions options() {
        try {
            return InspectionOptions.defaults().top(top).head(head).key(key.key());
        } catch (IllegalArgumentException e) {
            throw new UsageException("--" + e.getMessage());
        }
    }

    /** Writes each connection when it has ended, so that a capture of any length needs little memory. */
    private InspectionReport listConnections(InspectionOptions options, PrintWriter out) {
        int[] listed = {0};
        InspectionReport report = Inspection.run(capture, options.connections(connection -> {
            if (!json) {
                out.println(InspectionText.line(connection));
            } else {
                out.print(listed[0] == 0 ? "[\n" : ",\n");
                write(connection, out);
            }
            listed[0]++;
            if (html == null && listed[0] % LOOK_EVERY == 0 && out.checkError()) {
                throw new NobodyReads();
            }
        }));
        if (json) {
            out.print(listed[0] == 0 ? "[\n]\n" : "\n]\n");
        }
        return report;
    }

    private static void write(ConnectionFacts connection, PrintWriter out) {
        try {
            InspectionJson.write(connection, out);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
