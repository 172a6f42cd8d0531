package dev.lockstep.capture;

import dev.lockstep.capture.format.CaptureFormat;
import dev.lockstep.capture.segments.CaptureCounts;
import dev.lockstep.capture.segments.CaptureSummary;
import dev.lockstep.capture.segments.WriteFailure;
import java.time.Instant;
import java.util.UUID;

/** What a capture file says of itself, and what the reader counted. Immutable. */
public final class CaptureInfo {
    private final CaptureCounts counts;

    /** Keeps what was counted so far. */
    CaptureInfo(CaptureCounts counts) {
        this.counts = counts.snapshot();
    }

    public UUID id() {
        return counts.identity.id;
    }

    /** Returns the format version, such as "1.0". */
    public String formatVersion() {
        return CaptureFormat.MAJOR + "." + counts.identity.minor;
    }

    /** Returns the wall clock time at which recording began; a request's time counts from here. */
    public Instant startedAt() {
        return Instant.EPOCH.plusNanos(counts.identity.start.epochNs);
    }

    /** Returns the version of the tool that recorded, or null. */
    public String toolVersion() {
        return counts.identity.note(CaptureFormat.NOTE_TOOL_VERSION);
    }

    /** Returns the name of the recording machine, or null. */
    public String host() {
        return counts.identity.note(CaptureFormat.NOTE_HOST);
    }

    /** Returns the address at which clients were accepted, or null. */
    public String listen() {
        return counts.identity.note(CaptureFormat.NOTE_LISTEN);
    }

    /** Returns the address of the recorded service, or null. */
    public String upstream() {
        return counts.identity.note(CaptureFormat.NOTE_UPSTREAM);
    }

    /** Returns the filters by which traffic was chosen, in words for people, or null for all of it. */
    public String filters() {
        return counts.identity.note(CaptureFormat.NOTE_FILTERS);
    }

    /** Returns how connections were sampled, in words for people, or null for all of them. */
    public String sampling() {
        return counts.identity.note(CaptureFormat.NOTE_SAMPLING);
    }

    /** Returns the policy under which values were replaced, in words for people, or null when the bytes are exact. */
    public String redaction() {
        return counts.identity.note(CaptureFormat.NOTE_REDACTION);
    }

    /** Returns words of the user, or null. */
    public String comment() {
        return counts.identity.note(CaptureFormat.NOTE_COMMENT);
    }

    /** Returns the id of the key under which the capture is encrypted, or null when it is not. */
    public String keyId() {
        return counts.identity.note(CaptureFormat.NOTE_KEY_ID);
    }

    public boolean compressed() {
        return counts.identity.compressed();
    }

    /** Returns the number of the capture's files, 1 when it was never rotated. */
    public int segments() {
        return counts.segments;
    }

    /**
     * Returns how many packets a passive recorder did not get because the kernel had no room for them, as far as closed
     * files say. What they held of clients is among the {@link #gaps()} where later packets showed that it is missing.
     */
    public long missedPackets() {
        return counts.missedPackets;
    }

    /** Returns how many values were replaced before they reached the disk, as far as closed files say. */
    public long redactedValues() {
        return counts.redactedValues;
    }

    /** Returns how many records hold replaced values. */
    public long redactedRecords() {
        return counts.redactedRecords;
    }

    /**
     * Returns how many connections have bytes of no request that could not be searched for secrets, as far as closed
     * files say; as all of these figures.
     */
    public long unsearchedConnections() {
        return counts.unsearched.connections;
    }

    /** Returns how many of these bytes are in the file. */
    public long unsearchedKeptBytes() {
        return counts.unsearched.keptBytes;
    }

    /** Returns how many of these bytes were left out; they are among the {@link #gapBytes()}. */
    public long unsearchedLeftOutBytes() {
        return counts.unsearched.leftOutBytes;
    }

    /** Returns how many bodies and messages of requests could not be searched; they are in the file. */
    public long unsearchedBodies() {
        return counts.unsearched.bodies;
    }

    public long connections() {
        return counts.connections;
    }

    public long requests() {
        return counts.requests;
    }

    /** Returns the time of the last record in ns since the capture's start. */
    public long lastTimeNs() {
        return counts.lastTimeNs;
    }

    /** Returns how often a recorder went on with the capture after it was closed or had died. */
    public long appends() {
        return counts.appends;
    }

    /** Returns the bytes of torn ends that were cut off before recording went on, or that a filter left out. */
    public long repairedBytes() {
        return counts.repairedBytes;
    }

    /** Whether the recorder finished the file itself; false after a crash, or while recording goes on. */
    public boolean closedProperly() {
        return counts.whole;
    }

    /**
     * Returns why a capture ended early without what stands before it in {@link #endedEarly()} or
     * {@link CaptureTotals#failure()}: the name that the file had, and words that fit a recorder only.
     */
    public static String reason(String endedEarly) {
        int reason = endedEarly.indexOf(WriteFailure.EARLY);
        return reason < 0 ? endedEarly : endedEarly.substring(reason + WriteFailure.EARLY.length());
    }

    /** Returns why recording ended early, in one line for people, or null. */
    public String endedEarly() {
        return counts.summary.state == CaptureSummary.State.ENDED_EARLY ? counts.summary.reasonText : null;
    }

    /** Returns the bytes at a torn end that were left out; 0 for a whole file. */
    public long cutBytes() {
        return counts.cutBytes;
    }

    /** Returns why later segments were not read though the recording has some, in one line for people, or null. */
    public String missing() {
        return counts.missing;
    }

    /** Returns the bytes of the blocks of records as they stand in the file. */
    public long storedBytes() {
        return counts.storedBytes;
    }

    /** Returns the bytes of the blocks of records decrypted and decompressed. */
    public long rawBytes() {
        return counts.rawBytes;
    }

    /** Returns the length of the file in bytes, of all segments together. */
    public long fileBytes() {
        return counts.fileBytes;
    }

    public long records() {
        return counts.records;
    }

    /** Returns the client-to-server bytes, in requests or not. */
    public long dataBytes() {
        return counts.dataBytes;
    }

    /** Returns the client-to-server bytes outside any message. */
    public long opaqueBytes() {
        return counts.opaqueBytes;
    }

    /** Returns the connections that hold such bytes. */
    public long opaqueConnections() {
        return counts.opaqueConnections;
    }

    /** Returns the requests that begin but do not end in the file, or have a hole. */
    public long incompleteRequests() {
        return counts.incompleteRequests;
    }

    public long gaps() {
        return counts.gaps;
    }

    /** Returns how many bytes are known to be missing in them. */
    public long gapBytes() {
        return counts.gapBytes;
    }

    /**
     * Whether the figures of what was lost are whole. A file that was not closed, or whose summary cannot be read,
     * tells of losses only by records on the way, also where another recorder went on behind it; one that is damaged
     * before its end tells nothing.
     */
    public boolean lossesKnown() {
        return counts.summaries == counts.segments && !counts.leftOpen;
    }

    /** Returns what is wrong with the last file's summary, as "expected ..., found ...", or null. */
    public String summaryProblem() {
        return counts.summaryProblem;
    }

    /** Returns the connections that the recorder lost, wholly or from some point on. */
    public long lostConnections() {
        return counts.lostConnections;
    }

    public long lostRequests() {
        return counts.lostRequests;
    }

    /** Returns the client-to-server bytes that the recorder lost. */
    public long lostBytes() {
        return counts.lostBytes;
    }
}
