package dev.lockstep.redaction;

/** Hex digits and JSON's escapes. Stateless; any thread. */
final class Hex {
    private static final String UPPER = "0123456789ABCDEF";
    private static final String LOWER = "0123456789abcdef";

    private Hex() {}

    static byte character(int digit, boolean lower) {
        return (byte) (lower ? LOWER : UPPER).charAt(digit);
    }

    /** Returns what a JSON escape of one letter stands for. */
    static byte unescaped(byte letter) {
        switch (letter) {
            case 'b':
                return '\b';
            case 'f':
                return '\f';
            case 'n':
                return '\n';
            case 'r':
                return '\r';
            case 't':
                return '\t';
            default:
                return letter;
        }
    }
}
