package dev.lockstep.capture;

import dev.lockstep.capture.format.CaptureFormat;
import dev.lockstep.capture.segments.BlockRecords;
import dev.lockstep.capture.segments.ReadConnection;
import dev.lockstep.capture.segments.RecordCursor;
import java.util.function.LongConsumer;

/**
 * Builds the tables of requests and connections of a capture from all of its records. For the thread that opens the
 * capture; the heap it takes does not depend on the file.
 */
final class CaptureScan {
    final RequestTable requests;
    final ConnectionTable connections;
    final OpaquePieces opaque;
    private final AnswerNotes answers;

    CaptureScan(CaptureMemory file, FlatMemory memory) {
        this.opaque = new OpaquePieces(memory, file);
        this.requests = new RequestTable(memory, opaque);
        this.connections = new ConnectionTable(memory);
        this.answers = new AnswerNotes(memory, connections);
    }

    /**
     * Reads all records.
     *
     * @param progress told at each block how many bytes were read
     * @throws CaptureException when the capture is damaged
     */
    void scan(RecordCursor cursor, LongConsumer progress) {
        while (cursor.next()) {
            BlockRecords record = cursor.record();
            if (record.isFirst()) {
                progress.accept(cursor.counts.storedBytes);
            }
            ReadConnection connection = cursor.connection();
            if (connection == null) {
                continue;
            }
            RecordType type = RecordType.ofCode(record.type());
            if (type == RecordType.CONN_OPEN) {
                readOpen(cursor, connection);
                continue;
            }
            connections.heardOf(connection.table(), record.timeNs());
            if (type == RecordType.DATA_C2S) {
                readData(cursor, connection.table());
            } else if (type == RecordType.PROTOCOL) {
                connections.protocol(connection.table(), record.bytes().getShort(record.payload()));
            } else if (type == RecordType.GAP) {
                tear(connection.table());
            } else if (type == RecordType.HALF_CLOSE) {
                connections.halfClose(connection.table(), record.timeNs());
            } else if (type == RecordType.CONN_CLOSE) {
                abandon(connection.table());
                connections.close(connection.table(), record.bytes().get(record.payload()));
            } else if (connection.isNumbered()) {
                readAnswer(record, type, connection.table());
            }
        }
        requests.dropIncomplete();
        opaque.finish(connections);
        answers.mark(requests);
    }

    /** Reads what tells of a request by its number. */
    private void readAnswer(BlockRecords record, RecordType type, int connection) {
        if (type == RecordType.NO_ANSWER) {
            answers.noAnswer(connection, record.bytes().getLong(record.payload()));
        } else if (type == RecordType.ANSWER) {
            long number = record.bytes().getLong(record.payload() + CaptureFormat.ANSWER_REQUEST);
            int status = CaptureFormat.status(record.bytes(), record.payload());
            answers.answered(connection, number, status, requests);
        }
    }

    private void readOpen(RecordCursor cursor, ReadConnection connection) {
        BlockRecords record = cursor.record();
        if (cursor.segment().connections.goesOn()) {
            connections.heardOf(connection.table(), record.timeNs());
        } else {
            connection.table(connections.open(record.timeNs()));
        }
    }

    private void readData(RecordCursor cursor, int connection) {
        BlockRecords record = cursor.record();
        int flags = record.flags();
        int length = record.length();
        long payload = record.payloadAddress();
        boolean truncated = (flags & RecordFlags.TRUNCATED) != 0;
        boolean ends = (flags & RecordFlags.MESSAGE_END) != 0 && !truncated;
        boolean pipelined = (flags & RecordFlags.PIPELINED) != 0;
        long request = connections.openRequest(connection);
        if ((flags & RecordFlags.MESSAGE_START) != 0) {
            if (ends) {
                abandon(connection);
                int before = connections.countRequest(connection, requests.begun());
                requests.add(connection, record.timeNs(), pipelined, payload, length, before);
                return;
            }
            request = requests.begin(connection, record.timeNs(), pipelined);
            connections.openRequest(connection, request);
        }
        boolean counted = true;
        if (length > 0) {
            int piece = opaque.add(
                    connection,
                    record.timeNs(),
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
            counted &= requests.complete(request, payload, connections.countRequest(connection, request));
            connections.openRequest(connection, ConnectionTable.NONE);
        }
        if (!counted) {
            throw new CaptureException(
                    cursor.segment().file.path,
                    record.blockOffset(),
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

    /** Gives up a request in progress: it stays incomplete, and its bytes stay outside requests. */
    private void abandon(int connection) {
        connections.openRequest(connection, ConnectionTable.NONE);
    }
}
