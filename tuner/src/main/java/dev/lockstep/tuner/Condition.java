package dev.lockstep.tuner;

import java.util.List;
import org.immutables.value.Value;

/** When a parameter has a meaning: while another one has one of these values, and has a meaning itself. Immutable. */
@Value.Immutable
@ValueStyle
public abstract class Condition {
    Condition() {}

    /** @param values numbers, booleans or texts, as the other parameter has them */
    public static Condition of(String parameter, List<?> values) {
        if (values.isEmpty()) {
            throw new IllegalArgumentException("when " + parameter + ": expected a value or more, found none");
        }
        return ImmutableCondition.builder()
                .parameter(parameter)
                .values(Plain.all("when " + parameter, values))
                .build();
    }

    /** The name of the other parameter. */
    public abstract String parameter();

    /** Any of these will do. */
    public abstract List<Object> values();
}
