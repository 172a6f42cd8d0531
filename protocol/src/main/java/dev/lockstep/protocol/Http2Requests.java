package dev.lockstep.protocol;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.handler.codec.http2.DefaultHttp2HeadersDecoder;
import io.netty.handler.codec.http2.Http2Exception;
import io.netty.handler.codec.http2.Http2Headers;
import java.nio.charset.StandardCharsets;
import java.util.function.Consumer;

/**
 * Counts and names the requests that a client sends on one HTTP/2 connection (RFC 9113), from the connection preface on.
 * Used by the one thread that handles the connection; needs no close.
 *
 * <p>Only frames with headers are looked into; all others are passed over by their length. The bytes may arrive cut
 * anywhere. A connection that breaks the rules is followed no further, and never an error: how many requests there were
 * until then stays known.
 *
 * <p>Design note: the server's settings are not read. What they allow the client to keep in its header table (RFC 7541,
 * section 4.2) shows in the client's own bytes, and any size up to {@link #MAX_TABLE_BYTES} is taken.
 */
public final class Http2Requests {
    /** The longest block of headers that is followed, in bytes as sent, continuations included. */
    public static final int MAX_BLOCK_BYTES = 1 << 18;

    /** The longest list of headers that is named, in bytes after decompression; longer ones are counted. */
    public static final int MAX_HEADER_LIST_BYTES = 1 << 18;

    /** The largest header table that a client may use, in bytes. */
    public static final int MAX_TABLE_BYTES = 1 << 16;

    private static final byte[] PREFACE = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".getBytes(StandardCharsets.US_ASCII);

    private static final int FRAME_HEADER_BYTES = 9;
    private static final int PRIORITY_BYTES = 5;

    private static final int HEADERS = 1;
    private static final int PUSH_PROMISE = 5;
    private static final int CONTINUATION = 9;

    private static final int END_HEADERS = 0x4;
    private static final int PADDED = 0x8;
    private static final int PRIORITY = 0x20;

    // Where the next byte stands.
    private static final int IN_PREFACE = 0;
    private static final int IN_FRAME_HEADER = 1;
    private static final int IN_PAD_LENGTH = 2;
    private static final int IN_FRAGMENT = 3;
    private static final int IN_SKIPPED = 4;
    private static final int NOT_FOLLOWED = 5;

    private final DefaultHttp2HeadersDecoder decoder = new DefaultHttp2HeadersDecoder(false, MAX_HEADER_LIST_BYTES);
    private final byte[] frameHeader = new byte[FRAME_HEADER_BYTES];

    /** The fragments of the headers being read; on the heap, so nothing has to be released. */
    private final ByteBuf block = Unpooled.buffer(256, MAX_BLOCK_BYTES);

    private int state = IN_PREFACE;
    /** Bytes read of the preface or of a frame's header. */
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
    /** The stream whose headers go on in the next frame, or 0. */
    private int openStream;

    private int lastStream;
    private long requests;
    private String problem;

    /** Creates a follower for a client of which no byte was read yet. */
    public Http2Requests() {
        try {
            decoder.maxHeaderTableSize(MAX_TABLE_BYTES);
        } catch (Http2Exception e) {
            throw new IllegalStateException("a header table of " + MAX_TABLE_BYTES + " bytes", e);
        }
    }

    /** Says that the preface was read already, up to and with this many bytes. */
    void prefaceRead(int bytes) {
        position = bytes;
    }

    /**
     * Reads on in the client's bytes, to their end. The buffer's own indices are neither used nor moved.
     *
     * @param from the index of the first byte to read
     * @param to the index after the last byte
     * @param sink takes each request's facts once its headers have ended, or null where they are only counted
     */
    public void feed(ByteBuf buffer, int from, int to, Consumer<RequestFacts> sink) {
        int index = from;
        while (index < to) {
            switch (state) {
                case IN_PREFACE:
                    index = readPreface(buffer, index, to);
                    break;
                case IN_FRAME_HEADER:
                    index = readFrameHeader(buffer, index, to, sink);
                    break;
                case IN_PAD_LENGTH:
                    readPadLength(buffer.getUnsignedByte(index), sink);
                    index++;
                    break;
                case IN_FRAGMENT:
                    index = readFragment(buffer, index, to, sink);
                    break;
                case IN_SKIPPED:
                    int skipped = Math.min(payloadLeft, to - index);
                    payloadLeft -= skipped;
                    index += skipped;
                    if (payloadLeft == 0) {
                        endFrame(sink);
                    }
                    break;
                default:
                    return;
            }
        }
    }

    /** Returns how many requests have begun: streams that the client opened with headers. */
    public long requests() {
        return requests;
    }

    /** Tells whether the connection could be followed so far. */
    public boolean isFollowed() {
        return state != NOT_FOLLOWED;
    }

    /** Returns why the connection is followed no further, in a few words for people, or null. */
    public String problem() {
        return problem;
    }

    /** Says that the client's next bytes are missing: without them, headers can be read no further. */
    public void missing() {
        give("bytes are missing");
    }

    private int readPreface(ByteBuf buffer, int from, int to) {
        int index = from;
        while (index < to && position < PREFACE.length) {
            if (buffer.getByte(index) != PREFACE[position]) {
                give("no connection preface");
                return to;
            }
            index++;
            position++;
        }
        if (position == PREFACE.length) {
            position = 0;
            state = IN_FRAME_HEADER;
        }
        return index;
    }

    private int readFrameHeader(ByteBuf buffer, int from, int to, Consumer<RequestFacts> sink) {
        int bytes = Math.min(FRAME_HEADER_BYTES - position, to - from);
        buffer.getBytes(from, frameHeader, position, bytes);
        position += bytes;
        if (position == FRAME_HEADER_BYTES) {
            position = 0;
            payloadLeft = (frameHeader[0] & 0xff) << 16 | (frameHeader[1] & 0xff) << 8 | frameHeader[2] & 0xff;
            frameType = frameHeader[3] & 0xff;
            frameFlags = frameHeader[4];
            frameStream = (frameHeader[5] & 0x7f) << 24
                    | (frameHeader[6] & 0xff) << 16
                    | (frameHeader[7] & 0xff) << 8
                    | frameHeader[8] & 0xff;
            beginFrame(sink);
        }
        return from + bytes;
    }

    private void beginFrame(Consumer<RequestFacts> sink) {
        leading = 0;
        padding = 0;
        if (openStream != 0 && (frameType != CONTINUATION || frameStream != openStream)) {
            give("headers that do not go on in the next frame");
        } else if (frameType == CONTINUATION) {
            if (openStream == 0) {
                give("a continuation of no headers");
            } else {
                beginFragment(sink);
            }
        } else if (frameType == HEADERS) {
            if ((frameStream & 1) == 0) {
                give("headers on a stream that no client opens");
                return;
            }
            openStream = frameStream;
            leading = (frameFlags & PRIORITY) != 0 ? PRIORITY_BYTES : 0;
            if ((frameFlags & PADDED) == 0) {
                beginFragment(sink);
            } else if (payloadLeft == 0) {
                give("a padded frame without padding's length");
            } else {
                state = IN_PAD_LENGTH;
            }
        } else if (frameType == PUSH_PROMISE) {
            give("a promise by the client");
        } else if (payloadLeft == 0) {
            state = IN_FRAME_HEADER;
        } else {
            state = IN_SKIPPED;
        }
    }

    private void readPadLength(int bytes, Consumer<RequestFacts> sink) {
        payloadLeft--;
        padding = bytes;
        beginFragment(sink);
    }

    private void beginFragment(Consumer<RequestFacts> sink) {
        int fragment = payloadLeft - leading - padding;
        if (fragment < 0) {
            give("a frame shorter than its padding");
        } else if (fragment > MAX_BLOCK_BYTES - block.writerIndex()) {
            give("headers of more than " + MAX_BLOCK_BYTES + " bytes");
        } else if (payloadLeft == 0) {
            endFrame(sink);
        } else {
            state = IN_FRAGMENT;
        }
    }

    private int readFragment(ByteBuf buffer, int from, int to, Consumer<RequestFacts> sink) {
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
            endFrame(sink);
        } else if (leading == 0 && payloadLeft == padding) {
            state = IN_SKIPPED;
        }
        return index;
    }

    private void endFrame(Consumer<RequestFacts> sink) {
        state = IN_FRAME_HEADER;
        if (openStream != 0 && (frameFlags & END_HEADERS) != 0) {
            endHeaders(sink);
            openStream = 0;
            block.clear();
        }
    }

    /** Decodes a block of headers; trailers too, since each block changes the table of the next. */
    private void endHeaders(Consumer<RequestFacts> sink) {
        boolean opens = openStream > lastStream;
        if (opens) {
            lastStream = openStream;
            requests++;
        }
        Http2Headers headers = null;
        try {
            headers = decoder.decodeHeaders(openStream, block);
        } catch (Http2Exception e) {
            // A list that is only too long was read to its end, and the table is in step.
            if (!Http2Exception.isStreamError(e)) {
                give("headers that cannot be decompressed");
            }
        }
        if (opens && sink != null) {
            sink.accept(facts(headers));
        }
    }

    private static RequestFacts facts(Http2Headers headers) {
        if (headers == null) {
            return RequestFacts.http2(null, null, null, null, -1);
        }
        CharSequence authority = headers.authority() == null ? headers.get("host") : headers.authority();
        return RequestFacts.http2(
                text(headers.method()),
                text(headers.path()),
                text(authority),
                text(headers.get("content-type")),
                RequestFacts.number(headers.get("content-length")));
    }

    private static String text(CharSequence value) {
        return value == null ? null : value.toString();
    }

    private void give(String reason) {
        if (state != NOT_FOLLOWED) {
            state = NOT_FOLLOWED;
            problem = reason;
            block.clear().capacity(0);
        }
    }
}
