package dev.lockstep.capture;

import java.time.Instant;
import java.util.UUID;

/** What a capture file says of itself, and what the reader counted. Immutable. */
public final class CaptureInfo {
    private final UUID id;
    private final String formatVersion;
    private final Instant startedAt;
    private final String toolVersion;
    private final String host;
    private final String listen;
    private final String upstream;
    private final boolean closedProperly;
    private final String endedEarly;
    private final long cutBytes;
    private final long fileBytes;
    private final long records;
    private final long dataBytes;
    private final long opaqueBytes;
    private final long opaqueConnections;
    private final long incompleteRequests;
    private final long incompleteBytes;
    private final long gaps;
    private final long gapBytes;
    private final long lostConnections;
    private final long lostRequests;
    private final long lostBytes;

    /**
     * Puts together what was read.
     *
     * @param summary what the header says of the end; of an open recording when it says nothing that can be trusted
     * @param whole whether the recorder closed the file and nothing is missing from it
     */
    CaptureInfo(
            CaptureIdentity identity,
            CaptureSummary summary,
            CaptureScan scan,
            long fileBytes,
            long cutBytes,
            boolean whole) {
        this.id = identity.id();
        this.formatVersion = CaptureFormat.MAJOR + "." + identity.minor();
        this.startedAt = Instant.EPOCH.plusNanos(identity.startEpochNs());
        this.toolVersion = identity.toolVersion();
        this.host = identity.host();
        this.listen = identity.listen();
        this.upstream = identity.upstream();
        this.closedProperly = whole;
        this.endedEarly = summary.state == CaptureSummary.State.ENDED_EARLY ? summary.reasonText : null;
        this.cutBytes = cutBytes;
        this.fileBytes = fileBytes;
        this.records = scan.records();
        this.dataBytes = scan.dataBytes();
        this.opaqueBytes = scan.opaqueBytes();
        this.opaqueConnections = scan.opaqueConnections();
        this.incompleteRequests = scan.incompleteRequests();
        this.incompleteBytes =
                scan.dataBytes() - scan.opaqueBytes() - scan.requests().bytes();
        this.gaps = scan.gaps();
        this.gapBytes = scan.gapBytes();
        // A closed file's summary counts all; until then the records say what was lost so far.
        this.lostConnections = Math.max(summary.lostConnections, scan.droppedConnections());
        this.lostRequests = Math.max(summary.lostRequests, scan.droppedRequests());
        this.lostBytes = Math.max(summary.lostBytes, scan.droppedBytes());
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
        return toolVersion;
    }

    /** Returns the name of the recording machine, or null. */
    public String host() {
        return host;
    }

    /** Returns the address at which clients were accepted, or null. */
    public String listen() {
        return listen;
    }

    /** Returns the address of the recorded service, or null. */
    public String upstream() {
        return upstream;
    }

    /** Returns by which filters traffic was chosen, in words for people, or null for all of it. */
    public String filters() {
        return null;
    }

    /** Returns how connections were sampled, in words for people, or null for all of them. */
    public String sampling() {
        return null;
    }

    /** Returns under which policy values were replaced, in words for people, or null when the bytes are exact. */
    public String redaction() {
        return null;
    }

    /** Returns words of the user, or null. */
    public String comment() {
        return null;
    }

    /** Returns the id of the key under which the capture is encrypted, or null when it is not. */
    public String keyId() {
        return null;
    }

    /** Tells whether blocks are compressed. */
    public boolean compressed() {
        return false;
    }

    /** Returns of how many files the capture consists, 1 when it was never rotated. */
    public int segments() {
        return 1;
    }

    /** Returns how many values were replaced before they reached the disk, as far as closed files say. */
    public long redactedValues() {
        return 0;
    }

    /** Returns how many records hold replaced values. */
    public long redactedRecords() {
        return 0;
    }

    /** Returns the number of connections. */
    public long connections() {
        return 0;
    }

    /** Returns the number of complete requests. */
    public long requests() {
        return 0;
    }

    /** Returns the time of the last record in ns since the capture's start. */
    public long lastTimeNs() {
        return 0;
    }

    /** Returns how often a recorder went on with the capture after it was closed or had died. */
    public long appends() {
        return 0;
    }

    /** Returns the bytes of torn ends that were cut off before recording went on. */
    public long repairedBytes() {
        return 0;
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

    /** Returns the length of the file in bytes. */
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
