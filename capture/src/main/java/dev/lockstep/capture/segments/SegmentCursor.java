package dev.lockstep.capture.segments;

import dev.lockstep.capture.CaptureException;
import dev.lockstep.capture.format.CaptureFormat;
import dev.lockstep.capture.format.CaptureIdentity;
import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * Walks the records of one segment for a {@link RecordCursor}, and verifies every block, record and index on the way.
 * For one thread.
 */
public final class SegmentCursor {
    /** The segment's file. */
    public final SegmentFile file;

    private final CaptureIdentity identity;
    private final CursorMemory memory;
    private final BlockDecoder decoder;
    private final CaptureCounts counts;
    private final boolean blocksOnly;
    private final SegmentChecks checks;
    private final SegmentBlocks blocks;
    final IndexChain index;
    /** The segment's connections that are open here. */
    public final SegmentConnections connections;
    /** The record that was read last, the same object for all records of a capture. */
    final BlockRecords record;

    private final long recordsBefore;
    private long records;
    private long blockCount;
    private long lastTimeNs;
    private boolean inBlock;
    private String problem;

    /**
     * Begins before the first record of a segment, which stays the caller's to close.
     *
     * @param blocksOnly whether to verify blocks without looking at the records in them
     * @param counts what is counted over all segments
     * @param earlier the cursor at the end of the segment before, or null
     */
    SegmentCursor(
            SegmentFile file,
            CursorMemory memory,
            BlockDecoder decoder,
            boolean blocksOnly,
            CaptureCounts counts,
            SegmentCursor earlier) {
        this.file = file;
        this.identity = file.identity;
        this.memory = memory;
        this.decoder = decoder;
        this.blocksOnly = blocksOnly;
        this.counts = counts;
        this.checks = new SegmentChecks(file.path);
        this.index = new IndexChain(checks, blocksOnly);
        this.connections =
                new SegmentConnections(identity, checks, counts, earlier == null ? null : earlier.connections);
        this.record = earlier == null ? new BlockRecords() : earlier.record;
        this.recordsBefore = identity.before(CaptureFormat.NOTE_RECORDS_BEFORE);
        try {
            this.blocks = new SegmentBlocks(file, memory.source(file));
        } catch (IOException e) {
            throw SegmentFile.unreadable(file.path, e);
        }
    }

    /**
     * Moves to the next record; false when there is none, or when {@link #problem()} stands in its way.
     *
     * @throws CaptureException when the segment contradicts itself, or has something that this version does not know
     */
    boolean next() throws IOException {
        while (record.isAtEnd()) {
            if (!nextBlock()) {
                return false;
            }
        }
        record.next();
        connections.take(record);
        records++;
        counts.records++;
        counts.lastTimeNs = record.timeNs();
        return true;
    }

    private boolean nextBlock() throws IOException {
        if (inBlock) {
            inBlock = false;
            record.checkEnd();
            index.unindexed.connections(record.lowConnection(), record.highConnection());
            lastTimeNs = record.timeNs();
        }
        while (!blocks.isAtEnd()) {
            problem = blocks.problem();
            if (problem != null) {
                return false;
            }
            boolean ofRecords = readBlock();
            blocks.pass();
            if (ofRecords) {
                return true;
            }
        }
        return false;
    }

    /** Reads the header of a block whose checksum is right; true when records are in it. */
    private boolean readBlock() {
        ByteBuffer block = blocks.bytes();
        int header = blocks.header();
        long offset = blocks.offset();
        int kind = block.get(header + CaptureFormat.BLOCK_KIND) & 0xFF;
        boolean ofRecords = kind == CaptureFormat.KIND_RECORDS;
        if (!ofRecords && kind != CaptureFormat.KIND_INDEX) {
            if ((kind & CaptureFormat.MUST_UNDERSTAND) != 0) {
                throw checks.newer(
                        offset + CaptureFormat.BLOCK_KIND,
                        "expected a block of kind 0x81 or 0x02, found kind " + SegmentChecks.hex(kind));
            }
            return false;
        }
        int flags = block.getShort(header + CaptureFormat.BLOCK_FLAGS) & 0xFFFF;
        int knownFlags = ofRecords && identity.encrypted() ? CaptureFormat.BLOCK_ENCRYPTED : 0;
        if ((flags & ~knownFlags) != 0) {
            throw checks.newer(
                    offset + CaptureFormat.BLOCK_FLAGS,
                    "expected block flags " + SegmentChecks.hex(knownFlags) + ", found " + SegmentChecks.hex(flags));
        }
        int codec = block.get(header + CaptureFormat.BLOCK_CODEC) & 0xFF;
        boolean mayBeCompressed = ofRecords && identity.compressed();
        if (codec != CaptureFormat.CODEC_NONE && !(codec == CaptureFormat.CODEC_ZSTD && mayBeCompressed)) {
            throw checks.newer(
                    offset + CaptureFormat.BLOCK_CODEC,
                    "expected codec " + (mayBeCompressed ? "0 (none) or 2 (zstd)" : "0 (none)") + ", found codec "
                            + codec + (codec == 1 ? " (LZ4)" : codec == 2 ? " (zstd)" : ""));
        }
        if (!ofRecords) {
            index.check(blocks);
            return false;
        }
        if (identity.encrypted() && flags == 0) {
            throw checks.contradiction(offset, "expected an encrypted block, found one in the clear");
        }
        beginRecords(codec != CaptureFormat.CODEC_NONE || flags != 0);
        return true;
    }

    private void beginRecords(boolean encoded) {
        ByteBuffer block = blocks.bytes();
        int header = blocks.header();
        long offset = blocks.offset();
        int storedBytes = blocks.storedBytes();
        long baseNs = block.getLong(header + CaptureFormat.BLOCK_BASE_NS);
        long lastNs = block.getLong(header + CaptureFormat.BLOCK_LAST_NS);
        long firstRecord = block.getLong(header + CaptureFormat.BLOCK_FIRST_RECORD);
        int rawBytes = block.getInt(header + CaptureFormat.BLOCK_RAW_BYTES);
        if (!encoded) {
            checks.requireEqual(offset, "raw length", storedBytes, rawBytes);
        } else if (rawBytes < 0 || rawBytes > CaptureFormat.MAX_STORED_BYTES) {
            throw checks.contradiction(
                    offset,
                    "raw length: expected at most %d bytes, found %d",
                    CaptureFormat.MAX_STORED_BYTES,
                    rawBytes & 0xFFFFFFFFL);
        }
        checks.requireEqual(offset, "first record", records, firstRecord);
        if (baseNs < lastTimeNs || lastNs < baseNs) {
            throw checks.contradiction(
                    offset, "expected times of %d ns or later in a row, found %d and %d", lastTimeNs, baseNs, lastNs);
        }
        index.unindexed.add(offset, baseNs, firstRecord);
        blockCount++;
        counts.storedBytes += storedBytes;
        counts.rawBytes += rawBytes;
        if (blocksOnly) {
            long count = block.getInt(header + CaptureFormat.BLOCK_RECORDS) & 0xFFFFFFFFL;
            records += count;
            counts.records += count;
            lastTimeNs = lastNs;
            return;
        }
        if (encoded) {
            ByteBuffer room = memory.room(rawBytes);
            String undecodable = decoder.decode(block, header, room);
            if (undecodable != null) {
                throw checks.contradiction(offset, "%s", undecodable);
            }
            record.begin(blocks, checks, room, memory.roomAddress());
        } else {
            record.begin(blocks, checks);
        }
        inBlock = true;
    }

    /** Refuses the segment when whole blocks follow the {@link #problem()}: then it is no torn end. */
    void refuseUnlessAtEnd() throws IOException {
        if (problem != null) {
            blocks.refuseWholeBlockAfter(problem, records);
        }
    }

    /** Checks that the summary of a closed file says what its blocks say. */
    void checkSummary() {
        CaptureSummary summary = file.summary;
        long half = CaptureFormat.HALF_BYTES;
        checks.requireEqual(half + CaptureFormat.SUM_LAST_INDEX, "last index block", summary.lastIndex, index.last());
        if (blockCount > 0 || counts.segments == 1) {
            checks.requireEqual(
                    half + CaptureFormat.SUM_LAST_TIME_NS, "time of the last record", summary.lastTimeNs, lastTimeNs);
        }
        checks.requireEqual(half + CaptureFormat.SUM_BLOCKS, "number of blocks", summary.blocks, blockCount);
        checks.requireEqual(half + CaptureFormat.SUM_RECORDS, "number of records", summary.records, records);
        if (blocksOnly) {
            counts.connections += summary.connections;
            counts.requests += summary.requests;
            counts.dataBytes += summary.dataBytes;
            return;
        }
        BlockCounts met = connections.counts();
        checks.requireEqual(
                half + CaptureFormat.SUM_CONNECTIONS, "number of connections", summary.connections, met.connections);
        checks.requireEqual(half + CaptureFormat.SUM_REQUESTS, "number of requests", summary.requests, met.requests);
        checks.requireEqual(half + CaptureFormat.SUM_DATA_BYTES, "bytes of data", summary.dataBytes, met.dataBytes);
    }

    /** Returns why the bytes at {@link #offset()} are no block, or null when there is no such reason. */
    String problem() {
        return problem;
    }

    /** Returns where the next block begins. */
    long offset() {
        return blocks.offset();
    }

    /** Returns that record's number in the whole capture. */
    public long recordNumber() {
        return recordsBefore + records - 1;
    }

    long records() {
        return records;
    }

    long blockCount() {
        return blockCount;
    }

    /** Returns the time of the last record, once its block is read to the end. */
    long lastTimeNs() {
        return lastTimeNs;
    }
}
