package dev.lockstep.measurement;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Objects;
import java.util.OptionalLong;

/**
 * A time in which a target could not be reached: no connection to it was open, and none could be opened that brought an
 * answer. Immutable. Times are nanoseconds from the start of the run's measured phase.
 */
public final class Outage {
    private final long fromNs;
    private final OptionalLong toNs;
    private final long failedRequests;

    /**
     * @param fromNs the first failed connection after the last answer
     * @param toNs the next answer, absent where none came until the end
     * @param failedRequests how many requests failed in between
     */
    public Outage(long fromNs, OptionalLong toNs, long failedRequests) {
        this.fromNs = fromNs;
        this.toNs = toNs;
        this.failedRequests = failedRequests;
    }

    public long fromNs() {
        return fromNs;
    }

    public OptionalLong toNs() {
        return toNs;
    }

    public long failedRequests() {
        return failedRequests;
    }

    ObjectNode toJson() {
        ObjectNode json = JsonFields.object();
        json.put("fromNs", fromNs);
        JsonFields.put(json, "toNs", toNs);
        json.put("failedRequests", failedRequests);
        return json;
    }

    static Outage fromJson(JsonFields json) {
        return new Outage(json.number("fromNs"), json.numberOrAbsent("toNs"), json.number("failedRequests"));
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Outage
                && fromNs == ((Outage) other).fromNs
                && toNs.equals(((Outage) other).toNs)
                && failedRequests == ((Outage) other).failedRequests;
    }

    @Override
    public int hashCode() {
        return Objects.hash(fromNs, toNs, failedRequests);
    }

    @Override
    public String toString() {
        return fromNs + " ns to " + (toNs.isPresent() ? toNs.getAsLong() + " ns" : "the end") + ": " + failedRequests
                + " failed";
    }
}
