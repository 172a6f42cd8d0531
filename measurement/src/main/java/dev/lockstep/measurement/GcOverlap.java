package dev.lockstep.measurement;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonProperty;
import java.util.List;
import java.util.OptionalDouble;

/**
 * How much of the time of the slowest requests, those above the 99.9th percentile of the response time, a garbage
 * collection had stopped the target, from intended to last byte; and how many of them overlapped a pause at all. The
 * longer a request takes, the more pauses it meets by chance, so the count alone blames no collector. Immutable.
 */
public final class GcOverlap {
    /** A share of fewer says nothing; it is what a percentile needs above it. */
    private static final int LEAST_FOR_A_SHARE = 10;

    @JsonProperty
    private final long aboveNs;

    @JsonProperty
    private final long requestsAbove;

    @JsonProperty
    private final long requests;

    @JsonProperty
    private final long overlapped;

    @JsonProperty
    private final OptionalDouble pausedShare;

    @JsonProperty
    private final OptionalDouble pausedShareByChance;

    /**
     * @param aboveNs the 99.9th percentile
     * @param requestsAbove all requests above it, by the histogram
     * @param requests of these, those whose times were kept
     * @param overlapped how many of the kept ones overlapped a pause
     * @param pausedShare which share of the kept ones' time pauses took, 0 to 1; absent in results before 0.2.0
     * @param pausedShareByChance which share of all measured time pauses took, 0 to 1
     */
    @JsonCreator
    public GcOverlap(
            @JsonProperty(value = "aboveNs", required = true) long aboveNs,
            @JsonProperty(value = "requestsAbove", required = true) long requestsAbove,
            @JsonProperty(value = "requests", required = true) long requests,
            @JsonProperty(value = "overlapped", required = true) long overlapped,
            @JsonProperty("pausedShare") OptionalDouble pausedShare,
            @JsonProperty("pausedShareByChance") OptionalDouble pausedShareByChance) {
        this.aboveNs = aboveNs;
        this.requestsAbove = requestsAbove;
        this.requests = requests;
        this.overlapped = overlapped;
        this.pausedShare = pausedShare == null ? OptionalDouble.empty() : pausedShare;
        this.pausedShareByChance = pausedShareByChance == null ? OptionalDouble.empty() : pausedShareByChance;
    }

    /** Returns the 99.9th percentile of the response time. */
    public long aboveNs() {
        return aboveNs;
    }

    /** Returns how many requests were above it; more than {@code requests} where not all could be kept. */
    public long requestsAbove() {
        return requestsAbove;
    }

    /** Returns of how many of them the times were kept. */
    public long requests() {
        return requests;
    }

    /** Returns how many of these overlapped a collection's pause. */
    public long overlapped() {
        return overlapped;
    }

    /** Returns the share of these, 0 to 1; absent below ten. */
    @JsonProperty
    public OptionalDouble share() {
        return requests < LEAST_FOR_A_SHARE
                ? OptionalDouble.empty()
                : OptionalDouble.of((double) overlapped / requests);
    }

    /**
     * Returns the share of the time of {@code requests} in which a pause stopped the target, 0 to 1; absent in results
     * of version 0.1.0.
     */
    public OptionalDouble pausedShare() {
        return pausedShare;
    }

    /**
     * Returns the share that requests at any time would show, 0 to 1: that of all measured time in which a pause
     * stopped the target.
     */
    public OptionalDouble pausedShareByChance() {
        return pausedShareByChance;
    }

    private List<Object> figures() {
        return List.of(aboveNs, requestsAbove, requests, overlapped, pausedShare, pausedShareByChance);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof GcOverlap && figures().equals(((GcOverlap) other).figures());
    }

    @Override
    public int hashCode() {
        return figures().hashCode();
    }

    @Override
    public String toString() {
        return overlapped + " of " + requests + ", " + requestsAbove + " above " + aboveNs + " ns";
    }
}
