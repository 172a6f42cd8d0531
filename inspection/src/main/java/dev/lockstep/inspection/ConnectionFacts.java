package dev.lockstep.inspection;

import io.netty.util.NetUtil;
import java.net.InetSocketAddress;
import java.util.Locale;

/** What one connection of a capture is and holds. Immutable. */
public final class ConnectionFacts {
    private final ConnectionTrace trace;
    private final String sha256;

    ConnectionFacts(ConnectionTrace trace, String sha256) {
        this.trace = trace;
        this.sha256 = sha256;
    }

    /** Returns its number in the capture. */
    public int id() {
        return trace.id;
    }

    /** Returns the client's address and port, or {@code unknown}. */
    public String client() {
        return print(trace.start.client());
    }

    /** Returns the server's address and port, or {@code unknown}. */
    public String server() {
        return print(trace.start.server());
    }

    private static String print(InetSocketAddress address) {
        if (address == null) {
            return "unknown";
        }
        return NetUtil.toSocketAddressString(address);
    }

    /** Returns what its bytes were recognised as at last, such as {@code http/1}. */
    public String protocol() {
        return trace.protocol.label();
    }

    /** Returns its complete requests, those of HTTP/2 among them. */
    public long requests() {
        return trace.requests + trace.http2Requests();
    }

    /** Returns the client's bytes. */
    public long bytes() {
        return trace.bytes;
    }

    /** Returns the client's bytes that belong to no request. */
    public long opaqueBytes() {
        return trace.opaqueBytes;
    }

    /** Returns the requests of which the end is missing. */
    public long incompleteRequests() {
        return trace.incompleteRequests;
    }

    /** Returns the SHA-256 of the client's bytes in lower-case hexadecimal, or null where it was not asked for. */
    public String sha256() {
        return sha256;
    }

    /** Returns at how many places bytes of the client are missing. */
    public long gaps() {
        return trace.gaps;
    }

    /** Returns how many bytes are known to be missing. */
    public long gapBytes() {
        return trace.gapBytes;
    }

    /** Returns when it was opened, in ns since the capture's start. */
    public long openedNs() {
        return trace.openedNs;
    }

    /** Returns when it was closed, in ns since the capture's start; that of its last record where it never was. */
    public long closedNs() {
        return trace.lastNs;
    }

    /** Returns why it ended, such as {@code client-fin}. */
    public String closeReason() {
        return trace.closeReason.name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /** Tells whether it was open before recording began. */
    public boolean alreadyOpen() {
        return trace.start.alreadyOpen();
    }

    /** Returns the name that its client asked for in TLS, or null. */
    public String tlsServerName() {
        return trace.start.details().tlsServerName();
    }

    /** Returns the protocol that ALPN agreed on, or null. */
    public String alpn() {
        return trace.start.details().alpn();
    }
}
