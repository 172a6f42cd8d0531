package dev.lockstep.monitor;

import java.util.Objects;

/**
 * A time in which a collector had stopped all threads of the application. Immutable. Start and end are on the clock of
 * {@link System#nanoTime()}, which on Linux all processes of a machine share; {@link GcLog} says how exact they are.
 */
public final class GcPause {
    private final long startNs;
    private final long endNs;
    private final String collector;

    GcPause(long startNs, long endNs, String collector) {
        this.startNs = startNs;
        this.endNs = endNs;
        this.collector = collector;
    }

    public long startNs() {
        return startNs;
    }

    public long endNs() {
        return endNs;
    }

    /** Returns the collector in the words of {@link GcTotals#pauseNs()}, for example "G1 Young". */
    public String collector() {
        return collector;
    }

    @Override
    public boolean equals(Object other) {
        if (!(other instanceof GcPause)) {
            return false;
        }
        GcPause that = (GcPause) other;
        return startNs == that.startNs && endNs == that.endNs && collector.equals(that.collector);
    }

    @Override
    public int hashCode() {
        return Objects.hash(startNs, endNs, collector);
    }

    @Override
    public String toString() {
        return "pause of " + collector + ": " + startNs + " to " + endNs + " ns";
    }
}
