package dev.lockstep.cli;

import java.io.PrintWriter;
import java.util.concurrent.TimeUnit;
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

    private final PrintWriter err;
    private final boolean terminal;
    private ProgressBar bar;

    /**
     * @param err standard error
     * @param terminal whether a person watches it
     */
    Progress(PrintWriter err, boolean terminal) {
        this.err = err;
        this.terminal = terminal;
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
     * @param lengthNs how long it will take; {@link Long#MAX_VALUE} where nobody knows
     */
    void begin(String phase, long lengthNs) {
        boolean known = lengthNs < Long.MAX_VALUE;
        if (!terminal) {
            line(phase + (known ? " (" + Quantities.duration(lengthNs) + ")" : ""));
            return;
        }
        end();
        bar = new ProgressBarBuilder()
                .setTaskName(phase)
                .setInitialMax(known ? lengthNs : -1)
                .setUnit("s", TimeUnit.SECONDS.toNanos(1))
                .setStyle(ProgressBarStyle.ASCII)
                .setUpdateIntervalMillis(UPDATE_MS)
                .setConsumer(new Line())
                .build();
    }

    /** Moves the bar. */
    void at(long elapsedNs, String detail) {
        if (bar != null) {
            bar.stepTo(bar.isIndefinite() ? elapsedNs : Math.min(elapsedNs, bar.getMax()));
            bar.setExtraMessage(" " + detail);
        }
    }

    /** Ends the phase, if there is one, and removes its bar. */
    void end() {
        if (bar != null) {
            bar.close();
            bar = null;
        }
    }

    /** One line of the terminal, written again and again, and empty in the end. */
    private final class Line implements ProgressBarConsumer {
        @Override
        public int getMaxRenderedLength() {
            return WIDTH;
        }

        @Override
        public void accept(String rendered) {
            err.print("\r" + rendered + "\033[K");
            err.flush();
        }

        @Override
        public void clear() {
            err.print("\r\033[K");
            err.flush();
        }

        @Override
        public void close() {
            clear();
        }
    }
}
