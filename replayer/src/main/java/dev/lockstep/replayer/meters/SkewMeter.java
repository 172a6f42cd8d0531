package dev.lockstep.replayer.meters;

import dev.lockstep.measurement.Skew;
import java.util.ArrayList;
import java.util.List;
import org.HdrHistogram.Histogram;

/**
 * Measures the skew of targets that run together: for each request the time from its earliest send to its latest. Reads
 * what the event loops note, some milliseconds later, on a thread of the replayer.
 *
 * <p>A request that did not reach all targets, or reached one so late that the others' times were overwritten, is
 * counted as unmeasured.
 */
public final class SkewMeter {
    /** How far a target may lag behind the foremost before its requests are given up. */
    private static final int PATIENCE = SendTimes.CAPACITY / 2;

    private final List<SendTimes> targets = new ArrayList<>();
    private final Histogram spread = new Histogram(3);
    private long unmeasured;
    private long next;

    /** Adds a target; before the first read. */
    public SendTimes newTarget() {
        SendTimes times = new SendTimes();
        targets.add(times);
        return times;
    }

    /** Reads what has come since the last call; one thread. */
    public void read() {
        read(PATIENCE);
    }

    /** Reads the rest, after the last request was sent; the same thread, or after it has ended. */
    public Skew finish() {
        read(0);
        return Skew.of(spread, unmeasured);
    }

    private void read(int patience) {
        long newest = -1;
        for (SendTimes times : targets) {
            newest = Math.max(newest, times.newest());
        }
        while (next <= newest && measure(next, newest - next >= patience)) {
            next++;
        }
    }

    /** Returns whether this request is done. */
    private boolean measure(long n, boolean givenUp) {
        long earliest = Long.MAX_VALUE;
        long latest = Long.MIN_VALUE;
        boolean overwritten = false;
        int missing = 0;
        for (SendTimes times : targets) {
            long sentNs = times.sentNs(n);
            if (sentNs == SendTimes.NOT_YET) {
                missing++;
            } else if (sentNs == SendTimes.OVERWRITTEN) {
                overwritten = true;
            } else {
                earliest = Math.min(earliest, sentNs);
                latest = Math.max(latest, sentNs);
            }
        }
        if (overwritten) {
            unmeasured++;
            return true;
        }
        if (missing == 0) {
            spread.recordValue(latest - earliest);
            return true;
        }
        if (givenUp && missing < targets.size()) {
            unmeasured++;
        }
        return givenUp;
    }
}
