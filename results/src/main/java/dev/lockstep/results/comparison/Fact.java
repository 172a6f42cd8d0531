package dev.lockstep.results.comparison;

import com.fasterxml.jackson.annotation.JsonInclude;
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

    /** @param whole the values with what comparing them leaves out */
    public static Fact of(String name, List<String> values, List<String> whole) {
        return ImmutableFact.builder().name(name).values(values).whole(whole).build();
    }

    /** For people: {@code JVM}. */
    public abstract String name();

    /** In the order of the runs; {@value #UNKNOWN} where it is not known. */
    public abstract List<String> values();

    /** The values with figures, names and advice that change from run to run; none where these are the values. */
    @JsonInclude(JsonInclude.Include.NON_EMPTY)
    public abstract List<String> whole();

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
