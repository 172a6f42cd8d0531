package dev.lockstep.measurement;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonProperty;
import java.util.Objects;
import java.util.OptionalLong;

/**
 * A time in which a target could not be reached: no connection to it was open, and none could be opened that brought an
 * answer. Immutable. Times are nanoseconds from the start of the run's measured phase.
 */
public final class Outage {
    @JsonProperty
    private final long fromNs;

    @JsonProperty
    private final OptionalLong toNs;

    @JsonProperty
    private final long failedRequests;

    /**
     * @param fromNs the first failed connection after the last answer
     * @param toNs the next answer, absent where none came until the end
     * @param failedRequests how many requests failed in between
     */
    @JsonCreator
    public Outage(
            @JsonProperty(value = "fromNs", required = true) long fromNs,
            @JsonProperty("toNs") OptionalLong toNs,
            @JsonProperty(value = "failedRequests", required = true) long failedRequests) {
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
