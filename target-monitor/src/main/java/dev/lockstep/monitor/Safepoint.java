package dev.lockstep.monitor;

/**
 * A time in which the JVM had stopped all threads of the application, for a collection or for anything else, from the
 * request to stop on. Immutable. Start and end are on the clock of {@link System#nanoTime()}; {@link GcLog} says how
 * exact they are.
 */
public final class Safepoint {
    private final long startNs;
    private final long endNs;

    Safepoint(long startNs, long endNs) {
        this.startNs = startNs;
        this.endNs = endNs;
    }

    public long startNs() {
        return startNs;
    }

    public long endNs() {
        return endNs;
    }

    @Override
    public String toString() {
        return "safepoint: " + startNs + " to " + endNs + " ns";
    }
}
