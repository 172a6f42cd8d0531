package dev.lockstep.search;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.lockstep.tuner.Configuration;
import dev.lockstep.tuner.Space;
import java.util.Optional;
import java.util.OptionalDouble;
import org.immutables.value.Value;

/** What a fresh comparison of a search's best configuration with the default found: the only result. Immutable. */
@Value.Immutable
public abstract class Verification {
    public static Builder builder(String configuration) {
        return new Builder().configuration(configuration);
    }

    /** Which configuration was verified, as {@link SearchPlan#print}. */
    public abstract String configuration();

    /** The same with every digit; absent in old journals. */
    public abstract Optional<Configuration> parameters();

    /** How sure it was to be: {@code verdict} or {@code quick}; absent in old journals. */
    public abstract Optional<String> effort();

    /** Whether it is better than the default. */
    public abstract boolean holds();

    /** The word of the verdict: {@code better}. */
    public abstract String finding();

    /** What was found, a sentence for people. */
    public abstract String sentence();

    /** The best over the default; absent where there is none. */
    public abstract OptionalDouble ratio();

    /** The ends of its interval. */
    public abstract OptionalDouble low();

    public abstract OptionalDouble high();

    /** The run directory. */
    public abstract String directory();

    ObjectNode document() {
        ObjectNode document = JsonLines.object();
        document.put("configuration", configuration());
        parameters().ifPresent(one -> document.set("parameters", JsonLines.values(one.values())));
        effort().ifPresent(effort -> document.put("effort", effort));
        document.put("holds", holds());
        document.put("finding", finding());
        document.put("sentence", sentence());
        ratio().ifPresent(ratio -> document.put("ratio", ratio));
        low().ifPresent(low -> document.put("low", low));
        high().ifPresent(high -> document.put("high", high));
        document.put("directory", directory());
        return document;
    }

    /** @throws IllegalArgumentException in one line */
    static Verification read(Space space, ObjectNode document) {
        Builder found = builder(JsonLines.text(document, "configuration"));
        if (document.hasNonNull("parameters")) {
            found.parameters(JsonLines.configuration(space, document));
        }
        if (document.hasNonNull("effort")) {
            found.effort(JsonLines.text(document, "effort"));
        }
        return found.holds(document.path("holds").asBoolean())
                .finding(JsonLines.text(document, "finding"))
                .sentence(JsonLines.text(document, "sentence"))
                .ratio(JsonLines.number(document, "ratio"))
                .low(JsonLines.number(document, "low"))
                .high(JsonLines.number(document, "high"))
                .directory(JsonLines.text(document, "directory"))
                .build();
    }

    /** The ratio and its interval, the parameters and the effort may be left out. */
    public static final class Builder extends ImmutableVerification.Builder {
        Builder() {}
    }
}
