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
    /** Where a figure lies with 90 %. */
    @Value.Immutable
    @ValueStyle
    public abstract static class Interval {
        Interval() {}

        public abstract double low();

        public abstract double high();
    }

    /** What the model expects with one value of a parameter, the others being those of the best. */
    @Value.Immutable
    @ValueStyle
    public abstract static class Point {
        Point() {}

        public abstract Object value();

        /** The value that is expected, its noise apart. */
        public abstract double mean();

        /** Its standard deviation, about. */
        public abstract double sd();

        /** The lower end of the band in which the value lies with 95 %, its noise apart. */
        public abstract double low();

        /** The upper end of it. */
        public abstract double high();

        /** How likely it is that the configuration works and keeps every constraint. */
        public abstract double probabilityFeasible();
    }

    StudyState() {}

    /** Which is held for the best; absent where no trial worked and kept every constraint that was measured. */
    public abstract Optional<Recommendation> best();

    /**
     * Of two objectives, the configurations of which none is better in one and as good in the other, from the best of
     * the first on; {@link #best} is the one of them that bulges most. Empty where there is one objective.
     */
    public abstract List<Recommendation> front();

    /** What the model holds of the second objective, where the space has two; without best and front. */
    public abstract Optional<StudyState> second();

    /**
     * How much of what the value varies over the space is due to each parameter, alone and with others: its total Sobol
     * index as a share of the sum of all, the mean over functions drawn from the model. All together are 1. Values
     * count as the model sees them, a long tail drawn in. Empty as long as there is no model or no best, or nothing
     * varies.
     *
     * <p>Source: A. Saltelli et al., "Variance based sensitivity analysis of model output", Computer Physics
     * Communications 181 (2010), table 2 (Jansen's estimator).
     */
    public abstract Map<String, Double> importance();

    /** Where each share of {@link #importance} lies, by the functions drawn; the same parameters. */
    public abstract Map<String, Interval> importanceIntervals();

    /**
     * The model along each parameter, in the parameter's order: a slice through the best, whose own value is among
     * them. No more than 34 values of a range; values that break a rule of the space are left out. A parameter that has
     * no meaning beside the best's values is not here. Empty as long as there is no model or no best.
     */
    public abstract Map<String, List<Point>> slices();

    /**
     * The standard deviation of the noise that was learned, in the unit of the value, beside the variances that were
     * given.
     */
    public abstract OptionalDouble noiseSd();
}
