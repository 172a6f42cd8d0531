package dev.lockstep.inspection;

import java.nio.charset.StandardCharsets;
import java.util.regex.Pattern;

/**
 * Makes text fit for a terminal, which would obey control characters in it. What can be seen stays as it is; all else,
 * and what turns the direction of writing, is written as a backslash, {@code x} and two hexadecimal digits, {@code u}
 * and four, or {@code U} and eight.
 */
final class Printable {
    /** Controls, format characters, what Unicode has not assigned, blanks other than a space, and letters unseen. */
    private static final Pattern HIDDEN =
            Pattern.compile("[\\p{C}\\p{Cn}\\p{Z}\\x{34F}\\x{115F}\\x{1160}\\x{17B4}\\x{17B5}"
                    + "\\x{180B}-\\x{180D}\\x{2800}\\x{3164}\\x{FE00}-\\x{FE0F}\\x{FFA0}\\x{E0100}-\\x{E01EF}]");

    private Printable() {}

    /**
     * Text of a file's notes, of a name of a file, or of Lockstep itself.
     *
     * @param text null for nothing
     * @param maxLength how many characters of the result are kept; {@code ...} says that some were cut
     */
    static String of(String text, int maxLength) {
        return of(text, maxLength, false);
    }

    /**
     * Recorded text. Of its bytes those that are UTF-8 are read as that.
     *
     * @param text a character per byte, or null for nothing
     * @param maxLength how many characters of the result are kept; {@code ...} says that some were cut
     */
    static String ofBytes(String text, int maxLength) {
        return of(text, maxLength, true);
    }

    private static String of(String text, int maxLength, boolean isBytes) {
        if (text == null) {
            return "-";
        }
        StringBuilder printable = new StringBuilder(Math.min(text.length(), maxLength));
        int i = 0;
        while (i < text.length()) {
            if (printable.length() >= maxLength) {
                return printable.append("...").toString();
            }
            String one = isBytes ? decoded(text, i) : null;
            if (one == null) {
                int c = text.codePointAt(i);
                i += Character.charCount(c);
                append(printable, c, isBytes && c >= 0x80 && c <= 0xFF);
            } else {
                i += one.getBytes(StandardCharsets.UTF_8).length;
                append(printable, one.codePointAt(0), false);
            }
        }
        return printable.toString();
    }

    /** Returns the character beyond ASCII whose bytes in UTF-8 stand from an index on, or null. */
    private static String decoded(String bytes, int from) {
        char lead = bytes.charAt(from);
        int count = lead < 0xC2 || lead > 0xF4 ? 1 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
        if (count == 1 || from + count > bytes.length()) {
            return null;
        }
        for (int i = from + 1; i < from + count; i++) {
            if (bytes.charAt(i) < 0x80 || bytes.charAt(i) > 0xBF) {
                return null;
            }
        }
        byte[] encoded = bytes.substring(from, from + count).getBytes(StandardCharsets.ISO_8859_1);
        String one = new String(encoded, StandardCharsets.UTF_8);
        // Bytes that are none, such as those of half a surrogate pair, become U+FFFD.
        return one.indexOf('\uFFFD') < 0 ? one : null;
    }

    private static void append(StringBuilder printable, int c, boolean isByte) {
        if (c == '\\') {
            printable.append("\\\\");
        } else if (c == ' ' || c > ' ' && c < 0x7F) {
            printable.append((char) c);
        } else if (isByte || HIDDEN.matcher(Character.toString(c)).matches()) {
            printable.append(String.format(c <= 0xFF ? "\\x%02x" : c <= 0xFFFF ? "\\u%04x" : "\\U%08x", c));
        } else {
            printable.appendCodePoint(c);
        }
    }
}
