package dev.lockstep.capture.segments;

import dev.lockstep.capture.format.CaptureFormat;
import java.nio.ByteBuffer;

/** The index blocks of one segment, checked against the blocks of records that a reader met. For one thread. */
final class IndexChain {
    private final SegmentChecks checks;
    private final boolean blocksOnly;
    /** The blocks of records that no index block covers so far. */
    final BlockList unindexed = new BlockList();

    private long last;

    /** Begins before the first block; {@code blocksOnly} when the connections of blocks are not known. */
    IndexChain(SegmentChecks checks, boolean blocksOnly) {
        this.checks = checks;
        this.blocksOnly = blocksOnly;
    }

    /** Returns the offset of the last index block, 0 when there is none. */
    long last() {
        return last;
    }

    /** Checks the index block that is here. */
    void check(SegmentBlocks blocks) {
        ByteBuffer block = blocks.bytes();
        long offset = blocks.offset();
        int storedBytes = blocks.storedBytes();
        checks.requireLength(offset, "index block", CaptureFormat.INDEX_HEADER_BYTES, storedBytes);
        int start = blocks.header() + CaptureFormat.BLOCK_HEADER_BYTES;
        long entryBytes = block.getInt(start + CaptureFormat.INDEX_ENTRY_BYTES_FIELD) & 0xFFFFFFFFL;
        long entries = block.getInt(start + CaptureFormat.INDEX_ENTRIES) & 0xFFFFFFFFL;
        checks.requireEqual(offset, "previous index block", last, block.getLong(start + CaptureFormat.INDEX_PREVIOUS));
        checks.requireEqual(offset, "number of blocks in the index", unindexed.size(), entries);
        long room = storedBytes - CaptureFormat.INDEX_HEADER_BYTES;
        if (entryBytes < CaptureFormat.INDEX_ENTRY_BYTES || entries * entryBytes > room) {
            throw checks.contradiction(
                    offset,
                    "expected index entries of at least %d bytes within %d, found %d of %d",
                    CaptureFormat.INDEX_ENTRY_BYTES,
                    room,
                    entries,
                    entryBytes);
        }
        for (int i = 0; i < entries && unindexed.knows(i); i++) {
            checkEntry(offset, block, start + CaptureFormat.INDEX_HEADER_BYTES + i * (int) entryBytes, i);
        }
        last = offset;
        unindexed.clear();
    }

    private void checkEntry(long offset, ByteBuffer index, int entry, int i) {
        long target = index.getLong(entry + CaptureFormat.ENTRY_BLOCK);
        if (target != unindexed.offset(i)) {
            throw checks.contradiction(
                    offset, "expected index entries that point to blocks in a row, found one to offset %d", target);
        }
        checks.requireEqual(
                offset,
                "first record of an indexed block",
                unindexed.firstRecord(i),
                index.getLong(entry + CaptureFormat.ENTRY_FIRST_RECORD));
        checks.requireEqual(
                offset,
                "time of an indexed block",
                unindexed.baseNs(i),
                index.getLong(entry + CaptureFormat.ENTRY_BASE_NS));
        if (!blocksOnly) {
            checks.requireEqual(
                    offset,
                    "lowest connection of an indexed block",
                    unindexed.lowConnection(i) & 0xFFFFFFFFL,
                    index.getInt(entry + CaptureFormat.ENTRY_LOW_CONNECTION) & 0xFFFFFFFFL);
            checks.requireEqual(
                    offset,
                    "highest connection of an indexed block",
                    unindexed.highConnection(i) & 0xFFFFFFFFL,
                    index.getInt(entry + CaptureFormat.ENTRY_HIGH_CONNECTION) & 0xFFFFFFFFL);
        }
    }
}
