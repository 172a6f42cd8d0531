package dev.lockstep.recorder;

import dev.lockstep.capture.CaptureWriter;
import dev.lockstep.capture.CloseReason;
import dev.lockstep.capture.Protocol;
import dev.lockstep.capture.RecordFlags;
import dev.lockstep.protocol.HttpRequestFramer;
import dev.lockstep.protocol.OpaqueReason;
import io.netty.buffer.ByteBuf;
import java.net.InetSocketAddress;

/**
 * Writes what one client sends into the capture, cut at the boundaries of its requests. Runs per read on the
 * connection's event loop.
 *
 * <p>The bytes are the truth and the boundaries a note beside them: whatever the framer makes of a stream, each byte
 * goes to the writer. The writer never waits, and counts what it has no room for, so a tap cannot slow the traffic.
 */
final class ConnectionTap {
    private final CaptureWriter writer;
    private final TrafficCounters counters;
    private final HttpRequestFramer framer = new HttpRequestFramer();
    private final int connection;
    private boolean recognised;
    private boolean opaque;

    /** Records that a client has connected. Either address is null when the client has already gone. */
    ConnectionTap(
            CaptureWriter writer,
            TrafficCounters counters,
            long nowNs,
            InetSocketAddress client,
            InetSocketAddress server) {
        this.writer = writer;
        this.counters = counters;
        this.connection = writer.openConnection(nowNs, client, server);
        counters.connections.increment();
    }

    /** Records the readable bytes, which stay readable. */
    void read(long nowNs, ByteBuf bytes) {
        int from = bytes.readerIndex();
        int to = bytes.writerIndex();
        counters.clientBytes.add(to - from);
        int requests = 0;
        while (from < to) {
            int flags = framer.isBetweenRequests() ? RecordFlags.MESSAGE_START : 0;
            int next = framer.feed(bytes, from, to);
            if (framer.isOpaque()) {
                flags = 0;
            } else if (framer.isBetweenRequests()) {
                flags |= RecordFlags.MESSAGE_END;
                requests++;
                if (framer.isAmbiguous()) {
                    counters.ambiguousRequests.increment();
                }
            }
            if (recognised != framer.isRecognised() || opaque != framer.isOpaque()) {
                noteProtocol(nowNs);
            }
            writer.data(connection, nowNs, flags, bytes.internalNioBuffer(from, next - from));
            from = next;
        }
        if (requests != 0) {
            counters.requests.add(requests);
        }
    }

    /** Records that the client will send no more. */
    void halfClose(long nowNs) {
        writer.halfClose(connection, nowNs);
    }

    /** Records the end of the connection; the tap is not used again. */
    void close(long nowNs, CloseReason reason) {
        if (framer.isInRequest()) {
            counters.incompleteRequests.increment();
        }
        counters.closedConnections.increment();
        writer.closeConnection(connection, nowNs, reason);
    }

    private void noteProtocol(long nowNs) {
        if (!recognised && framer.isRecognised()) {
            recognised = true;
            writer.protocol(connection, nowNs, Protocol.HTTP1);
        }
        if (!opaque && framer.isOpaque()) {
            opaque = true;
            counters.opaqueConnections.increment();
            OpaqueReason reason = framer.opaqueReason();
            if (reason == OpaqueReason.HTTP2) {
                writer.protocol(connection, nowNs, Protocol.HTTP2);
            } else if (reason == OpaqueReason.SWITCHED_PROTOCOL) {
                writer.protocol(connection, nowNs, Protocol.UNKNOWN);
            }
        }
    }
}
