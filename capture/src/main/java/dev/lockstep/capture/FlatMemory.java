package dev.lockstep.capture;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * Memory outside the heap for the index of a capture, in chunks of zeros: from the JVM's direct memory up to a bound,
 * beyond it from a mapped temporary file whose name is already deleted. For the thread that opens the capture.
 */
final class FlatMemory implements AutoCloseable {
    static final int CHUNK_BYTES = 64 << 10;

    /** How much of the temporary file is mapped at once. */
    private static final int REGION_BYTES = 16 << 20;

    private final Path capture;
    private long directBytesLeft;
    private FileChannel overflow;
    private ByteBuffer region = ByteBuffer.allocate(0);

    /**
     * Makes empty memory.
     *
     * @param capture the capture that is indexed, for messages
     */
    FlatMemory(Path capture, long directBytes) {
        this.capture = capture;
        this.directBytesLeft = directBytes;
    }

    /** Returns a new chunk, little endian and all zero. */
    ByteBuffer chunk() {
        if (directBytesLeft >= CHUNK_BYTES) {
            try {
                ByteBuffer chunk = ByteBuffer.allocateDirect(CHUNK_BYTES).order(ByteOrder.LITTLE_ENDIAN);
                directBytesLeft -= CHUNK_BYTES;
                return chunk;
            } catch (OutOfMemoryError e) {
                directBytesLeft = 0; // the JVM's own bound is lower than ours
            }
        }
        if (!region.hasRemaining()) {
            region = nextRegion();
        }
        region.limit(region.position() + CHUNK_BYTES);
        ByteBuffer chunk = region.slice().order(ByteOrder.LITTLE_ENDIAN);
        region.position(region.limit()).limit(REGION_BYTES);
        return chunk;
    }

    private ByteBuffer nextRegion() {
        try {
            if (overflow == null) {
                Path file = Files.createTempFile("lockstep-index", ".tmp");
                overflow = FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE);
                Files.delete(file);
            }
            // Written before it is mapped: a full disk is then an exception, not a fault in some later access.
            long from = overflow.size();
            ByteBuffer zeros = ByteBuffer.allocate(CHUNK_BYTES);
            for (long at = from; at < from + REGION_BYTES; at += zeros.limit()) {
                zeros.clear();
                while (zeros.hasRemaining()) {
                    overflow.write(zeros, at + zeros.position());
                }
            }
            return overflow.map(FileChannel.MapMode.READ_WRITE, from, REGION_BYTES);
        } catch (IOException e) {
            throw new CaptureException(
                    capture,
                    "its index of requests finds no room in " + System.getProperty("java.io.tmpdir") + ": "
                            + CaptureException.reason(e) + "; name another directory with -Djava.io.tmpdir",
                    e);
        }
    }

    /** Lets go of the temporary file; the chunks stay. */
    @Override
    public void close() throws IOException {
        if (overflow != null) {
            overflow.close();
        }
    }
}
