package dev.lockstep.capture;

import java.time.Instant;
import java.util.UUID;

/** What a capture file says of itself, and what the reader counted. Immutable. */
public final class CaptureInfo {
    CaptureInfo() {}

    /** Returns the identity of the capture. */
    public UUID id() {
        throw new UnsupportedOperationException();
    }

    /** Returns the format version, such as "1.0". */
    public String formatVersion() {
        throw new UnsupportedOperationException();
    }

    /** Returns the wall clock time at which recording began; a request's time counts from here. */
    public Instant startedAt() {
        throw new UnsupportedOperationException();
    }

    /** Returns the version of the tool that recorded, or null. */
    public String toolVersion() {
        throw new UnsupportedOperationException();
    }

    /** Returns the name of the recording machine, or null. */
    public String host() {
        throw new UnsupportedOperationException();
    }

    /** Returns the address at which clients were accepted, or null. */
    public String listen() {
        throw new UnsupportedOperationException();
    }

    /** Returns the address of the recorded service, or null. */
    public String upstream() {
        throw new UnsupportedOperationException();
    }

    /** Tells whether the recorder finished the file itself; false after a crash, or while recording goes on. */
    public boolean closedProperly() {
        throw new UnsupportedOperationException();
    }

    /** Returns why recording ended early, in one line for people, or null. */
    public String endedEarly() {
        throw new UnsupportedOperationException();
    }

    /** Returns the bytes at a torn end that were left out; 0 for a whole file. */
    public long cutBytes() {
        throw new UnsupportedOperationException();
    }

    /** Returns the length of the file in bytes. */
    public long fileBytes() {
        throw new UnsupportedOperationException();
    }

    /** Returns the number of records. */
    public long records() {
        throw new UnsupportedOperationException();
    }

    /** Returns the client-to-server bytes, in requests or not. */
    public long dataBytes() {
        throw new UnsupportedOperationException();
    }

    /** Returns the client-to-server bytes outside any message. */
    public long opaqueBytes() {
        throw new UnsupportedOperationException();
    }

    /** Returns the connections that hold such bytes. */
    public long opaqueConnections() {
        throw new UnsupportedOperationException();
    }

    /** Returns the requests that begin but do not end in the file, or have a hole. */
    public long incompleteRequests() {
        throw new UnsupportedOperationException();
    }

    /** Returns the bytes of such requests. */
    public long incompleteBytes() {
        throw new UnsupportedOperationException();
    }

    /** Returns how many holes are in connections. */
    public long gaps() {
        throw new UnsupportedOperationException();
    }

    /** Returns how many bytes are known to be missing in them. */
    public long gapBytes() {
        throw new UnsupportedOperationException();
    }

    /** Returns the connections that the recorder lost, wholly or from some point on. */
    public long lostConnections() {
        throw new UnsupportedOperationException();
    }

    /** Returns the requests that the recorder lost. */
    public long lostRequests() {
        throw new UnsupportedOperationException();
    }

    /** Returns the client-to-server bytes that the recorder lost. */
    public long lostBytes() {
        throw new UnsupportedOperationException();
    }
}
