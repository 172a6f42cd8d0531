package dev.lockstep.report;

import dev.lockstep.measurement.RunResult;

/**
 * A run's result as text in one of the {@link ReportFormat formats}. Made of the result alone, so that a run that was
 * measured yesterday and read from its directory gives the same report.
 */
public final class Report {
    private final RunResult result;

    private Report(RunResult result) {
        this.result = result;
    }

    public static Report of(RunResult result) {
        return new Report(result);
    }

    /** Returns the part of the text that says where CPU time goes, for who has the rest; empty without a profile. */
    public String hotMethods() {
        return result.hotMethods()
                .map(hot -> new HotMethodTable(hot, result.plan().baseline()).toString())
                .orElse("");
    }

    /** Returns the report, ending with a line feed; to be written as UTF-8. */
    public String as(ReportFormat format) {
        switch (format) {
            case TEXT:
                return new TextReport(result).toString();
            case JSON:
                return result.toJson();
            case CSV:
                return new CsvReport(result).toString();
            default:
                throw new IllegalArgumentException("unknown format " + format);
        }
    }
}
