package dev.lockstep.search;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.lockstep.tuner.Configuration;
import dev.lockstep.tuner.Space;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import org.immutables.value.Value;

/** What a fresh comparison of a search's best configuration with the default found: the only result. Immutable. */
@Value.Immutable
public abstract class Verification {
    public static Builder builder(String configuration) {
        return new Builder().configuration(configuration);
    }

    /** Which configuration was verified, as {@link SearchPlan#print}. */
    public abstract String configuration();

    /** The same with every digit. */
    public abstract Optional<Configuration> parameters();

    /** How sure it was to be: {@code verdict} or {@code quick}; absent where a program evaluates. */
    public abstract Optional<String> effort();

    /** Which member of a front it is, for people: {@code knee}; absent where there is one objective. */
    public abstract Optional<String> role();

    /** Whether it is better than the default, of two objectives in one of them at least, and keeps all constraints. */
    public abstract boolean holds();

    /** The word of the verdict: {@code better}. */
    public abstract String finding();

    /** Which constraints it did not keep. */
    public abstract List<String> violated();

    /** What was found, a sentence for people. */
    public abstract String sentence();

    /** The names of what it was compared with beside the default. */
    public abstract List<String> baselines();

    /** The best over the default; absent where there is none. */
    public abstract OptionalDouble ratio();

    /** The best's value less the default's, where a program evaluates; else absent. */
    public abstract OptionalDouble difference();

    /** By how many pairs of evaluations, where a program evaluates; else absent. */
    public abstract OptionalInt pairs();

    /** The ends of its interval. */
    public abstract OptionalDouble low();

    public abstract OptionalDouble high();

    /** The word of the verdict by the second objective, where there are two. */
    public abstract Optional<String> secondFinding();

    /** The best over the default by the second objective. */
    public abstract OptionalDouble secondRatio();

    /** The ends of its interval. */
    public abstract OptionalDouble secondLow();

    public abstract OptionalDouble secondHigh();

    /** The run directory; absent where a program evaluates. */
    public abstract Optional<String> directory();

    ObjectNode document() {
        ObjectNode document = JsonLines.object();
        document.put("configuration", configuration());
        parameters().ifPresent(one -> document.set("parameters", JsonLines.values(one.values())));
        effort().ifPresent(effort -> document.put("effort", effort));
        role().ifPresent(role -> document.put("role", role));
        document.put("holds", holds());
        document.put("finding", finding());
        if (!violated().isEmpty()) {
            violated().forEach(document.putArray("violated")::add);
        }
        if (!baselines().isEmpty()) {
            baselines().forEach(document.putArray("baselines")::add);
        }
        document.put("sentence", sentence());
        ratio().ifPresent(ratio -> document.put("ratio", ratio));
        difference().ifPresent(difference -> document.put("difference", difference));
        pairs().ifPresent(pairs -> document.put("pairs", pairs));
        low().ifPresent(low -> document.put("low", low));
        high().ifPresent(high -> document.put("high", high));
        secondFinding().ifPresent(finding -> {
            ObjectNode second = document.putObject("second").put("finding", finding);
            secondRatio().ifPresent(ratio -> second.put("ratio", ratio));
            secondLow().ifPresent(low -> second.put("low", low));
            secondHigh().ifPresent(high -> second.put("high", high));
        });
        directory().ifPresent(directory -> document.put("directory", directory));
        return document;
    }

    /** @throws IllegalArgumentException in one line */
    static Verification read(Space space, ObjectNode document) {
        Builder found = builder(JsonLines.text(document, "configuration"))
                .effort(JsonLines.optionalText(document, "effort"))
                .role(JsonLines.optionalText(document, "role"))
                .directory(JsonLines.optionalText(document, "directory"));
        if (document.hasNonNull("parameters")) {
            found.parameters(JsonLines.configuration(space, document));
        }
        if (document.path("second").isObject()) {
            ObjectNode second = (ObjectNode) document.get("second");
            found.secondFinding(JsonLines.text(second, "finding"))
                    .secondRatio(JsonLines.number(second, "ratio"))
                    .secondLow(JsonLines.number(second, "low"))
                    .secondHigh(JsonLines.number(second, "high"));
        }
        document.path("violated").forEach(name -> found.violated(name.asText()));
        document.path("baselines").forEach(name -> found.baselines(name.asText()));
        return found.holds(document.path("holds").asBoolean())
                .finding(JsonLines.text(document, "finding"))
                .sentence(JsonLines.text(document, "sentence"))
                .ratio(JsonLines.number(document, "ratio"))
                .low(JsonLines.number(document, "low"))
                .high(JsonLines.number(document, "high"))
                .build();
    }

    /** Figures, the parameters, the role, the effort and the directory may be left out. */
    public static final class Builder extends ImmutableVerification.Builder {
        Builder() {}
    }
}
