package dev.lockstep.redaction;

import io.netty.buffer.ByteBuf;

/** Finds bytes eight at a time. Stateless; any thread. */
final class Words {
    private static final long EACH_BYTE = 0x0101010101010101L;
    private static final long HIGH_BITS = 0x8080808080808080L;

    private Words() {}

    /** Returns a byte in each of eight places. */
    static long of(char b) {
        return b * EACH_BYTE;
    }

    /** Returns the index of the first byte of a kind, given {@linkplain #of in each place}, or {@code to}. */
    static int find(ByteBuf bytes, int from, int to, long one) {
        int i = from;
        while (to - i >= Long.BYTES) {
            long word = bytes.getLongLE(i) ^ one;
            long found = word - EACH_BYTE & ~word & HIGH_BITS;
            if (found != 0) {
                return i + (Long.numberOfTrailingZeros(found) >>> 3);
            }
            i += Long.BYTES;
        }
        while (i < to && bytes.getByte(i) != (byte) one) {
            i++;
        }
        return i;
    }

    /** Returns the index of the first byte that is one of three, each given {@linkplain #of in each place}, or {@code to}. */
    static int findOf(ByteBuf bytes, int from, int to, long one, long two, long three) {
        int i = from;
        while (to - i >= Long.BYTES) {
            // The lowest high bit marks the first byte that is 0 (Hacker's Delight, section 6-1).
            long word = bytes.getLongLE(i);
            long first = word ^ one;
            long second = word ^ two;
            long third = word ^ three;
            long found = (first - EACH_BYTE & ~first | second - EACH_BYTE & ~second | third - EACH_BYTE & ~third)
                    & HIGH_BITS;
            if (found != 0) {
                return i + (Long.numberOfTrailingZeros(found) >>> 3);
            }
            i += Long.BYTES;
        }
        while (i < to) {
            byte b = bytes.getByte(i);
            if (b == (byte) one || b == (byte) two || b == (byte) three) {
                return i;
            }
            i++;
        }
        return to;
    }
}
