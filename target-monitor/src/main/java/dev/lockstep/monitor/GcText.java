package dev.lockstep.monitor;

/** Reads numbers as JVMs print them in their logs; -1 for a text that is no number. */
final class GcText {
    private GcText() {}

    /** Reads a whole number of digits alone. */
    static long number(CharSequence text, int from, int to) {
        if (from >= to || to - from > 18) {
            return -1;
        }
        long number = 0;
        for (int i = from; i < to; i++) {
            int digit = text.charAt(i) - '0';
            if (digit < 0 || digit > 9) {
                return -1;
            }
            number = 10 * number + digit;
        }
        return number;
    }

    /** Reads digits with at most one point or comma, in units of 1/scale, rounded to the nearest. */
    static long decimal(CharSequence text, int from, int to, long scale) {
        int point = from;
        while (point < to && text.charAt(point) != '.' && text.charAt(point) != ',') {
            point++;
        }
        long whole = number(text, from, point);
        if (whole < 0 || whole > Long.MAX_VALUE / 2 / scale) {
            return -1;
        }
        if (point == to) {
            return whole * scale;
        }
        int digits = Math.min(to - point - 1, 15);
        long fraction = number(text, point + 1, point + 1 + digits);
        if (fraction < 0 || number(text, to - Math.min(to - point - 1, 18), to) < 0) {
            return -1;
        }
        double part = fraction / Math.pow(10, digits);
        return whole * scale + Math.round(part * scale);
    }

    /** Reads {@code 24M}, {@code 7168.0K}, {@code 0.0B}, without unit bytes; a blank may stand before the unit. */
    static long bytes(CharSequence text, int from, int to) {
        int end = to;
        long scale = 1;
        if (end > from && !isDigit(text.charAt(end - 1))) {
            int unit = "BKMGT".indexOf(text.charAt(end - 1));
            if (unit < 0) {
                return -1;
            }
            scale = 1L << 10 * unit;
            end--;
        }
        while (end > from && text.charAt(end - 1) == ' ') {
            end--;
        }
        return decimal(text, from, end, scale);
    }

    static boolean isDigit(char c) {
        return c >= '0' && c <= '9';
    }
}
