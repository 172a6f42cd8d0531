package dev.lockstep.recorder;

import dev.lockstep.capture.CaptureTotals;

/**
 * What a recording has seen and written so far; a snapshot, immutable.
 *
 * <p>The first counts are of what was seen; "recorded" and "lost" are of the capture. What is lost was seen, and a
 * proxy has forwarded it like all other traffic, but it is not in the file.
 */
public final class RecordingStatus {
    private final long connections;
    private final long openConnections;
    private final long requests;
    private final long http2Requests;
    private final long clientBytes;
    private final long upstreamBytes;
    private final long opaqueConnections;
    private final long incompleteRequests;
    private final long ambiguousRequests;
    private final long gaps;
    private final long missedBytes;
    private final long redactions;
    private final long packets;
    private final long kernelDrops;
    private final long defects;
    private final Throwable lastDefect;
    private final long upstreamFailures;
    private final long acceptFailures;
    private final long refusedConnections;
    private final long refusedHeaders;
    private final long clientTlsFailures;
    private final long upstreamTlsFailures;
    private final String lastClientTlsProblem;
    private final String lastUpstreamTlsProblem;
    private final long idleConnections;
    private final long recordedConnections;
    private final long recordedRequests;
    private final long recordedBytes;
    private final long lostConnections;
    private final long lostRequests;
    private final long lostBytes;
    private final String captureFailure;
    private final String interfaceProblem;

    RecordingStatus(TrafficCounters counters, CaptureTotals totals) {
        this(counters, totals, totals.failure(), null);
    }

    RecordingStatus(TrafficCounters counters, CaptureTotals totals, String captureFailure, String interfaceProblem) {
        this.connections = counters.connections.sum();
        this.openConnections = Math.max(0, connections - counters.closedConnections.sum());
        this.requests = counters.requests.sum();
        this.http2Requests = counters.http2Requests.sum();
        this.clientBytes = counters.clientBytes.sum();
        this.upstreamBytes = counters.upstreamBytes.sum();
        this.opaqueConnections = counters.opaqueConnections.sum();
        this.incompleteRequests = counters.incompleteRequests.sum();
        this.ambiguousRequests = counters.ambiguousRequests.sum();
        this.gaps = counters.gaps.sum();
        this.missedBytes = counters.missedBytes.sum();
        this.redactions = counters.redactions.sum();
        this.packets = counters.packets.sum();
        this.kernelDrops = counters.kernelDrops.sum();
        this.defects = counters.defects.sum();
        this.lastDefect = counters.lastDefect;
        this.upstreamFailures = counters.upstreamFailures.sum();
        this.acceptFailures = counters.acceptFailures.sum();
        this.refusedConnections = counters.refusedConnections.sum();
        this.refusedHeaders = counters.refusedHeaders.sum();
        this.clientTlsFailures = counters.clientTlsFailures.sum();
        this.upstreamTlsFailures = counters.upstreamTlsFailures.sum();
        this.lastClientTlsProblem = counters.lastClientTlsProblem;
        this.lastUpstreamTlsProblem = counters.lastUpstreamTlsProblem;
        this.idleConnections = counters.idleConnections.sum();
        this.recordedConnections = totals.connections();
        this.recordedRequests = totals.requests();
        this.recordedBytes = totals.bytes();
        this.lostConnections = totals.lostConnections();
        this.lostRequests = totals.lostRequests();
        this.lostBytes = totals.lostBytes();
        this.captureFailure = captureFailure;
        this.interfaceProblem = interfaceProblem;
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

    /** Returns how many requests were seen on HTTP/2 connections, whose bytes are recorded but not split. */
    public long http2Requests() {
        return http2Requests;
    }

    /** Returns how many bytes clients have sent. */
    public long clientBytes() {
        return clientBytes;
    }

    /** Returns how many bytes the upstream has sent. */
    public long upstreamBytes() {
        return upstreamBytes;
    }

    /**
     * Returns how many connections carried bytes that could not be split into requests, HTTP/2 aside; such bytes are
     * kept.
     */
    public long opaqueConnections() {
        return opaqueConnections;
    }

    /** Returns how many requests have no end, or a hole, since the connection ended or bytes were missing. */
    public long incompleteRequests() {
        return incompleteRequests;
    }

    /**
     * Returns how many requests have a length that servers may read differently, such as chunked ones with a
     * Content-Length; they are recorded as chunked.
     */
    public long ambiguousRequests() {
        return ambiguousRequests;
    }

    /** Returns how often bytes of a client never came to be seen, in passive recordings and imports. */
    public long gaps() {
        return gaps;
    }

    /** Returns how many bytes of clients are known to be missing in such gaps. */
    public long missedBytes() {
        return missedBytes;
    }

    /** Returns how many packets a passive recording has looked at. */
    public long packets() {
        return packets;
    }

    /**
     * Returns how many packets the kernel had no room for in a passive recording's ring. What they held of clients is
     * counted as {@link #gaps()} as far as later packets show it.
     */
    public long kernelDrops() {
        return kernelDrops;
    }

    /** Returns how many values were replaced because they are secrets. */
    public long redactions() {
        return redactions;
    }

    /** Returns how many connections were not recorded to their end because of a defect of ours; they count as lost. */
    public long defects() {
        return defects;
    }

    /** Returns the last of these defects, or null. */
    public Throwable lastDefect() {
        return lastDefect;
    }

    /** Returns how many clients were turned away because the upstream did not accept a connection. */
    public long upstreamFailures() {
        return upstreamFailures;
    }

    /** Returns how often a client could not be accepted, for want of file descriptors mostly. */
    public long acceptFailures() {
        return acceptFailures;
    }

    /** Returns how many clients were reset because {@link RecordingConfig#maxConnections()} were connected. */
    public long refusedConnections() {
        return refusedConnections;
    }

    /** Returns how many clients were reset because of a PROXY protocol header that was missing or wrong. */
    public long refusedHeaders() {
        return refusedHeaders;
    }

    /** Returns how many connections ended because a TLS handshake failed, with the client or the upstream. */
    public long tlsFailures() {
        return clientTlsFailures + upstreamTlsFailures;
    }

    /** Returns how many of them failed with the client: it refused our certificate, or spoke no TLS. */
    public long clientTlsFailures() {
        return clientTlsFailures;
    }

    /** Returns how many of them failed with the upstream: its certificate is not trusted, or it spoke no TLS. */
    public long upstreamTlsFailures() {
        return upstreamTlsFailures;
    }

    /** Returns why the last of those with a client failed, one line, or null. */
    public String lastClientTlsProblem() {
        return lastClientTlsProblem;
    }

    /** Returns why the last of those with the upstream failed, one line, or null. */
    public String lastUpstreamTlsProblem() {
        return lastUpstreamTlsProblem;
    }

    /** Returns how many connections were closed because nothing came for {@link RecordingConfig#idleTimeout()}. */
    public long idleConnections() {
        return idleConnections;
    }

    /** Returns how many connections the capture holds the beginning of. */
    public long recordedConnections() {
        return recordedConnections;
    }

    /** Returns how many complete requests the capture holds. */
    public long recordedRequests() {
        return recordedRequests;
    }

    /** Returns how many bytes of clients the capture holds, in requests or not. */
    public long recordedBytes() {
        return recordedBytes;
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

    /**
     * Returns why a passive recording gets no packets at present, for example because its interface is down, or null.
     * Recording goes on when the interface is back.
     */
    public String interfaceProblem() {
        return interfaceProblem;
    }
}
