package dev.lockstep.results.comparison;

import com.fasterxml.jackson.databind.annotation.JsonDeserialize;
import java.util.List;
import org.immutables.value.Value;

/** Something that figures depend on, of each of several runs: the JVM of a target, a processor, the pace. */
@Value.Immutable
@JsonDeserialize(builder = ImmutableFact.Builder.class)
public abstract class Fact {
    /** What stands for a value that is not known, or that a run has no target for. */
    public static final String UNKNOWN = "-";

    /** @param values for people, in the order of the runs */
    public static Fact of(String name, List<String> values) {
        return ImmutableFact.builder().name(name).values(values).build();
    }

    /** For people: {@code JVM}. */
    public abstract String name();

    /** In the order of the runs; {@value #UNKNOWN} where it is not known. */
    public abstract List<String> values();

    /** Whether two runs that know it differ in it. */
    @Value.Derived
    public boolean differs() {
        return values().stream()
                        .filter(value -> !value.equals(UNKNOWN))
                        .distinct()
                        .count()
                > 1;
    }
}
