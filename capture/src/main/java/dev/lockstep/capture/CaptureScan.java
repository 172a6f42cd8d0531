package dev.lockstep.capture;

import java.nio.ByteBuffer;
import java.util.function.LongConsumer;

/**
 * Builds the tables of requests and connections of a capture from all of its records. For the thread that opens the
 * capture; the heap it takes does not depend on the file.
 */
final class CaptureScan {
    private final RequestTable requests;
    private final ConnectionTable connections;
    private final OpaquePieces opaque;
    private final UnansweredRequests unanswered;
    private final BlockTable blocks;

    CaptureScan(CaptureMemory file, FlatMemory memory) {
        this.opaque = new OpaquePieces(memory, file);
        this.requests = new RequestTable(memory, opaque);
        this.connections = new ConnectionTable(memory, file);
        this.unanswered = new UnansweredRequests(memory, connections);
        this.blocks = new BlockTable(memory);
    }

    /**
     * Reads all that a cursor gives.
     *
     * @param progress told at each block how many bytes were read
     * @throws CaptureException when the capture is damaged
     */
    void scan(RecordCursor cursor, LongConsumer progress) {
        while (cursor.next()) {
            if (cursor.isFirstInBlock()) {
                blocks.add(cursor);
                progress.accept(cursor.counts.storedBytes);
            }
            OpenConnections.Connection connection = cursor.connection();
            if (connection == null) {
                continue;
            }
            RecordType type = RecordType.ofCode(cursor.type());
            if (type == RecordType.CONN_OPEN) {
                readOpen(cursor, connection);
                continue;
            }
            connections.heardOf(connection.table, cursor.timeNs());
            if (type == RecordType.DATA_C2S) {
                readData(cursor, connection.table);
            } else if (type == RecordType.PROTOCOL) {
                connections.protocol(connection.table, cursor.bytes().getShort(cursor.payload()));
            } else if (type == RecordType.GAP) {
                tear(connection.table);
            } else if (type == RecordType.HALF_CLOSE) {
                connections.halfClose(connection.table, cursor.timeNs());
            } else if (type == RecordType.NO_ANSWER) {
                unanswered.add(connection.table, cursor.bytes().getLong(cursor.payload()));
            } else if (type == RecordType.CONN_CLOSE) {
                abandon(connection.table);
                connections.close(connection.table, cursor.bytes().get(cursor.payload()));
            }
        }
        requests.dropIncomplete();
        opaque.finish(connections);
        unanswered.mark(requests);
    }

    private void readOpen(RecordCursor cursor, OpenConnections.Connection connection) {
        if (cursor.goesOn()) {
            connections.heardOf(connection.table, cursor.timeNs());
        } else {
            connection.table = connections.open(cursor.timeNs(), cursor.payloadAddress());
        }
        blocks.opened(connection.table);
    }

    private void readData(RecordCursor cursor, int connection) {
        int flags = cursor.flags();
        int length = cursor.length();
        long payload = cursor.payloadAddress();
        boolean truncated = (flags & RecordFlags.TRUNCATED) != 0;
        boolean ends = (flags & RecordFlags.MESSAGE_END) != 0 && !truncated;
        boolean pipelined = (flags & RecordFlags.PIPELINED) != 0;
        long request = connections.openRequest(connection);
        if ((flags & RecordFlags.MESSAGE_START) != 0) {
            if (ends) {
                abandon(connection);
                int before = connections.countRequest(connection);
                requests.add(connection, cursor.timeNs(), pipelined, payload, length, before);
                return;
            }
            request = requests.begin(connection, cursor.timeNs(), pipelined);
            connections.openRequest(connection, request);
        }
        boolean counted = true;
        if (length > 0) {
            int piece = opaque.add(
                    connection,
                    cursor.timeNs(),
                    payload,
                    length,
                    (int) connections.requests(connection),
                    connections.hasHole(connection));
            counted = piece >= 0;
            if (counted && request != ConnectionTable.NONE) {
                requests.addPiece(request, piece);
            }
        }
        if (truncated) {
            tear(connection);
        } else if (ends && request != ConnectionTable.NONE) {
            counted &= requests.complete(request, payload, connections.countRequest(connection));
            connections.openRequest(connection, ConnectionTable.NONE);
        }
        if (!counted) {
            throw new CaptureException(
                    cursor.file().path(),
                    cursor.blockOffset(),
                    "expected at most " + Integer.MAX_VALUE
                            + " records of requests in several records and outside requests, found more");
        }
    }

    /** Bytes of a connection are missing from here on. */
    private void tear(int connection) {
        long request = connections.openRequest(connection);
        if (request != ConnectionTable.NONE) {
            requests.tear(request);
            abandon(connection);
        }
        connections.tear(connection);
    }

    /** Gives a request in progress up: it stays incomplete, and its bytes outside requests. */
    private void abandon(int connection) {
        connections.openRequest(connection, ConnectionTable.NONE);
    }

    /** Hands every record to a handler. */
    void forEach(CaptureMemory memory, RecordHandler handler) {
        ByteBuffer[] views = new ByteBuffer[memory.count()];
        CaptureRecord record = new CaptureRecord();
        long number = 0;
        for (long block = 0; block < blocks.size(); block++) {
            long address = blocks.address(block);
            int mapping = memory.index(address);
            if (views[mapping] == null) {
                views[mapping] = memory.mapping(mapping).asReadOnlyBuffer();
            }
            ByteBuffer bytes = memory.mapping(mapping);
            int at = memory.position(address);
            int end = at + blocks.length(block);
            while (at < end) {
                int connection = blocks.connection(block, bytes.getInt(at + CaptureFormat.RECORD_CONNECTION));
                at = record.set(bytes, views[mapping], at, blocks.baseNs(block), number++, connection);
                if (!handler.onRecord(record)) {
                    return;
                }
            }
        }
    }

    RequestTable requests() {
        return requests;
    }

    OpaquePieces opaque() {
        return opaque;
    }

    ConnectionTable connections() {
        return connections;
    }
}
