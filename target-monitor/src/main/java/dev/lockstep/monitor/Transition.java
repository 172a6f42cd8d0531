package dev.lockstep.monitor;

/** A level before and after a collection, in bytes, as in {@code 24M->4M(256M)}. Immutable. */
final class Transition {
    final long beforeBytes;
    final long afterBytes;
    /** The index of its first character. */
    final int start;

    private Transition(long beforeBytes, long afterBytes, int start) {
        this.beforeBytes = beforeBytes;
        this.afterBytes = afterBytes;
        this.start = start;
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
        return before < 0 || after < 0 ? null : new Transition(before, after, start);
    }

    private static boolean isPart(char c) {
        return GcText.isDigit(c) || c == '.' || c == ',' || c == 'B' || c == 'K' || c == 'M' || c == 'G' || c == 'T';
    }
}
