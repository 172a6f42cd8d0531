package dev.lockstep.protocol;

import static dev.lockstep.protocol.HttpBytes.ascii;

import io.netty.buffer.ByteBuf;

/** Recognises a packet that begins with a request, where it is not known what came before. Stateless; any thread. */
final class RequestStart {
    /** How much of HTTP/2's preface is known from {@link HttpRequestFramer} to have been read: {@code PRI * HTTP/2}. */
    static final int HTTP2_PREFACE_KNOWN_BYTES = 12;

    private static final byte[] HTTP2_PREFACE = ascii("PRI * HTTP/2.0\r\n\r\n");
    private static final byte[] VERSION = ascii(" HTTP/1.");

    private static final int MIN_METHOD_BYTES = 3;
    private static final int MAX_METHOD_BYTES = 24;

    private static final int FRAME_HEADER_BYTES = 9;
    /** The longest frame where nobody has asked for longer ones. */
    private static final int FRAME_BYTES = 1 << 14;

    private static final int PRIORITY = 2;
    private static final int PING = 6;

    private RequestStart() {}

    /**
     * Whether the bytes begin with a request line, or with as much of one as there is room for: a method in capitals, a
     * target, and HTTP/1 for the version if the line ends among the bytes.
     */
    static boolean looksLikeHttp1(ByteBuf buffer, int from, int to) {
        int index = from;
        while (index < to && isMethodByte(buffer.getByte(index))) {
            index++;
        }
        int method = index - from;
        if (method < MIN_METHOD_BYTES || method > MAX_METHOD_BYTES || to - index < 2 || buffer.getByte(index) != ' ') {
            return false;
        }
        int lineFeed = buffer.indexOf(index, to, (byte) '\n');
        if (lineFeed < 0) {
            byte target = buffer.getByte(index + 1);
            return target == '/' || target == '*' || target == 'h';
        }
        int end = buffer.getByte(lineFeed - 1) == '\r' ? lineFeed - 1 : lineFeed;
        int version = end - VERSION.length - 1;
        return version > index && ByteSearch.begins(buffer, version, end, VERSION);
    }

    /** Whether the bytes begin with HTTP/2's preface, which a client sends in one piece. */
    static boolean looksLikeHttp2(ByteBuf buffer, int from, int to) {
        return to - from >= HTTP2_PREFACE.length && ByteSearch.begins(buffer, from, to, HTTP2_PREFACE);
    }

    /**
     * Whether the bytes are frames of an HTTP/2 client (RFC 9113, section 4.1), the last of which may be cut, and whole
     * headers that open a stream are among them.
     */
    static boolean looksLikeHttp2Frames(ByteBuf buffer, int from, int to) {
        boolean opens = false;
        int index = from;
        while (to - index >= FRAME_HEADER_BYTES) {
            int length = buffer.getUnsignedMedium(index);
            int type = buffer.getByte(index + 3);
            int flags = buffer.getByte(index + 4);
            int stream = buffer.getInt(index + 5);
            if (!mayBeFrame(type, flags, length, stream)) {
                return false;
            }
            index += FRAME_HEADER_BYTES + length;
            opens |= type == Http2Frames.HEADERS && index <= to;
        }
        return opens;
    }

    private static boolean mayBeFrame(int type, int flags, int length, int stream) {
        boolean ofClientsStream = stream > 0 && (stream & 1) == 1;
        switch (type) {
            case Http2Frames.DATA:
                return ofClientsStream && (flags & ~0x9) == 0 && length <= FRAME_BYTES;
            case Http2Frames.HEADERS:
                return ofClientsStream && (flags & ~0x2d) == 0 && length > 0 && length <= FRAME_BYTES;
            case Http2Frames.CONTINUATION:
                return ofClientsStream && (flags & ~0x4) == 0 && length <= FRAME_BYTES;
            case PRIORITY:
                return stream > 0 && length == 5;
            case Http2Frames.RST_STREAM:
                return stream > 0 && length == 4;
            case Http2Frames.SETTINGS:
                return stream == 0 && length % 6 == 0 && length <= 60;
            case PING:
                return stream == 0 && length == 8;
            case Http2Frames.GOAWAY:
                return stream == 0 && length >= 8 && length <= FRAME_BYTES;
            case Http2Frames.WINDOW_UPDATE:
                return stream >= 0 && length == 4;
            default:
                return false;
        }
    }

    private static boolean isMethodByte(byte b) {
        return b >= 'A' && b <= 'Z' || b == '-' || b == '_';
    }
}
