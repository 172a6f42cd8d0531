package dev.lockstep.results;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonValue;
import com.fasterxml.jackson.databind.annotation.JsonDeserialize;
import java.util.Locale;
import java.util.OptionalDouble;
import java.util.OptionalLong;
import org.immutables.value.Value;

/** Whether a launch of a target was steady while it was measured, and what it took to get there. */
@Value.Immutable
@JsonDeserialize(builder = Warmup.Builder.class)
public abstract class Warmup {
    /** Whether it got neither faster nor slower any more. */
    public enum State {
        STEADY,
        NOT_STEADY,
        /** No change was found, but there were too few seconds, or too noisy ones, to find one. */
        UNDECIDABLE;

        /** The word in files. */
        @JsonValue
        public String key() {
            return name().toLowerCase(Locale.ROOT).replace('_', '-');
        }

        @JsonCreator
        static State parse(String key) {
            return Keys.parse(values(), State::key, key);
        }
    }

    public static Builder builder(State state) {
        return new Builder().state(state);
    }

    /** Whether it got neither faster nor slower any more while it was measured. */
    @Value.Default
    public State state() {
        return State.NOT_STEADY;
    }

    /**
     * How long it was under load until it was steady; of one that was not, all of its load: it takes longer; of one of
     * which nobody can tell, and of a target that only its launches together, or its full load, showed to be steady,
     * how long it was warmed up.
     */
    public abstract OptionalLong durationNs();

    /** How many requests were completed in that time. */
    public abstract OptionalLong requests();

    /** The CPU time, user and system, from the start of the process to the end of that time. */
    public abstract OptionalLong cpuNs();

    /** The JIT's part of the CPU in the last ten seconds, of a launch that was heated since then; from 0 to 1. */
    public abstract OptionalDouble jitShare();

    /** The smallest step that would have been found: 0.05 is 5 %. */
    public abstract OptionalDouble visibleStep();

    /**
     * The same of the application's CPU per request alone. Where it is at most 0.05, and only the response times are
     * noisier, costs per request and collections are those of a steady target.
     */
    public abstract OptionalDouble visibleCostStep();

    /** Whether {@code state} is steady, as version 0.1 wrote it. */
    @Value.Derived
    @JsonProperty("steady")
    public boolean isSteady() {
        return state() == State.STEADY;
    }

    public static final class Builder extends ImmutableWarmup.Builder {
        Builder() {}

        /** All that version 0.1 wrote of the state; beside one it adds nothing. */
        @JsonProperty("steady")
        Builder steady(boolean steady) {
            return steady ? state(State.STEADY) : this;
        }
    }
}
