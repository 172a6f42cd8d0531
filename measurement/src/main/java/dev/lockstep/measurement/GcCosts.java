package dev.lockstep.measurement;

/** What one garbage collector did: its cycles, and how long it stopped the application. Immutable. */
public final class GcCosts {
    private final long cycles;
    private final long pauseNs;

    public GcCosts(long cycles, long pauseNs) {
        this.cycles = cycles;
        this.pauseNs = pauseNs;
    }

    public long cycles() {
        return cycles;
    }

    public long pauseNs() {
        return pauseNs;
    }

    GcCosts minus(GcCosts earlier) {
        return earlier == null ? this : new GcCosts(cycles - earlier.cycles, pauseNs - earlier.pauseNs);
    }

    GcCosts plus(GcCosts later) {
        return later == null ? this : new GcCosts(cycles + later.cycles, pauseNs + later.pauseNs);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof GcCosts && ((GcCosts) other).cycles == cycles && ((GcCosts) other).pauseNs == pauseNs;
    }

    @Override
    public int hashCode() {
        return 31 * Long.hashCode(cycles) + Long.hashCode(pauseNs);
    }

    @Override
    public String toString() {
        return cycles + " cycles, " + pauseNs + " ns";
    }
}
