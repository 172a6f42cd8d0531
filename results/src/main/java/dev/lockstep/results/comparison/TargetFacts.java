package dev.lockstep.results.comparison;

import com.fasterxml.jackson.databind.annotation.JsonDeserialize;
import java.util.List;
import org.immutables.value.Value;

/** What a target was in each of several runs, which are paired by its name. */
@Value.Immutable
@JsonDeserialize(builder = ImmutableTargetFacts.Builder.class)
public abstract class TargetFacts {
    public static TargetFacts of(String target, List<Fact> facts) {
        return ImmutableTargetFacts.builder().target(target).facts(facts).build();
    }

    /** The name in the plans. */
    public abstract String target();

    /** Its JVM, its options and its limits. */
    public abstract List<Fact> facts();

    /** Whether nothing is known by which it differs from run to run; its application may. */
    @Value.Derived
    public boolean same() {
        return facts().stream().noneMatch(Fact::differs);
    }
}
