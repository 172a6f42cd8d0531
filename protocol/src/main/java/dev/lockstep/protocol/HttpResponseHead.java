package dev.lockstep.protocol;

import static dev.lockstep.protocol.HttpBytes.ascii;
import static dev.lockstep.protocol.HttpBytes.equalsIgnoringCase;
import static dev.lockstep.protocol.HttpBytes.isBlank;
import static dev.lockstep.protocol.HttpBytes.isElement;
import static dev.lockstep.protocol.HttpBytes.skipBlanks;

import dev.lockstep.capture.Protocol;
import io.netty.buffer.ByteBuf;

/**
 * What the head of an HTTP/1 response says of its body and of the connection, read line by line. Runs per line on the
 * event loop; one thread uses it.
 *
 * <p>Design note: a client may be more lenient than {@link HttpFieldReader} is with requests, and has whole lines. It
 * reads the few names that matter eight bytes at a time: byte by byte they took a tenth of all CPU
 * (benchmarks/closed_loop.py).
 */
final class HttpResponseHead {
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

    private static final long COLON = ByteSearch.pattern(':');

    private int status;
    private boolean persistent;
    /** Whether it has said close: a keep-alive beside it means nothing then (RFC 9112, 9.3). */
    private boolean closing;

    private long contentLength;
    private boolean transferEncoding;
    private boolean chunked;
    private Protocol upgrade = Protocol.UNKNOWN;

    /** The name of the field that another line may go on with, null for those that do not matter. */
    private byte[] field;
    /** Whether the last coding of Transfer-Encoding may go on in another line. */
    private boolean codingOpen;

    /** Begins before the status line. */
    void begin() {
        status = 0;
        persistent = true;
        closing = false;
        contentLength = -1;
        transferEncoding = false;
        chunked = false;
        upgrade = Protocol.UNKNOWN;
        field = null;
    }

    /** Takes over what a head says that need not be read again. */
    void setTo(LastHead last) {
        status = last.status;
        persistent = last.persistent;
        contentLength = last.contentLength;
    }

    /** The status code, 0 before the status line was read. */
    int status() {
        return status;
    }

    /** Whether the connection stays open, as far as the head says. */
    boolean isPersistent() {
        return persistent && !closing;
    }

    /** The body's length in bytes, or -1 where none is given. */
    long contentLength() {
        return contentLength;
    }

    boolean hasTransferEncoding() {
        return transferEncoding;
    }

    boolean isChunked() {
        return chunked;
    }

    /** What the Upgrade header names, as far as it is told apart: WEBSOCKET, HTTP2 or UNKNOWN. */
    Protocol upgrade() {
        return upgrade;
    }

    /** Whether the head is final and says no more than status, length and persistence. */
    boolean isPlain() {
        return status >= 200 && contentLength >= 0 && !transferEncoding && upgrade == Protocol.UNKNOWN;
    }

    /** Reads the status line; returns what is wrong with it, or null. */
    String statusLine(ByteBuf in, int from, int to) {
        int length = to - from;
        if (ByteSearch.textEnd(in, from, to) < to) {
            return "the status line holds control characters";
        }
        if (length > 12
                && in.getLong(from) == VERSION_1_1
                && in.getInt(from + 8) == OK
                && in.getByte(from + 12) == ' ') {
            persistent = true;
            status = 200;
            return null;
        }
        if (length < 12 || !ByteSearch.begins(in, from, to, VERSION)) {
            return "the status line does not start with HTTP/1.";
        }
        int minor = in.getByte(from + 7) - '0';
        int hundreds = in.getByte(from + 9) - '0';
        int tens = in.getByte(from + 10) - '0';
        int ones = in.getByte(from + 11) - '0';
        if (minor < 0 || minor > 9 || in.getByte(from + 8) != ' ') {
            return "the status line has no version HTTP/1.x";
        }
        if (hundreds < 1
                || hundreds > 9
                || tens < 0
                || tens > 9
                || ones < 0
                || ones > 9
                || (length > 12 && in.getByte(from + 12) != ' ')) {
            return "the status line has no status code of three digits";
        }
        persistent = minor >= 1;
        status = hundreds * 100 + tens * 10 + ones;
        return null;
    }

    /** Reads a field's line, or one that goes on with the field before; returns what is wrong with it, or null. */
    String fieldLine(ByteBuf in, int from, int to) {
        // What random bytes hold, and no server sends: other clients refuse it too (llhttp, Go).
        if (ByteSearch.textEnd(in, from, to) < to) {
            return "a header line holds control characters";
        }
        byte begin = in.getByte(from);
        if (isBlank(begin)) {
            return continuation(in, from, to);
        }
        if (ByteSearch.find(in, from, to, COLON) == to) {
            return "a header line without a colon";
        }
        field = null;
        // Four names matter; their first letters tell nearly all other lines apart.
        int first = begin | 0x20;
        if (first != 'c' && first != 't' && first != 'u') {
            return null;
        }
        if (first == 'c' && to - from > CONTENT_LENGTH.length) {
            long name = in.getLong(from);
            if (isBits(name, CONTENT)) {
                if (isBits(in.getLong(from + CONTENT_LENGTH.length - Long.BYTES + 1), LENGTH)) {
                    field = CONTENT_LENGTH;
                    return contentLength(in, from + CONTENT_LENGTH.length + 1, to);
                }
                if ((in.getByte(from + Long.BYTES) | 0x20) != 'l') {
                    return null;
                }
            } else if (!isBits(name, CONNECTI)) {
                return null;
            } else if (to - from == KEPT_ALIVE_BYTES
                    && isBits(in.getLong(from + Long.BYTES), ON_KEEP)
                    && isBits(in.getLong(to - Long.BYTES), EP_ALIVE)) {
                field = CONNECTION;
                persistent = true;
                return null;
            }
        }
        int colon = in.indexOf(from, to, (byte) ':');
        int nameEnd = HttpBytes.trimmedEnd(in, from, colon);
        int valueFrom = colon + 1;
        if (equalsIgnoringCase(in, from, nameEnd, CONTENT_LENGTH)) {
            field = CONTENT_LENGTH;
            return contentLength(in, valueFrom, to);
        }
        if (equalsIgnoringCase(in, from, nameEnd, TRANSFER_ENCODING)) {
            field = TRANSFER_ENCODING;
            transferEncoding = true;
            codingOpen = false;
            transferEncoding(in, valueFrom, to);
        } else if (equalsIgnoringCase(in, from, nameEnd, CONNECTION)) {
            field = CONNECTION;
            connection(in, valueFrom, to);
        } else if (equalsIgnoringCase(in, from, nameEnd, UPGRADE)) {
            upgrade = isElement(in, valueFrom, to, WEBSOCKET)
                    ? Protocol.WEBSOCKET
                    : isElement(in, valueFrom, to, H2C) ? Protocol.HTTP2 : Protocol.UNKNOWN;
        }
        return null;
    }

    /** Reads a line that goes on with the value of the line before (obs-fold). */
    private String continuation(ByteBuf in, int from, int to) {
        int at = skipBlanks(in, from, to);
        if (at == to || field == null) {
            return null;
        }
        if (field == CONTENT_LENGTH) {
            return "a Content-Length on two lines";
        }
        if (field == TRANSFER_ENCODING) {
            transferEncoding(in, at, to);
        } else {
            connection(in, at, to);
        }
        return null;
    }

    /** Chunked counts only as the last coding (RFC 9112, 6.3); one that goes on in a second line is another one. */
    private void transferEncoding(ByteBuf in, int from, int to) {
        int lastComma = HttpBytes.lastIndexOf(in, from, to, ',');
        int at = skipBlanks(in, lastComma < 0 ? from : lastComma + 1, to);
        chunked = (lastComma >= 0 || !codingOpen) && isElement(in, at, to, CHUNKED);
        codingOpen = at < to || lastComma < 0 && codingOpen;
    }

    /** Takes "5" and also "5, 5", which RFC 9112 lets a client read as 5. */
    private String contentLength(ByteBuf in, int from, int to) {
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
                    return "a Content-Length beyond 63 bits";
                }
                value = value * 10 + digit;
            }
            boolean number = at > digitsFrom;
            at = skipBlanks(in, at, to);
            if (!number || (at < to && in.getByte(at) != ',')) {
                return "a Content-Length that is no number";
            }
            if (contentLength >= 0 && contentLength != value) {
                return "two different values of Content-Length";
            }
            contentLength = value;
            if (at >= to) {
                return null;
            }
            at++;
        }
    }

    private void connection(ByteBuf in, int from, int to) {
        closing |= HttpBytes.hasElement(in, from, to, CLOSE);
        persistent |= HttpBytes.hasElement(in, from, to, KEEP_ALIVE);
    }

    private static long bits(String lowerCase) {
        long bits = 0;
        for (int i = 0; i < Long.BYTES; i++) {
            bits = bits << 8 | lowerCase.charAt(i);
        }
        return bits;
    }

    /** Whether eight bytes are these, letters in any case. */
    private static boolean isBits(long bytes, long lowerCase) {
        // Where they differ, they may differ in the bit of the case only, and only in a letter: those have bit 6 set.
        return ((bytes ^ lowerCase) & ~((lowerCase & 0x4040404040404040L) >>> 1)) == 0;
    }
}
