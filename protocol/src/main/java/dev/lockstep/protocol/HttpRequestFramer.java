package dev.lockstep.protocol;

import static dev.lockstep.protocol.FramingWords.CHUNKED;
import static dev.lockstep.protocol.FramingWords.CLOSE;
import static dev.lockstep.protocol.FramingWords.CONNECT;
import static dev.lockstep.protocol.FramingWords.CONNECTION;
import static dev.lockstep.protocol.FramingWords.CONTENT_LENGTH;
import static dev.lockstep.protocol.FramingWords.GET;
import static dev.lockstep.protocol.FramingWords.HEAD;
import static dev.lockstep.protocol.FramingWords.KEEP_ALIVE;
import static dev.lockstep.protocol.FramingWords.PRI;
import static dev.lockstep.protocol.FramingWords.TRANSFER_ENCODING;
import static dev.lockstep.protocol.FramingWords.UPGRADE;

import io.netty.buffer.ByteBuf;
import java.nio.charset.StandardCharsets;

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
 * <p>A stream that cannot be framed is never an error: the framer turns opaque for the rest of the connection and
 * says why. It does so wherever the grammar is broken in a way that moves the boundary for one server and not for
 * another; the one exception, chunked beside a Content-Length, is {@linkplain #isAmbiguous() told}.
 *
 * <p>Taken as most servers take it, beyond the letter of the RFC: a line may end with LF alone; several spaces may
 * separate the parts of the request line; a header name may hold any visible character; equal Content-Lengths may be
 * repeated; blanks may follow a chunk's size. Empty lines between requests belong to the request that follows. A CONNECT has no body. A connection whose
 * first line is a GET with a path and no version is HTTP/0.9's, and that line its only request (RFC 1945, section 4.1).
 */
public final class HttpRequestFramer {
    /** The longest request line with headers, trailer section or chunk size line that is followed, in bytes. */
    public static final int MAX_SECTION_BYTES = 1 << 20;

    private static final byte CR = '\r';
    private static final byte LF = '\n';
    private static final short CR_LF = CR << 8 | LF;
    private static final byte SPACE = ' ';
    private static final byte TAB = '\t';
    private static final byte COLON = ':';

    // Where the next byte stands. The states up to SECTION_END_LF read a header or trailer section.
    private static final int EMPTY_LINES = 0;
    private static final int EMPTY_LINE_LF = 1;
    private static final int METHOD = 2;
    private static final int TARGET_START = 3;
    private static final int TARGET = 4;
    private static final int VERSION = 5;
    private static final int REQUEST_LINE_END = 6;
    private static final int REQUEST_LINE_LF = 7;
    private static final int SIMPLE_REQUEST_LF = 8;
    private static final int LINE_START = 9;
    private static final int NAME = 10;
    private static final int VALUE = 11;
    private static final int VALUE_LF = 12;
    private static final int SECTION_END_LF = 13;
    private static final int CHUNK_SIZE = 14;
    private static final int CHUNK_SIZE_SPACE = 15;
    private static final int CHUNK_EXTENSION_START = 16;
    private static final int CHUNK_EXTENSION = 17;
    private static final int CHUNK_SIZE_LF = 18;
    private static final int CHUNK_DATA_END = 19;
    private static final int CHUNK_DATA_LF = 20;
    private static final int CHUNK_DATA = 21;
    private static final int BODY = 22;
    private static final int OPAQUE = 23;

    private static final long EACH_BYTE = 0x0101010101010101L;
    private static final long HIGH_BITS = 0x8080808080808080L;

    private static final int MAJOR_VERSION = 5;
    private static final byte[] VERSION_START = "HTTP/1.".getBytes(StandardCharsets.US_ASCII);

    private int state = EMPTY_LINES;
    private OpaqueReason opaqueReason;
    private boolean recognised;
    private boolean begun;

    // Of the section being read.
    private int sectionBytes;
    private boolean inTrailers;

    // Of the word being read: its node among the framing words, or how many of the version's bytes were seen.
    private int node;
    private int position;

    // Of the header line being read, and of the element of its list.
    private int header;
    private boolean hasLine;
    private boolean hasElement;
    private boolean elementEnded;
    private long number;

    // Of the request being read.
    private int method;
    private boolean hasPath;
    private int minorVersion;
    private int headersSeen;
    private int optionsSeen;
    private long contentLength;
    private boolean ambiguous;

    private long requests;

    // Of the request that ended last.
    private boolean maySwitch;
    private boolean closing;

    private long remaining;

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
            if (state == BODY || state == CHUNK_DATA) {
                int length = (int) Math.min(remaining, to - index);
                index += length;
                remaining -= length;
                if (remaining > 0) {
                    return index;
                }
                if (state == BODY) {
                    endRequest();
                    return index;
                }
                state = CHUNK_DATA_END;
                sectionBytes = 0;
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

    /** Tells whether the next byte begins a request: true at first and right after each request's last byte. */
    public boolean isBetweenRequests() {
        return !begun;
    }

    /**
     * Tells whether a request has begun and not ended. Unlike {@code !isBetweenRequests()} this leaves out empty lines,
     * which some clients send after a body and which no request needs to follow.
     */
    public boolean isInRequest() {
        return begun && state > EMPTY_LINE_LF && state != OPAQUE;
    }

    /** Tells whether the rest of the connection, from the request that was being read, is not framed. */
    public boolean isOpaque() {
        return state == OPAQUE;
    }

    /** Returns why the connection is opaque, or null while it is not. */
    public OpaqueReason opaqueReason() {
        return opaqueReason;
    }

    /** Tells whether an HTTP/1.0 or HTTP/1.1 request line was seen on the connection. */
    public boolean isRecognised() {
        return recognised;
    }

    /** Tells whether another protocol may follow: the request that ended last was a CONNECT or had an Upgrade header. */
    public boolean maySwitchProtocol() {
        return maySwitch;
    }

    /**
     * Tells whether servers may disagree about the end of the current request, or between requests of the last one: it
     * is chunked, but has a Content-Length too or is HTTP/1.0. It was framed as chunked (RFC 9112, section 6.3).
     */
    public boolean isAmbiguous() {
        return ambiguous;
    }

    /** Tells whether all is as on most connections: nothing that was read may lead to another protocol. */
    boolean isPlain() {
        return state != OPAQUE && !maySwitch;
    }

    /** Returns how many requests have ended. */
    long requests() {
        return requests;
    }

    /** Returns the index behind the byte that turned the stream opaque, in the read that did so. */
    int opaqueFrom() {
        return opaqueFrom;
    }

    /** Tells whether the request that ended last was a CONNECT. */
    boolean endedConnect() {
        return method == CONNECT;
    }

    /** Tells whether the request that ended last was a HEAD. */
    boolean endedHead() {
        return method == HEAD;
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
        remaining -= bytes;
        if (remaining == 0) {
            if (state == BODY) {
                endRequest();
            } else {
                state = CHUNK_DATA_END;
                sectionBytes = 0;
            }
        }
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
    }

    /** Reads lines until the section ends, and with it perhaps the request, or until the bytes end. */
    private int readSection(ByteBuf buffer, int from, int to) {
        int index = from;
        while (index < to) {
            byte b = buffer.getByte(index++);
            switch (state) {
                case EMPTY_LINES:
                    if (b == CR) {
                        state = EMPTY_LINE_LF;
                    } else if (b != LF) {
                        beginRequest(b);
                    }
                    break;
                case EMPTY_LINE_LF:
                    expectLf(b, EMPTY_LINES, requestLineReason());
                    break;
                case METHOD:
                    if (b == SPACE) {
                        method = FramingWords.word(node);
                        state = TARGET_START;
                    } else if (isTokenByte(b)) {
                        node = FramingWords.next(node, b);
                    } else {
                        turnOpaque(requestLineReason());
                    }
                    break;
                case TARGET_START:
                    if (isVisible(b)) {
                        state = TARGET;
                        hasPath = b == '/';
                        index = skipVisible(buffer, index, to);
                    } else if (b != SPACE) {
                        turnOpaque(requestLineReason());
                    }
                    break;
                case TARGET:
                    if (b == SPACE) {
                        state = VERSION;
                        position = 0;
                    } else if (isVisible(b)) {
                        index = skipVisible(buffer, index, to);
                    } else {
                        endTargetWithoutVersion(b);
                    }
                    break;
                case VERSION:
                    readVersion(b);
                    break;
                case REQUEST_LINE_END:
                    if (b == CR) {
                        state = REQUEST_LINE_LF;
                    } else if (b == LF) {
                        endRequestLine();
                    } else if (b != SPACE) {
                        turnOpaque(requestLineReason());
                    }
                    break;
                case REQUEST_LINE_LF:
                    if (b == LF) {
                        endRequestLine();
                    } else {
                        turnOpaque(requestLineReason());
                    }
                    break;
                case SIMPLE_REQUEST_LF:
                    if (b == LF) {
                        endSimpleRequest();
                    } else {
                        turnOpaque(requestLineReason());
                    }
                    break;
                case LINE_START:
                    startLine(b);
                    break;
                case NAME:
                    if (b == COLON) {
                        endName();
                    } else if (!isVisible(b)) {
                        turnOpaque(OpaqueReason.INVALID_HEADER);
                    } else if (node != FramingWords.NONE) {
                        node = FramingWords.next(node, b);
                    } else {
                        index = skipLine(buffer, index, to);
                    }
                    break;
                case VALUE:
                    if (b == CR) {
                        state = VALUE_LF;
                    } else if (b == LF) {
                        state = LINE_START;
                    } else if (!isText(b)) {
                        turnOpaque(OpaqueReason.INVALID_HEADER);
                    } else if (header != 0) {
                        readValue(b);
                    } else {
                        index = skipText(buffer, index, to);
                    }
                    break;
                case VALUE_LF:
                    expectLf(b, LINE_START, OpaqueReason.INVALID_HEADER);
                    break;
                case SECTION_END_LF:
                    if (b == LF) {
                        endSection();
                    } else {
                        turnOpaque(OpaqueReason.INVALID_HEADER);
                    }
                    break;
                default:
                    readChunkLine(b);
                    break;
            }
            if (state >= CHUNK_DATA || !begun) {
                return index;
            }
        }
        return index;
    }

    private void beginRequest(byte b) {
        if (closing && !maySwitch) {
            turnOpaque(OpaqueReason.AFTER_CLOSE);
        } else if (isTokenByte(b)) {
            headersSeen = 0;
            optionsSeen = 0;
            contentLength = -1;
            ambiguous = false;
            inTrailers = false;
            hasLine = false;
            header = 0;
            node = FramingWords.next(FramingWords.METHODS, b);
            state = METHOD;
        } else {
            turnOpaque(requestLineReason());
        }
    }

    private void readVersion(byte b) {
        if (position == VERSION_START.length) {
            if (b < '0' || b > '9') {
                turnOpaque(requestLineReason());
                return;
            }
            minorVersion = b - '0';
            state = REQUEST_LINE_END;
        } else if (b == VERSION_START[position]) {
            position++;
        } else if (b != SPACE || position != 0) {
            boolean isHttp2 = method == PRI && position == MAJOR_VERSION && b == '2';
            turnOpaque(isHttp2 ? OpaqueReason.HTTP2 : requestLineReason());
        }
    }

    private void endTargetWithoutVersion(byte b) {
        boolean simple = method == GET && hasPath && !recognised;
        if (simple && b == CR) {
            state = SIMPLE_REQUEST_LF;
        } else if (simple && b == LF) {
            endSimpleRequest();
        } else {
            turnOpaque(requestLineReason());
        }
    }

    private void endSimpleRequest() {
        recognised = true;
        minorVersion = 0;
        endRequest();
    }

    private void endRequestLine() {
        recognised = true;
        state = LINE_START;
    }

    private OpaqueReason requestLineReason() {
        return recognised ? OpaqueReason.INVALID_REQUEST_LINE : OpaqueReason.NOT_HTTP1;
    }

    private void startLine(byte b) {
        if (b == SPACE || b == TAB) {
            // The line continues the value of the line before (obs-fold); there must be one.
            if (!hasLine) {
                turnOpaque(OpaqueReason.INVALID_HEADER);
                return;
            }
            state = VALUE;
            if (header != 0) {
                readValue(b);
            }
            return;
        }
        if (header != 0 && !endValue()) {
            return;
        }
        header = 0;
        if (b == CR) {
            state = SECTION_END_LF;
        } else if (b == LF) {
            endSection();
        } else if (b != COLON && isVisible(b)) {
            state = NAME;
            hasLine = true;
            node = inTrailers ? FramingWords.NONE : FramingWords.next(FramingWords.HEADERS, b);
        } else {
            turnOpaque(OpaqueReason.INVALID_HEADER);
        }
    }

    private void endName() {
        header = FramingWords.word(node);
        headersSeen |= header;
        beginElement();
        state = VALUE;
    }

    /** Skips the rest of a header line that does not steer the framing, as far as it is plain. */
    private int skipLine(ByteBuf buffer, int from, int to) {
        int colon = skipName(buffer, from, to);
        if (colon == to || buffer.getByte(colon) != COLON) {
            return colon;
        }
        header = 0;
        int end = skipText(buffer, colon + 1, to);
        if (to - end < 2 || buffer.getShort(end) != CR_LF) {
            state = VALUE;
            return end;
        }
        state = LINE_START;
        return end + 2;
    }

    private void readValue(byte b) {
        switch (header) {
            case CONTENT_LENGTH:
                readLength(b);
                break;
            case TRANSFER_ENCODING:
            case CONNECTION:
                readList(b);
                break;
            default:
                break;
        }
    }

    /** Ends the value of a header that steers the framing; false when that turned the stream opaque. */
    private boolean endValue() {
        if (header == CONTENT_LENGTH) {
            endLength();
        } else {
            endElement();
        }
        return state != OPAQUE;
    }

    private void beginElement() {
        hasElement = false;
        elementEnded = false;
        number = 0;
        node = header == TRANSFER_ENCODING ? FramingWords.CODINGS : FramingWords.OPTIONS;
    }

    private void readLength(byte b) {
        if (b == SPACE || b == TAB) {
            elementEnded = hasElement;
        } else if (b == ',') {
            endLength();
            beginElement();
        } else if (b < '0' || b > '9' || elementEnded || number > (Long.MAX_VALUE - 9) / 10) {
            turnOpaque(OpaqueReason.INVALID_CONTENT_LENGTH);
        } else {
            hasElement = true;
            number = number * 10 + b - '0';
        }
    }

    private void endLength() {
        if (!hasElement || contentLength >= 0 && contentLength != number) {
            turnOpaque(OpaqueReason.INVALID_CONTENT_LENGTH);
        } else {
            contentLength = number;
        }
    }

    private void readList(byte b) {
        if (b == ',') {
            endElement();
            beginElement();
        } else if (b == SPACE || b == TAB) {
            elementEnded = hasElement;
        } else {
            hasElement = true;
            node = elementEnded ? FramingWords.NONE : FramingWords.next(node, b);
        }
    }

    private void endElement() {
        if (!hasElement) {
            return;
        }
        if (header == TRANSFER_ENCODING && (optionsSeen & CHUNKED) != 0) {
            turnOpaque(OpaqueReason.INVALID_TRANSFER_ENCODING);
        }
        optionsSeen |= FramingWords.word(node);
    }

    private void endSection() {
        if (inTrailers) {
            endRequest();
            return;
        }
        maySwitch = false;
        if (method == CONNECT) {
            endRequest();
        } else if ((headersSeen & TRANSFER_ENCODING) != 0) {
            if ((optionsSeen & CHUNKED) == 0) {
                turnOpaque(OpaqueReason.INVALID_TRANSFER_ENCODING);
                return;
            }
            ambiguous = contentLength >= 0 || minorVersion == 0;
            beginChunk();
        } else if (contentLength > 0) {
            remaining = contentLength;
            state = BODY;
        } else {
            endRequest();
        }
    }

    private void beginChunk() {
        state = CHUNK_SIZE;
        remaining = -1;
    }

    private void readChunkLine(byte b) {
        switch (state) {
            case CHUNK_SIZE:
                int digit = hexDigit(b);
                if (digit >= 0 && remaining <= Long.MAX_VALUE >> 4) {
                    remaining = Math.max(remaining, 0) << 4 | digit;
                } else if (digit >= 0 || remaining < 0) {
                    turnOpaque(OpaqueReason.INVALID_CHUNK);
                } else if (b == SPACE || b == TAB) {
                    state = CHUNK_SIZE_SPACE;
                } else if (b == ';') {
                    state = CHUNK_EXTENSION_START;
                } else {
                    endChunkLine(b);
                }
                break;
            case CHUNK_SIZE_SPACE:
                if (b == ';') {
                    state = CHUNK_EXTENSION_START;
                } else if (b != SPACE && b != TAB) {
                    endChunkLine(b);
                }
                break;
            case CHUNK_EXTENSION_START:
                if (isVisible(b)) {
                    state = CHUNK_EXTENSION;
                } else if (b != SPACE && b != TAB) {
                    turnOpaque(OpaqueReason.INVALID_CHUNK);
                }
                break;
            case CHUNK_EXTENSION:
                if (!isText(b)) {
                    endChunkLine(b);
                }
                break;
            case CHUNK_SIZE_LF:
                if (b == LF) {
                    beginChunkData();
                } else {
                    turnOpaque(OpaqueReason.INVALID_CHUNK);
                }
                break;
            case CHUNK_DATA_END:
                if (b == CR) {
                    state = CHUNK_DATA_LF;
                } else if (b == LF) {
                    beginChunk();
                } else {
                    turnOpaque(OpaqueReason.INVALID_CHUNK);
                }
                break;
            case CHUNK_DATA_LF:
                if (b == LF) {
                    beginChunk();
                } else {
                    turnOpaque(OpaqueReason.INVALID_CHUNK);
                }
                break;
            default:
                throw new IllegalStateException("no state " + state);
        }
    }

    private void endChunkLine(byte b) {
        if (b == CR) {
            state = CHUNK_SIZE_LF;
        } else if (b == LF) {
            beginChunkData();
        } else {
            turnOpaque(OpaqueReason.INVALID_CHUNK);
        }
    }

    private void beginChunkData() {
        if (remaining > 0) {
            state = CHUNK_DATA;
        } else {
            inTrailers = true;
            hasLine = false;
            state = LINE_START;
        }
    }

    private void endRequest() {
        maySwitch = method == CONNECT || (headersSeen & UPGRADE) != 0;
        closing = (optionsSeen & CLOSE) != 0 || minorVersion == 0 && (optionsSeen & KEEP_ALIVE) == 0;
        requests++;
        state = EMPTY_LINES;
        begun = false;
    }

    private void turnOpaque(OpaqueReason reason) {
        if (state == OPAQUE) {
            return;
        }
        state = OPAQUE;
        opaqueReason = maySwitch && reason != OpaqueReason.HTTP2 ? OpaqueReason.SWITCHED_PROTOCOL : reason;
    }

    private void expectLf(byte b, int nextState, OpaqueReason otherwise) {
        if (b == LF) {
            state = nextState;
        } else {
            turnOpaque(otherwise);
        }
    }

    // The skips go eight bytes at a time and stop at the first byte of interest, or where fewer than eight are left.
    // A byte of a word w is below n exactly when (w - n) & ~w has its high bit set there, as long as no byte before it
    // is below n too; so the lowest such bit is the first such byte (Hacker's Delight, section 6-1). A browser's
    // request of 440 bytes takes 0.5 us this way and 2.1 us byte by byte (measured on JDK 17, Xeon at 2.8 GHz).

    private static int skipText(ByteBuf buffer, int from, int to) {
        int index = from;
        while (to - index >= Long.BYTES) {
            long found = below(buffer.getLongLE(index), SPACE * EACH_BYTE);
            if (found != 0) {
                return index + (Long.numberOfTrailingZeros(found) >>> 3);
            }
            index += Long.BYTES;
        }
        return index;
    }

    private static int skipVisible(ByteBuf buffer, int from, int to) {
        int index = from;
        while (to - index >= Long.BYTES) {
            long found = below(buffer.getLongLE(index), (SPACE + 1) * EACH_BYTE);
            if (found != 0) {
                return index + (Long.numberOfTrailingZeros(found) >>> 3);
            }
            index += Long.BYTES;
        }
        return index;
    }

    /** Skips visible bytes up to a colon. */
    private static int skipName(ByteBuf buffer, int from, int to) {
        int index = from;
        while (to - index >= Long.BYTES) {
            long word = buffer.getLongLE(index);
            long found = below(word, (SPACE + 1) * EACH_BYTE) | below(word ^ COLON * EACH_BYTE, EACH_BYTE);
            if (found != 0) {
                return index + (Long.numberOfTrailingZeros(found) >>> 3);
            }
            index += Long.BYTES;
        }
        return index;
    }

    private static long below(long word, long limits) {
        return word - limits & ~word & HIGH_BITS;
    }

    private static boolean isVisible(byte b) {
        return b > SPACE || b < 0;
    }

    private static boolean isText(byte b) {
        return b >= SPACE || b < 0 || b == TAB;
    }

    /** Tells whether a byte may stand in a method: RFC 9110's token without the marks that no method has. */
    static boolean isTokenByte(byte b) {
        return b >= 'A' && b <= 'Z' || b >= 'a' && b <= 'z' || b >= '0' && b <= '9' || b == '-' || b == '_' || b == '.';
    }

    private static int hexDigit(byte b) {
        if (b >= '0' && b <= '9') {
            return b - '0';
        }
        int lower = b | 0x20;
        return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
    }
}
