package dev.lockstep.protocol;

import java.util.regex.Pattern;

/**
 * What paths have in common that differ in numbers and ids, such as {@code /users/N} of {@code /users/7}. Long ids and
 * what stands behind a semicolon may be secrets, and are in no template. Stateless.
 */
public final class PathTemplate {
    /** Segments from this length on that hold a digit name one thing, or are a token. */
    private static final int LONG_SEGMENT = 16;
    /** As many hexadecimal digits are a hash or a key, unless all of them are decimal. */
    private static final int SHORTEST_HASH = 8;

    private static final Pattern VERSION = Pattern.compile("[vV][0-9]{1,2}(\\.[0-9]{1,2})?");

    private PathTemplate() {}

    /** The path with N for each number and ID for each segment that is an id; null for null. */
    public static String of(String path) {
        return folded(path, true);
    }

    /** The path of one request, with ID for each segment that is an id, and other numbers as they are. */
    public static String withNumbers(String path) {
        return folded(path, false);
    }

    private static String folded(String path, boolean numbers) {
        if (path == null || path.indexOf(';') < 0 && firstDigit(path) < 0) {
            return path;
        }
        StringBuilder template = new StringBuilder(path.length());
        int from = 0;
        int semicolon = path.indexOf(';');
        while (from <= path.length()) {
            int slash = path.indexOf('/', from);
            int to = slash < 0 ? path.length() : slash;
            if (semicolon >= 0 && semicolon < from) {
                // Not anew for each segment: a path of a megabyte took minutes.
                semicolon = path.indexOf(';', from);
            }
            add(template, path.substring(from, semicolon < 0 ? to : Math.min(semicolon, to)), numbers);
            if (slash >= 0) {
                template.append('/');
            }
            from = to + 1;
        }
        return template.toString();
    }

    private static void add(StringBuilder template, String segment, boolean numbers) {
        int digit = firstDigit(segment);
        if (digit < 0) {
            template.append(segment);
        } else if (isId(segment)) {
            template.append("ID");
        } else if (!numbers || VERSION.matcher(segment).matches()) {
            template.append(segment);
        } else {
            template.append(segment, 0, digit);
            for (int i = digit; i < segment.length(); i++) {
                char c = segment.charAt(i);
                if (!isDigit(c)) {
                    template.append(c);
                } else if (i == digit || !isDigit(segment.charAt(i - 1))) {
                    template.append('N');
                }
            }
        }
    }

    /** Whether a segment with a digit is an id. */
    private static boolean isId(String segment) {
        return segment.length() >= LONG_SEGMENT
                || segment.length() >= SHORTEST_HASH
                        && segment.chars().allMatch(c -> isDigit(c) || c >= 'a' && c <= 'f' || c >= 'A' && c <= 'F')
                        && !segment.chars().allMatch(PathTemplate::isDigit);
    }

    private static int firstDigit(String text) {
        for (int i = 0; i < text.length(); i++) {
            if (isDigit(text.charAt(i))) {
                return i;
            }
        }
        return -1;
    }

    private static boolean isDigit(int c) {
        return c >= '0' && c <= '9';
    }
}
