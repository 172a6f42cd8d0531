package dev.lockstep.capture.segments;

/** What is in a block, or in the blocks of a file together. Plain values of one thread. */
final class BlockCounts {
    /** The CONN_OPEN records, and those of them that begin a connection instead of going on with one. */
    long connections;

    long newConnections;
    /** The connections that end here without being lost. */
    long endedConnections;
    /** The requests that end here, and those of them that also begin in this file. */
    long requestEnds;

    long requests;
    long dataBytes;
    /** The sums of the DROPPED records. */
    long droppedConnections;

    long droppedRequests;
    long droppedBytes;
    /** The values that were replaced in this data. */
    long redactedValues;
    /** The packets that a passive recorder missed while it recorded this. */
    long missedPackets;
    /** What of this data redaction could not search. */
    final UnsearchedCounts unsearched = new UnsearchedCounts();

    void clear() {
        connections = 0;
        newConnections = 0;
        endedConnections = 0;
        requestEnds = 0;
        requests = 0;
        dataBytes = 0;
        droppedConnections = 0;
        droppedRequests = 0;
        droppedBytes = 0;
        redactedValues = 0;
        missedPackets = 0;
        unsearched.clear();
    }

    void add(BlockCounts other) {
        connections += other.connections;
        newConnections += other.newConnections;
        endedConnections += other.endedConnections;
        requestEnds += other.requestEnds;
        requests += other.requests;
        dataBytes += other.dataBytes;
        droppedConnections += other.droppedConnections;
        droppedRequests += other.droppedRequests;
        droppedBytes += other.droppedBytes;
        redactedValues += other.redactedValues;
        missedPackets += other.missedPackets;
        unsearched.add(other.unsearched);
    }
}
