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
    private final long requestsAbove;
    private final long requests;
    private final long overlapped;

    /**
     * @param aboveNs the 99.9th percentile
     * @param requestsAbove all requests above it, by the histogram
     * @param requests of these, those whose times were kept
     * @param overlapped how many of the kept ones overlapped a pause
     */
    public GcOverlap(long aboveNs, long requestsAbove, long requests, long overlapped) {
        this.aboveNs = aboveNs;
        this.requestsAbove = requestsAbove;
        this.requests = requests;
        this.overlapped = overlapped;
    }

    public long aboveNs() {
        return aboveNs;
    }

    /**
     * Returns how many requests were above it, by the histogram. More than {@link #requests()} where an interval had more
     * of them than there is room for, or was much faster than those before it.
     */
    public long requestsAbove() {
        return requestsAbove;
    }

    /** Returns of how many of them it is known whether they overlapped a pause. */
    public long requests() {
        return requests;
    }

    public long overlapped() {
        return overlapped;
    }

    /** Returns the share of {@link #requests()} that overlapped a pause, 0 to 1; absent where they are fewer than ten. */
    public OptionalDouble share() {
        return requests < LEAST_FOR_A_SHARE
                ? OptionalDouble.empty()
                : OptionalDouble.of((double) overlapped / requests);
    }

    ObjectNode toJson() {
        ObjectNode json = JsonFields.object();
        json.put("aboveNs", aboveNs);
        json.put("requestsAbove", requestsAbove);
        json.put("requests", requests);
        json.put("overlapped", overlapped);
        JsonFields.put(json, "share", share());
        return json;
    }

    static GcOverlap fromJson(JsonFields json) {
        return new GcOverlap(
                json.number("aboveNs"),
                json.number("requestsAbove"),
                json.number("requests"),
                json.number("overlapped"));
    }
}
