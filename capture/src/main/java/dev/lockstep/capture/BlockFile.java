package dev.lockstep.capture;

import java.io.IOException;
import java.nio.ByteBuffer;

/** A capture file that grows block by block, and knows where its last whole block ends. For the writer thread. */
final class BlockFile {
    private final CaptureOutput output;
    private final CaptureIdentity identity;
    private final IndexBlock index;
    private long fileBytes;
    private long lastIndex;
    private long blocks;
    private long records;
    private long lastTimeNs;

    /** Writes the header, with a summary that says that recording goes on. */
    BlockFile(CaptureOutput output, CaptureIdentity identity, int indexCapacity) throws IOException {
        this.output = output;
        this.identity = identity;
        this.index = new IndexBlock(indexCapacity);
        ByteBuffer header = ByteBuffer.allocate(CaptureFormat.HEADER_BYTES);
        identity.encode(header);
        new CaptureSummary().encode(header, CaptureFormat.HALF_BYTES);
        output.write(header, 0);
        fileBytes = CaptureFormat.HEADER_BYTES;
    }

    /** Writes a block of records. After an exception it is as good as not written, see {@link #cutTornBlock()}. */
    void write(Block block) throws IOException {
        ByteBuffer bytes = block.seal(identity);
        int length = bytes.remaining();
        output.write(bytes, fileBytes);
        index.add(block, fileBytes);
        fileBytes += length;
        blocks++;
        records = block.firstRecord() + block.records();
        lastTimeNs = block.lastNs();
    }

    /** Writes the index of the last blocks when there are enough of them for an index block. */
    void writeFullIndex() throws IOException {
        if (index.isFull()) {
            writeIndex();
        }
    }

    /** Writes the index of the blocks that no index covers yet. No room for it on the disk is no loss. */
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

    /** Writes the summary over the one in the header, which needs no room on a full disk. */
    void writeSummary(CaptureSummary summary) throws IOException {
        summary.fileBytes = fileBytes;
        summary.lastIndex = lastIndex;
        summary.blocks = blocks;
        summary.records = records;
        summary.lastTimeNs = lastTimeNs;
        ByteBuffer half = ByteBuffer.allocate(CaptureFormat.HALF_BYTES);
        summary.encode(half, 0);
        output.write(half, CaptureFormat.HALF_BYTES);
    }

    /** Waits until the disk has everything. */
    void force() throws IOException {
        output.force();
    }

    void close() throws IOException {
        output.close();
    }
}
