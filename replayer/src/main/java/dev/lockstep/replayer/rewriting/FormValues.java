package dev.lockstep.replayer.rewriting;

import java.nio.charset.StandardCharsets;

/**
 * Values in the query of a request target or in a form ({@code application/x-www-form-urlencoded}), where a blank, a
 * {@code +} or a {@code =} stands for itself only as {@code %20}, {@code %2B}, {@code %3D}: the server would read
 * {@code a+b} as {@code a b}. A character stands for a byte (ISO 8859-1).
 */
final class FormValues {
    private static final String UNRESERVED = "-._~";
    private static final char[] HEX = "0123456789ABCDEF".toCharArray();
    /** Of %XX. */
    private static final int ESCAPE_LENGTH = 3;

    private FormValues() {}

    /**
     * Returns a value as it is to stand there. What the recorded value has as it is stays so: who recorded it wrote it
     * like that, or meant a piece of the query. A value that is encoded already, such as one out of a link, stays.
     */
    static String encoded(String value, String recorded) {
        // A recorded percent sign of the value itself: then only what has one as well is encoded already.
        boolean mayBeEncoded = !recorded.contains("%25") || value.contains("%25") && !recorded.contains("%2525");
        if (fits(value, recorded, mayBeEncoded) || mayBeEncoded && isEncoded(value)) {
            return value;
        }
        StringBuilder encoded = new StringBuilder(value.length() + 16);
        for (byte b : value.getBytes(StandardCharsets.ISO_8859_1)) {
            char c = (char) (b & 0xff);
            if (staysAsItIs(c, recorded)) {
                encoded.append(c);
            } else {
                encoded.append('%').append(HEX[c >> 4]).append(HEX[c & 0xf]);
            }
        }
        return encoded.toString();
    }

    private static boolean fits(String value, String recorded, boolean mayBeEncoded) {
        for (int i = 0; i < value.length(); i++) {
            if (mayBeEncoded && isEscape(value, i)) {
                i += ESCAPE_LENGTH - 1;
            } else if (!staysAsItIs(value.charAt(i), recorded)) {
                return false;
            }
        }
        return true;
    }

    /**
     * Whether it has escapes and nothing that needs one, as some encoders leave {@code +}, {@code /} and {@code =} as
     * they are.
     */
    private static boolean isEncoded(String value) {
        boolean escaped = false;
        for (int i = 0; i < value.length(); i++) {
            if (isEscape(value, i)) {
                escaped = true;
                i += ESCAPE_LENGTH - 1;
            } else if (!staysAsItIs(value.charAt(i), "+/=")) {
                return false;
            }
        }
        return escaped;
    }

    private static boolean isEscape(String value, int at) {
        return value.charAt(at) == '%'
                && at + ESCAPE_LENGTH <= value.length()
                && Character.digit(value.charAt(at + 1), 16) >= 0
                && Character.digit(value.charAt(at + 2), 16) >= 0;
    }

    private static boolean staysAsItIs(char c, String recorded) {
        boolean letterOrDigit = c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9';
        return letterOrDigit || UNRESERVED.indexOf(c) >= 0 || c != '%' && c > ' ' && recorded.indexOf(c) >= 0;
    }
}
