package dev.lockstep.page;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.lockstep.measurement.Cost;
import dev.lockstep.measurement.Interval;
import dev.lockstep.results.IntervalFigures;
import java.util.ArrayList;
import java.util.List;

/**
 * What one target did over time, in so few stretches that a page can hold them: each is one interval or as many as are
 * needed, of one launch and either of its warm-up or of its measured phase. Used by one thread.
 *
 * <p>Totals are summed, and figures per successful request and second made of the sums. Of latencies a stretch has the
 * mean, weighted by answers, and of those and of rates and levels the lowest and the highest of its intervals too, so
 * that no peak is lost. A day of four targets comes to some megabytes.
 */
final class Stretches {
    /** In a report a stretch is wider than a pixel only beyond this. */
    private static final int MOST = 3600;

    private static final int MOST_INTERVALS = 1 << 30;
    private static final double NS_PER_SEC = 1e9;

    private final int most;
    private final List<Stretch> stretches = new ArrayList<>();
    /** How many intervals a stretch has, as long as its launch and phase have more. */
    private int width = 1;
    /** Beyond so many stretches the width grows. */
    private int limit;

    private long firstMs = Long.MAX_VALUE;
    private long lastMs = Long.MIN_VALUE;
    /** Successful requests of the launch since it told last what it allocated. */
    private long untold;

    private int launch;
    /** The interval that was taken last. */
    private IntervalFigures before;

    Stretches() {
        this(MOST);
    }

    /** @param most beyond twice as many, stretches become wider */
    Stretches(int most) {
        this.most = most;
        limit = 2 * most;
    }

    /** Takes the next interval; not of full load, beside which all else would lie flat. */
    void add(IntervalFigures figures) {
        if (figures.phase() == Interval.Phase.FULL_LOAD) {
            return;
        }
        boolean rest = figures.isRestOf(before);
        before = figures;
        int parts = Stretch.parts(figures);
        for (int part = 0; part < parts; part++) {
            Stretch next = new Stretch(figures, part, parts, rest);
            next.allocatedFor = allocatedFor(next);
            add(next);
        }
    }

    /**
     * Returns how many successful requests the allocation that an interval tells is of: all since it was told last.
     * Some JVMs tell it only when they collect, and tell of the end of the warm-up in the measured phase.
     */
    private long allocatedFor(Stretch next) {
        untold = next.successful + (next.launch == launch ? untold : 0);
        launch = next.launch;
        if (next.of(Cost.ALLOCATED) == null) {
            return 0;
        }
        long told = untold;
        untold = 0;
        return told;
    }

    private void add(Stretch next) {
        firstMs = Math.min(firstMs, next.startMs);
        lastMs = Math.max(lastMs, next.startMs + next.lengthNs / 1_000_000);
        append(stretches, next);
        if (stretches.size() > limit) {
            width = Math.min(MOST_INTERVALS, 2 * width);
            List<Stretch> wider = new ArrayList<>();
            stretches.forEach(stretch -> append(wider, stretch));
            stretches.clear();
            stretches.addAll(wider);
            // What is of different launches and phases stays apart, however wide: not to be tried again each time.
            limit = Math.max(2 * most, 2 * stretches.size());
        }
    }

    private void append(List<Stretch> to, Stretch next) {
        Stretch last = to.isEmpty() ? null : to.get(to.size() - 1);
        if (last != null && next.isRestOf(last)
                || last != null && last.isWith(next) && last.intervals + next.intervals <= width) {
            last.add(next);
        } else {
            to.add(next);
        }
    }

    /** Returns how many intervals a stretch has; where that grew, all stretches are others. */
    int width() {
        return width;
    }

    int size() {
        return stretches.size();
    }

    /** When the first began, in epoch milliseconds; the greatest number for none. */
    long firstMs() {
        return firstMs;
    }

    /** When the last ended, likewise; the least number for none. */
    long lastMs() {
        return lastMs;
    }

    /**
     * Returns for each launch, or for the warm-up of each, when it began and ended, in seconds, and its number.
     *
     * @param fromMs what 0 s are
     */
    List<double[]> ranges(long fromMs, boolean warmUps) {
        List<double[]> ranges = new ArrayList<>();
        int launch = 0;
        for (Stretch stretch : stretches) {
            if (warmUps && !stretch.warmup) {
                continue;
            }
            double from = (stretch.startMs - fromMs) / 1e3;
            double to = from + stretch.lengthNs / NS_PER_SEC;
            if (stretch.launch != launch) {
                launch = stretch.launch;
                ranges.add(new double[] {from, to, launch});
            } else {
                ranges.get(ranges.size() - 1)[1] = to;
            }
        }
        return ranges;
    }

    /**
     * Returns the columns, all of one length; null where there is no value, and between launches and phases.
     *
     * @param fromMs what 0 s are
     */
    ObjectNode columns(long fromMs) {
        return columns(fromMs, 0);
    }

    /**
     * Returns the end of the columns.
     *
     * @param fromMs what 0 s are
     * @param first the first stretch in it
     */
    ObjectNode columns(long fromMs, int first) {
        Stretch before = first == 0 ? null : stretches.get(first - 1);
        List<Stretch> last = stretches.subList(first, stretches.size());
        return new StretchColumns(fromMs, before, last, width > 1).all();
    }

    /** Returns how many rows of the columns come before a stretch, and before the gap in front of it. */
    int rowsBefore(int first) {
        int rows = first;
        for (int i = 1; i < first; i++) {
            rows += stretches.get(i - 1).isWith(stretches.get(i)) ? 0 : 1;
        }
        return rows;
    }
}
