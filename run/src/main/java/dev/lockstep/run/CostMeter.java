package dev.lockstep.run;

import dev.lockstep.measurement.Cost;
import dev.lockstep.measurement.Costs;
import dev.lockstep.measurement.GcCosts;
import dev.lockstep.measurement.Interval;
import dev.lockstep.monitor.GcPause;
import dev.lockstep.monitor.Safepoint;
import dev.lockstep.monitor.TargetMonitor;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;

/**
 * Measures what one launch of a target costs under load, interval by interval and in all. Load comes in windows; what
 * the target uses between two windows is not counted. A freeze can fall into a pause or another safepoint and make it
 * longer: then only the part within windows counts, where the log tells when it was. A quantity is summed over the
 * intervals in which it could be read; a target that dies leaves some out of its last one. Used by the run's thread,
 * which closes it.
 */
final class CostMeter implements AutoCloseable {
    private final TargetMonitor monitor;
    /** Its pauses that were read and not taken yet. */
    private final List<GcPause> pauses = new ArrayList<>();
    /** When the last interval ended; null outside of windows. */
    private Costs last;

    /** What the process had used when the first window began. */
    private Costs beforeLoad;

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
        beforeLoad = beforeLoad == null ? last : beforeLoad;
        pauses.addAll(monitor.takePauses());
        // Those ended before the window.
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
        if (interval.isMeasured()) {
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

    /** Returns how many processors the JVM said it may use; absent where it does not tell. */
    OptionalInt processors() {
        return monitor.processors();
    }

    /** Returns the CPU time from the start of the process to the first window; absent where that is not known. */
    OptionalLong startCpuNs() {
        OptionalLong user = beforeLoad == null ? OptionalLong.empty() : beforeLoad.get(Cost.USER_CPU);
        OptionalLong system = beforeLoad == null ? OptionalLong.empty() : beforeLoad.get(Cost.SYSTEM_CPU);
        return user.isPresent() && system.isPresent()
                ? OptionalLong.of(user.getAsLong() + system.getAsLong())
                : OptionalLong.empty();
    }

    /** Returns the pauses that were logged since the last call. */
    List<GcPause> takePauses() {
        List<GcPause> taken = new ArrayList<>(pauses);
        pauses.clear();
        return taken;
    }

    boolean knowsPauses() {
        return monitor.knowsPauses();
    }

    /** Returns that its target was moved to other processors, as a clause; absent where it was not. */
    Optional<String> moved() {
        return monitor.moved();
    }

    /** Returns what is missing of its figures, and what else they show than the target, a line each. */
    List<String> problems() {
        List<String> problems = new ArrayList<>(monitor.problems());
        monitor.withoutOthers().ifPresent(problems::add);
        if (measured().get(Cost.THROTTLED_PERIODS).orElse(0) > 0) {
            problems.add(
                    "a CPU quota stopped it while it was measured (throttledPeriods, throttledNs): its latencies and"
                            + " throughput are those under this quota");
        }
        return problems;
    }

    @Override
    public void close() {
        monitor.close();
    }
}
