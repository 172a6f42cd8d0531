package dev.lockstep.capture;

import java.nio.ByteBuffer;
import java.util.Arrays;

/**
 * A growing table of entries of one size, outside the heap. One thread fills it; once it is published safely, any
 * thread may read. Runs per request when a capture is opened and replayed.
 */
final class FlatTable {
    private final FlatMemory memory;
    private final int entryShift;
    private final int chunkShift;
    private final int chunkMask;
    private ByteBuffer[] chunks = {};
    private long size;

    /**
     * Makes an empty table.
     *
     * @param entryBytes the size of an entry, a power of two
     */
    FlatTable(FlatMemory memory, int entryBytes) {
        this.memory = memory;
        this.entryShift = Integer.numberOfTrailingZeros(entryBytes);
        this.chunkShift = Integer.numberOfTrailingZeros(FlatMemory.CHUNK_BYTES) - entryShift;
        this.chunkMask = (1 << chunkShift) - 1;
    }

    long size() {
        return size;
    }

    /** Adds an entry of zeros, and returns its number. */
    long add() {
        int chunk = (int) (size >>> chunkShift);
        if (chunk == chunks.length || chunks[chunk] == null) {
            if (chunk == chunks.length) {
                chunks = Arrays.copyOf(chunks, Math.max(4, 2 * chunk));
            }
            chunks[chunk] = memory.chunk();
        }
        return size++;
    }

    /** Forgets the entries from a number on. */
    void shrink(long newSize) {
        size = newSize;
    }

    long getLong(long entry, int field) {
        return chunk(entry).getLong(at(entry) + field);
    }

    int getInt(long entry, int field) {
        return chunk(entry).getInt(at(entry) + field);
    }

    int getShort(long entry, int field) {
        return chunk(entry).getShort(at(entry) + field) & 0xFFFF;
    }

    int getByte(long entry, int field) {
        return chunk(entry).get(at(entry) + field) & 0xFF;
    }

    void putLong(long entry, int field, long value) {
        chunk(entry).putLong(at(entry) + field, value);
    }

    void putInt(long entry, int field, int value) {
        chunk(entry).putInt(at(entry) + field, value);
    }

    void putShort(long entry, int field, int value) {
        chunk(entry).putShort(at(entry) + field, (short) value);
    }

    void putByte(long entry, int field, int value) {
        chunk(entry).put(at(entry) + field, (byte) value);
    }

    /** Returns the memory that holds an entry; with {@link #at(long)} for paths that touch many fields. */
    ByteBuffer chunk(long entry) {
        return chunks[(int) (entry >>> chunkShift)];
    }

    /** Returns where in its {@link #chunk(long)} an entry begins. */
    int at(long entry) {
        return ((int) entry & chunkMask) << entryShift;
    }
}
