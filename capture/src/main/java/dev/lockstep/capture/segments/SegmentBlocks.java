package dev.lockstep.capture.segments;

import dev.lockstep.capture.CaptureException;
import dev.lockstep.capture.files.BlockSource;
import dev.lockstep.capture.format.BlockMark;
import dev.lockstep.capture.format.CaptureFormat;
import dev.lockstep.capture.format.CaptureIdentity;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.zip.CRC32C;

/** The blocks of one segment, of whatever kind, one after the other; verifies their checksums. For one thread. */
final class SegmentBlocks {
    /** How many places that look like a block are tried behind a bad one; more than that is no accident. */
    private static final int MAX_CANDIDATES = 1000;

    private final Path path;
    private final BlockMark mark;
    private final BlockSource source;
    private final long fileBytes;
    private final long end;
    private final CRC32C crc = new CRC32C();
    private long offset = CaptureFormat.HEADER_BYTES;
    /** The memory that holds the block that was looked at last. */
    private ByteBuffer bytes;
    /** The same memory, with a position and a limit of our own. */
    private ByteBuffer view;

    SegmentBlocks(SegmentFile file, BlockSource source) {
        this.path = file.path;
        this.mark = file.identity.mark;
        this.source = source;
        this.fileBytes = file.length;
        this.end = file.closed()
                ? Math.max(CaptureFormat.HEADER_BYTES, Math.min(fileBytes, file.summary.fileBytes))
                : fileBytes;
    }

    boolean isAtEnd() {
        return offset >= end;
    }

    /** Returns what is wrong with the block here, or null when its bytes are as they were written. */
    String problem() throws IOException {
        return problem(offset, end);
    }

    private String problem(long from, long to) throws IOException {
        long left = to - from;
        if (left < CaptureFormat.BLOCK_HEADER_BYTES) {
            return "expected a block header of " + CaptureFormat.BLOCK_HEADER_BYTES + " bytes, found " + left
                    + " bytes up to the end";
        }
        ByteBuffer block = source.bytes(from, CaptureFormat.BLOCK_HEADER_BYTES);
        int header = source.position(from);
        if (!mark.isAt(block, header)) {
            return "expected the mark of a block " + mark + ", found " + BlockMark.at(block, header);
        }
        long storedBytes = block.getInt(header + CaptureFormat.BLOCK_STORED_BYTES) & 0xFFFFFFFFL;
        if (storedBytes > CaptureFormat.MAX_STORED_BYTES) {
            return "expected a block that stores at most " + CaptureFormat.MAX_STORED_BYTES + " bytes, found "
                    + storedBytes;
        }
        long blockBytes = CaptureFormat.BLOCK_HEADER_BYTES + storedBytes;
        if (blockBytes > left) {
            return "expected a block of " + blockBytes + " bytes, found " + left + " bytes up to the end";
        }
        block = source.bytes(from, (int) blockBytes);
        header = source.position(from);
        if (bytes != block) {
            bytes = block;
            view = block.duplicate();
        }
        crc.reset();
        view.limit(header + (int) blockBytes).position(header + CaptureFormat.BLOCK_KIND);
        crc.update(view);
        int expected = block.getInt(header + CaptureFormat.BLOCK_CRC);
        int found = (int) crc.getValue();
        return expected == found
                ? null
                : "expected checksum "
                        + CaptureIdentity.hex(expected) + " of a block of " + blockBytes + " bytes, found "
                        + CaptureIdentity.hex(found);
    }

    /**
     * Refuses the file when a whole block of it follows the bad one here: then this is no torn end.
     *
     * @param nextRecord the number of the next record; a recording of this file's own upload holds old blocks, which do
     *     not count
     */
    void refuseWholeBlockAfter(String problem, long nextRecord) throws IOException {
        int candidates = 0;
        long last = fileBytes - CaptureFormat.BLOCK_HEADER_BYTES;
        for (long from = offset + 1; from <= last && candidates < MAX_CANDIDATES; from++) {
            ByteBuffer block = source.bytes(from, CaptureFormat.BLOCK_HEADER_BYTES);
            int header = source.position(from);
            if (mark.isAt(block, header)) {
                candidates++;
                long firstRecord = block.getLong(header + CaptureFormat.BLOCK_FIRST_RECORD);
                if (firstRecord >= nextRecord && problem(from, fileBytes) == null) {
                    throw new CaptureException(
                            path,
                            offset,
                            "the file is damaged: " + problem + "; whole blocks follow from offset " + from
                                    + " on, so this is no torn end and --allow-truncated does not help:"
                                    + " restore the file from a copy");
                }
            }
        }
        if (candidates == MAX_CANDIDATES) {
            throw new CaptureException(
                    path, offset, "the file is damaged: " + problem + "; restore the file from a copy");
        }
    }

    /** Goes behind the block here, which was found to be good. */
    void pass() {
        offset += CaptureFormat.BLOCK_HEADER_BYTES + (long) storedBytes();
    }

    /** Returns the offset of this block in the file. */
    long offset() {
        return offset;
    }

    /** Returns the memory that holds this block, once it was found to be good; valid until the next one is. */
    ByteBuffer bytes() {
        return bytes;
    }

    /** Returns where this block's header is in {@link #bytes()}. */
    int header() {
        return source.position(offset);
    }

    /** Returns the address of this block in the memory of a {@code Capture}. */
    long address() {
        return source.address(offset);
    }

    int storedBytes() {
        return bytes.getInt(header() + CaptureFormat.BLOCK_STORED_BYTES);
    }
}
