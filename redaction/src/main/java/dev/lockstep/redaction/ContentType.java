package dev.lockstep.redaction;

import java.nio.charset.StandardCharsets;
import java.util.Locale;

/** Reads the value of a Content-Type header. Stateless; any thread. */
final class ContentType {
    private ContentType() {}

    /** Whether bytes are a word of lower-case letters, whatever their case. */
    static boolean is(byte[] bytes, int from, int to, String word) {
        if (to - from != word.length()) {
            return false;
        }
        for (int i = from; i < to; i++) {
            int b = bytes[i] >= 'A' && bytes[i] <= 'Z' ? bytes[i] | 0x20 : bytes[i];
            if (b != word.charAt(i - from)) {
                return false;
            }
        }
        return true;
    }

    /** Returns type and subtype in lower case, without parameters. */
    static String type(byte[] value) {
        String text = new String(value, StandardCharsets.ISO_8859_1);
        int end = text.indexOf(';');
        return (end < 0 ? text : text.substring(0, end)).trim().toLowerCase(Locale.ROOT);
    }

    /** Returns a parameter's value without quotes, or null. */
    static String parameter(String text, String name) {
        int at = 0;
        while (true) {
            int semicolon = text.indexOf(';', at);
            if (semicolon < 0) {
                return null;
            }
            int equals = text.indexOf('=', semicolon);
            if (equals < 0) {
                return null;
            }
            String found = text.substring(semicolon + 1, equals).trim();
            int from = equals + 1;
            while (from < text.length() && (text.charAt(from) == ' ' || text.charAt(from) == '\t')) {
                from++;
            }
            int end;
            String value;
            if (from < text.length() && text.charAt(from) == '"') {
                end = text.indexOf('"', from + 1);
                if (end < 0) {
                    end = text.length();
                }
                value = text.substring(from + 1, end);
            } else {
                end = text.indexOf(';', from);
                if (end < 0) {
                    end = text.length();
                }
                value = text.substring(from, end).trim();
            }
            if (found.equalsIgnoreCase(name)) {
                return value;
            }
            at = end;
        }
    }
}
