package dev.lockstep.cli.terminal;

import dev.lockstep.cli.command.OutputWriter;
import dev.lockstep.report.Paint;
import dev.lockstep.report.Report;
import dev.lockstep.report.ReportFormat;
import dev.lockstep.results.RunResult;
import java.io.PrintWriter;

/** Prints the result of a run to standard output. Used by one thread. */
final class ResultPrinter {
    private final PrintWriter out;
    private final boolean json;
    private final Paint paint;

    /** @param json whether the result is printed as JSON, once and complete */
    ResultPrinter(PrintWriter out, boolean json, Paint paint) {
        this.out = json ? OutputWriter.utf8(out) : out;
        this.json = json;
        this.paint = paint;
    }

    void measured(RunResult result, boolean last) {
        if (!json || last) {
            out.print(Report.of(result)
                    .painted(paint)
                    .within(Terminal.outputColumns())
                    .as(json ? ReportFormat.JSON : ReportFormat.TEXT));
            out.flush();
        }
    }

    void profiled(RunResult result) {
        out.print(
                json
                        ? Report.of(result).as(ReportFormat.JSON)
                        : Report.of(result).hotMethods());
        out.flush();
    }
}
