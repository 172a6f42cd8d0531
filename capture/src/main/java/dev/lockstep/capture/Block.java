package dev.lockstep.capture;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.zip.CRC32C;

/**
 * A block of records that is being filled, then written. Its memory is outside the heap and is used again and again.
 * Under the writer's lock while it is filled; the writer thread's alone once it is full.
 */
final class Block {
    private final ByteBuffer bytes;
    private int records;
    private long firstRecord;
    private long baseNs;
    private long lastNs;
    private int lowConnection;
    private int highConnection;
    private long begunAtNs;
    private boolean sealed;

    Block(int capacity) {
        bytes = ByteBuffer.allocateDirect(capacity).order(ByteOrder.LITTLE_ENDIAN);
    }

    /** Empties the block for records from a number on. */
    void begin(long firstRecord, long baseNs, long begunAtNs) {
        bytes.clear().position(CaptureFormat.BLOCK_HEADER_BYTES);
        this.records = 0;
        this.firstRecord = firstRecord;
        this.baseNs = baseNs;
        this.lastNs = baseNs;
        this.lowConnection = CaptureFormat.NO_CONNECTION;
        this.highConnection = 0;
        this.begunAtNs = begunAtNs;
        this.sealed = false;
    }

    /** Tells whether a record with a payload of some length and a time fits. */
    boolean fits(int payloadBytes, long timeNs, long maxSpanNs) {
        return bytes.remaining() - CaptureFormat.RECORD_HEADER_BYTES >= payloadBytes && timeNs - baseNs <= maxSpanNs;
    }

    /** Writes a record's header; the caller has checked that the record fits and puts the payload next. */
    ByteBuffer header(int type, int connection, int sequence, int flags, int payloadBytes, long timeNs) {
        bytes.putInt(payloadBytes | type << 24)
                .putInt(connection)
                .putInt((int) (timeNs - baseNs))
                .putInt(sequence & CaptureFormat.SEQUENCE_MASK | flags << 24);
        records++;
        lastNs = timeNs;
        if (connection != CaptureFormat.NO_CONNECTION) {
            if (Integer.compareUnsigned(connection, lowConnection) < 0) {
                lowConnection = connection;
            }
            if (Integer.compareUnsigned(connection, highConnection) > 0) {
                highConnection = connection;
            }
        }
        return bytes;
    }

    /** Completes the block's header, and returns the block from its first byte to its last. */
    ByteBuffer seal(CaptureIdentity identity) {
        if (!sealed) {
            bytes.flip();
            seal(bytes, identity, CaptureFormat.KIND_RECORDS, records, firstRecord, baseNs, lastNs);
            sealed = true;
        }
        bytes.position(0);
        return bytes;
    }

    /** Fills in the header of a block of any kind whose bytes are all there, the header's room included. */
    static void seal(
            ByteBuffer block,
            CaptureIdentity identity,
            int kind,
            int records,
            long firstRecord,
            long baseNs,
            long lastNs) {
        int storedBytes = block.limit() - CaptureFormat.BLOCK_HEADER_BYTES;
        block.putLong(CaptureFormat.BLOCK_MARK, identity.markLow())
                .putLong(CaptureFormat.BLOCK_MARK + 8, identity.markHigh())
                .putInt(CaptureFormat.BLOCK_KIND, kind) // with codec 0 and flags 0
                .putInt(CaptureFormat.BLOCK_STORED_BYTES, storedBytes)
                .putInt(CaptureFormat.BLOCK_RAW_BYTES, storedBytes)
                .putLong(CaptureFormat.BLOCK_RECORDS, records) // with the reserved field 0
                .putLong(CaptureFormat.BLOCK_FIRST_RECORD, firstRecord)
                .putLong(CaptureFormat.BLOCK_BASE_NS, baseNs)
                .putLong(CaptureFormat.BLOCK_LAST_NS, lastNs);
        CRC32C crc = new CRC32C();
        block.position(CaptureFormat.BLOCK_KIND);
        crc.update(block);
        block.putInt(CaptureFormat.BLOCK_CRC, (int) crc.getValue()).position(0);
    }

    int records() {
        return records;
    }

    long firstRecord() {
        return firstRecord;
    }

    long baseNs() {
        return baseNs;
    }

    long lastNs() {
        return lastNs;
    }

    /** Returns the lowest connection of its records, {@link CaptureFormat#NO_CONNECTION} when they belong to none. */
    int lowConnection() {
        return lowConnection;
    }

    /** Returns the highest connection of its records, 0 when they belong to none. */
    int highConnection() {
        return highConnection;
    }

    /** Returns when the block was begun, on the writer's monotonic clock. */
    long begunAtNs() {
        return begunAtNs;
    }
}
