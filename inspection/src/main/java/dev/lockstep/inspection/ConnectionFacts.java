package dev.lockstep.inspection;

import dev.lockstep.capture.CloseReason;
import dev.lockstep.capture.ConnectionStart;
import dev.lockstep.capture.Protocol;
import io.netty.util.NetUtil;
import java.net.InetSocketAddress;
import java.util.Locale;

/** What one connection of a capture is and holds. Complete and unchanged from when it is handed out. */
public final class ConnectionFacts {
    /** Its number in the capture. */
    final int id;

    private final ConnectionStart start;
    /** In ns since the capture's start. */
    final long openedNs;
    /** What its bytes were recognised as at last. */
    Protocol protocol = Protocol.UNKNOWN;

    CloseReason closeReason = CloseReason.UNKNOWN;
    /** Its end is in the file. */
    boolean isClosed;
    /** The time of its end, or of its last record where it was not closed. */
    long lastNs;
    /** Complete requests, with those of HTTP/2. */
    long requests;
    /** The client's bytes. */
    long bytes;
    /** The client's bytes that belong to no request. */
    long opaqueBytes;

    /** It has bytes of no request, and is neither HTTP/2 nor ThriftMux. */
    boolean isOpaque;

    long incompleteRequests;
    /** At how many places bytes of the client are missing. */
    long gaps;
    /** How many bytes are known to be missing. */
    long gapBytes;
    /** The SHA-256 of the client's bytes in lower-case hexadecimal, or null where it was not asked for. */
    String sha256;

    ConnectionFacts(int id, ConnectionStart start, long openedNs) {
        this.id = id;
        this.start = start;
        this.openedNs = openedNs;
        this.lastNs = openedNs;
    }

    /** The client's address and port, or {@code unknown}. */
    String client() {
        return print(start.client());
    }

    /** The server's address and port, or {@code unknown}. */
    String server() {
        return print(start.server());
    }

    /** The client's address without its port, or null. */
    String clientHost() {
        return start.client() == null
                ? null
                : NetUtil.toAddressString(start.client().getAddress());
    }

    /** Whether the server's address is known. */
    boolean knowsServer() {
        return start.server() != null;
    }

    private static String print(InetSocketAddress address) {
        return address == null ? "unknown" : NetUtil.toSocketAddressString(address);
    }

    /** Such as {@code client-fin}. */
    String printedCloseReason() {
        return closeReason.name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /** It was open before recording began. */
    boolean alreadyOpen() {
        return start.alreadyOpen();
    }

    /** The name that its client asked for in TLS, or null. */
    String tlsServerName() {
        return start.details().tlsServerName();
    }

    /** The protocol that ALPN agreed on, or null. */
    String alpn() {
        return start.details().alpn();
    }
}
