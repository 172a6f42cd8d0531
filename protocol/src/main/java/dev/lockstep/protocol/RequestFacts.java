package dev.lockstep.protocol;

import static dev.lockstep.protocol.HttpBytes.ascii;
import static dev.lockstep.protocol.HttpBytes.containsIgnoringCase;
import static dev.lockstep.protocol.HttpBytes.equalsIgnoringCase;
import static dev.lockstep.protocol.HttpBytes.skipBlanks;
import static dev.lockstep.protocol.HttpBytes.withoutCarriageReturn;

import dev.lockstep.capture.Protocol;
import io.netty.buffer.ByteBuf;
import java.nio.charset.StandardCharsets;

/**
 * What a recorded request says of itself: the names that people count, filter and export by. Immutable; made from a
 * whole request's bytes, or as many as there are, and never fails: what the bytes do not say is null or -1.
 *
 * <p>Text is decoded as ISO 8859-1, a character per byte, so that nothing of what was sent is lost.
 */
public final class RequestFacts {
    private static final RequestFacts NOTHING = new RequestFacts();

    private static final byte[] HOST = ascii("host");
    private static final byte[] CONTENT_TYPE = ascii("content-type");
    private static final byte[] TRANSFER_ENCODING = ascii("transfer-encoding");
    private static final byte[] CONNECTION = ascii("connection");
    private static final byte[] DEADLINE = ascii(HttpDeadline.NAME);
    private static final byte[][] NAMES = {HOST, CONTENT_TYPE, TRANSFER_ENCODING, CONNECTION, DEADLINE};
    private static final byte[] THRIFT_TYPE = ascii("thrift");
    private static final byte[] CLOSE = ascii("close");
    private static final byte[] KEEP_ALIVE = ascii("keep-alive");

    private String method;
    private String target;
    private String path;
    private String host;
    private String version;
    private boolean chunked;
    private boolean closing;
    private boolean keepingAlive;
    private int headBytes = -1;
    private boolean hasDeadline;
    private ThriftFacts thrift;

    private RequestFacts() {}

    /**
     * Reads a request of HTTP/1, a WebSocket's handshake included, or of Thrift from its bytes. The buffer's own
     * indices are neither used nor moved.
     *
     * @param protocol what the connection was recognised as; other protocols have no facts here
     * @param from the index of the request's first byte
     * @param to the index after its last byte
     */
    public static RequestFacts of(Protocol protocol, ByteBuf message, int from, int to) {
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
                RequestFacts facts = new RequestFacts();
                facts.method = thrift.name();
                facts.thrift = thrift;
                return facts;
        }
    }

    /** Makes the facts of an HTTP/2 request from its pseudo-headers, each null where it was not sent. */
    static RequestFacts http2(String method, String path, String authority, boolean hasDeadline) {
        RequestFacts facts = new RequestFacts();
        facts.method = method;
        facts.target = path;
        facts.path = pathOf(path);
        facts.host = authority;
        facts.version = "HTTP/2";
        facts.hasDeadline = hasDeadline;
        return facts;
    }

    /** HTTP's method, or the function's name of a Thrift message; null when not known. */
    public String method() {
        return method;
    }

    /** HTTP's request target as it was sent, or null. */
    public String target() {
        return target;
    }

    /** The target's path without its query, and without scheme and authority if the target has them, or null. */
    public String path() {
        return path;
    }

    /** The target's authority if it has one, else the Host header's value, or null. */
    public String host() {
        return host;
    }

    /** HTTP's version, such as {@code HTTP/1.1}, or null. A request line of HTTP/0.9 has none. */
    public String version() {
        return version;
    }

    /**
     * Whether the connection ends with the answer: the request says close, or is one of HTTP/1.0 without keep-alive
     * (RFC 9112, section 9.3).
     */
    public boolean endsConnection() {
        return closing || "HTTP/1.0".equals(version) && !keepingAlive;
    }

    /** How many bytes of an HTTP/1 request stand before its body, or -1 when the headers do not end. */
    public int headBytes() {
        return headBytes;
    }

    /**
     * Whether HTTP's headers hold a deadline of Finagle's: one that can be moved, of HTTP/1 ({@link HttpDeadline}), or
     * any, of HTTP/2.
     */
    public boolean hasDeadline() {
        return hasDeadline;
    }

    /** What the Thrift message says, in a Thrift connection or in the body of an HTTP request, or null. */
    public ThriftFacts thrift() {
        return thrift;
    }

    private static RequestFacts http1(ByteBuf message, int from, int to) {
        int start = from;
        while (start < to && isLineEnd(message.getByte(start))) {
            start++;
        }
        int lineEnd = ByteSearch.lineFeed(message, start, to);
        RequestFacts facts = new RequestFacts();
        facts.requestLine(message, start, lineEnd);
        Fields fields = facts.new Fields();
        HttpFieldReader reader = HttpFieldReader.lenient(fields);
        reader.begin();
        int end = reader.read(message, Math.min(to, lineEnd + 1), to);
        if (reader.hasEnded()) {
            facts.headBytes = end - from;
            if (fields.isThrift) {
                facts.thrift = facts.chunked ? ofFirstChunk(message, end, to) : ThriftFacts.ofBody(message, end, to);
            }
        }
        return facts;
    }

    /** Reads the message in a chunked body, whose head clients send in one chunk. */
    private static ThriftFacts ofFirstChunk(ByteBuf message, int from, int to) {
        HttpChunkLine line = HttpChunkLine.lenient();
        line.begin();
        int chunk = line.read(message, from, to);
        return ThriftFacts.ofBody(message, chunk, line.size() < to - chunk ? chunk + (int) line.size() : to);
    }

    private void requestLine(ByteBuf message, int from, int lineEnd) {
        int to = withoutCarriageReturn(message, from, lineEnd);
        while (to > from && message.getByte(to - 1) == ' ') {
            to--;
        }
        int methodTo = ByteSearch.find(message, from, to, ByteSearch.pattern(' '));
        if (methodTo == from) {
            return;
        }
        method = text(message, from, methodTo);
        int targetFrom = skipBlanks(message, methodTo, to);
        if (targetFrom == to) {
            return;
        }
        int targetTo = to;
        int lastSpace = HttpBytes.lastIndexOf(message, targetFrom, to, ' ');
        if (lastSpace >= 0) {
            version = text(message, lastSpace + 1, to);
            targetTo = lastSpace;
            while (message.getByte(targetTo - 1) == ' ') {
                targetTo--;
            }
        }
        target = text(message, targetFrom, targetTo);
        int scheme = target.indexOf("://");
        if (scheme > 0 && scheme < target.indexOf('/')) {
            host = authorityOf(target, scheme + 3);
            path = pathOf(target.substring(scheme + 3 + host.length()));
        } else if (method.equals("CONNECT")) {
            host = target;
        } else {
            path = pathOf(target);
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

    /** Reads a number of digits alone; -1 where there are others or none, or it is too great. */
    static long number(ByteBuf message, int from, int to) {
        long number = from >= to ? -1 : 0;
        for (int i = from; number >= 0 && i < to; i++) {
            int digit = message.getByte(i) - '0';
            number = digit < 0 || digit > 9 || number > (Long.MAX_VALUE - 9) / 10 ? -1 : number * 10 + digit;
        }
        return number;
    }

    private static boolean isLineEnd(byte b) {
        return b == '\r' || b == '\n';
    }

    private static String text(ByteBuf message, int from, int to) {
        return message.toString(from, to - from, StandardCharsets.ISO_8859_1);
    }

    /** Takes the facts that HTTP/1's fields tell, from a reader that has the whole head at once. */
    private final class Fields implements HttpFieldReader.Listener {
        private boolean isThrift;
        private boolean deadlineSeen;

        /** Which field is being read, one of the names; null for others. */
        private byte[] field;

        @Override
        public boolean name(ByteBuf bytes, int from, int to, boolean begins, boolean ends) {
            field = begins && ends ? known(bytes, from, to) : null;
            if (field == HOST && host != null || field == DEADLINE && deadlineSeen) {
                // The target has an authority, or this is the second one.
                field = null;
            }
            if (field != null) {
                value(bytes, to, to);
            }
            return field != null;
        }

        private byte[] known(ByteBuf bytes, int from, int to) {
            for (byte[] name : NAMES) {
                if (equalsIgnoringCase(bytes, from, to, name)) {
                    return name;
                }
            }
            return null;
        }

        @Override
        public boolean value(ByteBuf bytes, int from, int to) {
            int lineEnd = withoutCarriageReturn(bytes, from, to);
            int valueFrom = skipBlanks(bytes, from, lineEnd);
            int valueTo = HttpBytes.trimmedEnd(bytes, valueFrom, lineEnd);
            if (field == HOST) {
                host = text(bytes, valueFrom, valueTo);
            } else if (field == CONTENT_TYPE) {
                isThrift = containsIgnoringCase(bytes, valueFrom, valueTo, THRIFT_TYPE);
            } else if (field == CONNECTION) {
                closing |= HttpBytes.hasElement(bytes, valueFrom, valueTo, CLOSE);
                keepingAlive |= HttpBytes.hasElement(bytes, valueFrom, valueTo, KEEP_ALIVE);
            } else if (field == DEADLINE) {
                deadlineSeen = true;
                hasDeadline = HttpDeadline.isMovable(bytes, valueFrom, valueTo);
            } else {
                chunked = true;
            }
            return true;
        }
    }
}
