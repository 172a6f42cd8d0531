package dev.lockstep.report;

/** In which form a report is printed. */
public enum ReportFormat {
    /** For people: hey's summary of every target, then a table of all of them. */
    TEXT,
    /** The document {@code run.json}. */
    JSON,
    /** One line per target, for spreadsheets: {@code summary.csv}. */
    CSV
}
