package dev.lockstep.conversion.exports;

import dev.lockstep.capture.CaptureReader;
import dev.lockstep.capture.CaptureRecord;
import dev.lockstep.capture.ConnectionStart;
import dev.lockstep.capture.Protocol;
import dev.lockstep.capture.RecordFlags;
import dev.lockstep.capture.RecordType;
import dev.lockstep.conversion.Findings;
import dev.lockstep.conversion.Limits;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.HashMap;
import java.util.Map;

/** Hands out the complete requests of a capture, each as it ends, and counts those that are taken. For one thread. */
final class WholeRequests {
    @FunctionalInterface
    interface Taker {
        /**
         * Returns why a request is left out, or null where it is taken.
         *
         * @param epochNs when its first byte came, in ns since 1970
         */
        String take(Connection connection, long epochNs, byte[] request) throws IOException;
    }

    /** What is known of a connection. Plain values. */
    static final class Connection {
        final int number;
        final ConnectionStart start;
        Protocol protocol = Protocol.UNKNOWN;
        /** Requests that were handed out before. */
        long requests;

        private boolean taken;
        private boolean inRequest;
        private boolean tooLong;
        private long startedNs;
        private ByteArrayOutputStream bytes = new ByteArrayOutputStream(0);
        private boolean opaque;

        private Connection(int number, ConnectionStart start) {
            this.number = number;
            this.start = start;
        }
    }

    private final Map<Integer, Connection> open = new HashMap<>();
    private final Findings skipped = new Findings();
    /** Throws where there is no use in going on. */
    private final Runnable check;

    private long requests;
    private long connections;
    private long bytes;

    WholeRequests(Runnable check) {
        this.check = check;
    }

    void read(CaptureReader reader, Taker taker) throws IOException {
        long startNs = ChronoUnit.NANOS.between(Instant.EPOCH, reader.info().startedAt());
        for (CaptureRecord record = reader.next(); record != null; record = reader.next()) {
            check.run();
            RecordType type = record.type();
            if (type == RecordType.CONN_OPEN) {
                if (!open.containsKey(record.connection())) {
                    open.put(record.connection(), new Connection(record.connection(), record.connectionStart()));
                }
                continue;
            }
            Connection connection = type == null ? null : open.get(record.connection());
            if (connection == null) {
                continue;
            }
            switch (type) {
                case PROTOCOL:
                    connection.protocol = record.protocol();
                    break;
                case DATA_C2S:
                    data(connection, startNs, record, taker);
                    break;
                case GAP:
                    incomplete(connection);
                    break;
                case CONN_CLOSE:
                    incomplete(connection);
                    open.remove(connection.number);
                    break;
                default:
            }
        }
        open.values().forEach(this::incomplete);
        TrafficExport.noteCut(reader, skipped);
    }

    private void data(Connection connection, long startNs, CaptureRecord record, Taker taker) throws IOException {
        int flags = record.flags();
        if ((flags & RecordFlags.MESSAGE_START) != 0) {
            incomplete(connection);
            connection.inRequest = true;
            connection.tooLong = false;
            connection.startedNs = startNs + record.timeNs();
        }
        if (!connection.inRequest) {
            if (!connection.opaque) {
                connection.opaque = true;
                skipped.add("connections with bytes that are no requests, whose bytes are left out", null);
            }
            return;
        }
        ByteBuffer payload = record.payload();
        boolean ends = (flags & RecordFlags.MESSAGE_END) != 0 && (flags & RecordFlags.TRUNCATED) == 0;
        byte[] piece = new byte[payload.remaining()];
        payload.duplicate().get(piece);
        if (ends && connection.bytes.size() == 0 && !connection.tooLong) {
            hand(connection, piece, taker);
            return;
        }
        if (connection.bytes.size() + piece.length > Limits.REQUEST_BYTES) {
            connection.tooLong = true;
            connection.bytes = new ByteArrayOutputStream(0);
        }
        if (!connection.tooLong) {
            connection.bytes.write(piece, 0, piece.length);
        }
        if (ends) {
            byte[] request = connection.bytes.toByteArray();
            connection.bytes = new ByteArrayOutputStream(0);
            if (connection.tooLong) {
                skipped.add("requests longer than " + Limits.REQUEST_BYTES + " bytes", null);
                connection.inRequest = false;
            } else {
                hand(connection, request, taker);
            }
        } else if ((flags & RecordFlags.TRUNCATED) != 0) {
            incomplete(connection);
        }
    }

    private void hand(Connection connection, byte[] request, Taker taker) throws IOException {
        connection.inRequest = false;
        String why = taker.take(connection, connection.startedNs, request);
        connection.requests++;
        if (why != null) {
            skipped.add(why, null);
            return;
        }
        requests++;
        bytes += request.length;
        connections += connection.taken ? 0 : 1;
        connection.taken = true;
    }

    /** Returns what was taken and what was left out, once all was read. */
    ExportReport report(ExportFormat format) {
        return ImmutableExportReport.of(format, requests, connections, bytes, skipped.list());
    }

    private void incomplete(Connection connection) {
        if (connection.inRequest) {
            skipped.add("requests without an end", null);
        }
        connection.inRequest = false;
        connection.bytes = new ByteArrayOutputStream(0);
    }
}
