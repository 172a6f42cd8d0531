package dev.lockstep.cli.terminal;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jline.terminal.Size;
import org.jline.terminal.impl.LineDisciplineTerminal;
import org.jline.utils.AttributedString;
import org.jline.utils.Display;

/**
 * Lines at the bottom of a terminal that are written again and again, below lines that stay. Used by one thread.
 *
 * <p>Whatever ends the process leaves the terminal as it was: the cursor stays visible and rests on an empty line below
 * the last of these lines, each of which ends with its colours, and the input's settings are not touched.
 */
final class BottomLines implements AutoCloseable {
    /** What all terminals of today understand; to ask terminfo for others takes a process. */
    private static final String TYPE = "xterm";

    private final PrintWriter err;
    private final Supplier<Size> measured;
    private final ByteArrayOutputStream written = new ByteArrayOutputStream();
    private final LineDisciplineTerminal terminal;
    private Display display;
    private Size size = new Size(0, 0);
    /** What stands there, above the empty line with the cursor. */
    private List<AttributedString> shown = List.of();

    /**
     * @param err the terminal
     * @param measured how large it is
     */
    BottomLines(PrintWriter err, Supplier<Size> measured) {
        this.err = err;
        this.measured = measured;
        try {
            terminal = new LineDisciplineTerminal("standard error", TYPE, written, StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /**
     * Shows other lines in place of those shown before.
     *
     * @param lines of the room that there is: one column less than the terminal has, for at the edge terminals differ,
     *     and one row less, for the cursor. None may be longer; of more, the first are shown
     */
    void show(Function<Size, List<AttributedString>> lines) {
        Size now = measured.get();
        if (!now.equals(size)) {
            resize(now);
        }
        List<AttributedString> all = lines.apply(new Size(now.getColumns() - 1, now.getRows() - 1));
        shown = List.copyOf(all.subList(0, Math.min(all.size(), Math.max(1, now.getRows() - 1))));
        List<AttributedString> drawn = new ArrayList<>(shown);
        if (!shown.isEmpty()) {
            drawn.add(AttributedString.EMPTY);
        }
        // What was typed stands on the empty line, such as ^C.
        terminal.writer().print("\r\033[K");
        display.update(drawn, size.cursorPos(shown.size(), 0));
        terminal.flush();
        err.print(written.toString(StandardCharsets.UTF_8));
        err.flush();
        written.reset();
    }

    /**
     * Removes what stands there and begins anew. A terminal that became narrower has broken lines that are too long for
     * it, as most do; those that cut them lose as many of the lines above.
     */
    private void resize(Size now) {
        int rows = 0;
        for (AttributedString line : shown) {
            rows += Math.max(1, (line.columnLength() + now.getColumns() - 1) / now.getColumns());
        }
        terminal.writer().print("\r" + (rows > 0 ? "\033[" + rows + "A" : "") + "\033[J");
        size = now;
        terminal.setSize(now);
        display = new Display(terminal, false);
        display.resize(now.getRows(), now.getColumns());
    }

    /** Removes the lines. */
    void clear() {
        show(room -> List.of());
    }

    /** Prints a line that stays, above those that do not; they are shown no more until {@link #show}. */
    void print(String line) {
        clear();
        err.println(wrapped(line, size.getColumns() - 1));
        err.flush();
    }

    /** Breaks a text between words, where the terminal would do so within them. */
    static String wrapped(String text, int columns) {
        StringBuilder lines = new StringBuilder();
        int length = 0;
        for (String word : text.split(" ")) {
            if (length > 0 && length + 1 + word.length() > columns) {
                lines.append('\n');
                length = 0;
            } else if (lines.length() > 0) {
                lines.append(' ');
                length++;
            }
            lines.append(word);
            length += word.length();
        }
        return lines.toString();
    }

    /** Removes the lines; nothing is shown any more. */
    @Override
    public void close() {
        clear();
        try {
            terminal.close();
        } catch (IOException e) {
            throw new UncheckedIOException("nothing is written", e);
        }
    }
}
