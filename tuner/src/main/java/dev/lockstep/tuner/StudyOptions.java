package dev.lockstep.tuner;

import java.util.List;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import org.immutables.value.Value;

/** How a space is searched. Immutable; checked when built. */
@Value.Immutable
@ValueStyle
public abstract class StudyOptions {
    StudyOptions() {}

    public static Builder builder() {
        return new Builder();
    }

    /** How many trials there are to be. */
    public abstract int evaluations();

    /** Two studies with the same seed that are told the same ask the same. */
    @Value.Default
    public long seed() {
        return 1;
    }

    /** How often the default configuration is evaluated at the beginning, where the space has one. */
    @Value.Default
    public int defaultTrials() {
        return 1;
    }

    /** The user's own configurations, evaluated next. */
    public abstract List<Configuration> configurations();

    /**
     * How many trials come before the first of the model, all told; chosen by the number of parameters where absent.
     */
    public abstract OptionalInt designTrials();

    /**
     * Whether two evaluations of one configuration may differ. Where they cannot, no configuration is asked for twice
     * and the best value is the answer.
     */
    @Value.Default
    public boolean noisy() {
        return true;
    }

    /**
     * The smallest gain that matters, in the unit of the value: no search goes on for less. Where absent, a
     * hundred-thousandth of the values' standard deviation.
     */
    public abstract OptionalDouble worthwhile();

    @Value.Check
    void check() {
        requireAtLeast("evaluations", evaluations(), 1);
        requireAtLeast("default trials", defaultTrials(), 0);
        designTrials().ifPresent(count -> requireAtLeast("design trials", count, 0));
        worthwhile().ifPresent(gain -> {
            if (!(gain >= 0) || Double.isInfinite(gain)) {
                throw new IllegalArgumentException("worthwhile: must be a number of 0 or more, is " + gain);
            }
        });
    }

    private static void requireAtLeast(String field, int count, int least) {
        if (count < least) {
            throw new IllegalArgumentException(field + ": must be " + least + " or more, is " + count);
        }
    }

    /** {@link #build} throws IllegalArgumentException with the field, the rule and the value. */
    public static final class Builder extends ImmutableStudyOptions.Builder {
        Builder() {}
    }
}
