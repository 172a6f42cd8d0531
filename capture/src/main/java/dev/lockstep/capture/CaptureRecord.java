package dev.lockstep.capture;

import java.nio.ByteBuffer;

/** One record of a capture, as {@link RecordHandler} sees it: a view that is valid only during the call. */
public final class CaptureRecord {
    CaptureRecord() {}

    /** Returns the kind of record, or null for one that this version does not know and may skip. */
    public RecordType type() {
        throw new UnsupportedOperationException();
    }

    /** Returns the record's place in the file, counted from 0. */
    public long number() {
        throw new UnsupportedOperationException();
    }

    /** Returns the connection, or -1 for a record that belongs to none. */
    public int connection() {
        throw new UnsupportedOperationException();
    }

    /** Returns the time in ns since the capture's start. */
    public long timeNs() {
        throw new UnsupportedOperationException();
    }

    /** Returns the {@link RecordFlags}. */
    public int flags() {
        throw new UnsupportedOperationException();
    }

    /** Returns a read-only view of the payload in the mapped file; the view is reused for the next record. */
    public ByteBuffer payload() {
        throw new UnsupportedOperationException();
    }
}
