package dev.lockstep.page;

import dev.lockstep.measurement.Cost;
import dev.lockstep.measurement.ErrorKind;
import dev.lockstep.measurement.Interval;
import dev.lockstep.results.IntervalFigures;
import java.util.OptionalLong;

/** Intervals of one target, launch and phase, together; see {@link Stretches}. */
final class Stretch {
    private static final double NS_PER_SEC = 1e9;
    /** A turn. */
    private static final double LEAST_NS = 250e6;

    final int launch;
    final boolean warmup;
    final long startMs;
    /** Whether it is what was left of a turn, and is drawn with what was before it. */
    private final boolean rest;
    /** Whether all that a part of it holds is what a dead target owed. */
    private boolean owed;

    int intervals;
    long lengthNs;
    long successful;
    double failed;
    double lowestRate;
    double highestRate;
    double lowestErrors;
    double highestErrors;
    double p50Sum;
    double p99Sum;
    long timed;
    long lowestP50;
    long highestP50;
    long lowestP99;
    long highestP99;
    /** How many successful requests the allocation that is known is of. */
    long allocatedFor;

    final long[] totals = new long[Cost.values().length];
    final boolean[] known = new boolean[Cost.values().length];
    final long[] lowest = new long[Cost.values().length];
    final long[] highest = new long[Cost.values().length];

    /** Returns how many equal parts an interval is drawn as: a second each of what a dead target owed to the end. */
    static int parts(IntervalFigures figures) {
        return isOwed(figures) ? (int) Math.max(1, Math.round((figures.endNs() - figures.startNs()) / NS_PER_SEC)) : 1;
    }

    private static boolean isOwed(IntervalFigures figures) {
        long died = figures.errors(ErrorKind.TARGET_DIED);
        return figures.completed() == 0 && died > 0 && died == figures.errors();
    }

    /**
     * @param part counted from 0, of so many; the first has the totals, so that sums are those of the interval
     * @param rest whether it is what was left of a turn
     */
    Stretch(IntervalFigures figures, int part, int parts, boolean rest) {
        this.rest = rest;
        launch = figures.launch();
        warmup = figures.phase() == Interval.Phase.WARM_UP;
        lengthNs = (figures.endNs() - figures.startNs()) / parts;
        startMs = figures.startMs() + part * lengthNs / 1_000_000;
        owed = isOwed(figures);
        intervals = 1;
        successful = figures.successful();
        failed = (double) figures.failed() / parts;
        lowestRate = highestRate = rate(successful);
        lowestErrors = highestErrors = errorRate();
        OptionalLong p50 = figures.p50Ns();
        OptionalLong p99 = figures.p99Ns();
        if (p50.isPresent() && p99.isPresent() && part == 0) {
            timed = Math.max(1, figures.completed());
            p50Sum = (double) p50.getAsLong() * timed;
            p99Sum = (double) p99.getAsLong() * timed;
            lowestP50 = highestP50 = p50.getAsLong();
            lowestP99 = highestP99 = p99.getAsLong();
        } else {
            lowestP50 = lowestP99 = Long.MAX_VALUE;
        }
        for (Cost cost : Cost.values()) {
            OptionalLong value = figures.costs().get(cost);
            known[cost.ordinal()] = value.isPresent();
            long of = part > 0 && cost.kind() == Cost.Kind.TOTAL ? 0 : value.orElse(0);
            totals[cost.ordinal()] = of;
            lowest[cost.ordinal()] = of;
            highest[cost.ordinal()] = of;
        }
    }

    boolean isWith(Stretch later) {
        return launch == later.launch && warmup == later.warmup;
    }

    /** Whether it belongs to another one however wide that is, and nothing that is known is lost by it. */
    boolean isRestOf(Stretch earlier) {
        if (!rest || !earlier.isWith(this)) {
            return false;
        }
        for (int i = 0; i < known.length; i++) {
            if (earlier.known[i] && !known[i] && i != Cost.ALLOCATED.ordinal()) {
                return false;
            }
        }
        return true;
    }

    void add(Stretch later) {
        owed |= later.owed;
        if (!later.isRestOf(this)) {
            intervals += later.intervals;
            lowestRate = Math.min(lowestRate, later.lowestRate);
            highestRate = Math.max(highestRate, later.highestRate);
        }
        lengthNs += later.lengthNs;
        successful += later.successful;
        failed += later.failed;
        allocatedFor += later.allocatedFor;
        lowestErrors = Math.min(lowestErrors, later.lowestErrors);
        highestErrors = Math.max(highestErrors, later.highestErrors);
        p50Sum += later.p50Sum;
        p99Sum += later.p99Sum;
        timed += later.timed;
        lowestP50 = Math.min(lowestP50, later.lowestP50);
        highestP50 = Math.max(highestP50, later.highestP50);
        lowestP99 = Math.min(lowestP99, later.lowestP99);
        highestP99 = Math.max(highestP99, later.highestP99);
        for (Cost cost : Cost.values()) {
            int i = cost.ordinal();
            // Where a JVM tells it now and then, some of it is enough.
            known[i] = cost == Cost.ALLOCATED ? known[i] || later.known[i] : known[i] && later.known[i];
            totals[i] = cost.kind() == Cost.Kind.TOTAL ? totals[i] + later.totals[i] : later.totals[i];
            lowest[i] = Math.min(lowest[i], later.lowest[i]);
            highest[i] = Math.max(highest[i], later.highest[i]);
        }
    }

    /**
     * Returns failed requests per second; what a target owes that died, or what fails in the rest of an interval, fails
     * in a moment, which is no rate.
     */
    double errorRate() {
        return failed * NS_PER_SEC / Math.max(lengthNs, owed ? NS_PER_SEC : LEAST_NS);
    }

    double rate(double count) {
        return lengthNs == 0 ? 0 : count * NS_PER_SEC / lengthNs;
    }

    Double of(Cost cost) {
        return known[cost.ordinal()] ? (double) totals[cost.ordinal()] : null;
    }

    Double perRequest(Cost cost, double unit) {
        Double total = of(cost);
        long requests = cost == Cost.ALLOCATED ? allocatedFor : successful;
        return total == null || requests == 0 ? null : Double.valueOf(total / requests / unit);
    }
}
