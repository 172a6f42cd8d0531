package dev.lockstep.capture.segments;

import dev.lockstep.capture.files.BlockSource;
import java.io.IOException;
import java.nio.ByteBuffer;

/** Where a {@link RecordCursor} reads a file's bytes, and puts the records of blocks that must be decoded. */
public interface CursorMemory {
    /** Returns the bytes of a segment. */
    BlockSource source(SegmentFile file) throws IOException;

    /** Returns little endian memory outside the heap, with room for some bytes from its position on. */
    ByteBuffer room(int bytes);

    /** Returns the address in the memory of a {@code Capture} of the room that was returned last. */
    long roomAddress();
}
