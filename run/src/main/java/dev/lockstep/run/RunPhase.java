package dev.lockstep.run;

import java.util.Optional;
import java.util.OptionalLong;
import org.immutables.value.Value;

/** A part of a run, such as the start of a target or its warm-up. Immutable. */
@Value.Immutable
public abstract class RunPhase {
    public enum Kind {
        START,
        WARM_UP,
        /** The first requests are sent twice, to learn which answers vary. */
        LEARNING,
        MEASUREMENT,
        /** Targets get requests as fast as they answer; their measured phase is over. */
        FULL_LOAD,
        PROFILE_START,
        PROFILE_WARM_UP,
        PROFILE,
        PROFILE_END
    }

    /** One of the turns that targets take. */
    @Value.Immutable
    public abstract static class Turn {
        /** From 0, over all targets. */
        public abstract long number();

        public abstract int targets();

        /** How many turns each target gets. */
        public abstract int rounds();
    }

    static ImmutableRunPhase.Builder builder(Kind kind, String title) {
        return ImmutableRunPhase.builder().kind(kind).title(title);
    }

    public abstract Kind kind();

    /** A line for people, complete: with the launch and the target where there are several. */
    public abstract String title();

    /** The only target that it is about; absent where it is about all. */
    public abstract Optional<String> target();

    /** How long it will take; absent where nobody knows. */
    public abstract OptionalLong lengthNs();

    public abstract Optional<Turn> turn();
}
