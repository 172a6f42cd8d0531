package dev.lockstep.cli;

import dev.lockstep.measurement.Cost;
import dev.lockstep.measurement.Costs;
import dev.lockstep.measurement.GcCosts;
import dev.lockstep.measurement.Interval;
import dev.lockstep.monitor.GcPause;
import dev.lockstep.monitor.Safepoint;
import dev.lockstep.monitor.TargetMonitor;
import java.util.ArrayList;
import java.util.List;

/**
 * What one launch of a target costs while it is under load: of each interval, and of all that were measured. What it costs
 * between two windows, frozen or not, counts for nobody; of a pause or another safepoint that a freeze met and made longer,
 * the part within windows counts, where the log tells when it was. The sum over all intervals is that of those in which a
 * quantity could be read; of a target that dies the last one lacks some. Used by the run's thread, which closes it.
 */
final class CostMeter implements AutoCloseable {
    private final TargetMonitor monitor;
    /** Its pauses that were read and not taken yet. */
    private final List<GcPause> pauses = new ArrayList<>();
    /** When the last interval ended; null outside of windows. */
    private Costs last;

    private long windowStartNs;
    private long frozenNs = Long.MIN_VALUE;
    private long lastWindowEndNs = Long.MIN_VALUE;

    private Costs measured;

    CostMeter(TargetMonitor monitor) {
        this.monitor = monitor;
    }

    /** Begins a window: the first interval costs what is used from now on. A frozen target is thawed right after it. */
    void start() {
        last = monitor.sample();
        pauses.addAll(monitor.takePauses());
        // What had ended before counts for nobody.
        monitor.takeSafepoints();
        windowStartNs = System.nanoTime();
    }

    /** Gives an interval that has just ended what the target cost in it. */
    void fill(Interval interval) {
        if (last == null) {
            return;
        }
        Costs now = monitor.sample();
        for (GcPause pause : monitor.takePauses()) {
            last = withoutWindow(pause, last, now);
            pauses.add(pause);
        }
        for (Safepoint safepoint : monitor.takeSafepoints()) {
            last = withoutWindow(safepoint, last, now);
        }
        interval.costs = now.since(last);
        // A target that dies keeps what it had cost until then.
        Costs known = now.orTotalsOf(last);
        if (!interval.warmup) {
            Costs sum = known.since(last);
            measured = measured == null ? sum : measured.plus(sum);
        }
        last = known;
    }

    /** Returns what counts as cost before, where a pause that now is known began before the window. */
    private Costs withoutWindow(GcPause pause, Costs before, Costs now) {
        long outsideNs = outsideNs(pause.startNs(), pause.endNs());
        String collector = pause.collector();
        long grownNs = pauseNs(now, collector) - pauseNs(before, collector);
        return outsideNs <= 0 || grownNs <= 0
                ? before
                : before.withLongerPauses(collector, Math.min(outsideNs, grownNs));
    }

    /** Returns the same for a safepoint, be it that of a pause or another. */
    private Costs withoutWindow(Safepoint safepoint, Costs before, Costs now) {
        long outsideNs = outsideNs(safepoint.startNs(), safepoint.endNs());
        long grownNs =
                now.get(Cost.SAFEPOINT).orElse(0) - before.get(Cost.SAFEPOINT).orElse(0);
        return outsideNs <= 0 || grownNs <= 0 ? before : before.withLongerSafepoints(Math.min(outsideNs, grownNs));
    }

    /** Returns how much of a time lies between the last window and this one; 0 or less for none. */
    private long outsideNs(long startNs, long endNs) {
        return Math.min(endNs, windowStartNs) - Math.max(startNs, lastWindowEndNs);
    }

    private static long pauseNs(Costs costs, String collector) {
        GcCosts known = costs.collectors().get(collector);
        return known == null ? 0 : known.pauseNs();
    }

    /** The target stands still from now on, until the next window. */
    void frozen() {
        frozenNs = System.nanoTime();
    }

    /** Ends the window; its last interval was the end of it. */
    void end() {
        last = null;
        lastWindowEndNs = frozenNs > windowStartNs ? frozenNs : System.nanoTime();
    }

    /** Returns what all intervals of the measured phase come to. */
    Costs measured() {
        return measured == null ? Costs.NONE : monitor.conclude(measured);
    }

    /** Returns the pauses that were logged since the last call. */
    List<GcPause> takePauses() {
        List<GcPause> taken = new ArrayList<>(pauses);
        pauses.clear();
        return taken;
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
