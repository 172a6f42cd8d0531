package dev.lockstep.inspection;

import dev.lockstep.capture.CloseReason;
import dev.lockstep.capture.ConnectionStart;
import dev.lockstep.capture.Protocol;
import dev.lockstep.protocol.Http2Requests;
import dev.lockstep.protocol.RequestFacts;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.security.MessageDigest;
import java.util.function.Consumer;

/** What was read of one connection so far. Plain values, of one thread. */
final class ConnectionTrace {
    /** How much of a request is looked at for its names. */
    static final int HEAD_BYTES = 64 << 10;

    /** How much is kept of what comes before a protocol is said: more than any recognition waits for. */
    private static final int FIRST_BYTES = 64;

    final int id;
    final ConnectionStart start;
    final long openedNs;
    /** Null where no digest was asked for. */
    final MessageDigest digest;

    Protocol protocol = Protocol.UNKNOWN;
    CloseReason closeReason = CloseReason.UNKNOWN;
    long lastNs;
    long requests;
    long bytes;
    long opaqueBytes;
    long incompleteRequests;
    long gaps;
    long gapBytes;

    // Of the request being read.
    boolean inRequest;
    long requestNs;
    long requestBytes;
    /** The beginning of a request that is in several records; null while there is none. */
    ByteBuf head;

    /** Null until the connection is known to carry HTTP/2. */
    private Http2Requests http2;

    private ByteBuf first = Unpooled.EMPTY_BUFFER;

    ConnectionTrace(int id, ConnectionStart start, long openedNs, MessageDigest digest) {
        this.id = id;
        this.start = start;
        this.openedNs = openedNs;
        this.lastNs = openedNs;
        this.digest = digest;
    }

    long http2Requests() {
        return http2 == null ? 0 : http2.requests();
    }

    /** Returns the follower of HTTP/2, made and given what came before when the connection turns out to carry it. */
    Http2Requests http2(Consumer<RequestFacts> sink) {
        if (http2 == null) {
            http2 = new Http2Requests();
            if (start.alreadyOpen() && first.readableBytes() == 0 && bytes > 0) {
                http2.missing();
            }
            http2.feed(first, 0, first.readableBytes(), sink);
            first = Unpooled.EMPTY_BUFFER;
        }
        return http2;
    }

    /** Says that bytes of the client are missing. */
    void missing(long missingBytes) {
        gaps++;
        gapBytes += missingBytes;
        endIncomplete();
        if (http2 != null) {
            http2.missing();
        }
    }

    /** Keeps the first bytes of a connection whose protocol is not said yet. */
    void keepFirst(ByteBuf data) {
        int room = FIRST_BYTES - first.readableBytes();
        int count = Math.min(room, data.readableBytes());
        if (count > 0) {
            if (first == Unpooled.EMPTY_BUFFER) {
                first = Unpooled.buffer(FIRST_BYTES);
            }
            first.writeBytes(data, data.readerIndex(), count);
        }
    }

    void protocol(Protocol now) {
        protocol = now;
        if (now != Protocol.HTTP2) {
            first = Unpooled.EMPTY_BUFFER;
        }
    }

    void endIncomplete() {
        if (inRequest) {
            incompleteRequests++;
        }
        inRequest = false;
        head = null;
    }
}
