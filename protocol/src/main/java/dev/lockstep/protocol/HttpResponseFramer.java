package dev.lockstep.protocol;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;

/**
 * Finds where HTTP/1.0 and HTTP/1.1 responses end on a byte stream, after RFC 9112 section 6, without building objects.
 *
 * <p>Runs per request on the event loop. One framer serves one connection; one thread uses it. Before each response the
 * owner calls {@link #expect}, then {@link #feed} with whatever arrives, in any split, until it returns
 * {@link #COMPLETE}; bytes behind the response stay in the buffer. Interim responses (1xx) are passed over; 101 is final,
 * since what follows is another protocol.
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

    private static final byte[] CONTENT_LENGTH = ascii("content-length");
    private static final byte[] TRANSFER_ENCODING = ascii("transfer-encoding");
    private static final byte[] CONNECTION = ascii("connection");
    private static final byte[] UPGRADE = ascii("upgrade");
    private static final byte[] CHUNKED = ascii("chunked");
    private static final byte[] CLOSE = ascii("close");
    private static final byte[] WEBSOCKET = ascii("websocket");
    private static final byte[] H2C = ascii("h2c");
    private static final byte[] KEEP_ALIVE = ascii("keep-alive");
    private static final byte[] VERSION = ascii("HTTP/1.");

    // Eight bytes at a time, as ByteBuf.getLong gives them: the names that most heads have and that begin alike.
    private static final long CONTENT = bits("content-");
    private static final long LENGTH = bits("-length:");
    private static final long CONNECTI = bits("connecti");
    private static final long ON_KEEP = bits("on: keep");
    private static final long EP_ALIVE = bits("ep-alive");
    private static final int KEPT_ALIVE_BYTES = "Connection: keep-alive".length();
    private static final long VERSION_1_1 = bits("HTTP/1.1");
    private static final int OK = (int) bits("     200");
    private static final long LINE_FEEDS = 0x0a0a0a0a0a0a0a0aL;
    private static final long LOW_BITS = 0x0101010101010101L;
    private static final long HIGH_BITS = 0x8080808080808080L;

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

    /**
     * The last plain head that a framer read. One that equals it byte for byte means the same and is not read again: most
     * targets answer a request as they answered the last one, but for a date that changes once a second. Framers of one
     * thread share it.
     *
     * <p>Design note: 40 ns instead of 120 for nginx's head, which is two in a hundred of a closed loop's CPU:
     * benchmarks/closed_loop.py.
     */
    public static final class LastHead {
        private static final int MOST_BYTES = 512;

        private final long[] words = new long[MOST_BYTES / Long.BYTES];
        /** Its bytes up to the body; 0 before the first. */
        private int bytes;

        private int status;
        private boolean persistent;
        private long contentLength;

        private boolean isNextIn(ByteBuf in) {
            int length = bytes;
            int from = in.readerIndex();
            if (length == 0 || length > in.writerIndex() - from) {
                return false;
            }
            int last = length - Long.BYTES;
            for (int at = 0; at < last; at += Long.BYTES) {
                if (in.getLong(from + at) != words[at / Long.BYTES]) {
                    return false;
                }
            }
            // The last word may overlap the one before.
            return in.getLong(from + last) == words[(length - 1) / Long.BYTES];
        }

        private void set(ByteBuf in, int from, int length) {
            bytes = length;
            int last = length - Long.BYTES;
            for (int at = 0; at < last; at += Long.BYTES) {
                words[at / Long.BYTES] = in.getLong(from + at);
            }
            words[(length - 1) / Long.BYTES] = in.getLong(from + last);
        }
    }

    /** Null where none is shared. */
    private final LastHead lastHead;

    private Listener listener;

    /** Holds a line that began in an earlier buffer; on the heap, so nothing has to be released. */
    private ByteBuf heldLine = Unpooled.EMPTY_BUFFER;

    private int state = ENDED;
    private boolean toHead;
    private boolean toConnect;
    private int status;
    private boolean persistent;
    private long contentLength;
    private boolean transferEncoding;
    private boolean chunked;
    private StreamProtocol upgrade;
    private byte[] header;
    private boolean codingOpen;
    private int headBytes;
    /** Whether the head came in several buffers. */
    private boolean headInPieces;

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
        status = 0;
        persistent = true;
        contentLength = -1;
        transferEncoding = false;
        chunked = false;
        upgrade = StreamProtocol.UNKNOWN;
        header = null;
        headBytes = 0;
        headInPieces = false;
    }

    /** Sets who is told of headers and bodies from now on, or null for nobody. */
    public void listener(Listener listener) {
        this.listener = listener;
    }

    /** Returns the status code of the response; valid once its head was read. */
    public int status() {
        return status;
    }

    /** Returns the body bytes read so far, chunk framing left out. */
    public long bodyBytes() {
        return bodyBytes;
    }

    /** Tells whether the connection can carry another response after this one. */
    public boolean persistent() {
        return persistent && !switched();
    }

    /** Tells whether this response ended HTTP on the connection (101, or 2xx to CONNECT). */
    public boolean switched() {
        return status == 101 || (toConnect && status >= 200 && status < 300);
    }

    /** Returns what the answer's Upgrade header names, as far as it is told apart: WEBSOCKET, HTTP2 or UNKNOWN. */
    StreamProtocol upgrade() {
        return upgrade;
    }

    /** Returns what is wrong with the bytes, or null. */
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
                    int lineFeed = lineFeed(in, from, in.writerIndex());
                    if (lineFeed < 0) {
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
        status = lastHead.status;
        persistent = lastHead.persistent;
        contentLength = lastHead.contentLength;
        headEnded();
    }

    private void rememberHead(ByteBuf in) {
        boolean plain = status >= 200 && contentLength >= 0 && !transferEncoding && upgrade == StreamProtocol.UNKNOWN;
        if (plain && !toConnect && !headInPieces && headBytes >= Long.BYTES && headBytes <= LastHead.MOST_BYTES) {
            lastHead.set(in, in.readerIndex() - headBytes, headBytes);
            lastHead.status = status;
            lastHead.persistent = persistent;
            lastHead.contentLength = contentLength;
        }
    }

    /** Tells that the peer closed its side: ends a response whose end is the close. */
    public int endOfStream() {
        if (state == BODY_UNTIL_CLOSE) {
            state = ENDED;
        }
        return state == ENDED ? COMPLETE : state == BROKEN ? MALFORMED : MORE;
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

    private boolean startsLikeAResponse() {
        int bytes = Math.min(heldLine.writerIndex(), VERSION.length);
        for (int i = 0; i < bytes; i++) {
            byte b = heldLine.getByte(i);
            // A line end before the status line is tolerated, see line().
            if (b != VERSION[i] && !(i == 0 && b == '\r' && bytes == 1)) {
                return false;
            }
        }
        return true;
    }

    /** Takes one line in {@code [from, lineFeed)}, its line feed left out. */
    private void line(ByteBuf in, int from, int lineFeed) {
        int to = lineFeed > from && in.getByte(lineFeed - 1) == '\r' ? lineFeed - 1 : lineFeed;
        switch (state) {
            case STATUS_LINE:
                // Some servers send a stray line end behind a body.
                if (to > from) {
                    statusLine(in, from, to);
                }
                break;
            case HEADERS:
                if (to > from) {
                    if (listener != null && status >= 200) {
                        listener.headerLine(in, from, to);
                    }
                    header(in, from, to);
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

    private void statusLine(ByteBuf in, int from, int to) {
        int length = to - from;
        if (length > 12
                && in.getLong(from) == VERSION_1_1
                && in.getInt(from + 8) == OK
                && in.getByte(from + 12) == ' ') {
            persistent = true;
            status = 200;
            state = HEADERS;
            return;
        }
        if (length < 12 || !matches(in, from, VERSION)) {
            broken("the status line does not start with HTTP/1.");
            return;
        }
        int minor = in.getByte(from + 7) - '0';
        int hundreds = in.getByte(from + 9) - '0';
        int tens = in.getByte(from + 10) - '0';
        int ones = in.getByte(from + 11) - '0';
        if (minor < 0 || minor > 9 || in.getByte(from + 8) != ' ') {
            broken("the status line has no version HTTP/1.x");
        } else if (hundreds < 1
                || hundreds > 9
                || tens < 0
                || tens > 9
                || ones < 0
                || ones > 9
                || (length > 12 && in.getByte(from + 12) != ' ')) {
            broken("the status line has no status code of three digits");
        } else {
            persistent = minor >= 1;
            status = hundreds * 100 + tens * 10 + ones;
            state = HEADERS;
        }
    }

    private void header(ByteBuf in, int from, int to) {
        byte begin = in.getByte(from);
        if (isBlank(begin)) {
            continuation(in, from, to);
            return;
        }
        header = null;
        // Four names matter; their first letters tell nearly all other lines apart.
        int first = begin | 0x20;
        if (first != 'c' && first != 't' && first != 'u') {
            return;
        }
        if (first == 'c' && to - from > CONTENT_LENGTH.length) {
            // Eight bytes at a time: benchmarks/closed_loop.py, where byte by byte the framing took a tenth of all CPU.
            long name = in.getLong(from);
            if (isBits(name, CONTENT)) {
                if (isBits(in.getLong(from + CONTENT_LENGTH.length - Long.BYTES + 1), LENGTH)) {
                    header = CONTENT_LENGTH;
                    contentLength(in, from + CONTENT_LENGTH.length + 1, to);
                    return;
                }
                if ((in.getByte(from + Long.BYTES) | 0x20) != 'l') {
                    return;
                }
            } else if (!isBits(name, CONNECTI)) {
                return;
            } else if (to - from == KEPT_ALIVE_BYTES
                    && isBits(in.getLong(from + Long.BYTES), ON_KEEP)
                    && isBits(in.getLong(to - Long.BYTES), EP_ALIVE)) {
                header = CONNECTION;
                persistent = true;
                return;
            }
        }
        int colon = in.indexOf(from, to, (byte) ':');
        if (colon < 0) {
            return;
        }
        int nameEnd = colon;
        while (nameEnd > from && isBlank(in.getByte(nameEnd - 1))) {
            nameEnd--;
        }
        int valueFrom = colon + 1;
        if (equalsIgnoringCase(in, from, nameEnd, CONTENT_LENGTH)) {
            header = CONTENT_LENGTH;
            contentLength(in, valueFrom, to);
        } else if (equalsIgnoringCase(in, from, nameEnd, TRANSFER_ENCODING)) {
            header = TRANSFER_ENCODING;
            transferEncoding = true;
            codingOpen = false;
            transferEncoding(in, valueFrom, to);
        } else if (equalsIgnoringCase(in, from, nameEnd, CONNECTION)) {
            header = CONNECTION;
            connection(in, valueFrom, to);
        } else if (equalsIgnoringCase(in, from, nameEnd, UPGRADE)) {
            upgrade = tokenAt(in, valueFrom, to, WEBSOCKET)
                    ? StreamProtocol.WEBSOCKET
                    : tokenAt(in, valueFrom, to, H2C) ? StreamProtocol.HTTP2 : StreamProtocol.UNKNOWN;
        }
    }

    /** Takes a line that goes on with the value of the line before (obs-fold). */
    private void continuation(ByteBuf in, int from, int to) {
        int at = skipBlanks(in, from, to);
        if (at == to || header == null) {
            return;
        }
        if (header == CONTENT_LENGTH) {
            broken("a Content-Length on two lines");
        } else if (header == TRANSFER_ENCODING) {
            transferEncoding(in, at, to);
        } else {
            connection(in, at, to);
        }
    }

    /** Chunked counts only as the last coding (RFC 9112, 6.3); one that goes on in a second line is another one. */
    private void transferEncoding(ByteBuf in, int from, int to) {
        int lastComma = lastIndexOf(in, from, to, ',');
        int at = skipBlanks(in, lastComma < 0 ? from : lastComma + 1, to);
        chunked = (lastComma >= 0 || !codingOpen) && tokenAt(in, at, to, CHUNKED);
        codingOpen = at < to || lastComma < 0 && codingOpen;
    }

    /** Takes "5" and also "5, 5", which RFC 9112 lets a client read as 5. */
    private void contentLength(ByteBuf in, int from, int to) {
        int at = from;
        while (true) {
            at = skipBlanks(in, at, to);
            long value = 0;
            int digitsFrom = at;
            for (; at < to; at++) {
                int digit = in.getByte(at) - '0';
                if (digit < 0 || digit > 9) {
                    break;
                }
                if (value > (Long.MAX_VALUE - digit) / 10) {
                    broken("a Content-Length beyond 63 bits");
                    return;
                }
                value = value * 10 + digit;
            }
            boolean number = at > digitsFrom;
            at = skipBlanks(in, at, to);
            if (!number || (at < to && in.getByte(at) != ',')) {
                broken("a Content-Length that is no number");
                return;
            }
            if (contentLength >= 0 && contentLength != value) {
                broken("two different values of Content-Length");
                return;
            }
            contentLength = value;
            if (at >= to) {
                return;
            }
            at++;
        }
    }

    private void connection(ByteBuf in, int from, int to) {
        int at = from;
        while (at < to) {
            int comma = in.indexOf(at, to, (byte) ',');
            int end = comma < 0 ? to : comma;
            if (tokenAt(in, at, end, CLOSE)) {
                persistent = false;
            } else if (tokenAt(in, at, end, KEEP_ALIVE)) {
                persistent = true;
            }
            at = end + 1;
        }
    }

    private void headEnded() {
        if (switched()) {
            state = ENDED;
        } else if (status < 200) {
            startHead();
        } else if (toHead || status == 204 || status == 304) {
            state = ENDED;
        } else if (chunked) {
            state = CHUNK_SIZE;
        } else if (transferEncoding || contentLength < 0) {
            persistent = false;
            state = BODY_UNTIL_CLOSE;
        } else {
            left = contentLength;
            state = left == 0 ? ENDED : BODY_OF_LENGTH;
        }
    }

    private void chunkSize(ByteBuf in, int from, int to) {
        long size = 0;
        int at = skipBlanks(in, from, to);
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
        if (at == digitsFrom || (at < to && in.getByte(at) != ';' && !isBlank(in.getByte(at)))) {
            broken("a chunk size that is no hexadecimal number");
            return;
        }
        int extension = skipBlanks(in, at, to);
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

    private static int skipBlanks(ByteBuf in, int from, int to) {
        int at = from;
        while (at < to && isBlank(in.getByte(at))) {
            at++;
        }
        return at;
    }

    /** Returns where the first line feed in {@code [from, to)} stands, or -1. */
    private static int lineFeed(ByteBuf in, int from, int to) {
        int at = from;
        for (; at <= to - Long.BYTES; at += Long.BYTES) {
            // A byte that is zero, here one that is a line feed, borrows from its high bit; see Hacker's Delight, 6-1.
            long others = in.getLongLE(at) ^ LINE_FEEDS;
            long found = others - LOW_BITS & ~others & HIGH_BITS;
            if (found != 0) {
                return at + (Long.numberOfTrailingZeros(found) >>> 3);
            }
        }
        for (; at < to; at++) {
            if (in.getByte(at) == '\n') {
                return at;
            }
        }
        return -1;
    }

    private static long bits(String lowerCase) {
        long bits = 0;
        for (int i = 0; i < Long.BYTES; i++) {
            bits = bits << 8 | lowerCase.charAt(i);
        }
        return bits;
    }

    /** Tells whether eight bytes are these, letters in any case. */
    private static boolean isBits(long bytes, long lowerCase) {
        // Where they differ, they may differ in the bit of the case only, and only in a letter: those have bit 6 set.
        return ((bytes ^ lowerCase) & ~((lowerCase & 0x4040404040404040L) >>> 1)) == 0;
    }

    private static boolean isBlank(byte b) {
        return b == ' ' || b == '\t';
    }

    private static int lastIndexOf(ByteBuf in, int from, int to, char wanted) {
        for (int at = to - 1; at >= from; at--) {
            if (in.getByte(at) == wanted) {
                return at;
            }
        }
        return -1;
    }

    /** Tells whether the range, blanks around it left out, is this token in any case. */
    private static boolean tokenAt(ByteBuf in, int from, int to, byte[] lowerCase) {
        int start = skipBlanks(in, from, to);
        int end = to;
        while (end > start && isBlank(in.getByte(end - 1))) {
            end--;
        }
        return equalsIgnoringCase(in, start, end, lowerCase);
    }

    private static boolean equalsIgnoringCase(ByteBuf in, int from, int to, byte[] lowerCase) {
        if (to - from != lowerCase.length) {
            return false;
        }
        for (int i = 0; i < lowerCase.length; i++) {
            byte b = in.getByte(from + i);
            if ((b >= 'A' && b <= 'Z' ? b | 0x20 : b) != lowerCase[i]) {
                return false;
            }
        }
        return true;
    }

    private static boolean matches(ByteBuf in, int from, byte[] wanted) {
        for (int i = 0; i < wanted.length; i++) {
            if (in.getByte(from + i) != wanted[i]) {
                return false;
            }
        }
        return true;
    }

    private static byte[] ascii(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }
}
