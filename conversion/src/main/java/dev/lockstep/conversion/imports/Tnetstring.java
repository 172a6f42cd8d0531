package dev.lockstep.conversion.imports;

import dev.lockstep.conversion.Limits;
import java.io.EOFException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;

/**
 * Reads tagged netstrings, {@code <length>:<payload><type>}, as mitmproxy writes them. For one thread.
 *
 * <p>Types: {@code ,} bytes, {@code ;} text in UTF-8, {@code #} integer, {@code ^} float, {@code !} boolean, {@code ~}
 * null, {@code ]} list, {@code }} dictionary. The type stands behind the payload, so a value is read as bytes first and
 * taken apart afterwards; each length is checked against the payload that it lies in.
 */
final class Tnetstring {
    /** The file is not as the format says. */
    static final class Damaged extends IOException {
        private static final long serialVersionUID = 1L;

        Damaged(String problem) {
            super(problem);
        }
    }

    private static final int MAX_LENGTH_DIGITS = 12;
    private static final int MAX_VALUES = 1_000_000;
    private static final int MAX_PATH = 100;

    private final byte[] bytes;
    private final Predicate<String> wanted;
    private int at;
    private int values;

    private Tnetstring(byte[] bytes, Predicate<String> wanted) {
        this.bytes = bytes;
        this.wanted = wanted;
    }

    /**
     * Reads the next value of a stream.
     *
     * @param maxBytes the longest value that is read; a longer one is passed over and returned as an empty map
     * @param wanted which fields of dictionaries are read, by their path such as {@code response.content}
     * @return the value, or null at the end of the stream
     * @throws EOFException when the stream ends within the value
     * @throws Damaged when this is no tagged netstring
     */
    static Map<?, ?> readFlow(ByteSource source, int maxBytes, Predicate<String> wanted) throws IOException {
        long length = 0;
        int digits = 0;
        int next = source.read();
        while (next == '\n' || next == '\r') {
            next = source.read();
        }
        if (next < 0) {
            return null;
        }
        for (; next >= '0' && next <= '9' && digits < MAX_LENGTH_DIGITS; next = source.read()) {
            length = 10 * length + next - '0';
            digits++;
        }
        if (next != ':' || digits == 0) {
            throw new Damaged(next < 0 ? "it ends within a length" : "expected a length and a colon");
        }
        if (length > maxBytes) {
            skip(source, length + 1);
            return Map.of();
        }
        byte[] payload = source.readExactly((int) length);
        int type = source.read();
        if (type < 0) {
            throw new EOFException("the file ends before the type of its last value");
        }
        if (type != '}') {
            throw new Damaged("expected a dictionary");
        }
        return new Tnetstring(payload, wanted).dictionary(payload.length, "", Limits.DEPTH);
    }

    private static void skip(ByteSource source, long bytes) throws IOException {
        long left = bytes;
        while (left > 0) {
            int count = (int) Math.min(left, 1 << 16);
            source.readExactly(count);
            left -= count;
        }
    }

    private Map<String, Object> dictionary(int end, String path, int depth) throws Damaged {
        Map<String, Object> dictionary = new LinkedHashMap<>();
        while (at < end) {
            String key = text(value(end, path, depth));
            if (key == null) {
                throw new Damaged("expected a name in a dictionary");
            }
            // A path that is longer than any wanted one is not made longer: long names would be copied for each
            // value.
            String field = path.isEmpty() ? key : (path.length() > MAX_PATH ? "..." : path) + '.' + key;
            if (wanted.test(field)) {
                dictionary.put(key, value(end, field, depth));
            } else {
                at = payloadEnd(end) + 1;
            }
        }
        return dictionary;
    }

    /** Goes to the payload of the current value and returns its end, behind which stands the type. */
    private int payloadEnd(int end) throws Damaged {
        long length = 0;
        int digits = 0;
        for (; at < end && bytes[at] >= '0' && bytes[at] <= '9' && digits < MAX_LENGTH_DIGITS; at++, digits++) {
            length = 10 * length + bytes[at] - '0';
        }
        if (digits == 0 || at >= end || bytes[at] != ':') {
            throw new Damaged("expected a length and a colon");
        }
        at++;
        if (length >= end - at) {
            throw new Damaged("expected a value within " + (end - at) + " bytes, found one of " + length);
        }
        return at + (int) length;
    }

    private Object value(int end, String path, int depth) throws Damaged {
        if (++values > MAX_VALUES || depth == 0) {
            throw new Damaged("expected at most " + MAX_VALUES + " values, " + Limits.DEPTH + " deep");
        }
        int payloadEnd = payloadEnd(end);
        int from = at;
        Object value;
        switch (bytes[payloadEnd]) {
            case ',':
                value = Arrays.copyOfRange(bytes, from, payloadEnd);
                break;
            case ';':
                value = new String(bytes, from, payloadEnd - from, StandardCharsets.UTF_8);
                break;
            case '#':
            case '^':
                value = number(new String(bytes, from, Math.min(64, payloadEnd - from), StandardCharsets.ISO_8859_1));
                break;
            case '!':
                value = payloadEnd - from == 4;
                break;
            case '~':
                value = null;
                break;
            case ']':
                List<Object> list = new ArrayList<>();
                while (at < payloadEnd) {
                    list.add(value(payloadEnd, path, depth - 1));
                }
                value = list;
                break;
            case '}':
                value = dictionary(payloadEnd, path, depth - 1);
                break;
            default:
                throw new Damaged("expected a type, one of ,;#^!~]}");
        }
        at = payloadEnd + 1;
        return value;
    }

    private static Double number(String text) throws Damaged {
        try {
            return Double.valueOf(text);
        } catch (NumberFormatException e) {
            throw new Damaged("expected a number");
        }
    }

    /** Bytes or text as text of ISO 8859-1 that stands for the same bytes; null for other values. */
    static String text(Object value) {
        return value instanceof byte[]
                ? new String((byte[]) value, StandardCharsets.ISO_8859_1)
                : value instanceof String ? RequestText.utf8((String) value) : null;
    }
}
