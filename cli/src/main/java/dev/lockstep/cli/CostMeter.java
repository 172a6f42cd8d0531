package dev.lockstep.cli;

import dev.lockstep.measurement.Costs;
import dev.lockstep.measurement.Interval;
import dev.lockstep.monitor.GcPause;
import dev.lockstep.monitor.TargetMonitor;
import java.util.List;

/**
 * What one launch of a target costs while it is under load: of each interval, and of all that were measured. What it costs
 * between two windows, frozen or not, counts for nobody. The sum over all intervals is that of those in which a quantity
 * could be read; of a target that dies the last one lacks some. Used by the run's thread, which closes it.
 */
final class CostMeter implements AutoCloseable {
    private final TargetMonitor monitor;
    /** When the last interval ended; null outside of windows. */
    private Costs last;

    private Costs measured;

    CostMeter(TargetMonitor monitor) {
        this.monitor = monitor;
    }

    /** Begins a window: the first interval costs what is used from now on. */
    void start() {
        last = monitor.sample();
    }

    /** Gives an interval that has just ended what the target cost in it. */
    void fill(Interval interval) {
        if (last == null) {
            return;
        }
        Costs now = monitor.sample();
        interval.costs = now.since(last);
        // A target that dies keeps what it had cost until then.
        Costs known = now.orTotalsOf(last);
        if (!interval.warmup) {
            Costs sum = known.since(last);
            measured = measured == null ? sum : measured.plus(sum);
        }
        last = known;
    }

    /** Ends the window; its last interval was the end of it. */
    void end() {
        last = null;
    }

    /** Returns what all intervals of the measured phase come to. */
    Costs measured() {
        return measured == null ? Costs.NONE : measured;
    }

    /** Returns the pauses that were logged since the last call. */
    List<GcPause> takePauses() {
        return monitor.takePauses();
    }

    /** Tells whether pauses are known at all. */
    boolean knowsPauses() {
        return monitor.knowsPauses();
    }

    /** Returns what is not known of its garbage collections, a line each for people. */
    List<String> problems() {
        return monitor.problems();
    }

    @Override
    public void close() {
        monitor.close();
    }
}
