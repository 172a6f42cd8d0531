package dev.lockstep.tuner;

import java.util.OptionalDouble;
import org.immutables.value.Value;

/** The configuration that a study holds for the best, and how sure it is. Immutable. */
@Value.Immutable
@ValueStyle
public abstract class Recommendation {
    Recommendation() {}

    public abstract Configuration configuration();

    /** The value that the model expects of it, its noise apart. */
    public abstract double predicted();

    /** The standard deviation of what is expected. */
    public abstract double predictedSd();

    /** The value of the second objective that the model expects, where the space has two. */
    public abstract OptionalDouble secondPredicted();

    /** The standard deviation of that. */
    public abstract OptionalDouble secondPredictedSd();

    /** How likely it is that it works and keeps every constraint. */
    public abstract double probabilityFeasible();

    /** How many values of it there are; 0 where the model alone speaks for it. */
    public abstract int values();
}
