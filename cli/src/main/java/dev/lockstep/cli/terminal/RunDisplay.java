package dev.lockstep.cli.terminal;

import dev.lockstep.results.RunPlan;
import dev.lockstep.run.RunListener;
import java.io.PrintWriter;

/**
 * Shows how a run goes on standard error, and prints its result to standard output. Hears the run on one thread; closed
 * by whoever carries it out, when it has ended in whatever way.
 */
public interface RunDisplay extends RunListener, AutoCloseable {
    /**
     * Returns a view of all targets where a person watches a terminal, elsewhere one that prints lines.
     *
     * @param json whether the result is printed as JSON, once and complete
     */
    static RunDisplay of(RunPlan plan, PrintWriter err, PrintWriter out, boolean json) {
        if (!Terminal.isWatched()) {
            return new RunPrinter(new Progress(err, false), out, json, Terminal.paint());
        }
        return new RunView(
                plan,
                new BottomLines(err, Terminal::size),
                new ResultPrinter(out, json, Terminal.paint()),
                Symbols.ofStandardError(),
                Terminal.hasColours(),
                System::nanoTime);
    }

    /** Leaves the terminal as it was. */
    @Override
    void close();
}
