package dev.lockstep.measurement;

import java.util.OptionalLong;
import org.immutables.value.Value;

/**
 * What one garbage collector did: its cycles, where its log tells them, and how long it stopped the application.
 * Immutable.
 */
@Value.Immutable
public abstract class GcCosts {
    public static GcCosts of(long cycles, long pauseNs) {
        return ImmutableGcCosts.of(OptionalLong.of(cycles), pauseNs);
    }

    /** Returns those of a collector whose log tells its pauses, but not its cycles. */
    public static GcCosts ofPauses(long pauseNs) {
        return ImmutableGcCosts.of(OptionalLong.empty(), pauseNs);
    }

    /** Returns how many cycles it began; absent where its log does not tell. */
    public abstract OptionalLong cycles();

    public abstract long pauseNs();

    GcCosts minus(GcCosts earlier) {
        return earlier == null ? this : plus(earlier, -1);
    }

    GcCosts plus(GcCosts later) {
        return later == null ? this : plus(later, 1);
    }

    private GcCosts plus(GcCosts other, int sign) {
        long sumNs = pauseNs() + sign * other.pauseNs();
        return cycles().isPresent() && other.cycles().isPresent()
                ? of(cycles().getAsLong() + sign * other.cycles().getAsLong(), sumNs)
                : ofPauses(sumNs);
    }
}
