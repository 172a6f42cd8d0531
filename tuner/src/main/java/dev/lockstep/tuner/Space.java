package dev.lockstep.tuner;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.immutables.value.Value;

/** What is searched: parameters, what must hold between them, and what is wanted. Immutable; checked when built. */
@Value.Immutable
@ValueStyle
public abstract class Space {
    Space() {}

    public static Builder builder() {
        return new Builder();
    }

    public abstract List<Parameter> parameters();

    /** What must hold between parameters. Configurations that break one are never asked for. */
    public abstract List<Rule> rules();

    /** The names of what an evaluation measures beside its value and what must be at most 0 for it to count. */
    public abstract List<String> constraints();

    @Value.Default
    public Direction direction() {
        return Direction.MINIMIZE;
    }

    /** The direction of a second objective; absent where there is one objective. */
    public abstract Optional<Direction> secondDirection();

    /** @throws IllegalArgumentException where there is none, with one line that lists the parameters */
    public Parameter parameter(String name) {
        return parameters().stream()
                .filter(one -> one.name().equals(name))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException(
                        "unknown parameter '" + name + "', known are " + String.join(", ", names())));
    }

    /**
     * Returns a configuration of these values. Values of parameters that have no meaning beside the others are left
     * out, so that two configurations that come to the same are equal.
     *
     * @throws IllegalArgumentException with one line, for an unknown parameter, a value that one cannot have, a missing
     *     one, and a broken rule
     */
    public Configuration configuration(Map<String, ?> values) {
        Configuration configuration = unruled(values);
        for (Rule rule : rules()) {
            if (!rule.holds(configuration)) {
                throw new IllegalArgumentException("expected " + rule + ", found " + configuration);
            }
        }
        return configuration;
    }

    boolean keepsRules(Configuration configuration) {
        return rules().stream().allMatch(rule -> rule.holds(configuration));
    }

    /** Returns the configuration in which every parameter has its default; absent where one has none. */
    public Optional<Configuration> defaults() {
        if (parameters().stream().anyMatch(one -> one.defaultValue().isEmpty())) {
            return Optional.empty();
        }
        return Optional.of(
                configuration(parameters().stream().collect(Collectors.toMap(Parameter::name, one -> one.defaultValue()
                        .orElseThrow()))));
    }

    /** As {@link #configuration}, whatever the rules say. */
    private Configuration unruled(Map<String, ?> values) {
        values.keySet().forEach(this::parameter);
        Map<String, Object> given = new LinkedHashMap<>();
        for (Parameter one : parameters()) {
            if (values.containsKey(one.name())) {
                given.put(one.name(), one.value(values.get(one.name())));
            }
        }
        Map<String, Object> kept = new LinkedHashMap<>();
        for (Parameter one : parameters()) {
            if (isActive(one, given)) {
                Object value = given.get(one.name());
                if (value == null) {
                    throw new IllegalArgumentException("parameter " + one.name() + ": value: must be set, found "
                            + (given.isEmpty() ? "nothing" : "only " + new Configuration(given)));
                }
                kept.put(one.name(), value);
            }
        }
        return new Configuration(kept);
    }

    /** Returns whether a parameter has a meaning beside these values. */
    boolean isActive(Parameter parameter, Map<String, Object> values) {
        Optional<Condition> when = parameter.when();
        if (when.isEmpty()) {
            return true;
        }
        Object value = values.get(when.get().parameter());
        return value != null
                && when.get().values().contains(value)
                && isActive(parameter(when.get().parameter()), values);
    }

    private List<String> names() {
        return parameters().stream().map(Parameter::name).collect(Collectors.toList());
    }

    @Value.Check
    Space check() {
        if (parameters().isEmpty()) {
            throw new IllegalArgumentException("parameters: must be 1 or more, are none");
        }
        requireDistinct("parameters", names());
        requireDistinct("constraints", constraints());
        boolean plain = true;
        List<Parameter> checked = new ArrayList<>();
        for (Parameter one : parameters()) {
            Parameter same = withPlainCondition(one);
            plain &= same == one;
            checked.add(same);
        }
        parameters().forEach(this::requireNoCycle);
        if (!plain) {
            return new Builder().from(this).parameters(checked).build();
        }
        defaults();
        return this;
    }

    /** Returns a parameter whose condition has the values of the other one in that one's Java type. */
    private Parameter withPlainCondition(Parameter one) {
        if (one.when().isEmpty()) {
            return one;
        }
        String where = "parameter " + one.name() + ": when: ";
        Condition when = one.when().get();
        if (!names().contains(when.parameter())) {
            throw new IllegalArgumentException(
                    where + "unknown parameter '" + when.parameter() + "', known are " + String.join(", ", names()));
        }
        List<Object> values = new ArrayList<>();
        for (Object value : when.values()) {
            try {
                values.add(parameter(when.parameter()).value(value));
            } catch (IllegalArgumentException e) {
                throw new IllegalArgumentException(where + e.getMessage(), e);
            }
        }
        return values.equals(when.values())
                ? one
                : new Parameter.Builder()
                        .from(one)
                        .when(Condition.of(when.parameter(), values))
                        .build();
    }

    private void requireNoCycle(Parameter first) {
        Set<String> seen = new HashSet<>();
        Parameter one = first;
        while (one.when().isPresent()) {
            if (!seen.add(one.name())) {
                throw new IllegalArgumentException(
                        "parameter " + first.name() + ": when: must not lead back to itself, does by " + seen);
            }
            one = parameter(one.when().get().parameter());
        }
    }

    private static void requireDistinct(String what, List<String> names) {
        Set<String> seen = new HashSet<>();
        for (String name : names) {
            if (name.isBlank()) {
                throw new IllegalArgumentException(what + ": a name must not be empty");
            }
            if (!seen.add(name)) {
                throw new IllegalArgumentException(what + ": '" + name + "' is there twice, name them apart");
            }
        }
    }

    /** {@link #build} throws IllegalArgumentException with one line: what, where, the rule and the value. */
    public static final class Builder extends ImmutableSpace.Builder {
        Builder() {}
    }
}
