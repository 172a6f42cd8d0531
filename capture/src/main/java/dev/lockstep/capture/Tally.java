package dev.lockstep.capture;

import java.nio.ByteBuffer;

/**
 * What a {@link CaptureWriter} took and what it lost; under the writer's lock. Each request and each byte is on exactly
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

    void loseConnection() {
        lostConnections++;
    }

    void loseRequest() {
        lostRequests++;
    }

    void loseBytes(int count) {
        lostBytes += count;
    }

    /** Moves a connection's beginning, which was taken, out of what is recorded; the connection is counted elsewhere. */
    void giveUpOpening() {
        connections--;
    }

    /** Moves data that was taken to the other side. */
    void giveUpData(int count, boolean endsRequest) {
        bytes -= count;
        lostBytes += count;
        if (endsRequest) {
            requests--;
            lostRequests++;
        }
    }

    /** Tells whether something was lost since the last {@link #putLosses}. */
    boolean hasUnreportedLosses() {
        return lostConnections != reportedLostConnections
                || lostRequests != reportedLostRequests
                || lostBytes != reportedLostBytes;
    }

    /** Writes the payload of a DROPPED record. */
    void putLosses(ByteBuffer record) {
        record.putLong(lostConnections - reportedLostConnections)
                .putLong(lostRequests - reportedLostRequests)
                .putLong(lostBytes - reportedLostBytes);
        reportedLostConnections = lostConnections;
        reportedLostRequests = lostRequests;
        reportedLostBytes = lostBytes;
    }

    CaptureTotals totals(String failure) {
        return new CaptureTotals(connections, requests, bytes, lostConnections, lostRequests, lostBytes, failure);
    }

    void fill(CaptureSummary summary) {
        summary.connections = connections;
        summary.requests = requests;
        summary.dataBytes = bytes;
        summary.lostConnections = lostConnections;
        summary.lostRequests = lostRequests;
        summary.lostBytes = lostBytes;
    }
}
