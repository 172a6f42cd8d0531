package dev.lockstep.conversion;

import java.util.List;

/** What an export wrote and what it left out. Immutable. */
public final class ExportReport {
    /** Stands for how many requests are in packets, which have none. */
    public static final long NOT_COUNTED = -1;

    private final ExportFormat format;
    private final long requests;
    private final long connections;
    private final long bytes;
    private final List<ImportReport.Finding> skipped;

    ExportReport(ExportFormat format, long requests, long connections, long bytes, ImportReport.Findings skipped) {
        this.format = format;
        this.requests = requests;
        this.connections = connections;
        this.bytes = bytes;
        this.skipped = skipped.list();
    }

    /** Returns the format of the file. */
    public ExportFormat format() {
        return format;
    }

    /** Returns the requests that were written, or {@link #NOT_COUNTED}. */
    public long requests() {
        return requests;
    }

    /** Returns the connections of which something was written. */
    public long connections() {
        return connections;
    }

    /** Returns the clients' bytes that were written, as they are in the capture. */
    public long bytes() {
        return bytes;
    }

    /** Returns what of the capture is not in the file, by reason. */
    public List<ImportReport.Finding> skipped() {
        return skipped;
    }
}
