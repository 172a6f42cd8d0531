package dev.lockstep.capture.segments;

import dev.lockstep.capture.format.CaptureFormat;
import dev.lockstep.capture.format.CaptureIdentity;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * The index of the blocks that were written since the last index block; for the writer thread. An index block goes out
 * whenever it is full and names the one before it, so that its memory stays the same however long a recording is.
 */
final class IndexBlock {
    private static final int FIRST_ENTRY = CaptureFormat.BLOCK_HEADER_BYTES + CaptureFormat.INDEX_HEADER_BYTES;

    private final ByteBuffer bytes;

    IndexBlock(int capacity) {
        bytes = ByteBuffer.allocateDirect(FIRST_ENTRY + capacity * CaptureFormat.INDEX_ENTRY_BYTES)
                .order(ByteOrder.LITTLE_ENDIAN);
        clear();
    }

    /** Adds a block that was written at an offset. */
    void add(Block block, long offset) {
        add(offset, block.baseNs(), block.firstRecord(), block.lowConnection(), block.highConnection());
    }

    void add(long offset, long baseNs, long firstRecord, int lowConnection, int highConnection) {
        bytes.putLong(offset)
                .putLong(baseNs)
                .putLong(firstRecord)
                .putInt(lowConnection)
                .putInt(highConnection);
    }

    /** Returns the bytes that the block would take if it were written now. */
    int length() {
        return isEmpty() ? 0 : bytes.position();
    }

    boolean isEmpty() {
        return bytes.position() == FIRST_ENTRY;
    }

    boolean isFull() {
        return !bytes.hasRemaining();
    }

    /**
     * Completes the block, and returns its bytes to write.
     *
     * @param previous the offset of the index block before, 0 for none
     * @param nextRecord the number of the record that follows
     * @param lastNs the time of the last record
     */
    ByteBuffer seal(CaptureIdentity identity, long previous, long nextRecord, long lastNs) {
        int entries = (bytes.position() - FIRST_ENTRY) / CaptureFormat.INDEX_ENTRY_BYTES;
        int header = CaptureFormat.BLOCK_HEADER_BYTES;
        bytes.flip();
        bytes.putLong(header + CaptureFormat.INDEX_PREVIOUS, previous)
                .putInt(header + CaptureFormat.INDEX_ENTRY_BYTES_FIELD, CaptureFormat.INDEX_ENTRY_BYTES)
                .putInt(header + CaptureFormat.INDEX_ENTRIES, entries);
        Block.putHeader(
                bytes, identity, CaptureFormat.KIND_INDEX, bytes.limit() - header, 0, nextRecord, lastNs, lastNs);
        return Block.checksum(bytes);
    }

    /** Empties the block. */
    void clear() {
        bytes.clear().position(FIRST_ENTRY);
    }
}
