package dev.lockstep.redaction;

import io.netty.buffer.Unpooled;
import java.util.Arrays;

/**
 * Replaces the secrets in a header's value as HPACK writes it, so that neither the length of the value nor that of its
 * code changes, and with them the tables of both sides. Used by the thread of its connection; runs per searched value.
 *
 * <p>A value written plain gets the token that it gets everywhere. In a Huffman-coded one each byte becomes another one
 * whose code is as long as that of one of the secret's bytes: the secret's code lengths, shuffled.
 */
final class Http2Value {
    private static final int SHUFFLE = 1 << 20;

    private final HeaderValueScanner scanner;
    private final Respelling respelling = new Respelling();
    private final Secret found = new Secret(this::note);
    private byte[] text = new byte[256];
    private int length;
    private boolean huffman;
    private Tokens tokens;
    private int replaced;

    Http2Value(RuleSet rules) {
        scanner = new HeaderValueScanner(rules, found, RuleKind.HTTP2);
    }

    /**
     * Replaces what is secret in a value.
     *
     * @return how many secrets were replaced, -1 where the code is invalid
     */
    int replace(Tokens by, long rules, boolean coded, byte[] raw, int rawLength) {
        tokens = by;
        huffman = coded;
        replaced = 0;
        if (coded) {
            if (!decode(raw, rawLength)) {
                return -1;
            }
        } else {
            ensure(rawLength);
            System.arraycopy(raw, 0, text, 0, rawLength);
            length = rawLength;
        }
        scanner.begin(rules);
        int from = 0;
        while (from < length) {
            // A line feed is no part of a value, but nothing keeps one out.
            from = scanner.scan(Unpooled.wrappedBuffer(text, 0, length), from, length, 0);
            scanner.end();
            scanner.begin(rules);
            from++;
        }
        if (replaced != 0) {
            if (coded) {
                byte[] written = new byte[rawLength];
                Huffman.encode(text, length, written);
                System.arraycopy(written, 0, raw, 0, rawLength);
            } else {
                System.arraycopy(text, 0, raw, 0, rawLength);
            }
        }
        return replaced;
    }

    private boolean decode(byte[] raw, int rawLength) {
        // No code is shorter than five bits.
        ensure(rawLength * 8 / 5 + 1);
        length = 0;
        int state = Huffman.START;
        for (int i = 0; i < rawLength * 2; i++) {
            int step = Huffman.next(state, (i & 1) == 0 ? raw[i >> 1] >> 4 & 15 : raw[i >> 1] & 15);
            if (step == Huffman.INVALID) {
                return false;
            }
            if (Huffman.hasSymbol(step)) {
                text[length++] = Huffman.symbol(step);
            }
            state = Huffman.state(step);
        }
        return true;
    }

    private void note(Secret secret) {
        int start = (int) secret.start() + secret.from();
        int bytes = secret.to() - secret.from();
        if (huffman) {
            substitute(tokens.of(Arrays.copyOfRange(text, start, start + bytes), bytes), start, bytes);
        } else {
            respelling.replace(tokens, secret.spelling(), text, start, start + bytes);
        }
        replaced++;
    }

    private void substitute(Tokens.Token token, int start, int bytes) {
        // Fisher and Yates, with the token's numbers; then a byte of each place's length.
        for (int i = bytes - 1; i > 0; i--) {
            long number = (long) token.number(SHUFFLE + 3 * i) << 16
                    | token.number(SHUFFLE + 3 * i + 1) << 8
                    | token.number(SHUFFLE + 3 * i + 2);
            int other = (int) (number * (i + 1) >>> 24);
            byte b = text[start + i];
            text[start + i] = text[start + other];
            text[start + other] = b;
        }
        for (int i = 0; i < bytes; i++) {
            byte[] choice = Huffman.substitutes(Huffman.length(text[start + i]));
            if (choice.length != 0) {
                text[start + i] = choice[token.below(i, choice.length)];
            }
        }
    }

    private void ensure(int bytes) {
        if (text.length < bytes) {
            text = new byte[Math.max(bytes, text.length * 2)];
        } else if (text.length > Secret.LONGEST / 16 && bytes < 256) {
            text = new byte[256];
        }
    }
}
