package dev.lockstep.redaction;

import io.netty.buffer.ByteBuf;

/**
 * Finds the info headers of a THeader frame, and has them searched. Runs per byte of a frame's header section, which no
 * transform touches; used by the thread of its connection.
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

    private final PairScanner pair;

    private int state;
    private int number;
    private int numberBits;
    private int transforms;
    private int transformsLeft;
    private int pairsLeft;

    InfoHeaderScanner(PairScanner pair) {
        this.pair = pair;
    }

    void begin() {
        transforms = 0;
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
            if (state == KEY || state == VALUE) {
                i = pair.scan(bytes, i, to, base);
                endPart();
            } else {
                step(bytes.getByte(i++));
            }
        }
    }

    private void step(byte b) {
        switch (state) {
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
                pair.beginKey(number);
                state = KEY;
                endPart();
                break;
            default:
                pair.beginValue(number);
                state = VALUE;
                endPart();
                break;
        }
    }

    private void endTransform() {
        expect(--transformsLeft == 0 ? INFO : TRANSFORM);
    }

    /** Goes on behind a key or a value, if it was read to its end. */
    private void endPart() {
        if (!pair.isRead()) {
            return;
        }
        if (state == KEY) {
            expect(VALUE_LENGTH);
        } else {
            pair.end();
            expect(--pairsLeft == 0 ? INFO : KEY_LENGTH);
        }
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
