package dev.lockstep.monitor;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * Cuts the text of a log into lines; a line without its end waits for the rest. Used by one thread. Holds at most one
 * line. A line longer than any we need counts as damaged and is not kept.
 */
final class GcLines {
    private static final int MAX_LINE_BYTES = 64 * 1024;

    private final GcDialect dialect;
    private final GcAccount account;
    private byte[] torn = new byte[1024];
    private int length;
    private boolean tooLong;
    private long count;

    GcLines(GcDialect dialect, GcAccount account) {
        this.dialect = dialect;
        this.account = account;
    }

    void bytes(byte[] bytes, int from, int to) {
        int start = from;
        for (int i = from; i < to; i++) {
            if (bytes[i] == '\n') {
                line(bytes, start, i);
                start = i + 1;
            }
        }
        keep(bytes, start, to);
    }

    private void line(byte[] bytes, int from, int to) {
        if (length == 0 && !tooLong) {
            line(text(bytes, from, to), to - from > MAX_LINE_BYTES);
        } else {
            keep(bytes, from, to);
            String text = text(torn, 0, length);
            boolean refused = tooLong;
            length = 0;
            tooLong = false;
            line(text, refused);
        }
    }

    private void line(String text, boolean refused) {
        count++;
        if (refused) {
            account.damaged();
        } else {
            dialect.line(text);
        }
    }

    private static String text(byte[] bytes, int from, int to) {
        int end = to > from && bytes[to - 1] == '\r' ? to - 1 : to;
        return new String(bytes, from, end - from, StandardCharsets.ISO_8859_1);
    }

    private void keep(byte[] bytes, int from, int to) {
        if (tooLong || length + (to - from) > MAX_LINE_BYTES) {
            tooLong = true;
            length = 0;
            return;
        }
        if (length + (to - from) > torn.length) {
            torn = Arrays.copyOf(torn, Math.max(2 * torn.length, length + (to - from)));
        }
        System.arraycopy(bytes, from, torn, length, to - from);
        length += to - from;
    }

    long count() {
        return count;
    }

    /** Notes that the rest of a torn line will not come. */
    void cut() {
        if (length > 0 || tooLong) {
            account.damaged();
        }
        length = 0;
        tooLong = false;
    }

    void gap() {
        cut();
        account.gap();
        dialect.gap();
    }
}
