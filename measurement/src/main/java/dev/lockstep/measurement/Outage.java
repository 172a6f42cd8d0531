package dev.lockstep.measurement;

import com.fasterxml.jackson.databind.annotation.JsonDeserialize;
import java.util.OptionalLong;
import org.immutables.value.Value;

/**
 * A time in which a target could not be reached: no connection to it was open, and none could be opened that brought an
 * answer. Immutable. Times are nanoseconds from the start of the run's measured phase.
 */
@Value.Immutable
@JsonDeserialize(builder = ImmutableOutage.Builder.class)
public abstract class Outage {
    public static Outage of(long fromNs, OptionalLong toNs, long failedRequests) {
        return ImmutableOutage.of(fromNs, toNs, failedRequests);
    }

    /** The first failed connection after the last answer. */
    public abstract long fromNs();

    /** The next answer, absent where none came until the end. */
    public abstract OptionalLong toNs();

    /** How many requests failed in between. */
    public abstract long failedRequests();
}
