package dev.lockstep.capture;

import java.time.Instant;
import java.util.UUID;

/** What a capture file says of itself, and what the reader counted. Immutable. */
public final class CaptureInfo {
    private final UUID id;
    private final String formatVersion;
    private final Instant startedAt;
    private final String[] notes = new String[CaptureFormat.NOTE_TYPES];
    private final boolean compressed;
    private final int segments;
    private final boolean closedProperly;
    private final String endedEarly;
    private final long cutBytes;
    private final long fileBytes;
    private final long storedBytes;
    private final long rawBytes;
    private final long records;
    private final long lastTimeNs;
    private final long connections;
    private final long requests;
    private final long dataBytes;
    private final long opaqueBytes;
    private final long opaqueConnections;
    private final long incompleteRequests;
    private final long incompleteBytes;
    private final long gaps;
    private final long gapBytes;
    private final long redactedRecords;
    private final long redactedValues;
    private final long missedPackets;
    private final long lostConnections;
    private final long lostRequests;
    private final long lostBytes;
    private final long appends;
    private final long repairedBytes;

    /** Puts together what was read. */
    CaptureInfo(CaptureCounts counts) {
        CaptureIdentity identity = counts.identity;
        this.id = identity.id();
        this.formatVersion = CaptureFormat.MAJOR + "." + identity.minor();
        this.startedAt = Instant.EPOCH.plusNanos(identity.startEpochNs());
        for (int type = 0; type < notes.length; type++) {
            notes[type] = identity.note(type);
        }
        this.compressed = identity.compressed();
        this.segments = counts.segments;
        this.closedProperly = counts.whole;
        this.endedEarly = counts.summary.state == CaptureSummary.State.ENDED_EARLY ? counts.summary.reasonText : null;
        this.cutBytes = counts.cutBytes;
        this.fileBytes = counts.fileBytes;
        this.storedBytes = counts.storedBytes;
        this.rawBytes = counts.rawBytes;
        this.records = counts.records;
        this.lastTimeNs = counts.lastTimeNs;
        this.connections = counts.connections;
        this.requests = counts.requests;
        this.dataBytes = counts.dataBytes;
        this.opaqueBytes = counts.opaqueBytes;
        this.opaqueConnections = counts.opaqueConnections;
        this.incompleteRequests = counts.incompleteRequests;
        this.incompleteBytes = counts.dataBytes - counts.opaqueBytes - counts.requestBytes;
        this.gaps = counts.gaps;
        this.gapBytes = counts.gapBytes;
        this.redactedRecords = counts.redactedRecords;
        this.redactedValues = counts.redactedValues;
        this.missedPackets = counts.missedPackets;
        this.lostConnections = counts.lostConnections;
        this.lostRequests = counts.lostRequests;
        this.lostBytes = counts.lostBytes;
        this.appends = counts.appends;
        this.repairedBytes = counts.repairedBytes;
    }

    /** Returns the identity of the capture. */
    public UUID id() {
        return id;
    }

    /** Returns the format version, such as "1.0". */
    public String formatVersion() {
        return formatVersion;
    }

    /** Returns the wall clock time at which recording began; a request's time counts from here. */
    public Instant startedAt() {
        return startedAt;
    }

    /** Returns the version of the tool that recorded, or null. */
    public String toolVersion() {
        return notes[CaptureFormat.NOTE_TOOL_VERSION];
    }

    /** Returns the name of the recording machine, or null. */
    public String host() {
        return notes[CaptureFormat.NOTE_HOST];
    }

    /** Returns the address at which clients were accepted, or null. */
    public String listen() {
        return notes[CaptureFormat.NOTE_LISTEN];
    }

    /** Returns the address of the recorded service, or null. */
    public String upstream() {
        return notes[CaptureFormat.NOTE_UPSTREAM];
    }

    /** Returns by which filters traffic was chosen, in words for people, or null for all of it. */
    public String filters() {
        return notes[CaptureFormat.NOTE_FILTERS];
    }

    /** Returns how connections were sampled, in words for people, or null for all of them. */
    public String sampling() {
        return notes[CaptureFormat.NOTE_SAMPLING];
    }

    /** Returns under which policy values were replaced, in words for people, or null when the bytes are exact. */
    public String redaction() {
        return notes[CaptureFormat.NOTE_REDACTION];
    }

    /** Returns words of the user, or null. */
    public String comment() {
        return notes[CaptureFormat.NOTE_COMMENT];
    }

    /** Returns the id of the key under which the capture is encrypted, or null when it is not. */
    public String keyId() {
        return notes[CaptureFormat.NOTE_KEY_ID];
    }

    /** Tells whether blocks are compressed. */
    public boolean compressed() {
        return compressed;
    }

    /** Returns of how many files the capture consists, 1 when it was never rotated. */
    public int segments() {
        return segments;
    }

    /**
     * Returns how many packets a passive recorder did not get because the kernel had no room for them, as far as closed
     * files say. What they held of clients is among the {@link #gaps()} where later packets showed that it is missing.
     */
    public long missedPackets() {
        return missedPackets;
    }

    /** Returns how many values were replaced before they reached the disk, as far as closed files say. */
    public long redactedValues() {
        return redactedValues;
    }

    /** Returns how many records hold replaced values. */
    public long redactedRecords() {
        return redactedRecords;
    }

    /** Returns the number of connections. */
    public long connections() {
        return connections;
    }

    /** Returns the number of complete requests. */
    public long requests() {
        return requests;
    }

    /** Returns the time of the last record in ns since the capture's start. */
    public long lastTimeNs() {
        return lastTimeNs;
    }

    /** Returns how often a recorder went on with the capture after it was closed or had died. */
    public long appends() {
        return appends;
    }

    /** Returns the bytes of torn ends that were cut off before recording went on. */
    public long repairedBytes() {
        return repairedBytes;
    }

    /** Tells whether the recorder finished the file itself; false after a crash, or while recording goes on. */
    public boolean closedProperly() {
        return closedProperly;
    }

    /** Returns why recording ended early, in one line for people, or null. */
    public String endedEarly() {
        return endedEarly;
    }

    /** Returns the bytes at a torn end that were left out; 0 for a whole file. */
    public long cutBytes() {
        return cutBytes;
    }

    /** Returns the bytes of the blocks of records as they stand in the file. */
    public long storedBytes() {
        return storedBytes;
    }

    /** Returns the bytes of the blocks of records decrypted and decompressed. */
    public long rawBytes() {
        return rawBytes;
    }

    /** Returns the length of the file in bytes, of all segments together. */
    public long fileBytes() {
        return fileBytes;
    }

    /** Returns the number of records. */
    public long records() {
        return records;
    }

    /** Returns the client-to-server bytes, in requests or not. */
    public long dataBytes() {
        return dataBytes;
    }

    /** Returns the client-to-server bytes outside any message. */
    public long opaqueBytes() {
        return opaqueBytes;
    }

    /** Returns the connections that hold such bytes. */
    public long opaqueConnections() {
        return opaqueConnections;
    }

    /** Returns the requests that begin but do not end in the file, or have a hole. */
    public long incompleteRequests() {
        return incompleteRequests;
    }

    /** Returns the bytes of such requests. */
    public long incompleteBytes() {
        return incompleteBytes;
    }

    /** Returns how many holes are in connections. */
    public long gaps() {
        return gaps;
    }

    /** Returns how many bytes are known to be missing in them. */
    public long gapBytes() {
        return gapBytes;
    }

    /** Returns the connections that the recorder lost, wholly or from some point on. */
    public long lostConnections() {
        return lostConnections;
    }

    /** Returns the requests that the recorder lost. */
    public long lostRequests() {
        return lostRequests;
    }

    /** Returns the client-to-server bytes that the recorder lost. */
    public long lostBytes() {
        return lostBytes;
    }
}
