package dev.lockstep.search;

import dev.lockstep.tuner.Configuration;
import dev.lockstep.tuner.Parameter;
import dev.lockstep.tuner.Rule;
import java.util.List;
import java.util.OptionalDouble;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** Reads what must hold between parameters: {@code ConcGCThreads <= ParallelGCThreads}, {@code A < 0.5 * B}. */
final class RuleText {
    private static final Pattern RULE = Pattern.compile("(.+?)\\s*(<=|>=|==|!=|<|>)\\s*(.+)");
    private static final Pattern SIDE = Pattern.compile("(?:([0-9.eE+-]+)\\s*\\*\\s*)?(\\S+)");

    /** A factor, and the parameter that it multiplies; without one the factor itself. */
    private static final class Side {
        private final double factor;
        private final Parameter parameter;

        Side(double factor, Parameter parameter) {
            this.factor = factor;
            this.parameter = parameter;
        }

        OptionalDouble value(Configuration configuration) {
            if (parameter == null) {
                return OptionalDouble.of(plain(factor));
            }
            if (configuration
                    .value(parameter.name())
                    .filter(parameter.special()::contains)
                    .isPresent()) {
                return OptionalDouble.empty();
            }
            OptionalDouble value = configuration.number(parameter.name());
            return value.isPresent() ? OptionalDouble.of(plain(factor * value.getAsDouble())) : value;
        }

        /** Returns a number with one zero: -0.0 does not compare as 0.0. */
        private static double plain(double number) {
            return number + 0.0;
        }
    }

    private RuleText() {}

    /**
     * Returns the rule of a text. It holds where a parameter of it has no meaning, or a special value.
     *
     * @throws IllegalArgumentException in one line
     */
    static Rule parse(String text, List<Parameter> parameters) {
        Matcher rule = RULE.matcher(text.trim());
        if (!rule.matches()) {
            throw new IllegalArgumentException("expected two sides and <=, <, >=, >, == or != between them, as in"
                    + " ConcGCThreads <= ParallelGCThreads, found '" + text + "'");
        }
        Side left = side(rule.group(1), parameters);
        Side right = side(rule.group(3), parameters);
        if (left.parameter == null && right.parameter == null) {
            throw new IllegalArgumentException("expected a parameter on one side, found '" + text + "'");
        }
        String operator = rule.group(2);
        return Rule.of(text, configuration -> {
            OptionalDouble one = left.value(configuration);
            OptionalDouble other = right.value(configuration);
            return one.isEmpty()
                    || other.isEmpty()
                    || holds(Double.compare(one.getAsDouble(), other.getAsDouble()), operator);
        });
    }

    private static boolean holds(int order, String operator) {
        switch (operator) {
            case "<=":
                return order <= 0;
            case ">=":
                return order >= 0;
            case "==":
                return order == 0;
            case "!=":
                return order != 0;
            case "<":
                return order < 0;
            default:
                return order > 0;
        }
    }

    private static Side side(String text, List<Parameter> parameters) {
        Matcher side = SIDE.matcher(text.trim());
        if (!side.matches()) {
            throw new IllegalArgumentException(
                    "expected a number, a parameter, or a number * a parameter, found '" + text.trim() + "'");
        }
        double factor = side.group(1) == null ? 1 : number(side.group(1), text);
        String word = side.group(2);
        for (Parameter parameter : parameters) {
            if (parameter.name().equals(word)) {
                boolean isNumber =
                        parameter.type() != Parameter.Type.BOOLEAN && parameter.type() != Parameter.Type.CATEGORICAL;
                if (!isNumber) {
                    throw new IllegalArgumentException("expected a parameter that is a number, found '" + word
                            + "', which is " + parameter.type().label());
                }
                return new Side(factor, parameter);
            }
        }
        if (side.group(1) == null && word.matches("[0-9.eE+-]+")) {
            return new Side(number(word, text), null);
        }
        throw new IllegalArgumentException("unknown parameter '" + word + "'; known are "
                + parameters.stream().map(Parameter::name).collect(Collectors.joining(", ")));
    }

    private static double number(String word, String text) {
        try {
            return Double.parseDouble(word);
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException("expected a number, found '" + word + "' in '" + text.trim() + "'");
        }
    }
}
