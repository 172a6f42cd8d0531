package dev.lockstep.capture;

/**
 * What a {@link CaptureWriter} took and what it lost, at one instant. Immutable.
 *
 * <p>Each request and each byte handed to the writer is counted on exactly one side. A connection of which a part was
 * recorded and the rest lost is counted on both.
 */
public final class CaptureTotals {
    private final long connections;
    private final long requests;
    private final long bytes;
    private final long lostConnections;
    private final long lostRequests;
    private final long lostBytes;
    private final String failure;

    CaptureTotals(
            long connections,
            long requests,
            long bytes,
            long lostConnections,
            long lostRequests,
            long lostBytes,
            String failure) {
        this.connections = connections;
        this.requests = requests;
        this.bytes = bytes;
        this.lostConnections = lostConnections;
        this.lostRequests = lostRequests;
        this.lostBytes = lostBytes;
        this.failure = failure;
    }

    /** Returns the connections whose beginning is recorded. */
    public long connections() {
        return connections;
    }

    /** Returns the requests recorded from their first byte to their last. */
    public long requests() {
        return requests;
    }

    /** Returns the client-to-server bytes recorded, whether or not they belong to a request. */
    public long bytes() {
        return bytes;
    }

    /** Returns the connections of which everything, or everything from some point on, is lost. */
    public long lostConnections() {
        return lostConnections;
    }

    /** Returns the requests that are lost or of which a part is. */
    public long lostRequests() {
        return lostRequests;
    }

    /** Returns the client-to-server bytes that are lost. */
    public long lostBytes() {
        return lostBytes;
    }

    /** Tells whether anything is lost. */
    public boolean lossy() {
        return lostConnections != 0 || lostRequests != 0 || lostBytes != 0;
    }

    /** Returns why recording ended early (such as a full disk), in one line for people, or null. */
    public String failure() {
        return failure;
    }
}
