package dev.lockstep.tuner;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.stream.Collectors;

/**
 * A value for each parameter that has a meaning beside the others, in the order of the space. Two are equal if they
 * have equal values. Immutable; {@link Space#configuration} makes them.
 */
public final class Configuration {
    private final Map<String, Object> values;

    Configuration(Map<String, Object> values) {
        this.values = Collections.unmodifiableMap(new LinkedHashMap<>(values));
    }

    /** Longs, Doubles, Booleans or Strings by the names of their parameters. */
    public Map<String, Object> values() {
        return values;
    }

    /** Returns the value of a parameter; absent where it has no meaning. */
    public Optional<Object> value(String parameter) {
        return Optional.ofNullable(values.get(parameter));
    }

    /** Returns the value of a parameter as a number; absent where it is none or has no meaning. */
    public OptionalDouble number(String parameter) {
        Object value = values.get(parameter);
        return value instanceof Number ? OptionalDouble.of(((Number) value).doubleValue()) : OptionalDouble.empty();
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Configuration && values.equals(((Configuration) other).values);
    }

    @Override
    public int hashCode() {
        return values.hashCode();
    }

    @Override
    public String toString() {
        return values.entrySet().stream()
                .map(entry -> entry.getKey() + "=" + entry.getValue())
                .collect(Collectors.joining(" "));
    }
}
