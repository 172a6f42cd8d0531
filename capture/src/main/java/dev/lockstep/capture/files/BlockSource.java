package dev.lockstep.capture.files;

import java.io.IOException;
import java.nio.ByteBuffer;

/** The bytes of a capture file for the {@code RecordCursor} that walks its blocks. For one thread. */
public interface BlockSource {
    /**
     * Returns memory that holds some bytes from an offset on, which the caller knows to be in the file; little endian,
     * to be read with absolute positions, and valid until the next call.
     *
     * @throws IOException when they cannot be read, or are in the file no more
     */
    ByteBuffer bytes(long offset, int length) throws IOException;

    /** Returns where an offset is in the memory that was returned last. */
    int position(long offset);

    /** Returns the address of an offset in the memory of a {@code Capture}, 0 where there is none. */
    long address(long offset);
}
