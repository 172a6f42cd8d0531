package dev.lockstep.packets;

/** What {@link TcpTotals} shows, while it is counted; for the reassembler's thread. */
final class TcpCounters {
    long packets;
    long notIpPackets;
    long notTcpPackets;
    long unreadablePackets;
    long lostFragments;
    long connections;
    long alreadyOpenConnections;
    long unopenedConnections;
    long clientBytes;
    long serverBytes;
    long clientGaps;
    long clientMissingBytes;
    long serverGaps;
    long serverMissingBytes;
    long repeatedBytes;
    long earlyPackets;
    long strayBytes;
    long bufferOverflows;
    long evictedConnections;
}
