package dev.lockstep.protocol;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.handler.codec.http2.DefaultHttp2HeadersDecoder;
import io.netty.handler.codec.http2.Http2Exception;
import io.netty.handler.codec.http2.Http2Headers;

/**
 * Follows the frames that one side of an HTTP/2 connection sends (RFC 9113). Used by the one thread that handles the
 * connection; needs no close.
 *
 * <p>The bytes may arrive cut anywhere. Bodies are passed over and counted. A side that breaks the rules is followed no
 * further, and never an error.
 *
 * <p>Design note: the other side's settings are not read. What they allow this side to keep in its header table (RFC
 * 7541, section 4.2) shows in its own bytes, and any size up to {@link #MAX_TABLE_BYTES} is taken.
 */
abstract class Http2Frames {
    /** The longest block of headers that is followed, in bytes as sent, continuations included. */
    public static final int MAX_BLOCK_BYTES = 1 << 18;

    /** The longest list of headers that is named, in bytes after decompression; longer ones are counted. */
    public static final int MAX_HEADER_LIST_BYTES = 1 << 18;

    /** The largest header table that this side may use, in bytes. */
    public static final int MAX_TABLE_BYTES = 1 << 16;

    static final int DATA = 0;
    static final int HEADERS = 1;
    static final int RST_STREAM = 3;
    static final int SETTINGS = 4;
    static final int PUSH_PROMISE = 5;
    static final int GOAWAY = 7;
    static final int WINDOW_UPDATE = 8;
    static final int CONTINUATION = 9;

    private static final int ACK = 0x1;
    private static final int END_STREAM = 0x1;
    private static final int END_HEADERS = 0x4;
    private static final int PADDED = 0x8;
    private static final int PRIORITY = 0x20;

    private static final int FRAME_HEADER_BYTES = 9;
    private static final int PRIORITY_BYTES = 5;
    private static final int PROMISED_BYTES = 4;
    private static final int SETTING_BYTES = 6;

    // Where the next byte stands.
    private static final int IN_FRAME_HEADER = 0;
    private static final int IN_PAD_LENGTH = 1;
    private static final int IN_FRAGMENT = 2;
    private static final int IN_CONTROL = 3;
    private static final int IN_SKIPPED = 4;
    private static final int NOT_FOLLOWED = 5;

    private final DefaultHttp2HeadersDecoder decoder = new DefaultHttp2HeadersDecoder(false, MAX_HEADER_LIST_BYTES);
    private final byte[] frameHeader = new byte[FRAME_HEADER_BYTES];

    /** The fragments of the headers being read; on the heap, so nothing has to be released. */
    private final ByteBuf block = Unpooled.buffer(256, MAX_BLOCK_BYTES);

    /** Of a frame that controls something, the first bytes, or of the settings the one being read. */
    private final byte[] control = new byte[8];

    private int state = IN_FRAME_HEADER;
    /** Bytes read of a frame's header, or of what is in {@link #control}. */
    private int position;
    /** Bytes of the frame's payload still to come. */
    private int payloadLeft;
    /** Of those, bytes before the fragment. */
    private int leading;
    /** And behind it. */
    private int padding;

    private int frameType;
    private int frameFlags;
    private int frameStream;
    private int frameBytes;
    private int dataBytes;
    /** The stream whose headers go on in the next frame, or 0. */
    private int openStream;

    private boolean openEndsStream;
    private boolean openIsPromise;

    private String problem;

    /**
     * Whether headers are read. Without the bytes before, what they refer to is not known, and they are only counted.
     */
    private final boolean readsHeaders;

    Http2Frames() {
        this(true);
    }

    Http2Frames(boolean readsHeaders) {
        this.readsHeaders = readsHeaders;
        try {
            decoder.maxHeaderTableSize(MAX_TABLE_BYTES);
        } catch (Http2Exception e) {
            throw new IllegalStateException("a header table of " + MAX_TABLE_BYTES + " bytes", e);
        }
    }

    // ---- what a side says, for those that follow it ---------------------------------------------------------------

    /** Returns what is wrong with a frame of this type on this stream, or null; asked before its payload is read. */
    abstract String problemWith(int type, int stream);

    /**
     * Takes headers, trailers among them.
     *
     * @param headers null where they are too long to name, or not read
     */
    abstract void headers(int stream, Http2Headers headers, boolean endsStream);

    /**
     * Takes note of a frame of body bytes that has ended.
     *
     * @param windowBytes what it takes of the windows, padding included
     */
    void data(int stream, int bodyBytes, int windowBytes, boolean endsStream) {}

    void reset(int stream, long error) {}

    void setting(int id, long value) {}

    /** Takes note that the other side may send more; stream 0 is the connection. */
    void windowUpdate(int stream, int bytes) {}

    void goAway(int lastStream, long error) {}

    // ---- the walk -------------------------------------------------------------------------------------------------

    /** Reads on in this side's bytes, to their end. The buffer's own indices are neither used nor moved. */
    final void follow(ByteBuf buffer, int from, int to) {
        int index = from;
        while (index < to) {
            switch (state) {
                case IN_FRAME_HEADER:
                    index = readFrameHeader(buffer, index, to);
                    break;
                case IN_PAD_LENGTH:
                    padding = buffer.getUnsignedByte(index++);
                    payloadLeft--;
                    if (frameType == DATA) {
                        beginData();
                    } else {
                        beginFragment();
                    }
                    break;
                case IN_FRAGMENT:
                    index = readFragment(buffer, index, to);
                    break;
                case IN_CONTROL:
                    index = readControl(buffer, index, to);
                    break;
                case IN_SKIPPED:
                    int skipped = Math.min(payloadLeft, to - index);
                    payloadLeft -= skipped;
                    index += skipped;
                    if (payloadLeft == 0) {
                        endFrame();
                    }
                    break;
                default:
                    return;
            }
        }
    }

    /** Whether this side could be followed so far. */
    public final boolean isFollowed() {
        return state != NOT_FOLLOWED;
    }

    /** Why this side is followed no further, in a few words for people, or null. */
    public final String problem() {
        return problem;
    }

    final void give(String reason) {
        if (state != NOT_FOLLOWED) {
            state = NOT_FOLLOWED;
            problem = reason;
            block.clear().capacity(0);
        }
    }

    private int readFrameHeader(ByteBuf buffer, int from, int to) {
        int bytes = Math.min(FRAME_HEADER_BYTES - position, to - from);
        buffer.getBytes(from, frameHeader, position, bytes);
        position += bytes;
        if (position == FRAME_HEADER_BYTES) {
            position = 0;
            frameBytes = (frameHeader[0] & 0xff) << 16 | (frameHeader[1] & 0xff) << 8 | frameHeader[2] & 0xff;
            payloadLeft = frameBytes;
            frameType = frameHeader[3] & 0xff;
            frameFlags = frameHeader[4];
            frameStream = number(frameHeader, 5, 4) & Integer.MAX_VALUE;
            beginFrame();
        }
        return from + bytes;
    }

    private void beginFrame() {
        leading = 0;
        padding = 0;
        if (openStream != 0 && (frameType != CONTINUATION || frameStream != openStream)) {
            give("headers that do not go on in the next frame");
            return;
        }
        String wrong = problemWith(frameType, frameStream);
        if (wrong != null) {
            give(wrong);
            return;
        }
        switch (frameType) {
            case CONTINUATION:
                if (openStream == 0) {
                    give("a continuation of no headers");
                } else {
                    beginFragment();
                }
                break;
            case HEADERS:
                beginHeaders((frameFlags & END_STREAM) != 0, false);
                leading = (frameFlags & PRIORITY) != 0 ? PRIORITY_BYTES : 0;
                beginPadded();
                break;
            case PUSH_PROMISE:
                beginHeaders(false, true);
                leading = PROMISED_BYTES;
                beginPadded();
                break;
            case DATA:
                beginPadded();
                break;
            case RST_STREAM:
            case SETTINGS:
            case GOAWAY:
            case WINDOW_UPDATE:
                state = payloadLeft == 0 ? IN_FRAME_HEADER : IN_CONTROL;
                break;
            default:
                state = payloadLeft == 0 ? IN_FRAME_HEADER : IN_SKIPPED;
        }
    }

    private void beginHeaders(boolean endsStream, boolean isPromise) {
        openStream = frameStream;
        openEndsStream = endsStream;
        openIsPromise = isPromise;
    }

    private void beginPadded() {
        if ((frameFlags & PADDED) != 0 && payloadLeft == 0) {
            give("a padded frame without padding's length");
        } else if ((frameFlags & PADDED) != 0) {
            state = IN_PAD_LENGTH;
        } else if (frameType == DATA) {
            beginData();
        } else {
            beginFragment();
        }
    }

    private void beginData() {
        dataBytes = payloadLeft - padding;
        if (dataBytes < 0) {
            give("a frame shorter than its padding");
        } else if (payloadLeft == 0) {
            endFrame();
        } else {
            state = IN_SKIPPED;
        }
    }

    private void beginFragment() {
        int fragment = payloadLeft - leading - padding;
        if (fragment < 0) {
            give("a frame shorter than its padding");
        } else if (fragment > MAX_BLOCK_BYTES - block.writerIndex()) {
            give("headers of more than " + MAX_BLOCK_BYTES + " bytes");
        } else if (payloadLeft == 0) {
            endFrame();
        } else {
            state = IN_FRAGMENT;
        }
    }

    private int readFragment(ByteBuf buffer, int from, int to) {
        int index = from;
        int skipped = Math.min(leading, to - index);
        leading -= skipped;
        payloadLeft -= skipped;
        index += skipped;
        int bytes = Math.min(payloadLeft - leading - padding, to - index);
        block.writeBytes(buffer, index, bytes);
        payloadLeft -= bytes;
        index += bytes;
        if (payloadLeft == 0) {
            endFrame();
        } else if (leading == 0 && payloadLeft == padding) {
            state = IN_SKIPPED;
        }
        return index;
    }

    private int readControl(ByteBuf buffer, int from, int to) {
        int wanted = frameType == SETTINGS ? SETTING_BYTES : control.length;
        int bytes = Math.min(Math.min(wanted - position, payloadLeft), to - from);
        buffer.getBytes(from, control, position, bytes);
        position += bytes;
        payloadLeft -= bytes;
        if (position == wanted && frameType == SETTINGS) {
            position = 0;
            if ((frameFlags & ACK) == 0) {
                setting(number(control, 0, 2), number(control, 2, 4) & 0xffffffffL);
            }
        } else if (position == wanted) {
            state = payloadLeft == 0 ? IN_CONTROL : IN_SKIPPED;
        }
        if (payloadLeft == 0) {
            endFrame();
        }
        return from + bytes;
    }

    private void endFrame() {
        boolean endsStream = (frameFlags & END_STREAM) != 0;
        int read = position;
        position = 0;
        state = IN_FRAME_HEADER;
        switch (frameType) {
            case DATA:
                data(frameStream, dataBytes, frameBytes, endsStream);
                break;
            case RST_STREAM:
                if (read >= 4) {
                    reset(frameStream, number(control, 0, 4) & 0xffffffffL);
                }
                break;
            case WINDOW_UPDATE:
                if (read >= 4) {
                    windowUpdate(frameStream, number(control, 0, 4) & Integer.MAX_VALUE);
                }
                break;
            case GOAWAY:
                if (read >= 8) {
                    goAway(number(control, 0, 4) & Integer.MAX_VALUE, number(control, 4, 4) & 0xffffffffL);
                }
                break;
            default:
                if (openStream != 0 && (frameFlags & END_HEADERS) != 0) {
                    endHeaders();
                }
        }
    }

    /** Decodes a block of headers; trailers too, since each block changes the table of the next. */
    private void endHeaders() {
        int stream = openStream;
        openStream = 0;
        Http2Headers headers = null;
        try {
            headers = readsHeaders ? decoder.decodeHeaders(stream, block) : null;
        } catch (Http2Exception e) {
            // A list that is only too long was read to its end, and the table is in step.
            if (!Http2Exception.isStreamError(e)) {
                give("headers that cannot be decompressed");
            }
        }
        if (state != NOT_FOLLOWED) {
            block.clear();
        }
        if (!openIsPromise) {
            headers(stream, headers, openEndsStream);
        }
    }

    private static int number(byte[] bytes, int from, int length) {
        int number = 0;
        for (int i = from; i < from + length; i++) {
            number = number << 8 | bytes[i] & 0xff;
        }
        return number;
    }
}
