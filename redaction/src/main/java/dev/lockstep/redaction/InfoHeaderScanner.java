package dev.lockstep.redaction;

import io.netty.buffer.ByteBuf;

/**
 * Finds the secrets among the info headers of a THeader frame, by the rules for HTTP's headers. Runs per byte of a
 * frame's header section, which no transform touches; used by the thread of its connection.
 *
 * <p>The section, of which all numbers are varints:
 *
 * <pre>
 * protocol | count of transforms | transforms ... | info | info ... | zeros
 * info: 1 key-value, or 2 persistent key-value | count | { length, key, length, value } ...
 * </pre>
 */
final class InfoHeaderScanner {
    private static final int PROTOCOL = 0;
    private static final int TRANSFORM_COUNT = 1;
    private static final int TRANSFORM = 2;
    private static final int MAC_BYTES = 3;
    private static final int INFO = 4;
    private static final int PAIR_COUNT = 5;
    private static final int KEY_LENGTH = 6;
    private static final int KEY = 7;
    private static final int VALUE_LENGTH = 8;
    private static final int VALUE = 9;
    private static final int ZEROS = 10;
    private static final int BROKEN = 11;

    private static final int HMAC = 2;
    private static final int KEY_VALUE = 1;
    private static final int PERSISTENT_KEY_VALUE = 2;
    private static final int MOST_NUMBER_BITS = 28;

    private final NameSet names;
    private final HeaderValueScanner values;

    private int state;
    private int number;
    private int numberBits;
    private int transforms;
    private int transformsLeft;
    private int pairsLeft;
    private int left;
    private int node;
    private boolean inSecret;

    InfoHeaderScanner(RuleSet rules, Secret secret) {
        names = rules.headers;
        values = new HeaderValueScanner(secret, rules.query, null);
    }

    void begin() {
        transforms = 0;
        inSecret = false;
        expect(PROTOCOL);
    }

    /** Whether the payload is compressed or otherwise changed. */
    boolean hasTransforms() {
        return transforms != 0;
    }

    /** Whether all of the section was understood. */
    boolean isWhole() {
        return state == INFO || state == ZEROS;
    }

    /** Reads on in the section. */
    void scan(ByteBuf bytes, int from, int to, long base) {
        int i = from;
        while (i < to && state != BROKEN) {
            if (state == VALUE) {
                int length = Math.min(left, to - i);
                if (inSecret) {
                    scanSecret(bytes, i, i + length, base);
                }
                i += length;
                left -= length;
                if (left == 0) {
                    endPair();
                }
            } else {
                step(bytes.getByte(i++));
            }
        }
    }

    /** Replaces what is open of a value. */
    void end() {
        if (inSecret) {
            values.end();
            inSecret = false;
        }
    }

    private void scanSecret(ByteBuf bytes, int from, int to, long base) {
        int i = values.scan(bytes, from, to, base);
        while (i < to) {
            // To the scanner a line feed ends the value; here it is a byte of it.
            values.end();
            values.begin(names.bits(node));
            i = values.scan(bytes, i + 1, to, base);
        }
    }

    private void step(byte b) {
        switch (state) {
            case KEY:
                node = names.next(node, b);
                if (--left == 0) {
                    expect(VALUE_LENGTH);
                }
                break;
            case MAC_BYTES:
                endTransform();
                break;
            case ZEROS:
                if (b != 0) {
                    state = BROKEN;
                }
                break;
            default:
                if (isNumberRead(b)) {
                    numberRead();
                }
                break;
        }
    }

    private void numberRead() {
        switch (state) {
            case PROTOCOL:
                expect(TRANSFORM_COUNT);
                break;
            case TRANSFORM_COUNT:
                transforms = number;
                transformsLeft = number;
                expect(number == 0 ? INFO : TRANSFORM);
                break;
            case TRANSFORM:
                if (number == HMAC) {
                    state = MAC_BYTES;
                } else {
                    endTransform();
                }
                break;
            case INFO:
                expect(
                        number == KEY_VALUE || number == PERSISTENT_KEY_VALUE
                                ? PAIR_COUNT
                                : number == 0 ? ZEROS : BROKEN);
                break;
            case PAIR_COUNT:
                pairsLeft = number;
                expect(number == 0 ? INFO : KEY_LENGTH);
                break;
            case KEY_LENGTH:
                left = number;
                node = NameSet.START;
                expect(number == 0 ? VALUE_LENGTH : KEY);
                break;
            default:
                beginValue();
                break;
        }
    }

    private void endTransform() {
        expect(--transformsLeft == 0 ? INFO : TRANSFORM);
    }

    private void beginValue() {
        left = number;
        long bits = names.bits(node);
        inSecret = (bits & HeaderRules.SEARCHED) != 0;
        if (inSecret) {
            values.begin(bits);
        }
        state = VALUE;
        if (left == 0) {
            endPair();
        }
    }

    private void endPair() {
        end();
        expect(--pairsLeft == 0 ? INFO : KEY_LENGTH);
    }

    private void expect(int next) {
        state = next;
        number = 0;
        numberBits = 0;
    }

    private boolean isNumberRead(byte b) {
        if (numberBits > MOST_NUMBER_BITS || numberBits == MOST_NUMBER_BITS && (b & 0x78) != 0) {
            state = BROKEN;
            return false;
        }
        number |= (b & 0x7f) << numberBits;
        numberBits += 7;
        return b >= 0;
    }
}
