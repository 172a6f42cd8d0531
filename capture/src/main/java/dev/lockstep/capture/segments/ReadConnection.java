package dev.lockstep.capture.segments;

import dev.lockstep.capture.RecordFlags;
import dev.lockstep.capture.format.CaptureFormat;

/** A connection that is open where a {@link RecordCursor} stands; its id is its number in the segment. */
public final class ReadConnection extends OpenConnections.Connection {
    /** Its number in the whole capture. */
    public final int wholeNumber;

    private int sequence;
    private boolean inMessage;
    /** Whether the message began in this segment. */
    private boolean begunHere;

    /** Whether bytes outside any message were seen. */
    private boolean opaque;

    private int table;
    /** Whether its first request is in what is read, so that the numbers of its requests are known. */
    private boolean numbered = true;

    /**
     * Begins a connection.
     *
     * @param wholeNumber its number in the whole capture
     * @param sequence the number of its first record
     */
    ReadConnection(int id, int wholeNumber, int sequence) {
        super(id);
        this.wholeNumber = wholeNumber;
        this.sequence = sequence;
        next();
    }

    /** Takes over what is known of the same connection from the segment before. */
    void goOnFrom(ReadConnection earlier) {
        inMessage = earlier.inMessage;
        opaque = earlier.opaque;
        table = earlier.table;
        numbered = earlier.numbered;
    }

    /** Says that it began in a segment that is not read. */
    void beganBefore() {
        numbered = false;
    }

    /** Whether its requests are counted from its first one. */
    public boolean isNumbered() {
        return numbered;
    }

    void next() {
        sequence = sequence + 1 & CaptureFormat.SEQUENCE_MASK;
    }

    /** Counts a record of data, and the request that may end with it. Runs per record. */
    void data(int flags, int length, CaptureCounts capture, BlockCounts segment) {
        segment.dataBytes += length;
        capture.dataBytes += length;
        capture.redactedRecords += (flags & RecordFlags.REDACTED) == 0 ? 0 : 1;
        if ((flags & RecordFlags.MESSAGE_START) != 0) {
            abandon(capture);
            inMessage = true;
            begunHere = true;
        }
        if (!inMessage) {
            capture.opaqueBytes += length;
            if (length > 0 && !opaque) {
                opaque = true;
                capture.opaqueConnections++;
            }
            return;
        }
        if ((flags & RecordFlags.TRUNCATED) != 0) {
            abandon(capture);
        } else if ((flags & RecordFlags.MESSAGE_END) != 0) {
            inMessage = false;
            capture.requests++;
            segment.requests += begunHere ? 1 : 0;
        }
    }

    /** Counts the request in progress, if there is one, as incomplete. */
    void abandon(CaptureCounts capture) {
        if (inMessage) {
            inMessage = false;
            capture.incompleteRequests++;
        }
    }

    /** Returns the number of its next record, modulo 2^24. */
    int sequence() {
        return sequence;
    }

    boolean inMessage() {
        return inMessage;
    }

    /** Returns its number in a {@code ConnectionTable}. */
    public int table() {
        return table;
    }

    /** Notes its number in the table of connections. */
    public void table(int itsNumber) {
        table = itsNumber;
    }
}
