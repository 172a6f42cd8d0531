package dev.lockstep.capture.segments;

import dev.lockstep.capture.CaptureTotals;
import java.nio.ByteBuffer;

/**
 * What a {@code CaptureWriter} took and what it lost; under the writer's lock. Each request and each byte is on exactly
 * one side.
 */
final class Tally {
    private long connections;
    private long requests;
    private long bytes;
    private long lostConnections;
    private long lostRequests;
    private long lostBytes;
    private long reportedLostConnections;
    private long reportedLostRequests;
    private long reportedLostBytes;

    void takeConnection() {
        connections++;
    }

    void takeRequest() {
        requests++;
    }

    void takeBytes(int count) {
        bytes += count;
    }

    void lose(long connectionCount, long requestCount, long byteCount) {
        lostConnections += connectionCount;
        lostRequests += requestCount;
        lostBytes += byteCount;
    }

    void loseConnection() {
        lostConnections++;
    }

    void loseRequest() {
        lostRequests++;
    }

    void loseBytes(int count) {
        lostBytes += count;
    }

    /** Moves what is in a block, which will not be written, to the other side. */
    void giveUp(BlockCounts block) {
        connections -= block.newConnections;
        lostConnections += block.endedConnections;
        requests -= block.requestEnds;
        lostRequests += block.requestEnds;
        bytes -= block.dataBytes;
        lostBytes += block.dataBytes;
    }

    /** Whether something was lost since the last {@link #putLosses}. */
    boolean hasUnreportedLosses() {
        return lostConnections != reportedLostConnections
                || lostRequests != reportedLostRequests
                || lostBytes != reportedLostBytes;
    }

    /** Writes the payload of a DROPPED record. */
    void putLosses(ByteBuffer record, BlockCounts block) {
        long newLostConnections = lostConnections - reportedLostConnections;
        long newLostRequests = lostRequests - reportedLostRequests;
        long newLostBytes = lostBytes - reportedLostBytes;
        record.putLong(newLostConnections).putLong(newLostRequests).putLong(newLostBytes);
        block.droppedConnections += newLostConnections;
        block.droppedRequests += newLostRequests;
        block.droppedBytes += newLostBytes;
        reportedLostConnections = lostConnections;
        reportedLostRequests = lostRequests;
        reportedLostBytes = lostBytes;
    }

    CaptureTotals totals(String failure) {
        return CaptureTotals.of(connections, requests, bytes, lostConnections, lostRequests, lostBytes, failure);
    }

    /**
     * Fills in what was lost and is not told in another file.
     *
     * @param elsewhere the losses that files closed before tell of
     */
    void fillLosses(CaptureSummary summary, BlockCounts elsewhere) {
        summary.lostConnections += lostConnections - elsewhere.droppedConnections;
        summary.lostRequests += lostRequests - elsewhere.droppedRequests;
        summary.lostBytes += lostBytes - elsewhere.droppedBytes;
    }
}
