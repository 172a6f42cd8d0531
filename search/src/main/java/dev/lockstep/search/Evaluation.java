package dev.lockstep.search;

import dev.lockstep.tuner.Configuration;
import dev.lockstep.tuner.Observation;
import java.util.List;
import java.util.Optional;
import org.immutables.value.Value;

/** What came of a trial: what the tuner is told, and what people want to know besides. Immutable. */
@Value.Immutable
public abstract class Evaluation {
    public static Evaluation of(Observation observation) {
        return builder(observation).build();
    }

    public static Builder builder(Observation observation) {
        return new Builder().observation(observation);
    }

    public abstract Observation observation();

    /** Whether it was ended before all was measured, since its value was surely worse than the best known. */
    @Value.Default
    public boolean stoppedEarly() {
        return false;
    }

    /**
     * What to say where it failed without an answer and that is due to what evaluates, and not to the trial: where
     * others before and after it have an answer it is due to the trial. Else absent.
     */
    public abstract Optional<SearchException> unanswered();

    /** The configuration in effect, where it is another than the one asked for. */
    public abstract Optional<Configuration> inEffect();

    /** What two configurations have in common that come to the same; absent where nobody knows. */
    public abstract Optional<String> fingerprint();

    /** What a reader of the value must know, a line each. */
    public abstract List<String> notes();

    /** All but the observation may be left out. */
    public static final class Builder extends ImmutableEvaluation.Builder {
        Builder() {}
    }
}
