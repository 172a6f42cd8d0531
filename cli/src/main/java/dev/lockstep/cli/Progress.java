package dev.lockstep.cli;

import java.io.PrintWriter;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import me.tongfei.progressbar.ProgressBar;
import me.tongfei.progressbar.ProgressBarBuilder;
import me.tongfei.progressbar.ProgressBarConsumer;
import me.tongfei.progressbar.ProgressBarStyle;

/**
 * Tells how far a run is: on a terminal a bar for each phase, elsewhere one line at its start. Used by one thread.
 */
final class Progress {
    private static final int WIDTH = 100;
    private static final int UPDATE_MS = 500;
    private static final long STATUS_EVERY_NS = 60_000_000_000L;

    private final PrintWriter err;
    private final boolean terminal;
    private ProgressBar bar;
    private Line line;
    private String plain;
    private Supplier<String> status = () -> null;
    private long statusAtNs = System.nanoTime();

    /**
     * @param err standard error
     * @param terminal whether a person watches it
     */
    Progress(PrintWriter err, boolean terminal) {
        this.err = err;
        this.terminal = terminal;
    }

    /**
     * Shows this line in place of bars: on a terminal all the time, elsewhere once a minute.
     *
     * @param line returns null as long as there is nothing to show
     */
    void watch(Supplier<String> line) {
        status = line;
    }

    /** Prints a line that stays. */
    void line(String text) {
        end();
        err.println(text);
        err.flush();
    }

    /**
     * Begins a phase, in place of the one before.
     *
     * @param lengthNs how long it will take; {@link Long#MAX_VALUE} where nobody knows, which makes a plain line of the bar
     */
    void begin(String phase, long lengthNs) {
        boolean known = lengthNs < Long.MAX_VALUE;
        if (!terminal) {
            line(phase + (known ? " (" + Quantities.duration(lengthNs) + ")" : ""));
            return;
        }
        end();
        if (known) {
            line = new Line();
            bar = new ProgressBarBuilder()
                    .setTaskName(phase)
                    .setInitialMax(lengthNs)
                    .setUnit("s", TimeUnit.SECONDS.toNanos(1))
                    .setStyle(ProgressBarStyle.ASCII)
                    .setUpdateIntervalMillis(UPDATE_MS)
                    .setConsumer(line)
                    .build();
        } else {
            plain = phase;
            write(phase + " ...");
        }
    }

    /** Moves the bar. */
    void at(long elapsedNs, String detail) {
        String watched = status.get();
        if (watched != null) {
            show(watched);
        } else if (bar != null) {
            bar.stepTo(Math.min(elapsedNs, bar.getMax()));
            bar.setExtraMessage(" " + detail);
        } else if (plain != null) {
            write(plain + " " + Quantities.duration(elapsedNs) + "  " + detail);
        }
    }

    private void show(String watched) {
        if (terminal) {
            if (bar != null) {
                end();
            }
            plain = watched;
            // Without wrapping at the edge, which would leave the first part of a long line behind.
            write("\033[?7l" + watched + "\033[?7h");
        } else if (System.nanoTime() - statusAtNs >= STATUS_EVERY_NS) {
            statusAtNs = System.nanoTime();
            line(watched);
        }
    }

    /** Ends the phase, if there is one, and removes its bar. */
    void end() {
        if (bar != null) {
            bar.close();
            line.remove();
            bar = null;
        } else if (plain != null) {
            write("");
            plain = null;
        }
    }

    private void write(String text) {
        err.print("\r" + text + "\033[K");
        err.flush();
    }

    /**
     * One line of the terminal, written again and again. The bar writes it from a thread of its own, and may do so once
     * more when it is closed already: what comes after the removal is left out.
     */
    private final class Line implements ProgressBarConsumer {
        private boolean removed;

        @Override
        public int getMaxRenderedLength() {
            return WIDTH;
        }

        @Override
        public synchronized void accept(String rendered) {
            if (!removed) {
                write(rendered);
            }
        }

        synchronized void remove() {
            removed = true;
            write("");
        }

        @Override
        public void clear() {
            accept("");
        }

        @Override
        public void close() {
            // remove() ends the line, at a time that we know.
        }
    }
}
