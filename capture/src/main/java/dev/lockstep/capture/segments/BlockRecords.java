package dev.lockstep.capture.segments;

import dev.lockstep.capture.format.CaptureFormat;
import java.nio.ByteBuffer;

/**
 * The records of the block in which a {@link RecordCursor} stands, and the one of them that was read last. Runs per
 * record, for one thread.
 */
public final class BlockRecords {
    // The block.
    private SegmentChecks checks;
    private long offset;
    private ByteBuffer bytes;
    private int at;
    private int end;
    private boolean inPlace;
    private long toOffset;
    private long toAddress;
    private long baseNs;
    private long lastNs;
    private long expectedCount;
    private long count;
    private int low;
    private int high;

    // The record.
    private int payload;
    private int length;
    private int type;
    private int number;
    private int sequence;
    private int flags;
    private long timeNs;

    /** Begins before the first record of a block that stands in the file as it is. */
    void begin(SegmentBlocks blocks, SegmentChecks itsChecks) {
        int header = blocks.header();
        enter(blocks, itsChecks, blocks.bytes(), header + CaptureFormat.BLOCK_HEADER_BYTES);
        inPlace = true;
        toOffset = blocks.offset() - header;
        toAddress = blocks.address() - header;
    }

    /**
     * Begins before the first record of a block that was decoded.
     *
     * @param decoded its records, from the position on
     * @param address the address of that position in the memory of a {@code Capture}
     */
    void begin(SegmentBlocks blocks, SegmentChecks itsChecks, ByteBuffer decoded, long address) {
        enter(blocks, itsChecks, decoded, decoded.position());
        inPlace = false;
        toAddress = address - at;
    }

    private void enter(SegmentBlocks blocks, SegmentChecks itsChecks, ByteBuffer records, int first) {
        ByteBuffer block = blocks.bytes();
        int header = blocks.header();
        checks = itsChecks;
        offset = blocks.offset();
        bytes = records;
        at = first;
        end = first + block.getInt(header + CaptureFormat.BLOCK_RAW_BYTES);
        baseNs = block.getLong(header + CaptureFormat.BLOCK_BASE_NS);
        lastNs = block.getLong(header + CaptureFormat.BLOCK_LAST_NS);
        expectedCount = block.getInt(header + CaptureFormat.BLOCK_RECORDS) & 0xFFFFFFFFL;
        count = 0;
        timeNs = baseNs;
        low = CaptureFormat.NO_CONNECTION;
        high = 0;
    }

    /** Whether there is no further record here. */
    boolean isAtEnd() {
        return at == end;
    }

    /** Reads the next record; there must be one. */
    void next() {
        int left = end - at - CaptureFormat.RECORD_HEADER_BYTES;
        if (left < 0) {
            throw checks.contradiction(
                    fileOffset(at),
                    "expected a record header of %d bytes, found %d bytes up to the end of the block",
                    CaptureFormat.RECORD_HEADER_BYTES,
                    end - at);
        }
        long lowHalf = bytes.getLong(at);
        long highHalf = bytes.getLong(at + CaptureFormat.RECORD_TIME_DELTA);
        length = (int) lowHalf & CaptureFormat.MAX_PAYLOAD_BYTES;
        if (length > left) {
            throw checks.contradiction(
                    fileOffset(at),
                    "expected a payload of at most %d bytes up to the end of the block, found one of %d",
                    left,
                    length);
        }
        long recordNs = baseNs + (highHalf & CaptureFormat.MAX_TIME_DELTA_NS);
        if (recordNs < timeNs || recordNs > lastNs) {
            throw checks.contradiction(
                    fileOffset(at), "expected a time from %d to %d ns, found %d ns", timeNs, lastNs, recordNs);
        }
        timeNs = recordNs;
        type = (int) lowHalf >>> 24;
        number = (int) (lowHalf >>> 32);
        sequence = (int) (highHalf >>> 32) & CaptureFormat.SEQUENCE_MASK;
        flags = (int) (highHalf >>> 56);
        if (number != CaptureFormat.NO_CONNECTION) {
            if (Integer.compareUnsigned(number, low) < 0) {
                low = number;
            }
            if (Integer.compareUnsigned(number, high) > 0) {
                high = number;
            }
        }
        payload = at + CaptureFormat.RECORD_HEADER_BYTES;
        at = payload + length;
        count++;
    }

    /** Checks what the block's header says, once all records are read. */
    void checkEnd() {
        checks.requireEqual(offset, "number of records", expectedCount, count);
        checks.requireEqual(offset, "time of the last record", lastNs, timeNs);
    }

    /** Returns the offset in the file of a position in the block, or that of the block when it was decoded. */
    private long fileOffset(int position) {
        return inPlace ? toOffset + position : offset;
    }

    // ---- The block.

    /** Returns where the block is in the file. */
    public long blockOffset() {
        return offset;
    }

    /** Returns the memory that holds the records. */
    public ByteBuffer bytes() {
        return bytes;
    }

    /** Returns the time from which those of the block's records count, in ns since the capture's start. */
    public long baseNs() {
        return baseNs;
    }

    int lowConnection() {
        return low;
    }

    int highConnection() {
        return high;
    }

    // ---- The record.

    /** Whether the record is the block's first. */
    public boolean isFirst() {
        return count == 1;
    }

    /** Returns where the record is in the file, or where its block is when that was decoded. */
    long where() {
        return fileOffset(header());
    }

    /** Returns where the record's header is in {@link #bytes()}. */
    public int header() {
        return payload - CaptureFormat.RECORD_HEADER_BYTES;
    }

    /** Returns where the record's payload is in {@link #bytes()}. */
    public int payload() {
        return payload;
    }

    /** Returns the bytes of the record's payload. */
    public int length() {
        return length;
    }

    /** Returns the address of the payload in the memory of a {@code Capture}. */
    public long payloadAddress() {
        // An empty payload has its header's address: its own could be past the last mapping.
        return toAddress + (length == 0 ? header() : payload);
    }

    /** Returns the code of the record's type. */
    public int type() {
        return type;
    }

    /** Returns the number of the record's connection in the segment. */
    int connection() {
        return number;
    }

    int sequence() {
        return sequence;
    }

    /** Returns the record's flags. */
    public int flags() {
        return flags;
    }

    /** Returns the record's time in ns since the capture's start. */
    public long timeNs() {
        return timeNs;
    }
}
