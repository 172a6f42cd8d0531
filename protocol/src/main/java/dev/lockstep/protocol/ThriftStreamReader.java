package dev.lockstep.protocol;

import dev.lockstep.capture.Protocol;
import io.netty.buffer.ByteBuf;

/**
 * Finds where the messages begin and end in one direction of a Thrift connection, and reads their heads: framed or not,
 * THeader, a frame in a frame, and with TTwitter's header struct before the message. Runs per message; used by the one
 * thread that handles the connection.
 *
 * <p>A frame is delimited by its length whatever is in it, so a frame that holds no known message is one without a
 * name. What has no length is read to its end; where that is impossible the stream is {@linkplain #isLost() lost}.
 *
 * <p>THeader's frame (thrift {@code doc/specs/HeaderFormat.md}), after the length:
 *
 * <pre>
 *   0        1        2        3
 *  +--------+--------+--------+--------+
 *  | 0F       FF     | flags           |
 *  +--------+--------+--------+--------+
 *  | sequence id                       |
 *  +--------+--------+--------+--------+
 *  | header size / 4 | header: varints protocol, number of transforms, each transform ...
 *  +--------+--------+
 *  | payload, transformed
 * </pre>
 */
final class ThriftStreamReader {
    private static final int LENGTH_BYTES = 4;
    private static final int MAX_FRAMES_IN_FRAME = 4;
    private static final int HEADER_FIXED_BYTES = 10;
    private static final int MAX_VARINT_BITS = 28;

    // What the next byte is.
    private static final int START = 0;
    private static final int LENGTH = 1;
    private static final int PAYLOAD_START = 2;
    private static final int INNER_LENGTH = 3;
    private static final int HEADER_FIXED = 4;
    private static final int HEADER_VARINTS = 5;
    private static final int HEADER_REST = 6;
    private static final int TWITTER_HEADER = 7;
    private static final int MESSAGE_HEAD = 8;
    private static final int FRAME_REST = 9;
    private static final int MESSAGE = 10;
    private static final int LOST = 11;

    private final ThriftRecognition recognition;
    private final boolean framed;
    private Protocol protocol;
    private final ThriftMessageReader message;
    /** Null until the first of TTwitter's headers. */
    private ThriftStructReader twitterHeader;

    private int state;
    private boolean mayHaveTwitterHeader;
    private boolean resynchronising;

    // Of the message being read, or that was read last.
    private boolean begun;
    /** Whether it has begun in this {@link #feed}. */
    private boolean begunNow;

    private boolean ended;
    private boolean aside;
    private boolean headKnown;
    /** Whether bytes are missing in it before its head was known. */
    private boolean torn;

    private boolean hadTwitterHeader;
    private long messageBytes;
    private int remaining;
    private int framesInFrame;
    private int headerSequenceId;
    private boolean hasHeader;

    // Of the number being read, and of THeader's header.
    private int number;
    private int numberSize;
    private int headerBytes;
    private int headerNumbers;
    private int transforms;
    private boolean transformed;

    /**
     * Creates a reader.
     *
     * @param protocol the stream's form
     * @param answers whether the stream is the server's
     * @param alreadyOpen whether the first byte may be any, and not only a message's first
     */
    ThriftStreamReader(Protocol protocol, boolean answers, boolean alreadyOpen) {
        this.protocol = protocol;
        message = new ThriftMessageReader(answers);
        recognition = answers ? ThriftRecognition.ANSWERS : ThriftRecognition.CALLS;
        framed = protocol != Protocol.THRIFT_UNFRAMED_BINARY
                && protocol != Protocol.THRIFT_UNFRAMED_COMPACT
                && protocol != Protocol.THRIFT_UNFRAMED_JSON;
        mayHaveTwitterHeader = protocol == Protocol.THRIFT_TTWITTER;
        resynchronising = alreadyOpen;
    }

    /** Forgets what was read: the next byte is a message's first, of a stream with the same form. */
    void restart() {
        state = START;
        begun = false;
        resynchronising = false;
    }

    /** Reads on, at most to the end of one message, and returns the index after the last byte read. */
    int feed(ByteBuf buffer, int from, int to) {
        ended = false;
        aside = false;
        begunNow = false;
        if (resynchronising) {
            if (recognition.recogniseInside(buffer, from, to) != protocol) {
                return to;
            }
            resynchronising = false;
            state = START;
        }
        int index = from;
        while (index < to && !ended && !aside && state != LOST) {
            int before = index;
            index = framed ? readFrame(buffer, index, to) : readUnframed(buffer, index, to);
            messageBytes += index - before;
            if (messageBytes > ThriftRecognition.MAX_MESSAGE_BYTES + LENGTH_BYTES) {
                lose();
            }
        }
        return state == LOST ? to : index;
    }

    /** Whether the last {@link #feed} ended a message. */
    boolean hasEnded() {
        return ended;
    }

    /** Whether the last {@link #feed} ended a frame without bytes, which holds no message. */
    boolean isAside() {
        return aside;
    }

    boolean hasBegun() {
        return begun;
    }

    /** Whether the stream cannot be followed any more. */
    boolean isLost() {
        return state == LOST;
    }

    /** Whether the bytes read last came after a gap and before the next message that was found. */
    boolean isResynchronising() {
        return resynchronising;
    }

    /** Whether name and type of the message that was read last are known. */
    boolean hasHead() {
        return headKnown;
    }

    /** The head of the message that was read last, if {@link #hasHead}. */
    ThriftMessageReader head() {
        return message;
    }

    /**
     * The hash of the name of the call that the message answers that was read last; 0, for any, where its payload is
     * compressed, and of an exception without a name.
     */
    long answeredName() {
        boolean anonymous =
                message.type() == ThriftMessageReader.EXCEPTION && message.nameHash() == ThriftMessageReader.EMPTY_HASH;
        return headKnown && !anonymous ? message.nameHash() : 0;
    }

    /** Whether bytes of the message that was read last are missing, and its name is not known. */
    boolean isTorn() {
        return torn;
    }

    /** The sequence id of the message that was read last, THeader's where the message's own is hidden, or 0. */
    int sequenceId() {
        return headKnown ? message.sequenceId() : hasHeader ? headerSequenceId : 0;
    }

    /** Whether the message that was read last stood behind a header of TTwitter's. */
    boolean hadTwitterHeader() {
        return hadTwitterHeader;
    }

    /** Says whether messages may stand behind TTwitter's header from here on. */
    void expectTwitterHeader(boolean expected) {
        mayHaveTwitterHeader = expected;
    }

    /** Says that the stream was upgraded to TTwitter. */
    void upgradeToTwitter() {
        mayHaveTwitterHeader = true;
        protocol = Protocol.THRIFT_TTWITTER;
    }

    /**
     * Says that the next bytes are missing, which may end the message.
     *
     * @param bytes how many, 0 when not known
     * @return whether the reader stays in step: they lay inside a message
     */
    boolean missing(long bytes) {
        ended = false;
        if (state == LOST || resynchronising) {
            return false;
        }
        if (bytes > 0 && state == MESSAGE && begun && message.skipMissing(bytes)) {
            headKnown = true;
            messageBytes += bytes;
            if (message.isDone()) {
                endMessage();
            }
            return true;
        }
        if (bytes > 0 && begun && state > LENGTH && framed && bytes <= remaining) {
            torn = !headKnown;
            remaining -= (int) bytes;
            state = FRAME_REST;
            if (remaining == 0) {
                endMessage();
            }
            return true;
        }
        begun = false;
        resynchronising = true;
        return false;
    }

    private int readUnframed(ByteBuf buffer, int from, int to) {
        if (state == START) {
            beginMessage();
            message.begin(true);
            state = MESSAGE;
        }
        int index = message.read(buffer, from, to);
        if (message.isDone()) {
            headKnown = true;
            endMessage();
        } else if (message.hasFailed()) {
            lose();
        }
        return index;
    }

    private int readFrame(ByteBuf buffer, int from, int to) {
        if (state == START) {
            beginMessage();
            expectNumber(LENGTH);
        }
        if (state == LENGTH) {
            return readLength(buffer, from, to);
        }
        int end = (int) Math.min(to, (long) from + remaining);
        int index = readPayload(buffer, from, end);
        remaining -= index - from;
        if (remaining == 0) {
            endMessage();
        }
        return index;
    }

    private int readLength(ByteBuf buffer, int from, int to) {
        int index = readNumber(buffer, from, to);
        if (numberSize == 0) {
            remaining = number;
            state = PAYLOAD_START;
            if (number < 0 || number > ThriftRecognition.MAX_MESSAGE_BYTES) {
                lose();
            } else if (number == 0) {
                // Belongs to the next message if its first bytes were told to begin one before its length was known.
                state = START;
                aside = begunNow;
                begun = !begunNow;
            }
        }
        return index;
    }

    /** Reads at least one byte of the payload, and no more than belong to one part of it. */
    private int readPayload(ByteBuf buffer, int from, int to) {
        int index;
        switch (state) {
            case PAYLOAD_START:
                startPayload(buffer.getByte(from));
                return readPayload(buffer, from, to);
            case INNER_LENGTH:
                index = readNumber(buffer, from, to);
                if (numberSize == 0) {
                    innerLengthRead(index - from);
                }
                return index;
            case HEADER_FIXED:
                readHeaderFixed(buffer.getByte(from));
                return from + 1;
            case HEADER_VARINTS:
                readHeaderVarint(buffer.getByte(from));
                return from + 1;
            case HEADER_REST:
                index = Math.min(to, from + headerBytes);
                headerBytes -= index - from;
                if (headerBytes == 0) {
                    headerRead();
                }
                return index;
            case TWITTER_HEADER:
                index = twitterHeader.read(buffer, from, to);
                if (twitterHeader.isDone()) {
                    hadTwitterHeader = true;
                    beginHead();
                } else if (twitterHeader.hasFailed()) {
                    state = FRAME_REST;
                }
                return index;
            case MESSAGE_HEAD:
                index = message.read(buffer, from, to);
                headKnown = message.wasHeadRead();
                if (message.isDone() || message.hasFailed()) {
                    state = FRAME_REST;
                }
                return index;
            default:
                return to;
        }
    }

    private void startPayload(byte b) {
        if (b == (byte) 0x80 || b == (byte) 0x82 || b == '[') {
            beginHead();
        } else if (b == 0x0f && !mayHaveTwitterHeader && remaining >= HEADER_FIXED_BYTES && !hasHeader) {
            headerBytes = 0;
            state = HEADER_FIXED;
        } else if (mayHaveTwitterHeader) {
            if (twitterHeader == null) {
                twitterHeader = new ThriftStructReader();
            }
            twitterHeader.begin(false, null);
            state = TWITTER_HEADER;
        } else if (b >= 0 && b <= ThriftRecognition.MAX_MESSAGE_BYTES >> 24 && remaining > LENGTH_BYTES) {
            expectNumber(INNER_LENGTH);
        } else {
            state = FRAME_REST;
        }
    }

    /**
     * Another length stands at the payload's start: that of a frame which fills this one, or of an old message's name.
     */
    private void innerLengthRead(int bytesJustRead) {
        if (number == remaining - bytesJustRead && framesInFrame < MAX_FRAMES_IN_FRAME) {
            framesInFrame++;
            state = PAYLOAD_START;
        } else {
            message.beginOld(false, number);
            state = message.hasFailed() ? FRAME_REST : MESSAGE_HEAD;
        }
    }

    private void beginHead() {
        message.begin(false);
        state = MESSAGE_HEAD;
    }

    private void readHeaderFixed(byte b) {
        number = number << 8 | b & 0xff;
        switch (++headerBytes) {
            case 2:
                if ((short) number != 0x0fff) {
                    state = FRAME_REST;
                }
                break;
            case 8:
                headerSequenceId = number;
                break;
            case HEADER_FIXED_BYTES:
                hasHeader = true;
                headerBytes = (number & 0xffff) * 4;
                headerNumbers = 0;
                transforms = 0;
                transformed = false;
                number = 0;
                numberSize = 0;
                state = HEADER_VARINTS;
                if (headerBytes == 0) {
                    headerRead();
                }
                break;
            default:
                break;
        }
    }

    private void readHeaderVarint(byte b) {
        headerBytes--;
        if (numberSize > MAX_VARINT_BITS) {
            state = FRAME_REST;
            return;
        }
        number |= (b & 0x7f) << numberSize;
        numberSize += 7;
        if (b >= 0) {
            if (headerNumbers == 1) {
                transforms = number;
            } else if (headerNumbers > 1) {
                transformed |= number != 0;
            }
            headerNumbers++;
            number = 0;
            numberSize = 0;
            if (headerNumbers > 1 && headerNumbers - 2 >= transforms) {
                state = HEADER_REST;
            }
        }
        if (headerBytes == 0) {
            headerRead();
        }
    }

    /** After THeader's header: a transformed payload hides the name. */
    private void headerRead() {
        state = transformed || transforms > 0 && headerNumbers - 2 < transforms ? FRAME_REST : PAYLOAD_START;
    }

    private void expectNumber(int meaning) {
        state = meaning;
        number = 0;
        numberSize = LENGTH_BYTES;
    }

    private int readNumber(ByteBuf buffer, int from, int to) {
        int index = from;
        while (index < to && numberSize > 0) {
            number = number << 8 | buffer.getByte(index++) & 0xff;
            numberSize--;
        }
        return index;
    }

    private void beginMessage() {
        begunNow = !begun;
        begun = true;
        headKnown = false;
        torn = false;
        hadTwitterHeader = false;
        hasHeader = false;
        framesInFrame = 0;
        messageBytes = 0;
    }

    private void endMessage() {
        begun = false;
        ended = true;
        state = START;
    }

    private void lose() {
        begun = false;
        state = LOST;
    }
}
