package dev.lockstep.protocol;

import io.netty.buffer.ByteBuf;
import java.nio.charset.StandardCharsets;

/** What HTTP/1 needs of ASCII text in buffers. Stateless; any thread. */
public final class HttpBytes {
    private HttpBytes() {}

    static byte[] ascii(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }

    static boolean isBlank(byte b) {
        return b == ' ' || b == '\t';
    }

    /** Returns where the range begins without the blanks at its start. */
    public static int skipBlanks(ByteBuf bytes, int from, int to) {
        int at = from;
        while (at < to && isBlank(bytes.getByte(at))) {
            at++;
        }
        return at;
    }

    /** Returns where the range ends without the blanks at its end. */
    public static int trimmedEnd(ByteBuf bytes, int from, int to) {
        int end = to;
        while (end > from && isBlank(bytes.getByte(end - 1))) {
            end--;
        }
        return end;
    }

    /** Returns where a line's text ends whose line feed, or last byte so far, stands at {@code to}. */
    static int withoutCarriageReturn(ByteBuf bytes, int from, int to) {
        return to > from && bytes.getByte(to - 1) == '\r' ? to - 1 : to;
    }

    /** Returns the index of the last such byte, or -1. */
    static int lastIndexOf(ByteBuf bytes, int from, int to, char wanted) {
        for (int at = to - 1; at >= from; at--) {
            if (bytes.getByte(at) == wanted) {
                return at;
            }
        }
        return -1;
    }

    public static boolean equalsIgnoringCase(ByteBuf bytes, int from, int to, byte[] lowerCase) {
        if (to - from != lowerCase.length) {
            return false;
        }
        for (int i = 0; i < lowerCase.length; i++) {
            byte b = bytes.getByte(from + i);
            if ((b >= 'A' && b <= 'Z' ? b | 0x20 : b) != lowerCase[i]) {
                return false;
            }
        }
        return true;
    }

    /** Whether the range, blanks around it left out, is this word in any case. */
    static boolean isElement(ByteBuf bytes, int from, int to, byte[] lowerCase) {
        int start = skipBlanks(bytes, from, to);
        return equalsIgnoringCase(bytes, start, trimmedEnd(bytes, start, to), lowerCase);
    }

    /** Whether one of the elements of a list, separated by commas, is this one in any case. */
    static boolean hasElement(ByteBuf bytes, int from, int to, byte[] lowerCase) {
        int at = from;
        while (at < to) {
            int comma = bytes.indexOf(at, to, (byte) ',');
            int end = comma < 0 ? to : comma;
            if (isElement(bytes, at, end, lowerCase)) {
                return true;
            }
            at = end + 1;
        }
        return false;
    }

    static boolean containsIgnoringCase(ByteBuf bytes, int from, int to, byte[] lowerCase) {
        for (int i = from; i + lowerCase.length <= to; i++) {
            if (equalsIgnoringCase(bytes, i, i + lowerCase.length, lowerCase)) {
                return true;
            }
        }
        return false;
    }
}
