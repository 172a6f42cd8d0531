package dev.lockstep.capture.files;

import java.nio.ByteBuffer;

/** Reads a mapped file in place. */
public final class MappedSource implements BlockSource {
    private final MappedFile file;
    private final long base;

    /**
     * Reads a file whose first mapping has a number in the memory of a capture.
     *
     * @param firstMapping that number
     */
    public MappedSource(MappedFile file, int firstMapping) {
        this.file = file;
        this.base = (long) firstMapping << file.shift;
    }

    @Override
    public ByteBuffer bytes(long offset, int length) {
        return file.mapping(file.index(offset));
    }

    @Override
    public int position(long offset) {
        return file.position(offset);
    }

    @Override
    public long address(long offset) {
        return base + offset;
    }
}
