package dev.lockstep.capture;

/** What a {@link RecordCursor} has met so far, over all segments. Plain values of one thread. */
final class CaptureCounts implements Cloneable {
    /** The header of the first segment that was read, and the summary of the last one. */
    CaptureIdentity identity;

    CaptureSummary summary;
    int segments;
    /** How many of them were read to their ends and have a summary that can be read. */
    int summaries;
    /** What is wrong with the last segment's summary, or null. */
    String summaryProblem;

    boolean whole;
    long fileBytes;
    long cutBytes;
    /** The bytes of the blocks of records, in the file and decoded. */
    long storedBytes;

    long rawBytes;
    long records;
    long lastTimeNs;
    long connections;
    long requests;
    long requestBytes;
    long dataBytes;
    long opaqueBytes;
    long opaqueConnections;
    long incompleteRequests;
    long gaps;
    long gapBytes;
    long redactedRecords;
    long redactedValues;
    long missedPackets;
    UnsearchedCounts unsearched = new UnsearchedCounts();
    long lostConnections;
    long lostRequests;
    long lostBytes;
    long appends;
    long repairedBytes;

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
    CaptureCounts snapshot() {
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
