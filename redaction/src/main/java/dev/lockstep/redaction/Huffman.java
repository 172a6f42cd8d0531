package dev.lockstep.redaction;

import java.nio.charset.StandardCharsets;

/**
 * HPACK's Huffman code (RFC 7541, appendix B): reads it four bits at a time, and writes it. The code is canonical, so
 * that the symbols' lengths say it all. Stateless; any thread.
 */
final class Huffman {
    /** The state before a string's first byte. */
    static final int START = 0;

    /** What {@link #next} has behind bits that no string has. */
    static final int INVALID = -1;

    // Bits of a step's result: the state behind it, whether there is a symbol, and that.
    private static final int STATE_BITS = 9;
    private static final int SYMBOL = 1 << STATE_BITS;

    private static final int END_OF_STRING = 256;
    private static final int LONGEST = 30;
    private static final int NIBBLES = 16;

    private static final byte[] LENGTHS = {
        13, 23, 28, 28, 28, 28, 28, 28, 28, 24, 30, 28, 28, 30, 28, 28,
        28, 28, 28, 28, 28, 28, 30, 28, 28, 28, 28, 28, 28, 28, 28, 28,
        6, 10, 10, 12, 13, 6, 8, 11, 10, 10, 8, 11, 8, 6, 6, 6,
        5, 5, 5, 6, 6, 6, 6, 6, 6, 6, 7, 8, 15, 6, 12, 10,
        13, 6, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7,
        7, 7, 7, 7, 7, 7, 7, 7, 8, 7, 8, 13, 19, 13, 14, 6,
        15, 5, 6, 5, 6, 5, 6, 6, 6, 5, 7, 7, 6, 6, 6, 5,
        6, 7, 6, 5, 5, 6, 7, 7, 7, 7, 7, 15, 11, 14, 13, 28,
        20, 22, 20, 20, 22, 22, 22, 23, 22, 23, 23, 23, 23, 23, 24, 23,
        24, 24, 22, 23, 24, 23, 23, 23, 23, 21, 22, 23, 22, 23, 23, 24,
        22, 21, 20, 22, 22, 23, 23, 21, 23, 22, 22, 24, 21, 22, 23, 23,
        21, 21, 22, 21, 23, 22, 23, 23, 20, 22, 22, 22, 23, 22, 22, 23,
        26, 26, 20, 19, 22, 23, 22, 25, 26, 26, 26, 27, 27, 26, 24, 25,
        19, 21, 26, 27, 27, 26, 27, 24, 21, 21, 26, 26, 28, 27, 27, 27,
        20, 24, 20, 21, 22, 21, 21, 23, 22, 22, 25, 25, 24, 24, 26, 23,
        26, 27, 26, 26, 27, 27, 27, 27, 27, 28, 27, 27, 27, 27, 27, 26,
        30
    };

    private static final int[] CODES = new int[LENGTHS.length];
    private static final int[] STEPS;
    private static final byte[][] SUBSTITUTES = new byte[LONGEST + 1][];

    static {
        int code = 0;
        for (int length = 1; length <= LONGEST; length++) {
            code <<= 1;
            for (int symbol = 0; symbol < LENGTHS.length; symbol++) {
                if (LENGTHS[symbol] == length) {
                    CODES[symbol] = code++;
                }
            }
        }
        STEPS = steps();
        for (int length = 0; length <= LONGEST; length++) {
            SUBSTITUTES[length] = findSubstitutes(length);
        }
    }

    private Huffman() {}

    /** Returns what four more bits of a string lead to: {@link #INVALID}, or a state with or without a symbol. */
    static int next(int state, int nibble) {
        return STEPS[state * NIBBLES + nibble];
    }

    static int state(int step) {
        return step & SYMBOL - 1;
    }

    static boolean hasSymbol(int step) {
        return (step & SYMBOL) != 0;
    }

    static byte symbol(int step) {
        return (byte) (step >>> STATE_BITS + 1);
    }

    /** Returns by how many bits a byte is written. */
    static int length(byte symbol) {
        return LENGTHS[symbol & 0xff];
    }

    /**
     * Returns bytes that are written by so many bits and may stand in a header's value: letters and digits if there are
     * any, else visible marks; empty where there are neither.
     */
    static byte[] substitutes(int length) {
        return SUBSTITUTES[length];
    }

    /** Writes a string, with its padding, and returns how many bytes it took; there must be room. */
    static int encode(byte[] text, int length, byte[] into) {
        long bits = 0;
        int count = 0;
        int bytes = 0;
        for (int i = 0; i < length; i++) {
            int symbol = text[i] & 0xff;
            bits = bits << LENGTHS[symbol] | CODES[symbol];
            count += LENGTHS[symbol];
            while (count >= Byte.SIZE) {
                count -= Byte.SIZE;
                into[bytes++] = (byte) (bits >>> count);
            }
        }
        if (count > 0) {
            into[bytes++] = (byte) (bits << Byte.SIZE - count | 0xff >>> count);
        }
        return bytes;
    }

    private static int[] steps() {
        // The tree: two children a node, a leaf as ~symbol.
        int[] children = new int[2 * LENGTHS.length];
        int nodes = 1;
        for (int symbol = 0; symbol < LENGTHS.length; symbol++) {
            int node = 0;
            for (int bit = LENGTHS[symbol] - 1; bit > 0; bit--) {
                int at = 2 * node + (CODES[symbol] >>> bit & 1);
                if (children[at] == 0) {
                    children[at] = nodes++;
                }
                node = children[at];
            }
            children[2 * node + (CODES[symbol] & 1)] = ~symbol;
        }
        int[] steps = new int[nodes * NIBBLES];
        for (int state = 0; state < nodes; state++) {
            for (int nibble = 0; nibble < NIBBLES; nibble++) {
                int node = state;
                int found = 0;
                for (int bit = 3; bit >= 0 && node != INVALID; bit--) {
                    node = children[2 * node + (nibble >>> bit & 1)];
                    if (node < 0) {
                        int symbol = ~node;
                        found = SYMBOL | symbol << STATE_BITS + 1;
                        node = symbol == END_OF_STRING ? INVALID : 0;
                    }
                }
                steps[state * NIBBLES + nibble] = node == INVALID ? INVALID : node | found;
            }
        }
        return steps;
    }

    private static byte[] findSubstitutes(int length) {
        StringBuilder letters = new StringBuilder();
        StringBuilder marks = new StringBuilder();
        for (char c = '!'; c < 0x7f; c++) {
            if (LENGTHS[c] == length) {
                boolean letter = c >= '0' && c <= '9' || c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z';
                if (letter) {
                    letters.append(c);
                } else if (c != '"') {
                    marks.append(c);
                }
            }
        }
        String chosen = letters.length() != 0 ? letters.toString() : marks.toString();
        return chosen.getBytes(StandardCharsets.US_ASCII);
    }
}
