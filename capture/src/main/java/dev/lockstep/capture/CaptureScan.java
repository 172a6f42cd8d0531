package dev.lockstep.capture;

import java.nio.ByteBuffer;

/**
 * Builds the tables of requests and connections of a capture from all of its records. For the thread that opens the
 * capture; the heap it takes does not depend on the file.
 */
final class CaptureScan {
    private final RequestTable requests;
    private final ConnectionTable connections;
    private final BlockTable blocks;

    CaptureScan(CaptureMemory file, FlatMemory memory) {
        this.requests = new RequestTable(memory);
        this.connections = new ConnectionTable(memory, file);
        this.blocks = new BlockTable(memory);
    }

    /**
     * Reads all that a cursor gives.
     *
     * @throws CaptureException when the capture is damaged
     */
    void scan(RecordCursor cursor) {
        while (cursor.next()) {
            if (cursor.isFirstInBlock()) {
                blocks.add(cursor);
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
                abandonOpenRequest(connection.table);
            } else if (type == RecordType.CONN_CLOSE) {
                abandonOpenRequest(connection.table);
                connections.close(connection.table, cursor.bytes().get(cursor.payload()));
            }
        }
        requests.dropIncomplete();
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
        long request = connections.openRequest(connection);
        if ((flags & RecordFlags.MESSAGE_START) != 0) {
            if (request != ConnectionTable.NONE) {
                abandon(connection, request);
            }
            if (ends) {
                requests.add(connection, cursor.timeNs(), payload, length, connections.countRequest(connection));
                return;
            }
            request = requests.begin(connection, cursor.timeNs());
            connections.openRequest(connection, request);
        }
        if (request == ConnectionTable.NONE) {
            return;
        }
        boolean counted = requests.addPiece(request, payload, length);
        if (truncated) {
            abandon(connection, request);
        } else if (ends) {
            counted &= requests.complete(request, payload, connections.countRequest(connection));
            connections.openRequest(connection, ConnectionTable.NONE);
        }
        if (!counted) {
            throw new CaptureException(
                    cursor.file().path(),
                    cursor.blockOffset(),
                    "expected at most " + Integer.MAX_VALUE + " records of requests in several records, found more");
        }
    }

    private void abandon(int connection, long request) {
        requests.abandon(request);
        connections.openRequest(connection, ConnectionTable.NONE);
    }

    private void abandonOpenRequest(int connection) {
        long request = connections.openRequest(connection);
        if (request != ConnectionTable.NONE) {
            abandon(connection, request);
        }
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

    ConnectionTable connections() {
        return connections;
    }
}
