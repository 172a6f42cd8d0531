package dev.lockstep.conversion.imports;

import dev.lockstep.capture.CloseReason;
import dev.lockstep.tap.RecordedConnection;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.net.InetSocketAddress;

/**
 * A connection whose bytes a file keeps. The times of its events never decrease, so that putting events in order never
 * mixes up its bytes. Used by one thread.
 */
final class ImportedConnection {
    private enum Kind {
        OPEN,
        CLIENT_BYTES,
        SERVER_BYTES,
        CLIENT_BYTES_MISSING,
        SERVER_BYTES_MISSING,
        CLIENT_ENDED,
        CLOSE
    }

    private static final byte[] NONE = {};

    private final InetSocketAddress client;
    private final InetSocketAddress server;
    private RecordedConnection recorded;
    private long lastNs = Long.MIN_VALUE;

    /** Either address is null when it is not known. */
    ImportedConnection(InetSocketAddress client, InetSocketAddress server) {
        this.client = client;
        this.server = server;
    }

    Entry open(long timeNs) {
        return event(timeNs, Kind.OPEN, NONE, null);
    }

    Entry clientBytes(long timeNs, byte[] bytes) {
        return event(timeNs, Kind.CLIENT_BYTES, bytes, null);
    }

    Entry serverBytes(long timeNs, byte[] bytes) {
        return event(timeNs, Kind.SERVER_BYTES, bytes, null);
    }

    /** An unknown number of bytes is missing. */
    Entry clientBytesMissing(long timeNs) {
        return event(timeNs, Kind.CLIENT_BYTES_MISSING, NONE, null);
    }

    Entry serverBytesMissing(long timeNs) {
        return event(timeNs, Kind.SERVER_BYTES_MISSING, NONE, null);
    }

    Entry clientEnded(long timeNs) {
        return event(timeNs, Kind.CLIENT_ENDED, NONE, null);
    }

    Entry close(long timeNs, CloseReason reason) {
        return event(timeNs, Kind.CLOSE, NONE, reason);
    }

    private Entry event(long timeNs, Kind kind, byte[] bytes, CloseReason reason) {
        lastNs = Math.max(lastNs, timeNs);
        return new Event(lastNs, this, kind, bytes, reason);
    }

    private static final class Event extends Entry {
        private final ImportedConnection connection;
        private final Kind kind;
        private final byte[] bytes;
        private final CloseReason reason;

        Event(long timeNs, ImportedConnection connection, Kind kind, byte[] bytes, CloseReason reason) {
            super(timeNs);
            this.connection = connection;
            this.kind = kind;
            this.bytes = bytes;
            this.reason = reason;
        }

        @Override
        int memoryBytes() {
            return bytes.length + OVERHEAD_BYTES;
        }

        @Override
        void record(long atNs, ImportSink sink) {
            sink.happened(atNs);
            if (kind == Kind.OPEN) {
                connection.recorded = sink.open(atNs, connection.client, connection.server, false);
                return;
            }
            RecordedConnection recorded = connection.recorded;
            ByteBuf buffer = Unpooled.wrappedBuffer(bytes);
            switch (kind) {
                case CLIENT_BYTES:
                    recorded.clientBytes(atNs, buffer, 0, bytes.length);
                    break;
                case SERVER_BYTES:
                    recorded.serverBytes(atNs, buffer, 0, bytes.length);
                    break;
                case CLIENT_BYTES_MISSING:
                    recorded.clientBytesMissing(atNs, 0);
                    break;
                case SERVER_BYTES_MISSING:
                    recorded.serverBytesMissing(atNs, 0);
                    break;
                case CLIENT_ENDED:
                    recorded.clientEnded(atNs);
                    break;
                default:
                    recorded.close(atNs, reason);
            }
        }
    }
}
