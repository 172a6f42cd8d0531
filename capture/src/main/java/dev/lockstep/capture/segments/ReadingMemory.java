package dev.lockstep.capture.segments;

import dev.lockstep.capture.files.BlockSource;
import dev.lockstep.capture.files.FileSource;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/** Memory for reading a capture block by block: that of one block is used again for the next. */
public final class ReadingMemory implements CursorMemory {
    private ByteBuffer decoded = ByteBuffer.allocate(0);

    @Override
    public BlockSource source(SegmentFile file) {
        return new FileSource(file.channel);
    }

    @Override
    public ByteBuffer room(int bytes) {
        if (decoded.capacity() < bytes) {
            decoded = ByteBuffer.allocateDirect(Math.max(bytes, 1 << 18)).order(ByteOrder.LITTLE_ENDIAN);
        }
        decoded.clear();
        return decoded;
    }

    @Override
    public long roomAddress() {
        return 0;
    }
}
