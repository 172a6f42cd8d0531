package dev.lockstep.monitor;

import java.util.Objects;
import java.util.Optional;

/**
 * A time in which a collector had stopped all threads of the application. Immutable. Start and end are on the clock of
 * {@link System#nanoTime()}, which on Linux all processes of a machine share; {@link GcLog} says how exact they are.
 */
public final class GcPause {
    private final long startNs;
    private final long endNs;
    private final String collector;
    private final String name;
    private final String cause;

    GcPause(long startNs, long endNs, String collector, String name, String cause) {
        this.startNs = startNs;
        this.endNs = endNs;
        this.collector = collector;
        this.name = name;
        this.cause = cause;
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

    /** Returns what the JVM calls it, for example "Pause Young (Normal)". */
    public String name() {
        return name;
    }

    /** Returns why the collection was made, in the JVM's words, for example "Allocation Failure". */
    public Optional<String> cause() {
        return Optional.ofNullable(cause);
    }

    @Override
    public boolean equals(Object other) {
        if (!(other instanceof GcPause)) {
            return false;
        }
        GcPause that = (GcPause) other;
        return startNs == that.startNs
                && endNs == that.endNs
                && collector.equals(that.collector)
                && name.equals(that.name)
                && Objects.equals(cause, that.cause);
    }

    @Override
    public int hashCode() {
        return Objects.hash(startNs, endNs, collector, name);
    }

    @Override
    public String toString() {
        return name + (cause == null ? "" : " (" + cause + ")") + " of " + collector + ": " + startNs + " to " + endNs
                + " ns";
    }
}
