package dev.lockstep.cli.experiment;

import java.io.IOException;
import java.io.Writer;
import java.util.regex.Pattern;

/**
 * Passes on what a command prints, and keeps the last line in which it says why it failed, without a terminal's control
 * sequences. What a view draws again and again for hours is not kept. One thread.
 */
final class LastError extends Writer {
    private static final Pattern CONTROL = Pattern.compile("\u001b\\[[0-9;?]*[A-Za-z]");
    /** Longer than any message; of a longer line the rest is not kept. */
    private static final int MOST_CHARACTERS = 8_192;

    private final String prefix;
    private final Writer next;
    private final boolean closes;
    private final StringBuilder line = new StringBuilder();
    private String last = "";

    /**
     * @param prefix how a line begins that says why
     * @param closes whether the next one is closed with this
     */
    LastError(String prefix, Writer next, boolean closes) {
        this.prefix = prefix;
        this.next = next;
        this.closes = closes;
    }

    @Override
    public void write(char[] buffer, int offset, int length) throws IOException {
        next.write(buffer, offset, length);
        for (int i = offset; i < offset + length; i++) {
            if (buffer[i] == '\n' || buffer[i] == '\r') {
                endLine();
            } else if (line.length() < MOST_CHARACTERS) {
                line.append(buffer[i]);
            }
        }
    }

    private void endLine() {
        String text = CONTROL.matcher(line).replaceAll("");
        if (text.startsWith(prefix)) {
            last = text.substring(prefix.length());
        }
        line.setLength(0);
    }

    /** Returns the last one without its prefix; empty where there was none. */
    String message() {
        endLine();
        return last;
    }

    @Override
    public void flush() throws IOException {
        next.flush();
    }

    @Override
    public void close() throws IOException {
        next.flush();
        if (closes) {
            next.close();
        }
    }
}
