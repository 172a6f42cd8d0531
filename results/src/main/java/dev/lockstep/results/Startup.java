package dev.lockstep.results;

import com.fasterxml.jackson.databind.annotation.JsonDeserialize;
import java.util.OptionalLong;
import org.immutables.value.Value;

/** How long a target took to start, in ns from the start of its process (exec). What is not known is absent. */
@Value.Immutable
@JsonDeserialize(builder = ImmutableStartup.Builder.class)
public abstract class Startup {
    public static Startup of(OptionalLong jvmNs, OptionalLong portNs, OptionalLong firstAnswerNs) {
        return ImmutableStartup.builder()
                .jvmNs(jvmNs)
                .portNs(portNs)
                .firstAnswerNs(firstAnswerNs)
                .build();
    }

    /** From right before the fork until the JVM itself was ready (HotSpot). */
    public abstract OptionalLong jvmNs();

    /** Until the port was open. */
    public abstract OptionalLong portNs();

    /** Until the first good answer. */
    public abstract OptionalLong firstAnswerNs();
}
