package dev.lockstep.capture.segments;

import dev.lockstep.capture.format.CaptureIdentity;

/**
 * What a {@link RecordCursor} has met so far, over all segments; {@code CaptureInfo} says what each value means. Plain
 * values of one thread.
 */
public final class CaptureCounts implements Cloneable {
    /** The header of the first segment that was read, and the summary of the last one. */
    public CaptureIdentity identity;

    public CaptureSummary summary;
    public int segments;
    /** How many of them were read to their ends and have a summary that can be read. */
    public int summaries;
    /** What is wrong with the last segment's summary, or null. */
    public String summaryProblem;

    public boolean whole;
    public long fileBytes;
    public long cutBytes;
    /** Why the recording's later segments were not read though it has some, or null. */
    public String missing;
    /** The bytes of the blocks of records, in the file and decoded. */
    public long storedBytes;

    public long rawBytes;
    public long records;
    public long lastTimeNs;
    public long connections;
    public long requests;
    public long dataBytes;
    public long opaqueBytes;
    public long opaqueConnections;
    public long incompleteRequests;
    public long gaps;
    public long gapBytes;
    public long redactedRecords;
    public long redactedValues;
    public long missedPackets;
    public UnsearchedCounts unsearched = new UnsearchedCounts();
    public long lostConnections;
    public long lostRequests;
    public long lostBytes;
    public long appends;
    public long repairedBytes;
    /** Whether a recorder went on behind one that had not closed the capture. */
    public boolean leftOpen;

    void begin(SegmentFile file) {
        if (identity == null) {
            identity = file.identity;
        }
        summary = file.summary;
        summaryProblem = file.summaryProblem;
        segments++;
    }

    /** Ends a segment in whose records this was counted. */
    void end(SegmentFile file, BlockCounts segment) {
        fileBytes += file.length;
        summaries += file.closed() ? 1 : 0;
        // A closed file's summary counts all; until then the records say what was lost so far.
        lostConnections += Math.max(summary.lostConnections, segment.droppedConnections);
        lostRequests += Math.max(summary.lostRequests, segment.droppedRequests);
        lostBytes += Math.max(summary.lostBytes, segment.droppedBytes);
        redactedValues += summary.redactedValues;
        missedPackets += summary.missedPackets;
        unsearched.add(summary.unsearched);
    }

    /** Returns a copy, which counts no further. */
    public CaptureCounts snapshot() {
        try {
            CaptureCounts copy = (CaptureCounts) clone();
            copy.unsearched = new UnsearchedCounts();
            copy.unsearched.add(unsearched);
            return copy;
        } catch (CloneNotSupportedException e) {
            throw new IllegalStateException(e);
        }
    }
}
