package dev.lockstep.capture.format;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.security.SecureRandom;

/**
 * The 16 random bytes with which every block of a file begins, so that old bytes are not taken for its blocks.
 * Immutable.
 */
public final class BlockMark {
    private final long low;
    private final long high;

    /** Makes the mark of two halves, each little endian in the file. */
    public BlockMark(long low, long high) {
        this.low = low;
        this.high = high;
    }

    static BlockMark random() {
        SecureRandom random = new SecureRandom();
        return new BlockMark(random.nextLong(), random.nextLong());
    }

    /** Reads the mark at a position in little endian memory. */
    public static BlockMark at(ByteBuffer bytes, int position) {
        return new BlockMark(bytes.getLong(position), bytes.getLong(position + Long.BYTES));
    }

    /** Whether the mark is at a position in little endian memory. */
    public boolean isAt(ByteBuffer bytes, int position) {
        return bytes.getLong(position) == low && bytes.getLong(position + Long.BYTES) == high;
    }

    /** Writes the mark to a position in little endian memory. */
    public void put(ByteBuffer bytes, int position) {
        bytes.putLong(position, low).putLong(position + Long.BYTES, high);
    }

    /** Returns the 16 bytes as they stand in the file. */
    public byte[] bytes() {
        ByteBuffer bytes = ByteBuffer.allocate(2 * Long.BYTES).order(ByteOrder.LITTLE_ENDIAN);
        put(bytes, 0);
        return bytes.array();
    }

    /** Returns the bytes in hexadecimal, as messages show them. */
    @Override
    public String toString() {
        return String.format("%016x%016x", Long.reverseBytes(low), Long.reverseBytes(high));
    }
}
