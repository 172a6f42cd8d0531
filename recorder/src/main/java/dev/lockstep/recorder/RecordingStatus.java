package dev.lockstep.recorder;

import dev.lockstep.tap.TrafficRecorder;
import dev.lockstep.tap.TrafficStatus;

/**
 * What a recording has seen, written and refused so far. The figures of packets are zero for a proxy, and those of a
 * proxy for packets.
 */
public final class RecordingStatus extends TrafficStatus {
    private final ProxyCounters proxy;
    private final PacketCounters packets;

    RecordingStatus(TrafficRecorder recorder, ProxyCounters proxy) {
        this(recorder, proxy, new PacketCounters());
    }

    RecordingStatus(TrafficRecorder recorder, PacketCounters packets) {
        this(recorder, new ProxyCounters(), packets);
    }

    private RecordingStatus(TrafficRecorder recorder, ProxyCounters proxy, PacketCounters packets) {
        super(recorder);
        this.proxy = proxy;
        this.packets = packets;
    }

    @Override
    public String captureFailure() {
        String failure = super.captureFailure();
        return failure == null ? packets.failure : failure;
    }

    /** Packets that a passive recording has looked at. */
    public long packets() {
        return packets.packets.sum();
    }

    /**
     * Packets for which the kernel had no room in a passive recording's ring. What they held of clients counts as
     * {@link #gaps()} where later packets show it.
     */
    public long kernelDrops() {
        return packets.kernelDrops.sum();
    }

    /**
     * Why a passive recording gets no packets at present, for example because its interface is down, or null. Recording
     * goes on when the interface is back.
     */
    public String interfaceProblem() {
        return packets.interfaceProblem;
    }

    /** Clients that were turned away because the upstream did not accept a connection. */
    public long upstreamFailures() {
        return proxy.upstreamFailures.sum();
    }

    /** How often a client could not be accepted, mostly because file descriptors ran out. */
    public long acceptFailures() {
        return proxy.acceptFailures.sum();
    }

    /** Clients that were reset because {@link RecordingConfig#maxConnections()} were connected. */
    public long refusedConnections() {
        return proxy.refusedConnections.sum();
    }

    /** Clients that were reset because their PROXY protocol header was missing or wrong. */
    public long refusedHeaders() {
        return proxy.refusedHeaders.sum();
    }

    /** Connections that ended because a TLS handshake failed, with the client or the upstream. */
    public long tlsFailures() {
        return clientTlsFailures() + upstreamTlsFailures();
    }

    /** TLS handshakes that failed with the client: it refused our certificate, or spoke no TLS. */
    public long clientTlsFailures() {
        return proxy.clientTlsFailures.sum();
    }

    /** TLS handshakes that failed with the upstream: its certificate is not trusted, or it spoke no TLS. */
    public long upstreamTlsFailures() {
        return proxy.upstreamTlsFailures.sum();
    }

    /** Why the last handshake with a client failed, one line, or null. */
    public String lastClientTlsProblem() {
        return proxy.lastClientTlsProblem;
    }

    /** Why the last handshake with the upstream failed, one line, or null. */
    public String lastUpstreamTlsProblem() {
        return proxy.lastUpstreamTlsProblem;
    }
}
