package dev.lockstep.tuner;

import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import org.immutables.value.Value;

/**
 * What came of a trial: a value with what was measured for the constraints; or that it failed, which says something of
 * its configuration; or that it was skipped, which says nothing. Immutable; checked when built.
 */
@Value.Immutable
@ValueStyle
public abstract class Observation {
    Observation() {}

    public static Observation of(double value) {
        return builder().value(value).build();
    }

    /** @param variance how far off the value may be, as the square of its standard deviation */
    public static Observation of(double value, double variance) {
        return builder().value(value).variance(variance).build();
    }

    /** Returns that the configuration does not work: it did not start, crashed, or was killed. */
    public static Observation failed(String why) {
        return builder().failed(why).build();
    }

    /** Returns that there was no evaluation to the end, for a reason that is not in the configuration. */
    public static Observation skipped(String why) {
        return builder().skipped(why).build();
    }

    public static Builder builder() {
        return new Builder();
    }

    public abstract OptionalDouble value();

    /** What is known of the value's noise; the model learns what comes on top, from one evaluation to the next. */
    public abstract OptionalDouble variance();

    /** The value of the second objective, where the space has two. */
    public abstract OptionalDouble secondValue();

    /** As {@link #variance}, of the second value. */
    public abstract OptionalDouble secondVariance();

    /**
     * By the names of the space's constraints; one holds where this is at most 0. Those that were not measured lack.
     */
    public abstract Map<String, Double> constraints();

    /** Why the configuration does not work. */
    public abstract Optional<String> failed();

    /** Why it was not evaluated. It is not asked for again. */
    public abstract Optional<String> skipped();

    /** Returns whether there is a value and no measured constraint is violated. */
    public boolean isFeasible() {
        return value().isPresent() && constraints().values().stream().allMatch(constraint -> constraint <= 0);
    }

    @Value.Check
    void check() {
        int kinds = (value().isPresent() ? 1 : 0)
                + (failed().isPresent() ? 1 : 0)
                + (skipped().isPresent() ? 1 : 0);
        if (kinds != 1) {
            throw new IllegalArgumentException("observation: must be one of value, failed and skipped, is " + kinds);
        }
        value().ifPresent(value -> requireFinite("value", value));
        constraints().forEach((name, value) -> requireFinite("constraint " + name, value));
        secondValue().ifPresent(value -> requireFinite("second value", value));
        if (value().isEmpty() && secondValue().isPresent()) {
            throw new IllegalArgumentException("second value: goes with a first one, found it alone");
        }
        requireVariance("variance", variance(), value());
        requireVariance("second variance", secondVariance(), secondValue());
        if (value().isEmpty() && !constraints().isEmpty()) {
            throw new IllegalArgumentException("constraints: go with a value only, found " + constraints());
        }
    }

    private static void requireVariance(String field, OptionalDouble found, OptionalDouble value) {
        found.ifPresent(variance -> {
            requireFinite(field, variance);
            if (variance < 0 || value.isEmpty()) {
                throw new IllegalArgumentException(field + ": must be 0 or more beside a value, is " + variance);
            }
        });
    }

    private static void requireFinite(String field, double value) {
        if (!Double.isFinite(value)) {
            throw new IllegalArgumentException(field + ": must be a finite number, is " + value);
        }
    }

    /** {@link #build} throws IllegalArgumentException with the field, the rule and the value. */
    public static final class Builder extends ImmutableObservation.Builder {
        Builder() {}
    }
}
