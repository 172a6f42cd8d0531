package dev.lockstep.protocol;

import io.netty.buffer.ByteBuf;
import java.nio.charset.StandardCharsets;

/** Recognises a packet that begins with a request, where it is not known what came before. Stateless; any thread. */
final class RequestStart {
    /** How much of HTTP/2's preface is known from {@link HttpRequestFramer} to have been read: {@code PRI * HTTP/2}. */
    static final int HTTP2_PREFACE_KNOWN_BYTES = 12;

    private static final byte[] HTTP2_PREFACE = ascii("PRI * HTTP/2.0\r\n\r\n");
    private static final byte[] VERSION = ascii(" HTTP/1.");

    private static final int MIN_METHOD_BYTES = 3;
    private static final int MAX_METHOD_BYTES = 24;

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
        return version > index && startsWith(buffer, version, end, VERSION);
    }

    /** Whether the bytes begin with HTTP/2's preface, which a client sends in one piece. */
    static boolean looksLikeHttp2(ByteBuf buffer, int from, int to) {
        return startsWith(buffer, from, to, HTTP2_PREFACE);
    }

    private static boolean startsWith(ByteBuf buffer, int from, int to, byte[] wanted) {
        if (to - from < wanted.length) {
            return false;
        }
        for (int i = 0; i < wanted.length; i++) {
            if (buffer.getByte(from + i) != wanted[i]) {
                return false;
            }
        }
        return true;
    }

    private static boolean isMethodByte(byte b) {
        return b >= 'A' && b <= 'Z' || b == '-' || b == '_';
    }

    private static byte[] ascii(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }
}
