package dev.lockstep.packets;

/**
 * What a {@link TcpReassembler} has seen so far. It counts on, on the reassembler's thread; others must not read it.
 */
public final class TcpTotals {
    // Counted by the classes of this package.
    long packets;
    long notIpPackets;
    long notTcpPackets;
    long unreadablePackets;
    long lostFragments;
    /** Connections that were opened. */
    long connections;
    /** Those of them that were open before their first packet was seen. */
    long alreadyOpenConnections;

    long unopenedConnections;
    /** Bytes of clients that were handed on. */
    long clientBytes;
    /** Bytes of servers that were handed on. */
    long serverBytes;
    /** How many times bytes of a client were missing. */
    long clientGaps;

    long clientMissingBytes;
    /** How many times bytes of a server were missing. */
    long serverGaps;

    long serverMissingBytes;
    /** Bytes that came again, mostly by retransmission. */
    long repeatedBytes;
    /** Packets that came before others that precede them. */
    long earlyPackets;

    long strayBytes;
    /** How many times bytes were given up because those after them took too much memory. */
    long bufferOverflows;
    /** Connections that were given up because there were too many. */
    long evictedConnections;

    TcpTotals() {}

    /** Packets handed over. */
    public long packets() {
        return packets;
    }

    /** Those of them that are not IP: ARP, LLDP and the like. */
    public long notIpPackets() {
        return notIpPackets;
    }

    /** Those of them that are IP, but not TCP. */
    public long notTcpPackets() {
        return notTcpPackets;
    }

    /** Those of them whose headers are malformed or cut off by the snap length. */
    public long unreadablePackets() {
        return unreadablePackets;
    }

    /** Those of them that are IP fragments whose other parts never came. */
    public long lostFragments() {
        return lostFragments;
    }

    /** Handshakes that never led to a connection. */
    public long unopenedConnections() {
        return unopenedConnections;
    }

    /** How many bytes were missing there. */
    public long clientMissingBytes() {
        return clientMissingBytes;
    }

    /** How many bytes were missing there. */
    public long serverMissingBytes() {
        return serverMissingBytes;
    }

    /** Bytes of no open connection, such as those after a reset. */
    public long strayBytes() {
        return strayBytes;
    }
}
