package dev.lockstep.recorder;

/**
 * What a recording has seen and written so far; a snapshot, immutable.
 *
 * <p>"Seen" counts are of the proxy, "lost" counts are of the capture: lost traffic was forwarded like all other, but
 * is not in the file.
 */
public final class RecordingStatus {
    private final long connections;
    private final long openConnections;
    private final long requests;
    private final long clientBytes;
    private final long upstreamBytes;
    private final long opaqueConnections;
    private final long incompleteRequests;
    private final long upstreamFailures;
    private final long lostConnections;
    private final long lostRequests;
    private final long lostBytes;
    private final String captureFailure;

    RecordingStatus(
            long connections,
            long openConnections,
            long requests,
            long clientBytes,
            long upstreamBytes,
            long opaqueConnections,
            long incompleteRequests,
            long upstreamFailures,
            long lostConnections,
            long lostRequests,
            long lostBytes,
            String captureFailure) {
        this.connections = connections;
        this.openConnections = openConnections;
        this.requests = requests;
        this.clientBytes = clientBytes;
        this.upstreamBytes = upstreamBytes;
        this.opaqueConnections = opaqueConnections;
        this.incompleteRequests = incompleteRequests;
        this.upstreamFailures = upstreamFailures;
        this.lostConnections = lostConnections;
        this.lostRequests = lostRequests;
        this.lostBytes = lostBytes;
        this.captureFailure = captureFailure;
    }

    /** Returns how many connections clients have opened. */
    public long connections() {
        return connections;
    }

    /** Returns how many of them are open now. */
    public long openConnections() {
        return openConnections;
    }

    /** Returns how many complete requests clients have sent. */
    public long requests() {
        return requests;
    }

    /** Returns how many bytes clients have sent. */
    public long clientBytes() {
        return clientBytes;
    }

    /** Returns how many bytes the upstream has sent. */
    public long upstreamBytes() {
        return upstreamBytes;
    }

    /** Returns how many connections carried bytes that are no HTTP/1 requests; such bytes are kept, but not split. */
    public long opaqueConnections() {
        return opaqueConnections;
    }

    /** Returns how many connections ended in the middle of a request. */
    public long incompleteRequests() {
        return incompleteRequests;
    }

    /** Returns how many connections the upstream did not accept. */
    public long upstreamFailures() {
        return upstreamFailures;
    }

    /** Returns how many connections are missing from the capture, wholly or in part. */
    public long lostConnections() {
        return lostConnections;
    }

    /** Returns how many complete requests are missing from the capture. */
    public long lostRequests() {
        return lostRequests;
    }

    /** Returns how many bytes of clients are missing from the capture. */
    public long lostBytes() {
        return lostBytes;
    }

    /** Returns why the capture stopped, disk full for example, or null while it is written. Traffic goes on anyway. */
    public String captureFailure() {
        return captureFailure;
    }
}
