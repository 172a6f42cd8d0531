package dev.lockstep.redaction;

import dev.lockstep.capture.Protocol;
import io.netty.buffer.ByteBuf;

/**
 * Finds the secrets in Thrift messages on a connection of any form: takes off frame, THeader, TTwitter's or mux's
 * envelope, has info headers and contexts searched, and lets a walker read the message where there are rules for Thrift
 * fields. Runs per message; used by the thread of its connection.
 *
 * <p>Where a message begins and ends is told by the framer. What cannot be read, as compressed THeader frames, JSON and
 * mux fragments, is kept as it is and counted. Behind missing bytes nothing says what the bytes are; up to the next
 * request they are overwritten.
 */
final class ThriftScanner extends Scanner {
    private static final int FRAME_LENGTH = 0;
    private static final int PAYLOAD_START = 1;
    private static final int HEADER_FIXED = 2;
    private static final int HEADER_WORDS = 3;
    private static final int MUX_HEAD = 4;
    private static final int MUX_COUNT = 5;
    private static final int MUX_KEY_LENGTH = 6;
    private static final int MUX_KEY = 7;
    private static final int MUX_VALUE_LENGTH = 8;
    private static final int MUX_VALUE = 9;
    private static final int MUX_DESTINATION = 10;
    private static final int BEHIND_HEADER = 11;
    private static final int MESSAGE = 12;
    private static final int KEEP = 13;
    private static final int OVERWRITE = 14;

    private static final int HEADER_FIXED_BYTES = 10;
    private static final byte HEADER_MAGIC = 0x0f;
    private static final byte JSON_START = '[';
    private static final int REQUEST = 1;
    private static final int DISPATCH = 2;
    private static final int FRAGMENT_BIT = 1 << 23;

    private final Protocol protocol;
    private final boolean hasFieldRules;
    private final ThriftWalker walker;
    private final PairScanner pair;
    private final InfoHeaderScanner infoHeaders;
    private final Window window;
    private final RedactionCounts counts;

    private int state;
    private long number;
    private int numberBytes;
    private long skip;
    /** How much is left of a header section. */
    private long left;

    private long frameBytes;
    private int entries;
    private boolean inDelegations;
    private boolean oldRequest;
    private boolean counted;

    ThriftScanner(Protocol protocol, RuleSet rules, Secret secret, Window window, RedactionCounts counts) {
        this.protocol = protocol;
        this.window = window;
        this.counts = counts;
        hasFieldRules = !rules.thrift.isEmpty();
        pair = new PairScanner(rules, secret);
        walker = new ThriftWalker(rules.thrift, secret, pair);
        infoHeaders = new InfoHeaderScanner(pair);
        state = KEEP;
    }

    @Override
    void scan(boolean begins, boolean ends, ByteBuf bytes, int from, int to, long offset) {
        if (begins) {
            begin();
        }
        long base = offset - from;
        int i = from;
        while (i < to && state != KEEP) {
            if (skip > 0) {
                int length = (int) Math.min(skip, to - i);
                skip -= length;
                i += length;
            } else if (state == MESSAGE) {
                i = walker.scan(bytes, i, to, base);
                if (i < to) {
                    // Behind the message, and yet in its frame: no server reads that.
                    state = OVERWRITE;
                }
            } else if (state == OVERWRITE) {
                window.overwrite(base + i, to - i);
                counts.overwritten(to - i);
                i = to;
            } else if (state == HEADER_WORDS) {
                int length = (int) Math.min(left, to - i);
                infoHeaders.scan(bytes, i, i + length, base);
                left -= length;
                i += length;
                if (left == 0) {
                    endHeader();
                }
            } else if (state == MUX_KEY || state == MUX_VALUE) {
                i = pair.scan(bytes, i, to, base);
                endPart();
            } else if (state == PAYLOAD_START || state == BEHIND_HEADER) {
                // The byte is read again as the message's first.
                startPayload(bytes.getByte(i));
            } else {
                step(bytes.getByte(i));
                i++;
            }
        }
        if (ends) {
            end();
        }
    }

    @Override
    void missing() {
        end();
        skip = 0;
        state = OVERWRITE;
    }

    @Override
    void end() {
        pair.end();
        walker.end();
        if (state == MESSAGE && walker.isBroken()) {
            unsearched();
        }
        state = KEEP;
    }

    private void begin() {
        end();
        skip = 0;
        counted = false;
        switch (protocol) {
            case THRIFT_UNFRAMED_BINARY:
            case THRIFT_UNFRAMED_COMPACT:
            case THRIFT_UNFRAMED_JSON:
                state = hasFieldRules ? PAYLOAD_START : KEEP;
                break;
            default:
                state = FRAME_LENGTH;
                break;
        }
        expect(state);
    }

    private void startPayload(byte b) {
        boolean mayBeHeader = state == PAYLOAD_START && mayHoldHeader();
        // The probe is a message without a header, whose first byte is negative.
        boolean afterHeader = protocol == Protocol.THRIFT_TTWITTER && b >= 0;
        if (mayBeHeader && b == HEADER_MAGIC) {
            expect(HEADER_FIXED);
        } else if (mayBeHeader && b == 0 && protocol == Protocol.THRIFT_HEADER) {
            // A frame in a frame.
            expect(FRAME_LENGTH);
        } else if (!hasFieldRules && !afterHeader) {
            state = KEEP;
        } else if (b == JSON_START) {
            unsearched();
            state = KEEP;
        } else {
            walker.begin(afterHeader);
            state = MESSAGE;
        }
    }

    /** Servers tell THeader from other messages frame by frame. */
    private boolean mayHoldHeader() {
        return protocol == Protocol.THRIFT_HEADER
                || protocol == Protocol.THRIFT_FRAMED_BINARY
                || protocol == Protocol.THRIFT_FRAMED_COMPACT
                || protocol == Protocol.THRIFT_FRAMED_JSON;
    }

    /** Transforms change the payload only; the headers before it were searched. */
    private void endHeader() {
        pair.end();
        boolean readable = infoHeaders.isWhole() && (!hasFieldRules || !infoHeaders.hasTransforms());
        if (!readable) {
            unsearched();
        }
        state = infoHeaders.hasTransforms() ? KEEP : BEHIND_HEADER;
    }

    private void step(byte b) {
        switch (state) {
            case FRAME_LENGTH:
                if (number(b, Integer.BYTES)) {
                    frameBytes = number;
                    if (protocol == Protocol.THRIFT_MUX) {
                        expect(MUX_HEAD);
                    } else {
                        state = PAYLOAD_START;
                    }
                }
                break;
            case HEADER_FIXED:
                // Magic, flags, sequence id, then how many words of header follow.
                if (number(b, HEADER_FIXED_BYTES)) {
                    left = (number & 0xffff) * Integer.BYTES;
                    infoHeaders.begin();
                    state = left == 0 ? BEHIND_HEADER : HEADER_WORDS;
                }
                break;
            default:
                mux(b);
                break;
        }
    }

    private void mux(byte b) {
        switch (state) {
            case MUX_HEAD:
                if (number(b, Integer.BYTES)) {
                    int type = (int) (number >>> 24) & 0xff;
                    if (type != REQUEST && type != DISPATCH) {
                        // Control of which the head came in pieces counts as the beginning of the next dispatch.
                        skip = Math.max(0, frameBytes - Integer.BYTES);
                        expect(FRAME_LENGTH);
                    } else if ((number & FRAGMENT_BIT) != 0) {
                        unsearched();
                        state = KEEP;
                    } else {
                        oldRequest = type == REQUEST;
                        inDelegations = false;
                        expect(MUX_COUNT);
                    }
                }
                break;
            case MUX_COUNT:
                if (number(b, oldRequest ? 1 : Short.BYTES)) {
                    entries = (int) number;
                    nextEntry();
                }
                break;
            case MUX_KEY_LENGTH:
                if (oldRequest) {
                    expect(MUX_VALUE_LENGTH);
                } else if (number(b, Short.BYTES)) {
                    if (inDelegations) {
                        skip = number;
                        expect(MUX_VALUE_LENGTH);
                    } else {
                        pair.beginKey(number);
                        state = MUX_KEY;
                        endPart();
                    }
                }
                break;
            case MUX_VALUE_LENGTH:
                if (number(b, oldRequest ? 1 : Short.BYTES)) {
                    if (oldRequest || inDelegations) {
                        skip = number;
                        nextEntry();
                    } else {
                        pair.beginValue(number);
                        state = MUX_VALUE;
                        endPart();
                    }
                }
                break;
            case MUX_DESTINATION:
                if (number(b, Short.BYTES)) {
                    skip = number;
                    inDelegations = true;
                    expect(MUX_COUNT);
                }
                break;
            default:
                throw new IllegalStateException("no state " + state);
        }
    }

    /** Goes on behind a context's key or value, if it was read to its end. */
    private void endPart() {
        if (!pair.isRead()) {
            return;
        }
        if (state == MUX_KEY) {
            expect(MUX_VALUE_LENGTH);
        } else {
            pair.end();
            nextEntry();
        }
    }

    private void nextEntry() {
        if (entries-- > 0) {
            expect(MUX_KEY_LENGTH);
        } else if (!hasFieldRules) {
            state = KEEP;
        } else if (oldRequest || inDelegations) {
            state = PAYLOAD_START;
        } else {
            expect(MUX_DESTINATION);
        }
    }

    private void unsearched() {
        if (!counted) {
            counted = true;
            counts.unsearchedBody("of Thrift");
        }
    }

    private void expect(int next) {
        state = next;
        number = 0;
        numberBytes = 0;
    }

    private boolean number(byte b, int bytes) {
        number = number << 8 | b & 0xff;
        return ++numberBytes == bytes;
    }
}
