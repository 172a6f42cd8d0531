package dev.lockstep.report;

/** In which form a report is printed. */
public enum ReportFormat {
    /** For people, as much as the {@link dev.lockstep.results.Output} says. */
    TEXT,
    /** The document {@code run.json}. */
    JSON,
    /** One line per target, for spreadsheets: {@code summary.csv}. */
    CSV,
    /** The answer and the tables as GitHub shows them. */
    MARKDOWN,
    /** Verdicts and conditions as test cases, for CI servers. */
    JUNIT
}
