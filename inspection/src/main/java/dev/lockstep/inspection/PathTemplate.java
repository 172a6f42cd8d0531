package dev.lockstep.inspection;

import java.util.regex.Pattern;

/**
 * What paths have in common that differ in numbers and ids, such as {@code /users/N} of {@code /users/7}. Stateless.
 */
final class PathTemplate {
    private static final Pattern UUID = Pattern.compile("[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}");
    /** Letters and digits without a word in them: a hash, a key, a token. */
    private static final Pattern TOKEN =
            Pattern.compile("(?=.*[0-9])(?=.*[a-zA-Z])([0-9a-f]{8,}|[0-9A-F]{8,}|[0-9A-Za-z]{16,})");

    private static final Pattern API_VERSION = Pattern.compile("[vV][0-9]{1,2}");
    private static final Pattern DIGITS = Pattern.compile("[0-9]+");

    private PathTemplate() {}

    /** The path with N for each number and ID for each segment that is an id; null for null. */
    static String of(String path) {
        if (path == null || !hasDigit(path)) {
            return path;
        }
        StringBuilder template = new StringBuilder(path.length());
        int from = 0;
        while (from <= path.length()) {
            int slash = path.indexOf('/', from);
            int to = slash < 0 ? path.length() : slash;
            template.append(segment(path.substring(from, to))).append(slash < 0 ? "" : "/");
            from = to + 1;
        }
        return template.toString();
    }

    private static String segment(String segment) {
        if (!hasDigit(segment) || API_VERSION.matcher(segment).matches()) {
            return segment;
        }
        return UUID.matcher(segment).matches() || TOKEN.matcher(segment).matches()
                ? "ID"
                : DIGITS.matcher(segment).replaceAll("N");
    }

    private static boolean hasDigit(String text) {
        for (int i = 0; i < text.length(); i++) {
            if (text.charAt(i) >= '0' && text.charAt(i) <= '9') {
                return true;
            }
        }
        return false;
    }
}
