package dev.lockstep.capture;

import dev.lockstep.capture.files.BlockSource;
import dev.lockstep.capture.files.MappedFile;
import dev.lockstep.capture.files.MappedSource;
import dev.lockstep.capture.segments.CursorMemory;
import dev.lockstep.capture.segments.SegmentFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * The memory in which an opened capture's records lie: mapped files for segments that are not compressed or encrypted,
 * memory outside the heap for the decoded blocks of others. Filled by the thread that opens the capture; then any
 * thread may read.
 *
 * <p>An address is the number of a mapping and a position in it: in mapped files, the offset behind all earlier
 * segments.
 */
final class CaptureMemory implements CursorMemory {
    private static final int SMALLEST_CHUNK = 1 << 20;
    private static final int LARGEST_CHUNK = 64 << 20;

    private final int shift;
    private final int overlap;
    private final FileDigest digest;
    private final List<ByteBuffer> mappings = new ArrayList<>();
    private final List<Path> files = new ArrayList<>();
    private SegmentFile current;
    private ByteBuffer chunk;
    private int chunkNumber;
    private int used;
    private int nextChunkBytes = SMALLEST_CHUNK;
    private long decodedBytes;
    private long roomAddress;

    /** Makes memory in which files are mapped every 2<sup>shift</sup> bytes, with an overlap, and are digested. */
    CaptureMemory(int shift, int overlap, FileDigest digest) {
        this.shift = shift;
        this.overlap = overlap;
        this.digest = digest;
    }

    @Override
    public BlockSource source(SegmentFile file) throws IOException {
        current = file;
        files.add(file.path);
        MappedFile mapped = MappedFile.map(file.channel, file.length, shift, overlap);
        digest.add(mapped);
        MappedSource source = new MappedSource(mapped, mappings.size());
        // The mappings of an encrypted file hold no records, those of a compressed file few.
        for (int i = 0; i < mapped.count(); i++) {
            mappings.add(mapped.mapping(i));
        }
        return source;
    }

    /** Returns the files that are mapped. */
    List<Path> files() {
        return files;
    }

    @Override
    public ByteBuffer room(int bytes) {
        if (chunk == null || chunk.capacity() - used < bytes) {
            allocate(bytes);
        }
        roomAddress = ((long) chunkNumber << shift) + used;
        chunk.clear().position(used);
        used += bytes;
        decodedBytes += bytes;
        return chunk;
    }

    private void allocate(int bytes) {
        try {
            int chunkBytes = Math.max(bytes, nextChunkBytes);
            chunk = ByteBuffer.allocateDirect(chunkBytes).order(ByteOrder.LITTLE_ENDIAN);
            nextChunkBytes = Math.min(LARGEST_CHUNK, 2 * chunkBytes);
        } catch (OutOfMemoryError e) {
            throw new CaptureException(
                    current.path,
                    "its requests are " + (current.identity.encrypted() ? "encrypted" : "compressed")
                            + " and decoded they do not fit in memory: expected room for more than " + decodedBytes
                            + " bytes, found no more; run \"replay filter --compress none\" and replay what it writes,"
                            + " or raise -XX:MaxDirectMemorySize",
                    e);
        }
        chunkNumber = mappings.size();
        mappings.add(chunk);
        used = 0;
    }

    @Override
    public long roomAddress() {
        return roomAddress;
    }

    int count() {
        return mappings.size();
    }

    /** Returns a mapping, to be read with absolute positions only. */
    ByteBuffer mapping(int index) {
        return mappings.get(index);
    }

    /** Returns the number of the mapping in which an address is. */
    int index(long address) {
        return (int) (address >>> shift);
    }

    /** Returns where an address is in its mapping. */
    int position(long address) {
        return (int) (address & (1L << shift) - 1);
    }
}
