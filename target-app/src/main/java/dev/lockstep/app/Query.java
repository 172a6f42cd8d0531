package dev.lockstep.app;

/** Reads whole numbers from the query part of a request's URI. Stateless; any thread. */
final class Query {
    /** Any number of so many digits is an int. */
    private static final int MAX_DIGITS = 9;

    private Query() {}

    /**
     * The first parameter of this name, or the default if there is none.
     *
     * @param query the part of the URI after the question mark, or null
     * @throws RefusedRequestException if it is not a whole number from {@code min} to {@code max}
     */
    static int number(String query, String name, int min, int max, int whenAbsent) {
        if (query == null) {
            return whenAbsent;
        }
        int start = 0;
        while (start <= query.length()) {
            int end = query.indexOf('&', start);
            if (end < 0) {
                end = query.length();
            }
            int nameEnd = start + name.length();
            if (nameEnd < end && query.startsWith(name, start) && query.charAt(nameEnd) == '=') {
                return wholeNumber(name, query.substring(nameEnd + 1, end), min, max);
            }
            start = end + 1;
        }
        return whenAbsent;
    }

    /**
     * Parses decimal digits.
     *
     * @param name for the message
     * @throws RefusedRequestException if it is not a whole number from {@code min} to {@code max}
     */
    static int wholeNumber(String name, String text, int min, int max) {
        int value = 0;
        boolean valid = !text.isEmpty() && text.length() <= MAX_DIGITS;
        for (int i = 0; valid && i < text.length(); i++) {
            int digit = text.charAt(i) - '0';
            valid = digit >= 0 && digit <= 9;
            value = value * 10 + digit;
        }
        if (!valid || value < min || value > max) {
            throw new RefusedRequestException(400, name + ": must be a whole number from " + min + " to " + max);
        }
        return value;
    }
}
