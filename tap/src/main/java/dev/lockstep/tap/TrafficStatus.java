package dev.lockstep.tap;

import dev.lockstep.capture.CaptureWriter;

/**
 * What was seen of the traffic so far, and how much of it the capture holds. "Recorded" and "lost" are figures of the
 * capture: lost traffic was seen, and a proxy has forwarded it, but it is not in the file.
 *
 * <p>Live: each answer is of the moment of its call. Any thread may ask, also after the writer was closed; the figures
 * are final then.
 */
public class TrafficStatus {
    private final TrafficCounters counters;
    private final CaptureWriter writer;

    /** Shows the figures of a recorder. */
    protected TrafficStatus(TrafficRecorder recorder) {
        this.counters = recorder.counters();
        this.writer = recorder.writer();
    }

    public final long connections() {
        return counters.connections.sum();
    }

    public final long openConnections() {
        return Math.max(0, counters.connections.sum() - counters.closedConnections.sum());
    }

    /** Complete requests, without those of HTTP/2. */
    public final long requests() {
        return counters.requests.sum();
    }

    /** Requests on HTTP/2 connections, whose bytes are recorded but not split. */
    public final long http2Requests() {
        return counters.http2Requests.sum();
    }

    public final long clientBytes() {
        return counters.clientBytes.sum();
    }

    public final long upstreamBytes() {
        return counters.upstreamBytes.sum();
    }

    /** Connections, other than HTTP/2 and ThriftMux, with recorded bytes that belong to no request. */
    public final long opaqueConnections() {
        return counters.opaqueConnections.sum();
    }

    /** Requests without an end or with a hole, because their connection ended or bytes were missing. */
    public final long incompleteRequests() {
        return counters.incompleteRequests.sum();
    }

    /**
     * Requests with a length that servers may read differently, such as chunked ones with a Content-Length; they are
     * recorded as chunked.
     */
    public final long ambiguousRequests() {
        return counters.ambiguousRequests.sum();
    }

    /** How often bytes of a client never came to be seen, in passive recordings and imports. */
    public final long gaps() {
        return counters.gaps.sum();
    }

    /** Bytes of clients that are known to be missing in the gaps. */
    public final long missedBytes() {
        return counters.missedBytes.sum();
    }

    /** Values that were replaced because they are secrets. */
    public final long redactions() {
        return counters.redactions.sum();
    }

    /** Connections whose recording ended early because of a defect of Lockstep; they count as lost. */
    public final long defects() {
        return counters.defects.sum();
    }

    /** The last of these defects, or null. */
    public final Throwable lastDefect() {
        return counters.lastDefect;
    }

    /** Complete requests that the capture holds. */
    public final long recordedRequests() {
        return writer.totals().requests();
    }

    /** Bytes of clients that the capture holds, in requests or not. */
    public final long recordedBytes() {
        return writer.totals().bytes();
    }

    /** Connections that are missing from the capture, wholly or in part. */
    public final long lostConnections() {
        return writer.totals().lostConnections();
    }

    /** Complete requests that are missing from the capture. */
    public final long lostRequests() {
        return writer.totals().lostRequests();
    }

    /** Bytes of clients that are missing from the capture. */
    public final long lostBytes() {
        return writer.totals().lostBytes();
    }

    /** Why the capture stopped, a full disk for example, or null while it is written. Traffic goes on anyway. */
    public String captureFailure() {
        return writer.totals().failure();
    }
}
