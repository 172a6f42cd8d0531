package dev.lockstep.measurement;

import com.fasterxml.jackson.databind.annotation.JsonDeserialize;
import java.util.OptionalDouble;
import org.immutables.value.Value;

/**
 * How much of the time of the slowest requests, those above the 99.9th percentile of the response time, a garbage
 * collection had stopped the target, from intended to last byte; and how many of them overlapped a pause at all. The
 * longer a request takes, the more pauses it meets by chance, so the count alone blames no collector. Immutable.
 */
@Value.Immutable
@JsonDeserialize(builder = ImmutableGcOverlap.Builder.class)
public abstract class GcOverlap {
    /** A share of fewer says nothing; it is what a percentile needs above it. */
    private static final int LEAST_FOR_A_SHARE = 10;

    public static GcOverlap of(
            long aboveNs,
            long requestsAbove,
            long requests,
            long overlapped,
            OptionalDouble pausedShare,
            OptionalDouble pausedShareByChance) {
        return ImmutableGcOverlap.of(aboveNs, requestsAbove, requests, overlapped, pausedShare, pausedShareByChance);
    }

    /** Returns the 99.9th percentile of the response time. */
    public abstract long aboveNs();

    /** Returns how many requests were above it; more than {@code requests} where not all could be kept. */
    public abstract long requestsAbove();

    /** Returns of how many of them the times were kept. */
    public abstract long requests();

    /** Returns how many of these overlapped a collection's pause. */
    public abstract long overlapped();

    /**
     * Returns the share of the time of {@code requests} in which a pause stopped the target, 0 to 1; absent in results
     * of version 0.1.0.
     */
    public abstract OptionalDouble pausedShare();

    /**
     * Returns the share that requests at any time would show, 0 to 1: that of all measured time in which a pause
     * stopped the target.
     */
    public abstract OptionalDouble pausedShareByChance();

    /** Returns the share of these, 0 to 1; absent below ten. */
    @Value.Derived
    public OptionalDouble share() {
        return requests() < LEAST_FOR_A_SHARE
                ? OptionalDouble.empty()
                : OptionalDouble.of((double) overlapped() / requests());
    }
}
