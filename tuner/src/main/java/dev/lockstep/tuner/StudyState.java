package dev.lockstep.tuner;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import org.immutables.value.Value;

/** What a study's model holds, for pages and tables. Immutable. */
@Value.Immutable
@ValueStyle
public abstract class StudyState {
    /** What the model expects with one value of a parameter, the others being those of the best. */
    @Value.Immutable
    @ValueStyle
    public abstract static class Point {
        Point() {}

        public abstract Object value();

        /** The value that is expected, its noise apart. */
        public abstract double mean();

        /** Its standard deviation; the 95 % band is 1.96 times that on either side. */
        public abstract double sd();

        /** How likely it is that the configuration works and keeps every constraint. */
        public abstract double probabilityFeasible();
    }

    StudyState() {}

    /** Which is held for the best; absent where no trial has a value. */
    public abstract Optional<Recommendation> best();

    /**
     * How much of what the value varies over the space is due to each parameter, alone and with others; all together
     * are 1. Empty as long as there is no model.
     */
    public abstract Map<String, Double> importance();

    /** The model along each parameter, in the parameter's order. Empty as long as there is no model. */
    public abstract Map<String, List<Point>> slices();

    /** The standard deviation of the noise that was learned, beside the variances that were given. */
    public abstract OptionalDouble noiseSd();
}
