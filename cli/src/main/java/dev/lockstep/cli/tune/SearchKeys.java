package dev.lockstep.cli.tune;

import dev.lockstep.cli.terminal.Terminal;
import dev.lockstep.search.Control;
import dev.lockstep.search.SearchException;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.function.BooleanSupplier;
import org.jline.nativ.CLibrary;

/**
 * The keys of a search on its own terminal, each with Enter: they wish what {@code --control} does. A thread of its own
 * looks for them until this is closed; no end of the process waits for it.
 *
 * <p>Design note: it never waits in a read. The kernel stops a job that reads its terminal from the background
 * (SIGTTIN), and one whose read waited when it was sent there. So a line is read once it has come, and only in the
 * foreground.
 */
final class SearchKeys implements AutoCloseable {
    private static final long LOOK_MS = 200;
    private static final int STANDARD_INPUT = 0;
    /** Linux' request for the process group that a terminal listens to; fails where it is not the process's own. */
    private static final long TIOCGPGRP = 0x540F;

    /** A line goes on beyond that in vain. */
    private static final int LONGEST_LINE = 80;

    private static final String KEYS =
            "p pauses and goes on, s skips this evaluation, c concludes after it, each with Enter";

    private final InputStream in;
    private final BooleanSupplier foreground;
    private final Control wishes;
    private final PrintWriter err;
    private final StringBuilder line = new StringBuilder();
    private final Thread thread = new Thread(this::look, "lockstep-tune-keys");
    private volatile boolean closed;

    SearchKeys(Control wishes, PrintWriter err) {
        this(System.in, SearchKeys::isInForeground, wishes, err);
    }

    /** @param foreground whether the terminal may be read now */
    SearchKeys(InputStream in, BooleanSupplier foreground, Control wishes, PrintWriter err) {
        this.in = in;
        this.foreground = foreground;
        this.wishes = wishes;
        this.err = err;
        thread.setDaemon(true);
    }

    /**
     * Takes keys from now on where standard input is a terminal and this process in its foreground; else does nothing.
     *
     * @param first whether to say which keys there are; what was typed since an earlier search is not for this one
     * @return whether it takes them
     */
    boolean takeFromTerminal(boolean first) {
        if (!isTerminal() || !foreground.getAsBoolean()) {
            return false;
        }
        if (first) {
            say("keys: " + KEYS);
        } else {
            forget();
        }
        thread.start();
        return true;
    }

    private void forget() {
        try {
            in.read(new byte[in.available()]);
        } catch (IOException e) {
            // The terminal is gone, of which its thread learns, too.
        }
    }

    private static boolean isTerminal() {
        try {
            // Only a library knows, which nobody needs for a pipe.
            return Files.readSymbolicLink(Path.of("/proc/self/fd/0")).startsWith("/dev")
                    && Terminal.isTerminal(STANDARD_INPUT);
        } catch (Exception | LinkageError e) {
            // No library for this platform, or no place to unpack it to.
            return false;
        }
    }

    /** Whether a read does not stop this process: it is of the group in front, or the terminal is not its own. */
    private static boolean isInForeground() {
        int[] inFront = new int[1];
        if (CLibrary.ioctl(STANDARD_INPUT, TIOCGPGRP, inFront) != 0) {
            return true;
        }
        try {
            String stat = Files.readString(Path.of("/proc/self/stat"));
            // Behind the name, which may hold blanks: state, parent, process group.
            String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ");
            return fields[2].equals(String.valueOf(inFront[0]));
        } catch (IOException e) {
            return false;
        }
    }

    private void look() {
        try {
            while (!closed) {
                take();
                Thread.sleep(LOOK_MS);
            }
        } catch (IOException e) {
            // The terminal is gone.
        } catch (InterruptedException e) {
            // Closed.
        }
    }

    /** Takes what has come. A terminal counts as such whole lines only. */
    void take() throws IOException {
        int count = in.available();
        if (count == 0 || !foreground.getAsBoolean()) {
            return;
        }
        byte[] typed = new byte[count];
        int read = in.read(typed);
        for (int i = 0; i < read; i++) {
            if (typed[i] == '\n') {
                answer(line.toString().trim());
                line.setLength(0);
            } else if (line.length() < LONGEST_LINE) {
                line.append((char) typed[i]);
            }
        }
    }

    private void answer(String key) {
        try {
            switch (key) {
                case "p":
                    boolean paused = wishes.isPaused();
                    wishes.wish(paused ? Control.Wish.RESUME : Control.Wish.PAUSE);
                    say(paused ? "going on" : "pausing: no further evaluation begins until p and Enter");
                    break;
                case "s":
                    wishes.wish(Control.Wish.SKIP);
                    say("skipping the evaluation in progress, if there is one");
                    break;
                case "c":
                    wishes.wish(Control.Wish.CONCLUDE);
                    say("concluding after the evaluation in progress");
                    break;
                default:
                    say("no such key: " + KEYS);
            }
        } catch (SearchException e) {
            say(e.getMessage());
        }
    }

    /** Prints a line, in place of a bar that moves. */
    private void say(String sentence) {
        err.println((Terminal.isWatched() ? Terminal.over("") : "") + Terminal.printable(sentence));
        err.flush();
    }

    @Override
    public void close() {
        closed = true;
        thread.interrupt();
    }
}
