package dev.lockstep.report;

/** In which form a report is printed. */
public enum ReportFormat {
    /** For people: hey's summary of every target, then a table of all of them. */
    TEXT("text"),
    /** The document {@code run.json}. */
    JSON("json"),
    /** One line per target, for spreadsheets. */
    CSV("csv");

    private final String key;

    ReportFormat(String key) {
        this.key = key;
    }

    /** Returns the name used on the command line. */
    public String key() {
        return key;
    }

    /** Returns the format of a {@link #key}. */
    public static ReportFormat parse(String key) {
        for (ReportFormat format : values()) {
            if (format.key.equals(key)) {
                return format;
            }
        }
        throw new IllegalArgumentException("format must be text, json or csv, is \"" + key + "\"");
    }
}
