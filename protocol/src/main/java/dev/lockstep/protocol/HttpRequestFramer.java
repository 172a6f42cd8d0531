package dev.lockstep.protocol;

import static dev.lockstep.protocol.FramingWords.CHUNKED;
import static dev.lockstep.protocol.FramingWords.CLOSE;
import static dev.lockstep.protocol.FramingWords.CONNECT;
import static dev.lockstep.protocol.FramingWords.HEAD;
import static dev.lockstep.protocol.FramingWords.KEEP_ALIVE;
import static dev.lockstep.protocol.FramingWords.TRANSFER_ENCODING;
import static dev.lockstep.protocol.FramingWords.UPGRADE;

import io.netty.buffer.ByteBuf;

/**
 * Finds where HTTP/1.0 and HTTP/1.1 requests begin and end on one connection's byte stream (RFC 9112, section 6),
 * without building messages. Runs per request on the event loop; used by the one thread that reads the connection.
 *
 * <p>The bytes may arrive cut anywhere; the boundaries do not depend on the cuts. A caller walks a buffer like this:
 *
 * <pre>{@code
 * while (from < to) {
 *     boolean begins = framer.isBetweenRequests();
 *     int next = framer.feed(buffer, from, to);
 *     boolean ends = framer.isBetweenRequests();
 *     // [from, next) belongs to one request, or to none when framer.isOpaque()
 *     from = next;
 * }
 * }</pre>
 *
 * <p>A stream that cannot be framed is never an error: the framer turns opaque for the rest of the connection and says
 * why. It does so wherever the grammar is broken in a way that moves the boundary for one server and not for another.
 * The one exception, chunked beside a Content-Length, is framed and {@linkplain #isAmbiguous() reported}.
 *
 * <p>Taken as most servers take it, beyond the letter of the RFC: a line may end with LF alone; several spaces may
 * separate the parts of the request line; a header name may hold any visible character; equal Content-Lengths may be
 * repeated; blanks may follow a chunk's size. Empty lines between requests belong to the request that follows. A
 * CONNECT has no body. A request that follows one of HTTP/1.0 without keep-alive is framed: captures show servers that
 * answer it. A connection whose first line is a GET with a path and no version is HTTP/0.9's, and that line its only
 * request (RFC 1945, section 4.1).
 *
 * <p>The parts of a request have readers of their own: {@link HttpRequestLine}, {@link HttpFieldReader} with
 * {@link FramingFields} for what the fields say, and {@link HttpChunkLine}. This class puts them in order.
 */
public final class HttpRequestFramer {
    /** The longest request line with headers, trailer section or chunk size line that is followed, in bytes. */
    public static final int MAX_SECTION_BYTES = 1 << 20;

    private static final byte CR = '\r';
    private static final byte LF = '\n';

    // What the next byte belongs to. From CHUNK_DATA on bytes are counted, not read.
    private static final int EMPTY_LINES = 0;
    private static final int EMPTY_LINE_LF = 1;
    private static final int REQUEST_LINE = 2;
    private static final int FIELDS = 3;
    private static final int CHUNK_LINE = 4;
    private static final int CHUNK_DATA = 5;
    private static final int BODY = 6;
    private static final int OPAQUE = 7;

    private final HttpRequestLine requestLine = new HttpRequestLine();
    private final FramingFields fields = new FramingFields();
    private final HttpFieldReader fieldReader = HttpFieldReader.strict(fields);
    private final HttpChunkLine chunkLine = HttpChunkLine.strict();

    private int state = EMPTY_LINES;
    private OpaqueReason opaqueReason;
    private boolean recognised;
    private boolean begun;
    private boolean inTrailers;
    private boolean ambiguous;

    private int sectionBytes;
    /** How many bytes of the body or chunk are to come. */
    private long remaining;

    private long requests;

    // Of the request that ended last.
    private boolean maySwitch;
    /** It said that nothing follows it. */
    private boolean closing;
    /** It did not say that more follows, as HTTP/1.0 would have it. */
    private boolean mayClose;

    // Of the read that turned the stream opaque.
    private int opaqueFrom;

    /** Creates a framer for a connection of which no byte was read yet. */
    public HttpRequestFramer() {}

    /**
     * Reads on, at most to the end of one request. The buffer's own indices are neither used nor moved.
     *
     * @param from the index of the first byte to read
     * @param to the index after the last byte that may be read
     * @return the index after the last byte read: {@code to}, or the end of a request
     */
    public int feed(ByteBuf buffer, int from, int to) {
        int index = from;
        while (index < to) {
            if (state == OPAQUE) {
                return to;
            }
            if (state >= CHUNK_DATA) {
                int length = (int) Math.min(remaining, to - index);
                index += length;
                skipData(length);
                if (!begun) {
                    return index;
                }
                continue;
            }
            if (sectionBytes == MAX_SECTION_BYTES) {
                turnOpaque(OpaqueReason.SECTION_TOO_LONG);
                opaqueFrom = index;
                return to;
            }
            begun = true;
            int next = readSection(buffer, index, Math.min(to, index + MAX_SECTION_BYTES - sectionBytes));
            sectionBytes += next - index;
            index = next;
            if (state == OPAQUE) {
                opaqueFrom = next;
                return to;
            }
            if (!begun) {
                sectionBytes = 0;
                return index;
            }
        }
        return index;
    }

    /** Whether the next byte begins a request: true at first and right after each request's last byte. */
    public boolean isBetweenRequests() {
        return !begun;
    }

    /**
     * Whether a request has begun and not ended. Unlike {@code !isBetweenRequests()} this leaves out empty lines, which
     * some clients send after a body and which no request needs to follow.
     */
    boolean isInRequest() {
        return begun && state > EMPTY_LINE_LF && state != OPAQUE;
    }

    /** Whether the rest of the connection, from the request that was being read, is not framed. */
    public boolean isOpaque() {
        return state == OPAQUE;
    }

    /** Why the connection is opaque, or null while it is not. */
    OpaqueReason opaqueReason() {
        return opaqueReason;
    }

    /** Whether an HTTP/1 request line was seen on the connection. */
    public boolean isRecognised() {
        return recognised;
    }

    /** Whether another protocol may follow: the request that ended last was a CONNECT or had an Upgrade header. */
    boolean maySwitchProtocol() {
        return maySwitch;
    }

    /**
     * Whether servers may disagree about the end of the current request, or between requests of the last one: it is
     * chunked, but has a Content-Length too or is HTTP/1.0. It was framed as chunked (RFC 9112, section 6.3).
     */
    boolean isAmbiguous() {
        return ambiguous;
    }

    /** Whether nothing that was read may lead to another protocol, as on most connections. */
    boolean isPlain() {
        return state != OPAQUE && !maySwitch;
    }

    /** How many requests have ended. */
    long requests() {
        return requests;
    }

    /** The index behind the byte that turned the stream opaque, in the read that did so. */
    int opaqueFrom() {
        return opaqueFrom;
    }

    boolean endedConnect() {
        return requestLine.method() == CONNECT;
    }

    boolean endedHead() {
        return requestLine.method() == HEAD;
    }

    /** Says that the server goes on with HTTP/1 after the requests that ended. */
    void refuseSwitch() {
        maySwitch = false;
    }

    /**
     * Says that the next bytes are missing.
     *
     * @return whether the framer stays in step: they lay inside a body whose length is known
     */
    boolean missing(long bytes) {
        if (bytes <= 0 || state != BODY && state != CHUNK_DATA || bytes > remaining) {
            return false;
        }
        skipData(bytes);
        return true;
    }

    /** Takes the next byte for the first of a request, whatever came before. */
    void restart() {
        state = EMPTY_LINES;
        opaqueReason = null;
        begun = false;
        sectionBytes = 0;
        maySwitch = false;
        closing = false;
        mayClose = false;
    }

    /** Reads until bytes of a body follow or the request ends, or until the bytes end. */
    private int readSection(ByteBuf buffer, int from, int to) {
        int index = from;
        while (index < to && state < CHUNK_DATA && begun) {
            switch (state) {
                case REQUEST_LINE:
                    index = requestLine.read(buffer, index, to);
                    requestLineRead();
                    break;
                case FIELDS:
                    index = fieldReader.read(buffer, index, to);
                    fieldsRead();
                    break;
                case CHUNK_LINE:
                    index = chunkLine.read(buffer, index, to);
                    chunkLineRead();
                    break;
                default:
                    readEmptyLines(buffer.getByte(index++));
                    break;
            }
        }
        return index;
    }

    private void readEmptyLines(byte b) {
        if (state == EMPTY_LINE_LF) {
            if (b == LF) {
                state = EMPTY_LINES;
            } else {
                turnOpaque(requestLineReason());
            }
        } else if (b == CR) {
            state = EMPTY_LINE_LF;
        } else if (b != LF) {
            beginRequest(b);
        }
    }

    private void beginRequest(byte b) {
        if (closing && !maySwitch) {
            turnOpaque(OpaqueReason.AFTER_CLOSE);
            return;
        }
        ambiguous = false;
        inTrailers = false;
        fields.beginHead();
        state = REQUEST_LINE;
        requestLine.begin(b, !recognised);
        requestLineRead();
    }

    private void requestLineRead() {
        if (requestLine.hasEnded()) {
            recognised = true;
            if (requestLine.isSimple()) {
                endRequest();
            } else {
                state = FIELDS;
                fieldReader.begin();
            }
        } else if (requestLine.isBroken()) {
            turnOpaque(requestLine.isHttp2() ? OpaqueReason.HTTP2 : requestLineReason());
        }
    }

    private OpaqueReason requestLineReason() {
        return !recognised
                ? OpaqueReason.NOT_HTTP1
                : mayClose ? OpaqueReason.AFTER_CLOSE : OpaqueReason.INVALID_REQUEST_LINE;
    }

    private void fieldsRead() {
        if (fieldReader.isBroken()) {
            turnOpaque(fields.problem() == null ? OpaqueReason.INVALID_HEADER : fields.problem());
        } else if (fieldReader.hasEnded() && inTrailers) {
            endRequest();
        } else if (fieldReader.hasEnded()) {
            headRead();
        }
    }

    private void headRead() {
        maySwitch = false;
        if (endedConnect()) {
            endRequest();
        } else if (fields.hasField(TRANSFER_ENCODING)) {
            if (!fields.hasOption(CHUNKED)) {
                turnOpaque(OpaqueReason.INVALID_TRANSFER_ENCODING);
                return;
            }
            ambiguous = fields.contentLength() >= 0 || requestLine.minorVersion() == 0;
            chunkLine.begin();
            state = CHUNK_LINE;
        } else if (fields.contentLength() > 0) {
            remaining = fields.contentLength();
            state = BODY;
        } else {
            endRequest();
        }
    }

    private void chunkLineRead() {
        if (chunkLine.isBroken()) {
            turnOpaque(OpaqueReason.INVALID_CHUNK);
        } else if (chunkLine.hasEnded() && chunkLine.size() > 0) {
            remaining = chunkLine.size();
            state = CHUNK_DATA;
        } else if (chunkLine.hasEnded()) {
            inTrailers = true;
            fields.beginTrailers();
            fieldReader.begin();
            state = FIELDS;
        }
    }

    /** Counts bytes of a body or chunk. */
    private void skipData(long bytes) {
        remaining -= bytes;
        if (remaining > 0) {
            return;
        }
        sectionBytes = 0;
        if (state == BODY) {
            endRequest();
        } else {
            chunkLine.beginBehindData();
            state = CHUNK_LINE;
        }
    }

    private void endRequest() {
        maySwitch = endedConnect() || fields.hasField(UPGRADE);
        closing = requestLine.isSimple() || fields.hasOption(CLOSE);
        mayClose = requestLine.minorVersion() == 0 && !fields.hasOption(KEEP_ALIVE);
        requests++;
        state = EMPTY_LINES;
        begun = false;
    }

    private void turnOpaque(OpaqueReason reason) {
        state = OPAQUE;
        opaqueReason = maySwitch && reason != OpaqueReason.HTTP2 ? OpaqueReason.SWITCHED_PROTOCOL : reason;
    }
}
