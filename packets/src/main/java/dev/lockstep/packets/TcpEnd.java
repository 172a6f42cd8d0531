package dev.lockstep.packets;

/** How a TCP connection ended. */
public enum TcpEnd {
    /** Both sides sent their FIN, the client first. */
    CLIENT_FIN,
    /** Both sides sent their FIN, the server first. */
    SERVER_FIN,
    CLIENT_RESET,
    SERVER_RESET,
    /** No packet came for longer than the idle time-out, or there were too many connections. */
    TIMEOUT,
    /** Its addresses and ports were taken by a new connection, so its own end was not seen. */
    REPLACED,
    /** The packets ended while it was open. */
    PACKETS_ENDED
}
