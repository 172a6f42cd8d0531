package dev.lockstep.search;

import dev.lockstep.tuner.Configuration;
import dev.lockstep.tuner.Recommendation;
import java.util.OptionalDouble;
import org.immutables.value.Value;

/** The configuration that an engine holds for the best. Immutable. */
@Value.Immutable
public abstract class Best {
    static Best of(Recommendation recommendation) {
        return builder(recommendation.configuration())
                .predicted(recommendation.predicted())
                .predictedSd(recommendation.predictedSd())
                .secondPredicted(recommendation.secondPredicted())
                .secondPredictedSd(recommendation.secondPredictedSd())
                .build();
    }

    static Builder builder(Configuration configuration) {
        return new Builder().configuration(configuration);
    }

    public abstract Configuration configuration();

    /** The value that is expected of it, its noise apart. */
    public abstract OptionalDouble predicted();

    /** The standard deviation of what is expected. */
    public abstract OptionalDouble predictedSd();

    /** The value of the second objective that is expected of it, where there are two. */
    public abstract OptionalDouble secondPredicted();

    /** The standard deviation of that. */
    public abstract OptionalDouble secondPredictedSd();

    static final class Builder extends ImmutableBest.Builder {}
}
