package dev.lockstep.results;

import com.fasterxml.jackson.databind.annotation.JsonDeserialize;
import org.immutables.value.Value;

/** What a launch did in the first minute of its life, the time in which it was frozen not counted. */
@Value.Immutable
@JsonDeserialize(builder = ImmutableFirstMinute.Builder.class)
public abstract class FirstMinute {
    public static FirstMinute of(long cpuNs, long requests) {
        return ImmutableFirstMinute.builder().cpuNs(cpuNs).requests(requests).build();
    }

    /** The CPU time, user and system, start-up included. */
    public abstract long cpuNs();

    /** How many requests were completed. */
    public abstract long requests();
}
