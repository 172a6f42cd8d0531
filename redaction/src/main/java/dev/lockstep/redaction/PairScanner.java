package dev.lockstep.redaction;

import io.netty.buffer.ByteBuf;

/**
 * Finds the secret in the value of a key-value pair, an info header of THeader or a context of Finagle's, by the rules
 * for HTTP's headers, which hold for its key or what stands behind the key's last dot. Runs per byte of a key and of a
 * secret; used by the thread of its connection.
 */
final class PairScanner {
    private final NameSet names;
    private final HeaderValueScanner values;

    private int key;
    private int lastPart;
    private long bits;
    private boolean inSecret;
    /** How much is left of a key or a value of which the length is known. */
    private long left;

    private boolean inKey;

    PairScanner(RuleSet rules, Secret secret) {
        names = rules.headers;
        values = new HeaderValueScanner(rules, secret, null);
    }

    void beginKey() {
        key = NameSet.START;
        lastPart = NameSet.START;
    }

    void key(ByteBuf bytes, int from, int to) {
        for (int i = from; i < to; i++) {
            byte b = bytes.getByte(i);
            key = names.next(key, b);
            lastPart = b == '.' ? NameSet.START : names.next(lastPart, b);
        }
    }

    void beginValue() {
        bits = names.bits(key) | names.bits(lastPart);
        inSecret = (bits & HeaderRules.SEARCHED) != 0;
        if (inSecret) {
            values.begin(bits);
        }
    }

    void value(ByteBuf bytes, int from, int to, long base) {
        if (!inSecret) {
            return;
        }
        int i = values.scan(bytes, from, to, base);
        while (i < to) {
            // To the scanner a line feed ends the value; here it is a byte of it.
            values.end();
            values.begin(bits);
            i = values.scan(bytes, i + 1, to, base);
        }
    }

    void beginKey(long length) {
        beginKey();
        inKey = true;
        left = length;
    }

    void beginValue(long length) {
        beginValue();
        inKey = false;
        left = length;
    }

    /** Reads on in a key or value of which the length is known, and returns the index behind what was read of it. */
    int scan(ByteBuf bytes, int from, int to, long base) {
        int end = from + (int) Math.min(left, to - from);
        if (inKey) {
            key(bytes, from, end);
        } else {
            value(bytes, from, end, base);
        }
        left -= end - from;
        return end;
    }

    /** Whether a key or value of which the length is known was read to its end. */
    boolean isRead() {
        return left == 0;
    }

    /** Ends the value: what is open of it is replaced. */
    void end() {
        if (inSecret) {
            values.end();
            inSecret = false;
        }
    }
}
