package dev.lockstep.search;

import dev.lockstep.tuner.Configuration;
import dev.lockstep.tuner.Parameter;
import dev.lockstep.tuner.Rule;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.OptionalDouble;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** Reads what must hold between parameters: {@code ConcGCThreads <= ParallelGCThreads}, {@code A + 0.5 * B < 9}. */
final class RuleText {
    private static final Pattern RULE = Pattern.compile("(.+?)\\s*(<=|>=|==|!=|<|>)\\s*(.+)");
    private static final String NUMBER = "[0-9.]+(?:[eE][+-]?[0-9]+)?";
    private static final String END = "(?=[\\s+*-]|$)";
    /** The last word of what is no term. */
    private static final Pattern WORD = Pattern.compile("\\s*[+-]?\\s*(?:" + NUMBER + "\\s*\\*\\s*)?([^\\s+*-]\\S*).*");

    /** A factor, and the parameter that it multiplies; without one the factor itself. */
    private static final class Term {
        final double factor;
        final Parameter parameter;

        Term(double factor, Parameter parameter) {
            this.factor = factor;
            this.parameter = parameter;
        }

        OptionalDouble value(Configuration configuration) {
            if (parameter == null) {
                return OptionalDouble.of(factor);
            }
            if (configuration
                    .value(parameter.name())
                    .filter(parameter.special()::contains)
                    .isPresent()) {
                return OptionalDouble.empty();
            }
            OptionalDouble value = configuration.number(parameter.name());
            return value.isPresent() ? OptionalDouble.of(factor * value.getAsDouble()) : value;
        }
    }

    private final String operator;
    private final List<Term> left;
    private final List<Term> right;

    private RuleText(List<Term> left, String operator, List<Term> right) {
        this.left = left;
        this.operator = operator;
        this.right = right;
    }

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
        RuleText read = new RuleText(
                side(rule.group(1).trim(), parameters),
                rule.group(2),
                side(rule.group(3).trim(), parameters));
        if (read.parameters().isEmpty()) {
            throw new IllegalArgumentException("expected a parameter on one side, found '" + text + "'");
        }
        return Rule.of(text, read::holds, read::ranges);
    }

    private List<Parameter> parameters() {
        List<Term> all = new ArrayList<>(left);
        all.addAll(right);
        return all.stream()
                .map(term -> term.parameter)
                .filter(parameter -> parameter != null)
                .distinct()
                .collect(Collectors.toList());
    }

    private boolean holds(Configuration configuration) {
        OptionalDouble one = sum(left, null, configuration);
        OptionalDouble other = sum(right, null, configuration);
        return one.isEmpty() || other.isEmpty() || holds(Double.compare(one.getAsDouble(), other.getAsDouble()));
    }

    private boolean holds(int order) {
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

    /**
     * Returns the sum of a side, with one zero: -0.0 does not compare as 0.0. Absent where a term of it has no number.
     *
     * @param but whose terms are left out; null for none
     */
    private static OptionalDouble sum(List<Term> side, Parameter but, Configuration configuration) {
        double sum = 0;
        for (Term term : side) {
            if (but == null || term.parameter != but) {
                OptionalDouble value = term.value(configuration);
                if (value.isEmpty()) {
                    return value;
                }
                sum += value.getAsDouble();
            }
        }
        return OptionalDouble.of(sum);
    }

    /** Solves the rule for each of its parameters. */
    private List<Rule.Range> ranges(Configuration configuration) {
        List<Rule.Range> ranges = new ArrayList<>();
        for (Parameter one : parameters()) {
            double factor = factor(left, one) - factor(right, one);
            OptionalDouble before = sum(left, one, configuration);
            OptionalDouble behind = sum(right, one, configuration);
            if (factor != 0 && before.isPresent() && behind.isPresent()) {
                double equal = (behind.getAsDouble() - before.getAsDouble()) / factor;
                boolean below = operator.startsWith("<") == factor > 0;
                boolean any = operator.equals("!=");
                boolean exact = operator.equals("==");
                ranges.add(Rule.Range.of(
                        one.name(),
                        any || !exact && below ? Double.NEGATIVE_INFINITY : equal,
                        any || !exact && !below ? Double.POSITIVE_INFINITY : equal));
            }
        }
        return ranges;
    }

    private static double factor(List<Term> side, Parameter parameter) {
        return side.stream()
                .filter(term -> term.parameter == parameter)
                .mapToDouble(term -> term.factor)
                .sum();
    }

    /** Returns the terms of one side. */
    private static List<Term> side(String text, List<Parameter> parameters) {
        // Of two names that begin alike, the longer one.
        String names = parameters.stream()
                .map(Parameter::name)
                .sorted(Comparator.comparing(name -> -name.length()))
                .map(Pattern::quote)
                .collect(Collectors.joining("|"));
        Matcher term = Pattern.compile("\\s*([+-])?\\s*(?:(?:(" + NUMBER + ")\\s*\\*\\s*)?(" + names + ")" + END + "|("
                        + NUMBER + ")" + END + "(?!\\s*\\*))")
                .matcher(text);
        List<Term> terms = new ArrayList<>();
        int at = 0;
        while (at < text.length()) {
            if (!term.region(at, text.length()).lookingAt()) {
                Matcher word = WORD.matcher(text.substring(at));
                throw word.matches() ? unknown(word.group(1), parameters) : noTerms(text);
            }
            if (!terms.isEmpty() && term.group(1) == null) {
                throw noTerms(text);
            }
            double sign = "-".equals(term.group(1)) ? -1 : 1;
            String number = term.group(4) == null ? term.group(2) : term.group(4);
            terms.add(new Term(
                    sign * (number == null ? 1 : number(number, text)),
                    term.group(3) == null ? null : parameter(term.group(3), parameters)));
            at = term.end();
        }
        return terms;
    }

    private static IllegalArgumentException noTerms(String text) {
        return new IllegalArgumentException("expected numbers, parameters and NUMBER * PARAMETER with + or - between"
                + " them, found '" + text + "'");
    }

    private static IllegalArgumentException unknown(String word, List<Parameter> parameters) {
        return new IllegalArgumentException("unknown parameter '" + word + "'; known are "
                + parameters.stream().map(Parameter::name).collect(Collectors.joining(", ")));
    }

    private static Parameter parameter(String name, List<Parameter> parameters) {
        Parameter found = parameters.stream()
                .filter(one -> one.name().equals(name))
                .findFirst()
                .orElseThrow();
        if (found.type() == Parameter.Type.BOOLEAN || found.type() == Parameter.Type.CATEGORICAL) {
            throw new IllegalArgumentException("expected a parameter that is a number, found '" + name + "', which is "
                    + found.type().label());
        }
        return found;
    }

    private static double number(String word, String text) {
        try {
            return Double.parseDouble(word);
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException("expected a number, found '" + word + "' in '" + text.trim() + "'");
        }
    }
}
