package dev.lockstep.measurement;

import java.util.OptionalLong;

/**
 * What one garbage collector did: its cycles, where its log tells them, and how long it stopped the application.
 * Immutable.
 */
public final class GcCosts {
    private static final long UNKNOWN = -1;

    private final long cycles;
    private final long pauseNs;

    public GcCosts(long cycles, long pauseNs) {
        this.cycles = cycles;
        this.pauseNs = pauseNs;
    }

    /** Returns those of a collector whose log tells its pauses, but not its cycles. */
    public static GcCosts ofPauses(long pauseNs) {
        return new GcCosts(UNKNOWN, pauseNs);
    }

    /** Returns how many cycles it began; absent where its log does not tell. */
    public OptionalLong cycles() {
        return cycles == UNKNOWN ? OptionalLong.empty() : OptionalLong.of(cycles);
    }

    public long pauseNs() {
        return pauseNs;
    }

    GcCosts minus(GcCosts earlier) {
        return earlier == null
                ? this
                : new GcCosts(together(earlier, cycles - earlier.cycles), pauseNs - earlier.pauseNs);
    }

    GcCosts plus(GcCosts later) {
        return later == null ? this : new GcCosts(together(later, cycles + later.cycles), pauseNs + later.pauseNs);
    }

    private long together(GcCosts other, long both) {
        return cycles == UNKNOWN || other.cycles == UNKNOWN ? UNKNOWN : both;
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
        return (cycles == UNKNOWN ? "" : cycles + " cycles, ") + pauseNs + " ns";
    }
}
