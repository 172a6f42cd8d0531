package dev.lockstep.analysis;

import dev.lockstep.results.AssertionResult;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * A condition on the figures of a run, for scripts and continuous integration. Immutable. The text is
 *
 * <pre>
 * TARGET.METRIC  OP  [FACTOR *] TARGET[.METRIC]
 * TARGET.METRIC  OP  NUMBER[UNIT]
 * </pre>
 *
 * <p>with {@code <= < >= > == !=} for OP. Without a metric on the right side it is that of the left one. FACTOR is a
 * number or a percentage. Units are {@code ns us ms s}, {@code B kB MB GB KiB MiB GiB} and {@code %}; a time or a size
 * needs one unless it is 0. Spaces are allowed between all parts. A target's name may hold dots: the longest name that
 * fits, and leaves a known metric, is taken. What can be read as a number is one, even if a target has that name; its
 * full TARGET.METRIC can be written instead.
 *
 * <p>Examples: {@code graal.userCpuPerRequest <= 0.95 * c2}, {@code graal.p99 <= 20ms}, {@code c2.errors == 0},
 * {@code graal.throughput >= c2.throughput}.
 */
final class Assertion {
    private static final Pattern NAME = Pattern.compile("[A-Za-z0-9._@+-]+");
    private static final String NUMBER = "([+-]?(?:[0-9]+(?:\\.[0-9]*)?|\\.[0-9]+)(?:[eE][+-]?[0-9]+)?)";
    private static final Pattern FACTOR = Pattern.compile(NUMBER + "\\s*(%?)\\s*\\*");
    private static final Pattern CONSTANT = Pattern.compile(NUMBER + "\\s*([A-Za-z]+|%)?(?![A-Za-z0-9._@+-])");

    /** The values of a run, by target and metric. */
    interface Values {
        /** Returns a value in the unit that its {@link Quantity} has inside; absent where the run has none. */
        OptionalDouble of(String target, Metric metric);

        /**
         * Returns the ratio of two targets in a metric, target over other, as verdicts have it; absent where the run
         * has none, so that the values themselves are compared.
         */
        default OptionalDouble ratio(String target, String other, Metric metric) {
            return OptionalDouble.empty();
        }
    }

    private enum Operator {
        // Of two that begin alike the longer one stands first.
        AT_MOST("<="),
        AT_LEAST(">="),
        EQUAL("=="),
        DIFFERENT("!="),
        LESS("<"),
        MORE(">");

        private final String sign;

        Operator(String sign) {
            this.sign = sign;
        }

        boolean holds(double left, double right) {
            switch (this) {
                case AT_MOST:
                    return left <= right;
                case AT_LEAST:
                    return left >= right;
                case EQUAL:
                    return left == right;
                case DIFFERENT:
                    return left != right;
                case LESS:
                    return left < right;
                default:
                    return left > right;
            }
        }
    }

    /** A metric of a target. */
    private static final class Figure {
        private final String target;
        private final Metric metric;

        private Figure(String target, Metric metric) {
            this.target = target;
            this.metric = metric;
        }

        OptionalDouble value(Values values) {
            OptionalDouble value = values.of(target, metric);
            return value.isPresent() && Double.isNaN(value.getAsDouble()) ? OptionalDouble.empty() : value;
        }

        @Override
        public String toString() {
            return target + "." + metric;
        }
    }

    private final String text;
    private final Figure left;
    private final Operator operator;
    private final Optional<Figure> right;
    /** The factor of the right figure, or all of the right side. */
    private final double number;

    private Assertion(String text, Figure left, Operator operator, Optional<Figure> right, double number) {
        this.text = text;
        this.left = left;
        this.operator = operator;
        this.right = right;
        this.number = number;
    }

    /**
     * Reads an assertion.
     *
     * @param targets the names of the run's targets
     * @throws AnalysisException with the column, from 1, and what was expected there
     */
    static Assertion parse(String text, Collection<String> targets) {
        return new Parser(text, targets).parse();
    }

    /** Returns the targets whose figures it compares, the left one first. */
    Set<String> targets() {
        return both(figure -> figure.target);
    }

    /** Whether it sets one figure a limit that it must not exceed. */
    boolean isLimit() {
        return right.isEmpty() && (operator == Operator.AT_MOST || operator == Operator.LESS);
    }

    /** Returns the metrics of these figures, the left one's first. */
    Set<Metric> metrics() {
        return both(figure -> figure.metric);
    }

    private <T> Set<T> both(Function<Figure, T> part) {
        Set<T> parts = new LinkedHashSet<>(Set.of(part.apply(left)));
        right.map(part).ifPresent(parts::add);
        return parts;
    }

    /**
     * Returns that it does not hold, whatever its values are.
     *
     * @param why what they cannot be trusted for, a clause for people
     */
    AssertionResult failed(Values values, String why) {
        AssertionResult compared = check(values, "");
        return AssertionResult.of(text, false, compared.left(), compared.right(), "fails: " + text + " (" + why + ")");
    }

    /**
     * Says whether it holds for these values; it does not where one is missing.
     *
     * @param remark what one must know of the values, a clause for people; may be empty
     */
    AssertionResult check(Values values, String remark) {
        OptionalDouble leftValue = left.value(values);
        OptionalDouble rightValue = OptionalDouble.of(number);
        List<String> missing = new ArrayList<>();
        if (leftValue.isEmpty()) {
            missing.add(left.toString());
        }
        if (right.isPresent()) {
            OptionalDouble value = right.get().value(values);
            rightValue = value.isPresent() ? OptionalDouble.of(number * value.getAsDouble()) : value;
            if (value.isEmpty() && !missing.contains(right.get().toString())) {
                missing.add(right.get().toString());
            }
        }
        if (!missing.isEmpty()) {
            String why = String.join(" and ", missing) + (missing.size() == 1 ? " has" : " have") + " no value";
            return AssertionResult.of(text, false, leftValue, rightValue, "fails: " + text + " (" + why + ")");
        }
        OptionalDouble ratio = ratio(values);
        if (ratio.isPresent()) {
            return outcome(ratio.getAsDouble(), number, "ratio ", Quantity.NUMBER, remark);
        }
        return outcome(leftValue.getAsDouble(), rightValue.getAsDouble(), "", left.metric.quantity(), remark);
    }

    /** Returns the ratio that decides, of a condition between two targets on one metric. */
    private OptionalDouble ratio(Values values) {
        return right.isPresent()
                        && right.get().metric == left.metric
                        && !right.get().target.equals(left.target)
                ? values.ratio(left.target, right.get().target, left.metric)
                : OptionalDouble.empty();
    }

    private AssertionResult outcome(double a, double b, String what, Quantity unit, String remark) {
        boolean holds = operator.holds(a, b);
        String values = what + values(unit, a, holds ? " " : ", not ", b) + (remark.isEmpty() ? "" : "; " + remark);
        String sentence = (holds ? "holds: " : "fails: ") + text + " (" + values + ")";
        return AssertionResult.of(text, holds, OptionalDouble.of(a), OptionalDouble.of(b), sentence);
    }

    /** Rounds both sides, unless that would make different ones look equal. */
    private String values(Quantity unit, double a, String joint, double b) {
        String leftText = unit.format(a);
        String rightText = unit.format(b);
        if (leftText.equals(rightText) && a != b) {
            leftText = String.valueOf(a);
            rightText = String.valueOf(b);
        }
        return leftText + joint + operator.sign + " " + rightText;
    }

    @Override
    public String toString() {
        return text;
    }

    /** Reads one text from left to right. */
    private static final class Parser {
        private final String text;
        private final List<String> targets;
        private int position;

        Parser(String text, Collection<String> targets) {
            this.text = text.strip().replaceAll("\\s+", " ");
            this.targets = new ArrayList<>(targets);
            this.targets.sort(Comparator.comparingInt(String::length).reversed());
        }

        Assertion parse() {
            Figure left = figure(Optional.empty(), "TARGET.METRIC");
            Operator operator = operator();
            Optional<Figure> right = Optional.empty();
            skipSpaces();
            Optional<Double> factor = factor();
            Optional<Double> constant = factor.isPresent() ? Optional.empty() : constant(left.metric);
            if (constant.isEmpty()) {
                String expected = factor.isPresent() ? "TARGET or TARGET.METRIC" : "TARGET, TARGET.METRIC or a number";
                right = Optional.of(comparable(left, expected));
            }
            double number = factor.or(() -> constant).orElse(1.0);
            skipSpaces();
            if (position < text.length()) {
                throw wrong(
                        position,
                        "the assertion should end here; the right side is FACTOR * TARGET, TARGET.METRIC or"
                                + " a number with its unit");
            }
            return new Assertion(text, left, operator, right, number);
        }

        private Figure comparable(Figure left, String expected) {
            skipSpaces();
            int start = position;
            Figure right = figure(Optional.of(left.metric), expected);
            if (right.metric.quantity() != left.metric.quantity()) {
                throw wrong(
                        start,
                        right.metric + " is no " + noun(left.metric.quantity()) + " and cannot be compared with "
                                + left.metric);
            }
            return right;
        }

        /** Reads TARGET.METRIC, or TARGET alone where there is a usual metric. */
        private Figure figure(Optional<Metric> usualMetric, String expected) {
            skipSpaces();
            int start = position;
            Matcher matcher = at(NAME);
            if (!matcher.lookingAt()) {
                throw wrong(start, "expected " + expected);
            }
            String name = matcher.group();
            position = matcher.end();
            Optional<String> longest = Optional.empty();
            for (String target : targets) {
                if (name.equals(target) && usualMetric.isPresent()) {
                    return new Figure(target, usualMetric.get());
                }
                if (name.equals(target) || name.startsWith(target + ".")) {
                    Optional<Metric> metric = Metric.of(name.substring(Math.min(name.length(), target.length() + 1)));
                    if (metric.isPresent()) {
                        return new Figure(target, metric.get());
                    }
                    longest = longest.isPresent() ? longest : Optional.of(target);
                }
            }
            if (longest.isEmpty()) {
                throw wrong(
                        start,
                        "expected a target, found \"" + name + "\"; targets are: "
                                + String.join(", ", new TreeSet<>(targets)));
            }
            if (longest.get().length() == name.length()) {
                throw wrong(position, "expected . and a metric of " + name + "; " + knownMetrics());
            }
            int column = start + longest.get().length() + 1;
            throw wrong(column, "unknown metric \"" + text.substring(column, position) + "\"; " + knownMetrics());
        }

        private String knownMetrics() {
            return "metrics are: "
                    + Arrays.stream(Metric.values()).map(Metric::key).sorted().collect(Collectors.joining(", "));
        }

        private Operator operator() {
            skipSpaces();
            for (Operator operator : Operator.values()) {
                if (text.startsWith(operator.sign, position)) {
                    position += operator.sign.length();
                    return operator;
                }
            }
            String hint = text.startsWith("=", position) ? "; equal is ==" : "";
            throw wrong(position, "expected one of <= < >= > == !=" + hint);
        }

        /** Reads NUMBER and *, or NUMBER % and *; absent where there is something else. */
        private Optional<Double> factor() {
            Matcher matcher = at(FACTOR);
            if (!matcher.lookingAt()) {
                return Optional.empty();
            }
            double factor = number(matcher);
            position = matcher.end();
            return Optional.of(matcher.group(2).isEmpty() ? factor : factor / 100);
        }

        /** Reads a number and its unit; absent where there is something else. */
        private Optional<Double> constant(Metric metric) {
            Quantity quantity = metric.quantity();
            Matcher matcher = at(CONSTANT);
            if (!matcher.lookingAt()) {
                return Optional.empty();
            }
            double number = number(matcher);
            String unit = matcher.group(2);
            if (unit == null) {
                if (quantity.unitNeeded() && number != 0) {
                    throw wrong(
                            matcher.end(),
                            metric + " is a " + noun(quantity) + " and needs a unit: " + units(quantity));
                }
                position = matcher.end();
                return Optional.of(within(metric, number, matcher));
            }
            if (!quantity.units().containsKey(unit)) {
                if (isTarget(position)) {
                    return Optional.empty();
                }
                String has = quantity.units().isEmpty() ? "has no unit" : "has the units " + units(quantity);
                throw wrong(matcher.start(2), metric + " is a " + noun(quantity) + " and " + has);
            }
            position = matcher.end();
            return Optional.of(within(metric, number * quantity.units().get(unit), matcher));
        }

        /** A bound that no value can reach would hold, or fail, whatever happens. */
        private double within(Metric metric, double number, Matcher matcher) {
            if (metric.quantity() == Quantity.SHARE && number > 1) {
                throw wrong(matcher.start(1), metric + " is a share of all, at most 1 or 100%");
            }
            return number;
        }

        private boolean isTarget(int start) {
            Matcher matcher = NAME.matcher(text).region(start, text.length());
            if (!matcher.lookingAt()) {
                return false;
            }
            String name = matcher.group();
            return targets.stream().anyMatch(target -> name.equals(target) || name.startsWith(target + "."));
        }

        private double number(Matcher matcher) {
            double number = Double.parseDouble(matcher.group(1));
            if (Double.isInfinite(number)) {
                throw wrong(matcher.start(1), "this number is too large");
            }
            return number;
        }

        private static String units(Quantity quantity) {
            return String.join(" ", quantity.units().keySet());
        }

        private static String noun(Quantity quantity) {
            return quantity.name().toLowerCase(Locale.ROOT);
        }

        private Matcher at(Pattern pattern) {
            return pattern.matcher(text).region(position, text.length());
        }

        private void skipSpaces() {
            while (position < text.length() && Character.isWhitespace(text.charAt(position))) {
                position++;
            }
        }

        private AnalysisException wrong(int index, String what) {
            return new AnalysisException("assertion \"" + text + "\", column " + (index + 1) + ": " + what);
        }
    }
}
