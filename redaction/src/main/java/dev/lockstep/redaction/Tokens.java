package dev.lockstep.redaction;

import java.nio.ByteBuffer;
import java.util.Arrays;
import javax.crypto.Mac;

/**
 * Makes tokens of values. Used by one thread; runs per secret.
 *
 * <p>The tokens of the values met lately are kept, because a session sends the same secret with each request: a look-up
 * instead of two rounds of SHA-256.
 */
final class Tokens {
    private static final int KEPT = 512;
    private static final int LONGEST_KEPT = 256;

    private final Mac mac;
    private final byte[][] keptValues = new byte[KEPT][];
    private final Token[] keptTokens = new Token[KEPT];

    Tokens(RedactionKey key) {
        mac = key.mac();
    }

    Token of(byte[] value, int length) {
        if (length > LONGEST_KEPT) {
            return make(value, length);
        }
        int hash = 0;
        for (int i = 0; i < length; i++) {
            hash = hash * 31 + value[i];
        }
        int slot = (hash ^ hash >>> 9 ^ hash >>> 18) & KEPT - 1;
        byte[] kept = keptValues[slot];
        if (kept != null && Arrays.equals(kept, 0, kept.length, value, 0, length)) {
            return keptTokens[slot];
        }
        Token token = make(value, length);
        keptValues[slot] = Arrays.copyOf(value, length);
        keptTokens[slot] = token;
        return token;
    }

    private Token make(byte[] value, int length) {
        mac.update(value, 0, length);
        return new Token(mac.doFinal(), Math.min(length, LONGEST_KEPT));
    }

    /**
     * An endless row of bytes that stands for a value: its HMAC-SHA256, then numbers drawn from that. The numbers need
     * no secrecy of their own, as they tell no more than the HMAC, which tells nothing without the key. Immutable.
     */
    static final class Token {
        private static final String LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
        private static final long GOLDEN = 0x9E3779B97F4A7C15L;

        private final byte[] digest;
        private final long seed;
        /** The first letters, as many as the value has bytes. */
        private final byte[] letters;

        private Token(byte[] digest, int known) {
            this.digest = digest;
            seed = ByteBuffer.wrap(digest).getLong();
            letters = new byte[known];
            for (int i = 0; i < known; i++) {
                letters[i] = letter(i);
            }
        }

        /** Returns a number from 0 to 255. */
        int number(int index) {
            if (index < digest.length) {
                return digest[index] & 0xff;
            }
            // SplitMix64's output function (Steele, Lea, Flood 2014).
            long z = seed + index * GOLDEN;
            z = (z ^ z >>> 30) * 0xBF58476D1CE4E5B9L;
            z = (z ^ z >>> 27) * 0x94D049BB133111EBL;
            return (int) (z >>> 56);
        }

        /** Returns a number from 0 to {@code limit - 1}, at most 255. */
        int below(int index, int limit) {
            return number(index) * limit >> 8;
        }

        /** Writes letters and digits of ASCII. */
        void letters(byte[] into, int from, int to) {
            int known = Math.min(letters.length, to - from);
            System.arraycopy(letters, 0, into, from, known);
            for (int i = from + known; i < to; i++) {
                into[i] = letter(i - from);
            }
        }

        /** Returns a letter or digit of ASCII. */
        byte letter(int index) {
            return (byte) LETTERS.charAt(below(index, LETTERS.length()));
        }
    }
}
