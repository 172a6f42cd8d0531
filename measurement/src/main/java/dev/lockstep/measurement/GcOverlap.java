package dev.lockstep.measurement;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.OptionalDouble;

/**
 * How many of the slowest requests, those above the 99.9th percentile of the response time, waited while a garbage
 * collection stopped the target: their time from intended to last byte overlapped a pause. Immutable.
 */
public final class GcOverlap {
    /** A share of fewer says nothing; it is what a percentile needs above it. */
    private static final int LEAST_FOR_A_SHARE = 10;

    private final long aboveNs;
    private final long requests;
    private final long overlapped;

    /**
     * @param aboveNs the 99.9th percentile
     * @param requests above it, as far as their times were kept
     * @param overlapped how many of these overlapped a pause
     */
    public GcOverlap(long aboveNs, long requests, long overlapped) {
        this.aboveNs = aboveNs;
        this.requests = requests;
        this.overlapped = overlapped;
    }

    public long aboveNs() {
        return aboveNs;
    }

    public long requests() {
        return requests;
    }

    public long overlapped() {
        return overlapped;
    }

    /** Returns the share of them that overlapped a pause, 0 to 1; absent where they are fewer than ten. */
    public OptionalDouble share() {
        return requests < LEAST_FOR_A_SHARE
                ? OptionalDouble.empty()
                : OptionalDouble.of((double) overlapped / requests);
    }

    ObjectNode toJson() {
        ObjectNode json = JsonFields.object();
        json.put("aboveNs", aboveNs);
        json.put("requests", requests);
        json.put("overlapped", overlapped);
        JsonFields.put(json, "share", share());
        return json;
    }

    static GcOverlap fromJson(JsonFields json) {
        return new GcOverlap(json.number("aboveNs"), json.number("requests"), json.number("overlapped"));
    }
}
