package dev.lockstep.redaction;

/**
 * Reads percent-encoding, that of an encoded address too: {@code %3F} and {@code %253F} both are a question mark, the
 * one at depth 1 and the other at depth 2. What is no escape is read as it stands, at depth 0. Runs per byte; used by
 * the thread of its connection.
 */
final class Escapes {
    /** Hex digits of an escape still to come, and those seen. */
    private int digits;

    private int code;
    private int escapeBytes;
    /** The same of an escape whose percent sign was encoded itself, and how many bytes it has so far. */
    private int innerDigits;

    private int innerCode;
    private int innerBytes;

    private int depth;
    private int width;

    void begin() {
        digits = 0;
        innerDigits = 0;
    }

    /** Whether the next byte begins a character. */
    boolean isBetween() {
        return digits == 0 && innerDigits == 0;
    }

    /** Returns the character, 0 to 255, that a byte ends, or -1 in the middle of an escape. */
    int read(byte b) {
        return read(b & 0xff, 1);
    }

    /** Does the same for a character, 0 to 255, that itself is written in so many bytes, as in a string of JSON. */
    int read(int c, int bytes) {
        innerBytes += bytes;
        if (c == '%') {
            digits = 2;
            code = 0;
            escapeBytes = bytes;
            return -1;
        }
        depth = 0;
        width = bytes;
        if (digits == 0) {
            return decodedOnce(c);
        }
        escapeBytes += bytes;
        int digit = Character.digit(c, 16);
        if (digit < 0) {
            digits = 0;
            return decodedOnce(c);
        }
        code = code << 4 | digit;
        if (--digits != 0) {
            return -1;
        }
        depth = 1;
        width = escapeBytes;
        return decodedOnce(code);
    }

    private int decodedOnce(int c) {
        if (depth == 1 && c == '%') {
            innerDigits = 2;
            innerCode = 0;
            innerBytes = width;
            return -1;
        }
        if (innerDigits == 0) {
            return c;
        }
        int digit = Character.digit((byte) c, 16);
        if (digit < 0) {
            innerDigits = 0;
            return c;
        }
        innerCode = innerCode << 4 | digit;
        if (--innerDigits != 0) {
            return -1;
        }
        depth = 2;
        width = innerBytes;
        return innerCode;
    }

    /** How often the last character was encoded: 0, 1 or 2. */
    int depth() {
        return depth;
    }

    /** How many bytes the last character takes. */
    int width() {
        return width;
    }
}
