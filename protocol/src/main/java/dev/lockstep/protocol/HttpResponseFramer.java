package dev.lockstep.protocol;

import dev.lockstep.capture.Protocol;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;

/**
 * Finds where HTTP/1.0 and HTTP/1.1 responses end on a byte stream, after RFC 9112 section 6, without building objects.
 *
 * <p>Runs per request on the event loop. One framer serves one connection; one thread uses it. Before each response the
 * owner calls {@link #expect}, then {@link #feed} with whatever arrives, in any split, until it returns
 * {@link #COMPLETE}; bytes behind the response stay in the buffer. Interim responses (1xx) are passed over; 101 is
 * final, since what follows is another protocol.
 *
 * <p>Lenient where a client can be without losing the boundary: bare LF line ends, spaces before a header's colon,
 * repeated equal Content-Length values. Everything that leaves the boundary in doubt is {@link #MALFORMED}.
 */
public final class HttpResponseFramer {
    /** The response goes on; feed more bytes. */
    public static final int MORE = 0;
    /** The response ended; the buffer's reader index stands behind its last byte. */
    public static final int COMPLETE = 1;
    /** The bytes are no HTTP/1 response; {@link #problem()} says why. The connection cannot be used further. */
    public static final int MALFORMED = 2;

    /** The longest line of a head, a chunk size or a trailer that is accepted. */
    static final int MAX_LINE_BYTES = 64 * 1024;
    /** The longest head, and the longest trailer section, that is accepted. */
    static final int MAX_HEAD_BYTES = 1024 * 1024;

    private static final int STATUS_LINE = 0;
    private static final int HEADERS = 1;
    private static final int BODY_OF_LENGTH = 2;
    private static final int BODY_UNTIL_CLOSE = 3;
    private static final int CHUNK_SIZE = 4;
    private static final int CHUNK_DATA = 5;
    private static final int CHUNK_END = 6;
    private static final int TRAILERS = 7;
    private static final int ENDED = 8;
    private static final int BROKEN = 9;

    private static final byte[] VERSION = HttpBytes.ascii("HTTP/1.");

    /**
     * Is told what responses hold, while they are framed; on the thread that feeds. The bytes are valid during the call
     * only, and are not to be changed.
     */
    public interface Listener {
        /** A line of the final response's head, the status line left out, without its line end; also a folded one. */
        void headerLine(ByteBuf bytes, int from, int to);

        /** A piece of the body, chunk framing left out. */
        void body(ByteBuf bytes, int from, int to);
    }

    /** Null where none is shared. */
    private final LastHead lastHead;

    private final HttpResponseHead head = new HttpResponseHead();

    private Listener listener;

    /** Holds a line that began in an earlier buffer; on the heap, so nothing has to be released. */
    private ByteBuf heldLine = Unpooled.EMPTY_BUFFER;

    private int state = ENDED;
    private boolean toHead;
    private boolean toConnect;
    /** Of the section being read: the head, a chunk's size line, or the trailers. */
    private int headBytes;
    /** Whether the head came in several buffers. */
    private boolean headInPieces;
    /** Whether the body ends with the connection. */
    private boolean untilClose;

    private long left;
    private long bodyBytes;
    private String problem;

    /** Makes a framer on its own. */
    public HttpResponseFramer() {
        this(null);
    }

    /** Makes a framer that shares the last head with others of the same thread. */
    public HttpResponseFramer(LastHead lastHead) {
        this.lastHead = lastHead;
    }

    /**
     * Starts the next response.
     *
     * @param toHead whether it answers a HEAD request and so has no body, whatever its headers say
     * @param toConnect whether it answers a CONNECT request; a 2xx then switches to a tunnel
     */
    public void expect(boolean toHead, boolean toConnect) {
        this.toHead = toHead;
        this.toConnect = toConnect;
        bodyBytes = 0;
        heldLine.clear();
        startHead();
    }

    private void startHead() {
        state = STATUS_LINE;
        head.begin();
        headBytes = 0;
        headInPieces = false;
        untilClose = false;
    }

    /** Sets who is told of headers and bodies from now on, or null for nobody. */
    public void listener(Listener listener) {
        this.listener = listener;
    }

    /** The status code of the response; valid once its head was read. */
    public int status() {
        return head.status();
    }

    /** The body bytes read so far, chunk framing left out. */
    public long bodyBytes() {
        return bodyBytes;
    }

    /** Whether the connection can carry another response after this one. */
    public boolean persistent() {
        return head.isPersistent() && !untilClose && !switched();
    }

    /** Whether this response ended HTTP on the connection (101, or 2xx to CONNECT). */
    public boolean switched() {
        int status = head.status();
        return status == 101 || (toConnect && status >= 200 && status < 300);
    }

    /** What the answer's Upgrade header names, as far as it is told apart: WEBSOCKET, HTTP2 or UNKNOWN. */
    Protocol upgrade() {
        return head.upgrade();
    }

    public String problem() {
        return problem;
    }

    /**
     * Reads from the buffer until the response ends or the buffer is empty. Does not release the buffer.
     *
     * @return {@link #MORE}, {@link #COMPLETE} or {@link #MALFORMED}
     */
    public int feed(ByteBuf in) {
        if (state == STATUS_LINE && headBytes == 0) {
            if (lastHead != null && listener == null && !toConnect && lastHead.isNextIn(in)) {
                headAsLast(in);
            }
        } else if (state <= HEADERS) {
            headInPieces = true;
        }
        while (true) {
            switch (state) {
                case STATUS_LINE:
                case HEADERS:
                case CHUNK_SIZE:
                case CHUNK_END:
                case TRAILERS:
                    int from = in.readerIndex();
                    int lineFeed = ByteSearch.lineFeed(in, from, in.writerIndex());
                    if (lineFeed == in.writerIndex()) {
                        return hold(in);
                    }
                    in.readerIndex(lineFeed + 1);
                    headBytes += lineFeed + 1 - from;
                    if (heldLine.writerIndex() > 0) {
                        if (lineFeed - from > heldLine.maxWritableBytes()) {
                            return broken("a line of more than " + MAX_LINE_BYTES + " bytes");
                        }
                        heldLine.writeBytes(in, from, lineFeed - from);
                        line(heldLine, 0, heldLine.writerIndex());
                        heldLine.clear();
                    } else {
                        boolean inHead = state == HEADERS && lastHead != null;
                        line(in, from, lineFeed);
                        if (inHead && (state == BODY_OF_LENGTH || state == ENDED)) {
                            rememberHead(in);
                        }
                    }
                    break;
                case BODY_OF_LENGTH:
                case CHUNK_DATA:
                    int skipped = (int) Math.min(left, in.readableBytes());
                    if (listener != null && skipped > 0) {
                        listener.body(in, in.readerIndex(), in.readerIndex() + skipped);
                    }
                    in.skipBytes(skipped);
                    bodyBytes += skipped;
                    left -= skipped;
                    if (left > 0) {
                        return MORE;
                    }
                    state = state == BODY_OF_LENGTH ? ENDED : CHUNK_END;
                    break;
                case BODY_UNTIL_CLOSE:
                    bodyBytes += in.readableBytes();
                    if (listener != null && in.isReadable()) {
                        listener.body(in, in.readerIndex(), in.writerIndex());
                    }
                    in.skipBytes(in.readableBytes());
                    return MORE;
                case ENDED:
                    return COMPLETE;
                default:
                    return MALFORMED;
            }
        }
    }

    private void headAsLast(ByteBuf in) {
        in.skipBytes(lastHead.bytes);
        head.setTo(lastHead);
        headEnded();
    }

    private void rememberHead(ByteBuf in) {
        if (!toConnect && !headInPieces) {
            lastHead.set(head, in, in.readerIndex() - headBytes, headBytes);
        }
    }

    /** Tells that the peer closed its side: ends a response whose end is the close. */
    public int endOfStream() {
        if (state == BODY_UNTIL_CLOSE) {
            state = ENDED;
        }
        return state == ENDED ? COMPLETE : state == BROKEN ? MALFORMED : MORE;
    }

    /** Whether the head was read and the body was not. */
    boolean isInBody() {
        return state >= BODY_OF_LENGTH && state <= TRAILERS;
    }

    /**
     * Steps over bytes that are missing; returns false, and stays where it is, unless they all lie in a piece of the
     * body whose end is known.
     */
    boolean skipMissing(long bytes) {
        if (state == BODY_UNTIL_CLOSE) {
            return true;
        }
        if (bytes <= 0 || state != BODY_OF_LENGTH && state != CHUNK_DATA || bytes > left) {
            return false;
        }
        left -= bytes;
        bodyBytes += bytes;
        if (left == 0) {
            state = state == BODY_OF_LENGTH ? ENDED : CHUNK_END;
        }
        return true;
    }

    /** Keeps the piece of a line until its end arrives. */
    private int hold(ByteBuf in) {
        int bytes = in.readableBytes();
        if (bytes == 0) {
            return MORE;
        }
        if (heldLine == Unpooled.EMPTY_BUFFER) {
            // Most connections never need it, and there are many of them: benchmarks/many_connections.py.
            heldLine = Unpooled.buffer(128, MAX_LINE_BYTES);
        }
        if (bytes > heldLine.maxWritableBytes()) {
            return broken("a line of more than " + MAX_LINE_BYTES + " bytes");
        }
        headBytes += bytes;
        heldLine.writeBytes(in);
        // A peer that speaks another protocol may never send a line end: see it at its first bytes.
        if (state == STATUS_LINE && !startsLikeAResponse()) {
            return broken("the answer does not start with HTTP/1.");
        }
        return MORE;
    }

    /** A line end before the status line is tolerated, see line(). */
    private boolean startsLikeAResponse() {
        int bytes = heldLine.writerIndex();
        return ByteSearch.begins(heldLine, 0, bytes, VERSION) || bytes == 1 && heldLine.getByte(0) == '\r';
    }

    /** Takes one line in {@code [from, lineFeed)}, its line feed left out. */
    private void line(ByteBuf in, int from, int lineFeed) {
        int to = HttpBytes.withoutCarriageReturn(in, from, lineFeed);
        switch (state) {
            case STATUS_LINE:
                // Some servers send a stray line end behind a body.
                if (to > from) {
                    state = HEADERS;
                    headLineRead(head.statusLine(in, from, to));
                }
                break;
            case HEADERS:
                if (to > from) {
                    if (listener != null && head.status() >= 200) {
                        listener.headerLine(in, from, to);
                    }
                    headLineRead(head.fieldLine(in, from, to));
                } else {
                    headEnded();
                }
                break;
            case CHUNK_SIZE:
                chunkSize(in, from, to);
                break;
            case CHUNK_END:
                if (to > from) {
                    broken("a chunk longer than its size says");
                } else {
                    state = CHUNK_SIZE;
                }
                break;
            default:
                if (to == from) {
                    state = ENDED;
                }
        }
        if (headBytes > MAX_HEAD_BYTES && (state == HEADERS || state == TRAILERS || state == STATUS_LINE)) {
            broken("a head of more than " + MAX_HEAD_BYTES + " bytes");
        }
    }

    private void headLineRead(String problemOfLine) {
        if (problemOfLine != null) {
            broken(problemOfLine);
        }
    }

    private void headEnded() {
        int status = head.status();
        if (switched()) {
            state = ENDED;
        } else if (status < 200) {
            startHead();
        } else if (toHead || status == 204 || status == 304) {
            state = ENDED;
        } else if (head.isChunked()) {
            state = CHUNK_SIZE;
        } else if (head.hasTransferEncoding() || head.contentLength() < 0) {
            untilClose = true;
            state = BODY_UNTIL_CLOSE;
        } else {
            left = head.contentLength();
            state = left == 0 ? ENDED : BODY_OF_LENGTH;
        }
    }

    private void chunkSize(ByteBuf in, int from, int to) {
        long size = 0;
        int at = HttpBytes.skipBlanks(in, from, to);
        int digitsFrom = at;
        for (; at < to; at++) {
            int digit = Character.digit(in.getByte(at), 16);
            if (digit < 0) {
                break;
            }
            if (size > Long.MAX_VALUE >> 4) {
                broken("a chunk size beyond 63 bits");
                return;
            }
            size = size << 4 | digit;
        }
        if (at == digitsFrom || (at < to && in.getByte(at) != ';' && !HttpBytes.isBlank(in.getByte(at)))) {
            broken("a chunk size that is no hexadecimal number");
            return;
        }
        int extension = HttpBytes.skipBlanks(in, at, to);
        if (extension + 1 == to && in.getByte(extension) == ';') {
            broken("a chunk extension without a name");
            return;
        }
        headBytes = 0;
        left = size;
        state = size == 0 ? TRAILERS : CHUNK_DATA;
    }

    private int broken(String why) {
        problem = why;
        state = BROKEN;
        return MALFORMED;
    }
}
