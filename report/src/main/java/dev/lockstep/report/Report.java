package dev.lockstep.report;

import dev.lockstep.results.Output;
import dev.lockstep.results.RunResult;

/**
 * A run's result as text in one of the {@link ReportFormat formats}. Made of the result alone, so that a run that was
 * measured yesterday and read from its directory gives the same report. Immutable.
 */
public final class Report {
    private final RunResult result;
    private final Output output;
    private final Paint paint;
    private final int width;

    private Report(RunResult result, Output output, Paint paint, int width) {
        this.result = result;
        this.output = output;
        this.paint = paint;
        this.width = width;
    }

    /** Returns the report as the run's plan has it. */
    public static Report of(RunResult result) {
        return new Report(result, result.plan().output().orElse(Output.FULL), Paint.NONE, Lines.WIDTH);
    }

    /** Returns the report with another choice of how much is printed as text. */
    public Report with(Output other) {
        return new Report(result, other, paint, width);
    }

    /** Returns the report for a terminal that shows colours. */
    public Report painted(Paint with) {
        return new Report(result, output, with, width);
    }

    /**
     * Returns the report for a terminal of so many columns; of a wide one the first screen's table has more columns.
     */
    public Report within(int columns) {
        return new Report(result, output, paint, Math.max(Lines.WIDTH, columns));
    }

    /**
     * Returns the part of the text that says where CPU time goes, for who has the rest; empty without a profile and
     * where it is no part of the text.
     */
    public String hotMethods() {
        return result.hotMethods()
                .filter(hot -> output != Output.HEY)
                .map(hot -> "\n" + new HotMethodTable(hot, result.plan().baseline()))
                .orElse("");
    }

    /** Returns the report, ending with a line feed; to be written as UTF-8. */
    public String as(ReportFormat format) {
        switch (format) {
            case TEXT:
                return text() + hotMethods();
            case JSON:
                return result.toJson();
            case CSV:
                return new CsvReport(result).toString();
            case MARKDOWN:
                return new MarkdownReport(result).toString();
            case JUNIT:
                return new JunitReport(result).toString();
            default:
                throw new IllegalArgumentException("unknown format " + format);
        }
    }

    private String text() {
        switch (output) {
            case SHORT:
                return new FirstScreen(result, paint, width).toString();
            case HEY:
                return new HeyBlocks(result, paint).toString();
            case BOTH:
                return new HeyBlocks(result, paint) + "\n" + new FirstScreen(result, paint, width);
            default:
                return new TextReport(result).toString();
        }
    }
}
