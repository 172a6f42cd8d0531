package dev.lockstep.packets;

/** What a {@link TcpReassembler} has seen so far; a snapshot, immutable. */
public final class TcpTotals {
    private final long packets;
    private final long notIpPackets;
    private final long notTcpPackets;
    private final long unreadablePackets;
    private final long lostFragments;
    private final long connections;
    private final long alreadyOpenConnections;
    private final long unopenedConnections;
    private final long clientBytes;
    private final long serverBytes;
    private final long clientGaps;
    private final long clientMissingBytes;
    private final long serverGaps;
    private final long serverMissingBytes;
    private final long repeatedBytes;
    private final long earlyPackets;
    private final long strayBytes;
    private final long bufferOverflows;
    private final long evictedConnections;

    TcpTotals(TcpCounters counters) {
        this.packets = counters.packets;
        this.notIpPackets = counters.notIpPackets;
        this.notTcpPackets = counters.notTcpPackets;
        this.unreadablePackets = counters.unreadablePackets;
        this.lostFragments = counters.lostFragments;
        this.connections = counters.connections;
        this.alreadyOpenConnections = counters.alreadyOpenConnections;
        this.unopenedConnections = counters.unopenedConnections;
        this.clientBytes = counters.clientBytes;
        this.serverBytes = counters.serverBytes;
        this.clientGaps = counters.clientGaps;
        this.clientMissingBytes = counters.clientMissingBytes;
        this.serverGaps = counters.serverGaps;
        this.serverMissingBytes = counters.serverMissingBytes;
        this.repeatedBytes = counters.repeatedBytes;
        this.earlyPackets = counters.earlyPackets;
        this.strayBytes = counters.strayBytes;
        this.bufferOverflows = counters.bufferOverflows;
        this.evictedConnections = counters.evictedConnections;
    }

    /** Returns how many packets were handed over. */
    public long packets() {
        return packets;
    }

    /** Returns how many of them are not IP: ARP, LLDP and the like. */
    public long notIpPackets() {
        return notIpPackets;
    }

    /** Returns how many of them are IP, but not TCP. */
    public long notTcpPackets() {
        return notTcpPackets;
    }

    /** Returns how many of them have headers that are malformed or cut off by the snap length. */
    public long unreadablePackets() {
        return unreadablePackets;
    }

    /** Returns how many of them are IP fragments whose other parts never came. */
    public long lostFragments() {
        return lostFragments;
    }

    /** Returns how many connections were opened. */
    public long connections() {
        return connections;
    }

    /** Returns how many of them were open before their first packet was seen. */
    public long alreadyOpenConnections() {
        return alreadyOpenConnections;
    }

    /** Returns how many handshakes never led to a connection. */
    public long unopenedConnections() {
        return unopenedConnections;
    }

    /** Returns how many bytes of clients were handed on. */
    public long clientBytes() {
        return clientBytes;
    }

    /** Returns how many bytes of servers were handed on. */
    public long serverBytes() {
        return serverBytes;
    }

    /** Returns how many times bytes of a client were missing. */
    public long clientGaps() {
        return clientGaps;
    }

    /** Returns how many bytes were missing there. */
    public long clientMissingBytes() {
        return clientMissingBytes;
    }

    /** Returns how many times bytes of a server were missing. */
    public long serverGaps() {
        return serverGaps;
    }

    /** Returns how many bytes were missing there. */
    public long serverMissingBytes() {
        return serverMissingBytes;
    }

    /** Returns how many bytes came again, by retransmission mostly. */
    public long repeatedBytes() {
        return repeatedBytes;
    }

    /** Returns how many packets came before others that precede them. */
    public long earlyPackets() {
        return earlyPackets;
    }

    /** Returns how many bytes belong to no open connection, such as those after a reset. */
    public long strayBytes() {
        return strayBytes;
    }

    /** Returns how many times bytes were given up because those after them took too much memory. */
    public long bufferOverflows() {
        return bufferOverflows;
    }

    /** Returns how many connections were given up because there were too many. */
    public long evictedConnections() {
        return evictedConnections;
    }
}
