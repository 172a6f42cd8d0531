package dev.lockstep.inspection;

/** Makes text of recorded bytes fit for a terminal, which would obey control characters in it. */
public final class Printable {
    private Printable() {}

    /**
     * Text in which every character but printable ASCII is written as a backslash, {@code x} and two hexadecimal
     * digits, or {@code u} and four.
     *
     * @param text a character per byte, or null
     * @param maxLength how many characters of the result are kept; {@code ...} says that some were cut
     */
    public static String of(String text, int maxLength) {
        if (text == null) {
            return "-";
        }
        StringBuilder printable = new StringBuilder(Math.min(text.length(), maxLength));
        for (int i = 0; i < text.length(); i++) {
            if (printable.length() >= maxLength) {
                return printable.append("...").toString();
            }
            char c = text.charAt(i);
            if (c >= ' ' && c < 0x7F && c != '\\') {
                printable.append(c);
            } else if (c == '\\') {
                printable.append("\\\\");
            } else {
                printable.append(String.format(c <= 0xFF ? "\\x%02x" : "\\u%04x", (int) c));
            }
        }
        return printable.toString();
    }
}
