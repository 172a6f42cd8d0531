package dev.lockstep.conversion;

import dev.lockstep.capture.CaptureTotals;

/** What a filter read and wrote. Immutable. */
public final class FilterReport {
    private final long requestsRead;
    private final long connectionsRead;
    private final CaptureTotals written;
    private final long redactions;
    private final long cutBytes;

    FilterReport(long requestsRead, long connectionsRead, CaptureTotals written, long redactions, long cutBytes) {
        this.requestsRead = requestsRead;
        this.connectionsRead = connectionsRead;
        this.written = written;
        this.redactions = redactions;
        this.cutBytes = cutBytes;
    }

    /** Returns the complete requests that were read; fewer than there are where a limit ended the reading. */
    public long requestsRead() {
        return requestsRead;
    }

    /** Returns the connections that were read. */
    public long connectionsRead() {
        return connectionsRead;
    }

    /** Returns what was written; what counts as lost there was lost in the captures already. */
    public CaptureTotals written() {
        return written;
    }

    /** Returns how many values were replaced now. */
    public long redactions() {
        return redactions;
    }

    /** Returns the bytes at torn ends of the captures that were left out. */
    public long cutBytes() {
        return cutBytes;
    }
}
