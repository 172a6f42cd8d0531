package dev.lockstep.capture.segments;

import dev.lockstep.capture.format.CaptureFormat;
import dev.lockstep.capture.format.CaptureIdentity;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.zip.CRC32C;

/**
 * A block of records that is being filled, then written. Its memory is outside the heap and is used again and again.
 * Under the writer's lock while it is filled; the writer thread's alone once it is full.
 */
final class Block {
    /** The segment that begins with a block. Immutable. */
    static final class SegmentStart {
        final long connectionsBefore;
        final long recordsBefore;

        SegmentStart(long connectionsBefore, long recordsBefore) {
            this.connectionsBefore = connectionsBefore;
            this.recordsBefore = recordsBefore;
        }
    }

    /** What is in the block, for the summary of its file and for the totals should it not be written. */
    final BlockCounts counts = new BlockCounts();

    private final ByteBuffer bytes;
    private int records;
    private long firstRecord;
    private long baseNs;
    private long lastNs;
    private int lowConnection;
    private int highConnection;
    private long begunAtNs;
    private int segment;
    private SegmentStart segmentStart;

    Block(int capacity) {
        bytes = ByteBuffer.allocateDirect(capacity).order(ByteOrder.LITTLE_ENDIAN);
    }

    /**
     * Empties the block for records from a number on.
     *
     * @param segmentStart the segment that begins with this block, or null when it goes on with one
     */
    void begin(long firstRecord, long baseNs, long begunAtNs, int segment, SegmentStart segmentStart) {
        bytes.clear().position(CaptureFormat.BLOCK_HEADER_BYTES);
        this.records = 0;
        this.firstRecord = firstRecord;
        this.baseNs = baseNs;
        this.lastNs = baseNs;
        this.lowConnection = CaptureFormat.NO_CONNECTION;
        this.highConnection = 0;
        this.begunAtNs = begunAtNs;
        this.segment = segment;
        this.segmentStart = segmentStart;
        counts.clear();
    }

    /** Whether a record with a payload of some length and a time fits. */
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

    /** Returns the bytes with room for the header before the records, from the first to the last. */
    ByteBuffer finish() {
        return bytes.flip();
    }

    /** Fills in the header of a block of this one's records, whose stored bytes reach to the limit. */
    void putHeader(ByteBuffer out, CaptureIdentity identity, int codec, int flags, int rawBytes) {
        putHeader(
                out,
                identity,
                CaptureFormat.KIND_RECORDS | codec << 8 | flags << 16,
                rawBytes,
                records,
                firstRecord,
                baseNs,
                lastNs);
    }

    /** Fills in the header of a block of any kind but for its checksum. */
    static void putHeader(
            ByteBuffer block,
            CaptureIdentity identity,
            int kindCodecAndFlags,
            int rawBytes,
            int records,
            long firstRecord,
            long baseNs,
            long lastNs) {
        identity.mark.put(block, CaptureFormat.BLOCK_MARK);
        block.putInt(CaptureFormat.BLOCK_KIND, kindCodecAndFlags)
                .putInt(CaptureFormat.BLOCK_STORED_BYTES, block.limit() - CaptureFormat.BLOCK_HEADER_BYTES)
                .putInt(CaptureFormat.BLOCK_RAW_BYTES, rawBytes)
                .putLong(CaptureFormat.BLOCK_RECORDS, records) // with the reserved field 0
                .putLong(CaptureFormat.BLOCK_FIRST_RECORD, firstRecord)
                .putLong(CaptureFormat.BLOCK_BASE_NS, baseNs)
                .putLong(CaptureFormat.BLOCK_LAST_NS, lastNs);
    }

    /** Fills in the checksum of a block that is complete otherwise, and returns it from its first byte on. */
    static ByteBuffer checksum(ByteBuffer block) {
        CRC32C crc = new CRC32C();
        block.position(CaptureFormat.BLOCK_KIND);
        crc.update(block);
        return block.putInt(CaptureFormat.BLOCK_CRC, (int) crc.getValue()).position(0);
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

    /** Returns the bytes so far, with the header's. */
    int length() {
        return bytes.position();
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

    int segment() {
        return segment;
    }

    /** Returns the segment that begins with this block, or null when it goes on with the one of the block before. */
    SegmentStart segmentStart() {
        return segmentStart;
    }
}
