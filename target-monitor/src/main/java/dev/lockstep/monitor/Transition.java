package dev.lockstep.monitor;

/** A level before and after a collection, in bytes, as in {@code 24M->4M(256M)}. Immutable. */
final class Transition {
    private final long beforeBytes;
    private final long afterBytes;
    private final int start;
    private final int end;

    private Transition(long beforeBytes, long afterBytes, int start, int end) {
        this.beforeBytes = beforeBytes;
        this.afterBytes = afterBytes;
        this.start = start;
        this.end = end;
    }

    /** Returns the first one that begins at or after an index; null when there is none. */
    static Transition find(String text, int from) {
        int arrow = text.indexOf("->", from);
        if (arrow < 0) {
            return null;
        }
        int end = arrow;
        if (end > from && text.charAt(end - 1) == ')') {
            // A capacity or a share between the level and the arrow.
            end = text.lastIndexOf('(', end);
        }
        int start = end;
        while (start > from && isPart(text.charAt(start - 1))) {
            start--;
        }
        int afterStart = arrow + 2;
        int afterEnd = afterStart;
        while (afterEnd < text.length() && isPart(text.charAt(afterEnd))) {
            afterEnd++;
        }
        if (end < start || afterEnd < text.length() && Character.isLetterOrDigit(text.charAt(afterEnd))) {
            return null;
        }
        // A comma may end a clause as well as be a decimal point.
        if (afterEnd > afterStart && text.charAt(afterEnd - 1) == ',') {
            afterEnd--;
        }
        long before = GcText.bytes(text, start, end);
        long after = GcText.bytes(text, afterStart, afterEnd);
        return before < 0 || after < 0 ? null : new Transition(before, after, start, afterEnd);
    }

    private static boolean isPart(char c) {
        return GcText.isDigit(c) || c == '.' || c == ',' || c == 'B' || c == 'K' || c == 'M' || c == 'G' || c == 'T';
    }

    long beforeBytes() {
        return beforeBytes;
    }

    long afterBytes() {
        return afterBytes;
    }

    /** Returns the index of its first character. */
    int start() {
        return start;
    }

    /** Returns the index after the level after. */
    int end() {
        return end;
    }
}
