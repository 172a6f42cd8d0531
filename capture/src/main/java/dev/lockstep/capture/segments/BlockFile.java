package dev.lockstep.capture.segments;

import dev.lockstep.capture.CaptureOptions;
import dev.lockstep.capture.files.CaptureOutput;
import dev.lockstep.capture.format.CaptureFormat;
import dev.lockstep.capture.format.CaptureIdentity;
import java.io.IOException;
import java.nio.ByteBuffer;

/** A capture file that grows block by block, and knows where its last whole block ends. For the writer thread. */
public final class BlockFile {
    private final CaptureOutput output;
    final CaptureIdentity identity;
    private final BlockEncoder encoder;
    private final IndexBlock index;
    final BlockCounts counts = new BlockCounts();
    private long lostConnectionsBefore;
    private long lostRequestsBefore;
    private long lostBytesBefore;
    private long fileBytes;
    private long lastIndex;
    private long blocks;
    private long records;
    private long lastTimeNs;

    private BlockFile(CaptureOutput output, CaptureIdentity identity, CaptureOptions options, int indexCapacity) {
        this.output = output;
        this.identity = identity;
        this.encoder = new BlockEncoder(identity, options.compressionLevel(), options.encryption());
        this.index = new IndexBlock(indexCapacity);
    }

    /** Writes the header of a new file, with a summary that says that recording goes on. */
    public static BlockFile create(
            CaptureOutput output, CaptureIdentity identity, CaptureOptions options, int indexCapacity)
            throws IOException {
        BlockFile file = new BlockFile(output, identity, options, indexCapacity);
        ByteBuffer header = ByteBuffer.allocate(CaptureFormat.HEADER_BYTES);
        identity.encode(header);
        new CaptureSummary().encode(header, CaptureFormat.HALF_BYTES);
        output.write(header, 0);
        file.fileBytes = CaptureFormat.HEADER_BYTES;
        return file;
    }

    /** Goes on with a file: cuts it behind its last whole block, and marks it as open in its summary. */
    public static BlockFile append(CaptureOutput output, CaptureOptions options, AppendPoint point, int indexCapacity)
            throws IOException {
        int capacity = Math.max(indexCapacity, point.unindexedBlocks() + 1);
        BlockFile file = new BlockFile(output, point.identity, options, capacity);
        file.fileBytes = point.endOffset;
        file.lastIndex = point.lastIndex;
        file.blocks = point.blocks;
        file.records = point.records;
        file.lastTimeNs = point.lastTimeNs;
        file.counts.add(point.counts);
        file.lostConnectionsBefore = point.lostConnections;
        file.lostRequestsBefore = point.lostRequests;
        file.lostBytesBefore = point.lostBytes;
        point.putUnindexed(file.index);
        file.writeSummary(new CaptureSummary());
        output.truncate(file.fileBytes);
        return file;
    }

    /** Writes a block of records. After an exception it counts as not written, see {@link #cutTornBlock()}. */
    void write(Block block) throws IOException {
        ByteBuffer bytes = encoder.encode(block);
        int length = bytes.remaining();
        output.write(bytes, fileBytes);
        index.add(block, fileBytes);
        fileBytes += length;
        blocks++;
        records = block.firstRecord() + block.records();
        lastTimeNs = block.lastNs();
        counts.add(block.counts);
    }

    /** Writes the index of the last blocks when there are enough of them for an index block. */
    void writeFullIndex() throws IOException {
        if (index.isFull()) {
            writeIndex();
        }
    }

    /** Writes the index of the blocks that no index covers yet. When the disk has no room for it, nothing is lost. */
    void writeLastIndex() throws IOException {
        if (!index.isEmpty()) {
            try {
                writeIndex();
            } catch (IOException e) {
                cutTornBlock();
            }
        }
    }

    private void writeIndex() throws IOException {
        ByteBuffer bytes = index.seal(identity, lastIndex, records, lastTimeNs);
        int length = bytes.remaining();
        output.write(bytes, fileBytes);
        lastIndex = fileBytes;
        fileBytes += length;
        index.clear();
    }

    /** Cuts off what a failed write has left behind the last whole block. */
    void cutTornBlock() throws IOException {
        output.truncate(fileBytes);
    }

    /** Returns the offset at which the last whole block ends. */
    long fileBytes() {
        return fileBytes;
    }

    /** Returns how long the file would be if it were closed now. */
    long closedBytes() {
        return fileBytes + index.length();
    }

    /**
     * Returns a summary of the blocks that were written. The caller adds how the file ends, and what was lost since
     * this writer began.
     */
    CaptureSummary summary() {
        CaptureSummary summary = new CaptureSummary();
        summary.fileBytes = fileBytes;
        summary.lastIndex = lastIndex;
        summary.blocks = blocks;
        summary.records = records;
        summary.lastTimeNs = lastTimeNs;
        summary.connections = counts.connections;
        summary.requests = counts.requests;
        summary.dataBytes = counts.dataBytes;
        summary.redactedValues = counts.redactedValues;
        summary.missedPackets = counts.missedPackets;
        summary.unsearched.add(counts.unsearched);
        summary.lostConnections = lostConnectionsBefore;
        summary.lostRequests = lostRequestsBefore;
        summary.lostBytes = lostBytesBefore;
        return summary;
    }

    /** Writes the summary over the one in the header, which needs no room on a full disk. */
    void writeSummary(CaptureSummary summary) throws IOException {
        ByteBuffer half = ByteBuffer.allocate(CaptureFormat.HALF_BYTES);
        summary.encode(half, 0);
        output.write(half, CaptureFormat.HALF_BYTES);
    }

    /** Waits until the disk has everything. */
    void force() throws IOException {
        output.force();
    }

    void close() throws IOException {
        encoder.close();
        output.close();
    }
}
