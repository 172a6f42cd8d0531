package dev.lockstep.cli.terminal;

import dev.lockstep.measurement.Quantities;
import java.io.PrintWriter;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import me.tongfei.progressbar.ProgressBar;
import me.tongfei.progressbar.ProgressBarBuilder;
import me.tongfei.progressbar.ProgressBarConsumer;
import me.tongfei.progressbar.ProgressBarStyle;

/**
 * Tells how far a run is: on a terminal a bar for each phase, elsewhere one line at its start. Of turns, of which there
 * may be thousands, see {@link #turn}. Used by one thread.
 */
public final class Progress {
    private static final int WIDTH = 79;
    private static final int UPDATE_MS = 500;
    private static final long STATUS_EVERY_NS = 60_000_000_000L;
    /** Up to this many turns have a line each. */
    private static final int FEW_TURNS = 8;

    private static final long TURNS_EVERY_NS = 10_000_000_000L;

    private final PrintWriter err;
    private final boolean terminal;
    private final LongSupplier clock;
    private ProgressBar bar;
    private Line line;
    private String plain;
    /** How a soak run stands, shown in place of bars; null where there is nothing to show. */
    private String status;

    private long statusAtNs;
    private long turnsAtNs;
    /** The turn that runs, in the bar that turns share; null where no turn runs. */
    private String turn;

    private long turnStartNs;
    private long turnLengthNs;

    /**
     * @param err standard error
     * @param terminal whether a person watches it
     */
    public Progress(PrintWriter err, boolean terminal) {
        this(err, terminal, System::nanoTime);
    }

    /** @param clock monotonic, ns */
    Progress(PrintWriter err, boolean terminal, LongSupplier clock) {
        this.err = err;
        this.terminal = terminal;
        this.clock = clock;
        statusAtNs = clock.getAsLong();
    }

    /**
     * Shows this line in place of bars: on a terminal at once, elsewhere once a minute.
     *
     * @param line null for bars again
     */
    void status(String line) {
        status = line == null ? null : Terminal.printable(line);
        if (status != null) {
            show(status);
        }
    }

    /** Prints a line that stays. As in all texts here, what it quotes cannot command the terminal. */
    void line(String text) {
        end();
        err.println(Terminal.printable(text));
        err.flush();
    }

    /**
     * Begins a phase, in place of the one before.
     *
     * @param lengthNs how long it will take; {@link Long#MAX_VALUE} where nobody knows, which makes a plain line of the
     *     bar
     */
    void begin(String name, long lengthNs) {
        String phase = Terminal.printable(name);
        boolean known = lengthNs < Long.MAX_VALUE;
        if (!terminal) {
            line(phase + (known ? " (" + Quantities.duration(lengthNs) + ")" : ""));
            return;
        }
        end();
        if (known) {
            open(phase, lengthNs);
        } else {
            plain = phase;
            write(phase + " ...");
        }
    }

    private void open(String phase, long lengthNs) {
        line = new Line();
        bar = new ProgressBarBuilder()
                .setTaskName(phase)
                .setInitialMax(lengthNs)
                .setUnit("s", TimeUnit.SECONDS.toNanos(1))
                .setStyle(ProgressBarStyle.ASCII)
                .setUpdateIntervalMillis(UPDATE_MS)
                .setConsumer(line)
                .build();
    }

    /**
     * Begins a turn of a target, in place of the one before. On a terminal all turns share one bar. Elsewhere each has
     * a line where they are few; of many those of the first round have, and then one every ten seconds. Where a status
     * is shown, that says enough.
     *
     * @param shared the name of the bar
     * @param name of the turn
     * @param number from 0
     * @param targets how many take turns
     * @param rounds how many turns each of them has
     * @param lengthNs of a turn; {@link Long#MAX_VALUE} where nobody knows
     */
    void turn(String shared, String name, long number, int targets, int rounds, long lengthNs) {
        if (status != null) {
            return;
        }
        long turns = (long) rounds * targets;
        if (!terminal) {
            long nowNs = clock.getAsLong();
            if (turns <= FEW_TURNS || number < targets || nowNs - turnsAtNs >= TURNS_EVERY_NS) {
                turnsAtNs = nowNs;
                begin(name, lengthNs);
            }
        } else if (lengthNs == Long.MAX_VALUE) {
            begin(name, lengthNs);
        } else {
            if (turn == null) {
                end();
                open(shared, turns * lengthNs);
            }
            turn = name;
            turnStartNs = number * lengthNs;
            turnLengthNs = lengthNs;
        }
    }

    /** Moves the bar. */
    void at(long elapsedNs, String detail) {
        if (bar != null) {
            long doneNs = turn == null ? elapsedNs : turnStartNs + Math.min(elapsedNs, turnLengthNs);
            bar.stepTo(Math.min(doneNs, bar.getMax()));
            bar.setExtraMessage(" " + (turn == null ? "" : turn + ", ") + Terminal.printable(detail));
        } else if (plain != null) {
            write(plain + " " + Quantities.duration(elapsedNs) + "  " + Terminal.printable(detail));
        }
    }

    private void show(String watched) {
        if (terminal) {
            if (bar != null) {
                end();
            }
            plain = watched;
            write(watched);
        } else if (clock.getAsLong() - statusAtNs >= STATUS_EVERY_NS) {
            statusAtNs = clock.getAsLong();
            line(watched);
        }
    }

    /** Ends the phase, if there is one, and removes its bar. */
    void end() {
        if (bar != null) {
            bar.close();
            line.remove();
            bar = null;
            turn = null;
        } else if (plain != null) {
            write("");
            plain = null;
        }
    }

    private void write(String text) {
        err.print(Terminal.over(text));
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
