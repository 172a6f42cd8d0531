package dev.lockstep.protocol;

import io.netty.buffer.ByteBuf;
import java.nio.charset.StandardCharsets;

/**
 * What a recorded request says of itself: the names that people count, filter and export by. Immutable; made from a
 * whole request's bytes, or as many as there are, and never fails: what the bytes do not say is null or -1.
 *
 * <p>Text is decoded as ISO 8859-1, a character per byte, so that nothing of what was sent is lost.
 */
public final class RequestFacts {
    private static final RequestFacts NOTHING = new RequestFacts(new Fields());

    private static final byte[] HOST = ascii("host");
    private static final byte[] CONTENT_TYPE = ascii("content-type");
    private static final byte[] CONTENT_LENGTH = ascii("content-length");
    private static final byte[] TRANSFER_ENCODING = ascii("transfer-encoding");
    private static final byte[] THRIFT_TYPE = ascii("thrift");

    private final String method;
    private final String target;
    private final String path;
    private final String host;
    private final String version;
    private final String contentType;
    private final long contentLength;
    private final boolean chunked;
    private final int headBytes;
    private final ThriftFacts thrift;

    private RequestFacts(Fields fields) {
        method = fields.method;
        target = fields.target;
        path = fields.path;
        host = fields.host;
        version = fields.version;
        contentType = fields.contentType;
        contentLength = fields.contentLength;
        chunked = fields.chunked;
        headBytes = fields.headBytes;
        thrift = fields.thrift;
    }

    /**
     * Reads a request of HTTP/1, a WebSocket's handshake included, or of Thrift from its bytes. The buffer's own indices are neither used nor moved.
     *
     * @param protocol what the connection was recognised as; other protocols have no facts here
     * @param from the index of the request's first byte
     * @param to the index after its last byte
     */
    public static RequestFacts of(StreamProtocol protocol, ByteBuf message, int from, int to) {
        switch (protocol) {
            case HTTP1:
            case WEBSOCKET:
                // The requests of a WebSocket are its handshake and those before.
                return http1(message, from, to);
            case UNKNOWN:
            case HTTP2:
            case TLS:
            case THRIFT_ZLIB:
                return NOTHING;
            default:
                ThriftFacts thrift = ThriftFacts.of(protocol, message, from, to);
                if (thrift == null) {
                    return NOTHING;
                }
                Fields fields = new Fields();
                fields.method = thrift.name();
                fields.thrift = thrift;
                return new RequestFacts(fields);
        }
    }

    /** Makes the facts of an HTTP/2 request from its pseudo-headers, each null where it was not sent. */
    static RequestFacts http2(String method, String path, String authority, String contentType, long contentLength) {
        Fields fields = new Fields();
        fields.method = method;
        fields.target = path;
        fields.path = pathOf(path);
        fields.host = authority;
        fields.version = "HTTP/2";
        fields.contentType = contentType;
        fields.contentLength = contentLength;
        return new RequestFacts(fields);
    }

    /** Returns HTTP's method, or the function's name of a Thrift message; null when not known. */
    public String method() {
        return method;
    }

    /** Returns HTTP's request target as it was sent, or null. */
    public String target() {
        return target;
    }

    /** Returns the target's path without its query, and without scheme and authority if the target has them, or null. */
    public String path() {
        return path;
    }

    /** Returns the target's authority if it has one, else the Host header's value, or null. */
    public String host() {
        return host;
    }

    /** Returns HTTP's version, such as {@code HTTP/1.1}, or null. A request line of HTTP/0.9 has none. */
    public String version() {
        return version;
    }

    /** Returns the value of Content-Type, or null. */
    public String contentType() {
        return contentType;
    }

    /** Returns the value of Content-Length in bytes, or -1. */
    public long contentLength() {
        return contentLength;
    }

    /** Tells whether the body is chunked. */
    public boolean isChunked() {
        return chunked;
    }

    /** Returns how many bytes of an HTTP/1 request stand before its body, or -1 when the headers do not end. */
    public int headBytes() {
        return headBytes;
    }

    /** Returns what the Thrift message says, in a Thrift connection or in the body of an HTTP request, or null. */
    public ThriftFacts thrift() {
        return thrift;
    }

    private static RequestFacts http1(ByteBuf message, int from, int to) {
        int start = from;
        while (start < to && isLineEnd(message.getByte(start))) {
            start++;
        }
        int lineEnd = lineEnd(message, start, to);
        Fields fields = new Fields();
        requestLine(fields, message, start, lineEnd);
        int index = lineEnd;
        while (index < to) {
            // The index stands at a line feed.
            int lineFrom = index + 1;
            index = lineEnd(message, lineFrom, to);
            int textTo = withoutCarriageReturn(message, lineFrom, index);
            if (textTo > lineFrom) {
                header(fields, message, lineFrom, textTo);
            } else if (index < to) {
                fields.headBytes = index + 1 - from;
                break;
            }
        }
        if (fields.headBytes >= 0 && fields.isThrift) {
            fields.thrift = ThriftFacts.ofBody(message, from + fields.headBytes, to);
        }
        return new RequestFacts(fields);
    }

    private static void requestLine(Fields fields, ByteBuf message, int from, int lineEnd) {
        int to = withoutCarriageReturn(message, from, lineEnd);
        while (to > from && message.getByte(to - 1) == ' ') {
            to--;
        }
        int methodTo = indexOf(message, from, to, (byte) ' ');
        if (methodTo == from) {
            return;
        }
        fields.method = text(message, from, methodTo);
        int targetFrom = skipBlanks(message, methodTo, to);
        if (targetFrom == to) {
            return;
        }
        int targetTo = to;
        int lastSpace = lastIndexOf(message, targetFrom, to, (byte) ' ');
        if (lastSpace >= 0) {
            fields.version = text(message, lastSpace + 1, to);
            targetTo = lastSpace;
            while (message.getByte(targetTo - 1) == ' ') {
                targetTo--;
            }
        }
        fields.target = text(message, targetFrom, targetTo);
        int scheme = fields.target.indexOf("://");
        if (scheme > 0 && scheme < fields.target.indexOf('/')) {
            fields.host = authorityOf(fields.target, scheme + 3);
            fields.path = pathOf(fields.target.substring(scheme + 3 + fields.host.length()));
        } else if (fields.method.equals("CONNECT")) {
            fields.host = fields.target;
        } else {
            fields.path = pathOf(fields.target);
        }
    }

    private static void header(Fields fields, ByteBuf message, int from, int to) {
        // Four names matter; their first letters tell nearly all other lines apart.
        int first = message.getByte(from) | 0x20;
        if (first != 'h' && first != 'c' && first != 't') {
            return;
        }
        int colon = indexOf(message, from, to, (byte) ':');
        if (colon == to) {
            return;
        }
        int valueFrom = skipBlanks(message, colon + 1, to);
        int valueTo = to;
        while (valueTo > valueFrom && isBlank(message.getByte(valueTo - 1))) {
            valueTo--;
        }
        if (equalsIgnoringCase(message, from, colon, HOST)) {
            if (fields.host == null) {
                fields.host = text(message, valueFrom, valueTo);
            }
        } else if (equalsIgnoringCase(message, from, colon, CONTENT_TYPE)) {
            fields.contentType = text(message, valueFrom, valueTo);
            fields.isThrift = containsIgnoringCase(message, valueFrom, valueTo, THRIFT_TYPE);
        } else if (equalsIgnoringCase(message, from, colon, CONTENT_LENGTH)) {
            fields.contentLength = number(message, valueFrom, valueTo);
        } else if (equalsIgnoringCase(message, from, colon, TRANSFER_ENCODING)) {
            fields.chunked = true;
        }
    }

    /** Returns the target up to its query or fragment; an authority alone has the path "/". */
    private static String pathOf(String target) {
        if (target == null) {
            return null;
        }
        for (int i = 0; i < target.length(); i++) {
            char c = target.charAt(i);
            if (c == '?' || c == '#') {
                return i == 0 ? "/" : target.substring(0, i);
            }
        }
        return target.isEmpty() ? "/" : target;
    }

    private static String authorityOf(String target, int from) {
        int to = from;
        while (to < target.length() && "/?#".indexOf(target.charAt(to)) < 0) {
            to++;
        }
        return target.substring(from, to);
    }

    /** Reads a Content-Length; -1 where it is null or no number. */
    static long number(CharSequence text) {
        long number = text == null || text.length() == 0 ? -1 : 0;
        for (int i = 0; number >= 0 && i < text.length(); i++) {
            number = append(number, text.charAt(i));
        }
        return number;
    }

    private static long number(ByteBuf message, int from, int to) {
        long number = from == to ? -1 : 0;
        for (int i = from; number >= 0 && i < to; i++) {
            number = append(number, message.getByte(i));
        }
        return number;
    }

    private static long append(long number, int character) {
        int digit = character - '0';
        return digit < 0 || digit > 9 || number > (Long.MAX_VALUE - 9) / 10 ? -1 : number * 10 + digit;
    }

    private static int lineEnd(ByteBuf message, int from, int to) {
        return indexOf(message, from, to, (byte) '\n');
    }

    /** Returns the index of a byte, or {@code to} where there is none. */
    private static int indexOf(ByteBuf message, int from, int to, byte wanted) {
        int index = from < to ? message.indexOf(from, to, wanted) : -1;
        return index < 0 ? to : index;
    }

    private static int lastIndexOf(ByteBuf message, int from, int to, byte wanted) {
        for (int i = to - 1; i >= from; i--) {
            if (message.getByte(i) == wanted) {
                return i;
            }
        }
        return -1;
    }

    private static int withoutCarriageReturn(ByteBuf message, int from, int to) {
        return to > from && message.getByte(to - 1) == '\r' ? to - 1 : to;
    }

    private static int skipBlanks(ByteBuf message, int from, int to) {
        int index = from;
        while (index < to && isBlank(message.getByte(index))) {
            index++;
        }
        return index;
    }

    private static boolean isBlank(byte b) {
        return b == ' ' || b == '\t';
    }

    private static boolean isLineEnd(byte b) {
        return b == '\r' || b == '\n';
    }

    private static boolean containsIgnoringCase(ByteBuf message, int from, int to, byte[] lowerCase) {
        for (int i = from; i + lowerCase.length <= to; i++) {
            if (equalsIgnoringCase(message, i, i + lowerCase.length, lowerCase)) {
                return true;
            }
        }
        return false;
    }

    private static boolean equalsIgnoringCase(ByteBuf message, int from, int to, byte[] lowerCase) {
        if (to - from != lowerCase.length) {
            return false;
        }
        for (int i = 0; i < lowerCase.length; i++) {
            byte b = message.getByte(from + i);
            if ((b >= 'A' && b <= 'Z' ? b | 0x20 : b) != lowerCase[i]) {
                return false;
            }
        }
        return true;
    }

    private static String text(ByteBuf message, int from, int to) {
        return message.toString(from, to - from, StandardCharsets.ISO_8859_1);
    }

    private static byte[] ascii(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }

    /** The facts while they are gathered. */
    private static final class Fields {
        private String method;
        private String target;
        private String path;
        private String host;
        private String version;
        private String contentType;
        private long contentLength = -1;
        private boolean chunked;
        private int headBytes = -1;
        private boolean isThrift;
        private ThriftFacts thrift;
    }
}
