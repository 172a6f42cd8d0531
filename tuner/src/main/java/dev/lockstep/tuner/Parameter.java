package dev.lockstep.tuner;

import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.DoubleSummaryStatistics;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalLong;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.immutables.value.Value;

/**
 * One parameter of a space. Immutable; checked completely when built.
 *
 * <p>Its values are Longs (int, log-int), Doubles (float, log-float), Booleans, or for categorical ones what
 * {@link #values} has. Other Java numbers are turned into these.
 */
@Value.Immutable
@ValueStyle
public abstract class Parameter {
    /** What values it takes, and on which scale they are near each other. */
    public enum Type {
        INT,
        /** Whole numbers whose ratios matter: 100 is as far from 200 as 1000 from 2000. */
        LOG_INT,
        FLOAT,
        LOG_FLOAT,
        BOOLEAN,
        /** Values without an order. */
        CATEGORICAL;

        /** What users and files call it. */
        public String label() {
            return name().toLowerCase(Locale.ROOT).replace('_', '-');
        }

        /** @throws IllegalArgumentException with one line that lists the types */
        public static Type of(String label) {
            return Arrays.stream(values())
                    .filter(type -> type.label().equals(label))
                    .findFirst()
                    .orElseThrow(() -> new IllegalArgumentException("type: expected one of "
                            + Arrays.stream(values()).map(Type::label).collect(Collectors.joining(", ")) + ", found '"
                            + label + "'"));
        }

        boolean isNumeric() {
            return this != BOOLEAN && this != CATEGORICAL;
        }

        boolean isWhole() {
            return this == INT || this == LOG_INT;
        }

        boolean isLog() {
            return this == LOG_INT || this == LOG_FLOAT;
        }
    }

    /** Beyond this a double does not hold every whole number. */
    private static final double LARGEST_WHOLE = 1L << 53;

    /** A place on the scale of a range, which is a double, tells so many steps apart. */
    private static final double MOST_STEPS = LARGEST_WHOLE;

    /** How far a value may be beside a step, in steps: what a double makes of 0.1 and the like. */
    private static final double NEARLY = 1e-6;

    /** The same as a part of how many steps it is away from the least value. */
    private static final double ROUNDING = 0x1p-50;

    private static final Pattern NO_WORD = Pattern.compile("[+-]?[0-9.]+(?:[eE][+-]?[0-9]+)?|true|false");

    Parameter() {}

    public static Builder builder(String name, Type type) {
        return new Builder().name(name).type(type);
    }

    public abstract String name();

    public abstract Type type();

    /** The least value of a numeric parameter, apart from special ones. */
    public abstract OptionalDouble min();

    /** The largest one, likewise: where steps do not reach it, it becomes the last step below it. */
    public abstract OptionalDouble max();

    /** How far its values are apart, beginning with the least; 1 for whole numbers, any distance for others. */
    public abstract OptionalDouble step();

    /** The values of a categorical parameter, or those that a numeric one can have, in place of a range. */
    public abstract List<Object> values();

    /**
     * Values of a numeric parameter that mean something of their own and are near no other, such as 0 for automatic.
     */
    public abstract List<Object> special();

    public abstract Optional<Object> defaultValue();

    /** When it has a meaning; always where absent. */
    public abstract Optional<Condition> when();

    /**
     * Returns a value as this parameter has it.
     *
     * @throws IllegalArgumentException with one line, where it can have no such value
     */
    public Object value(Object given) {
        Object plain = listed(values(), plain("value", given));
        if (!has(plain)) {
            throw wrong("value", "must be " + described() + ", is " + shown(given));
        }
        return !type().isWhole() && !special().contains(plain) && step().isPresent() ? onStep(plain) : plain;
    }

    /** Returns how many values it can have; absent where it can have any number in a range. */
    public OptionalLong count() {
        if (type() == Type.BOOLEAN) {
            return OptionalLong.of(2);
        }
        if (!values().isEmpty()) {
            return OptionalLong.of(values().size() + special().size());
        }
        if (stepSize() == 0 && !isPinned()) {
            return OptionalLong.empty();
        }
        long inside = special().stream().filter(this::inRange).count();
        return OptionalLong.of(steps() + 1 + special().size() - inside);
    }

    /** Returns how far the values of its range are apart, 0 where they can be as near as they like. */
    double stepSize() {
        return step().orElse(type().isWhole() ? 1 : 0);
    }

    /** Whether its range is one value. */
    boolean isPinned() {
        return min().getAsDouble() == max().getAsDouble();
    }

    /** Returns how many steps lead from the least to the largest value. */
    long steps() {
        return isPinned() ? 0 : Math.round((max().getAsDouble() - min().getAsDouble()) / stepSize());
    }

    /** Returns the value of the range that is so many steps above the least; 0.3, not 0.1 + 0.1 + 0.1. */
    Object atStep(long steps) {
        BigDecimal value = BigDecimal.valueOf(min().getAsDouble())
                .add(BigDecimal.valueOf(stepSize()).multiply(BigDecimal.valueOf(steps)));
        // The last step of 0.66666667 leads from 0 to 2, not beyond.
        return type().isWhole()
                ? (Object) value.longValueExact()
                : (Object) (Math.min(max().getAsDouble(), value.doubleValue()) + 0.0);
    }

    private Object onStep(Object plain) {
        return atStep(Math.round(stepsTo(((Number) plain).doubleValue())));
    }

    private double stepsTo(double number) {
        return (number - min().getAsDouble()) / stepSize();
    }

    private Object plain(String field, Object given) {
        Object plain = Plain.of("parameter " + name() + ": " + field, given);
        if (!type().isNumeric() || !(plain instanceof Number)) {
            return plain;
        }
        double number = ((Number) plain).doubleValue();
        if (!type().isWhole()) {
            return number + 0.0;
        }
        return number == Math.rint(number) && Math.abs(number) <= LARGEST_WHOLE ? (Object) (long) number : plain;
    }

    /** Returns what a list has that is the same number, such as 1.0 for 1; what was given where it has none. */
    private static Object listed(List<Object> values, Object plain) {
        if (!(plain instanceof Number) || values.contains(plain)) {
            return plain;
        }
        double number = ((Number) plain).doubleValue();
        return values.stream()
                .filter(one -> one instanceof Number && ((Number) one).doubleValue() == number)
                .findFirst()
                .orElse(plain);
    }

    private boolean has(Object plain) {
        if (type() == Type.BOOLEAN) {
            return plain instanceof Boolean;
        }
        return values().contains(plain) || special().contains(plain) || values().isEmpty() && inRange(plain);
    }

    private boolean inRange(Object plain) {
        boolean rightType = type().isWhole() ? plain instanceof Long : plain instanceof Double;
        return rightType && min().isPresent() && isOnStep(((Number) plain).doubleValue());
    }

    private boolean isOnStep(double number) {
        if (number < min().getAsDouble() || number > max().getAsDouble()) {
            return false;
        }
        if (stepSize() == 0) {
            return true;
        }
        double steps = stepsTo(number);
        // A step that is fine beside the ends is as exact as a number of their size.
        double exact = Math.ulp(Math.max(Math.abs(min().getAsDouble()), Math.abs(max().getAsDouble()))) / stepSize();
        return Math.abs(steps - Math.rint(steps)) <= Math.max(Math.max(NEARLY, exact), steps * ROUNDING);
    }

    private String described() {
        if (type() == Type.BOOLEAN) {
            return "true or false";
        }
        List<Object> listed = new ArrayList<>(values());
        listed.addAll(special());
        String list = listed.stream().map(Parameter::shown).collect(Collectors.joining(", "));
        if (!values().isEmpty()) {
            return "one of " + list;
        }
        String range = (type().isWhole() ? "a whole number" : "a number") + " from " + number(min()) + " to "
                + number(max()) + (step().isPresent() ? " in steps of " + number(step()) : "");
        return list.isEmpty() ? range : range + ", or " + list;
    }

    /** Returns a value for people: a text that reads as a number, true or false in quotes. */
    private static String shown(Object value) {
        return value instanceof String && NO_WORD.matcher((String) value).matches()
                ? "\"" + value + "\""
                : String.valueOf(value);
    }

    private String number(OptionalDouble value) {
        double number = value.getAsDouble();
        return number == Math.rint(number) && Math.abs(number) < LARGEST_WHOLE
                ? String.valueOf((long) number)
                : String.valueOf(number);
    }

    @Value.Check
    Parameter check() {
        if (name().isBlank()) {
            throw new IllegalArgumentException("parameter name: must not be empty");
        }
        if (type().isNumeric()) {
            checkNumeric();
        } else {
            checkNotNumeric();
        }
        Parameter plain = plain();
        requireDistinct("values", plain.values());
        requireDistinct("special values", plain.special());
        if (plain.values().stream().anyMatch(plain.special()::contains)) {
            throw wrong("special values", "must be others than the values, are " + plain.special());
        }
        if (plain.step().isPresent() && !plain.isOnStep(plain.max().getAsDouble())) {
            return plain.upToTheLastStep();
        }
        plain.defaultValue().filter(value -> !plain.has(value)).ifPresent(value -> {
            throw wrong("default", "must be " + plain.described() + ", is " + shown(value));
        });
        return plain;
    }

    /** Returns this with a range that ends on a step. */
    private Parameter upToTheLastStep() {
        long steps = (long) Math.floor(stepsTo(max().getAsDouble()));
        if (steps == 0) {
            // It would be pinned to min, which min equal to max says.
            throw wrong(
                    "step",
                    "must be at most max " + number(max()) + " less min " + number(min()) + ", is " + number(step()));
        }
        Object last = atStep(steps);
        return new Builder().from(this).max(((Number) last).doubleValue()).build();
    }

    /** Returns this with all values in their one Java type. */
    private Parameter plain() {
        List<Object> values = new ArrayList<>();
        values().forEach(value -> values.add(plain("values", value)));
        List<Object> special = new ArrayList<>();
        special().forEach(value -> special.add(plain("special values", value)));
        Optional<Object> defaultValue = defaultValue().map(value -> listed(values, plain("default", value)));
        if (values.equals(values()) && special.equals(special()) && defaultValue.equals(defaultValue())) {
            return this;
        }
        return new Builder()
                .from(this)
                .values(values)
                .special(special)
                .defaultValue(defaultValue)
                .build();
    }

    private void checkNumeric() {
        for (Object value : values()) {
            requireNumber("values", value);
            requirePositive("values", ((Number) value).doubleValue());
        }
        for (Object value : special()) {
            requireNumber("special values", value);
        }
        if (!values().isEmpty()) {
            if (min().isPresent() || max().isPresent() || step().isPresent()) {
                throw wrong("values", "go without min, max and step");
            }
            DoubleSummaryStatistics numbers = values().stream()
                    .mapToDouble(value -> ((Number) value).doubleValue())
                    .summaryStatistics();
            if (isTooWide(numbers.getMin(), numbers.getMax())) {
                throw wrong("values", "must be apart by at most " + Double.MAX_VALUE + ", are " + values());
            }
            return;
        }
        if (min().isEmpty() || max().isEmpty()) {
            throw wrong(min().isEmpty() ? "min" : "max", "must be set, or values listed");
        }
        double min = requireFinite("min", min());
        double max = requireFinite("max", max());
        requirePositive("min", min);
        if (min > max) {
            throw wrong("min", "must be at most max " + number(max()) + ", is " + number(min()));
        }
        if (isTooWide(min, max)) {
            throw wrong(
                    "max",
                    "must be above min " + number(min()) + " by at most " + Double.MAX_VALUE + ", is " + number(max()));
        }
        if (step().isPresent() && !(requireFinite("step", step()) > 0)) {
            throw wrong("step", "must be above 0, is " + number(step()));
        }
        if (stepSize() > 0) {
            checkSteps((max - min) / stepSize());
        }
    }

    /** Whether a double does not hold how far two numbers are apart; on a log scale it need not. */
    private boolean isTooWide(double from, double to) {
        return !type().isLog() && Double.isInfinite(to - from);
    }

    private void checkSteps(double steps) {
        if (steps > MOST_STEPS) {
            throw wrong(
                    step().isPresent() ? "step" : "max",
                    "must make at most " + (long) MOST_STEPS + " steps from min to max, makes "
                            + String.format(Locale.ROOT, "%.3g", steps));
        }
    }

    private void checkNotNumeric() {
        if (min().isPresent() || max().isPresent() || step().isPresent()) {
            throw wrong("min, max and step", "go with numbers only, its type is " + type().label());
        }
        if (!special().isEmpty()) {
            throw wrong("special values", "go with numbers only, its type is " + type().label());
        }
        if (type() == Type.BOOLEAN && !values().isEmpty()) {
            throw wrong("values", "of a boolean are true and false, leave them out");
        }
        if (type() == Type.CATEGORICAL && values().isEmpty()) {
            throw wrong("values", "must be 1 or more, are none");
        }
    }

    private void requireDistinct(String field, List<Object> values) {
        if (new HashSet<>(values).size() < values.size()) {
            throw wrong(field, "must differ from each other, are " + values);
        }
    }

    private void requireNumber(String field, Object value) {
        Object plain = plain(field, value);
        if (!(type().isWhole() ? plain instanceof Long : plain instanceof Double)) {
            throw wrong(
                    field, "must be " + (type().isWhole() ? "whole numbers" : "numbers") + ", found " + shown(value));
        }
    }

    private double requireFinite(String field, OptionalDouble value) {
        double number = value.getAsDouble();
        if (!Double.isFinite(number)) {
            throw wrong(field, "must be a finite number, is " + number);
        }
        if (type().isWhole() && number != Math.rint(number)) {
            throw wrong(field, "must be a whole number, is " + number);
        }
        if (type().isWhole() && Math.abs(number) > LARGEST_WHOLE) {
            throw wrong(field, "must be at most 2^53, or -2^53 at least, is " + number);
        }
        return number;
    }

    private void requirePositive(String field, double number) {
        if (type().isLog() && !(number > 0)) {
            throw wrong(field, "must be above 0 on a log scale, found " + number(OptionalDouble.of(number)));
        }
    }

    private IllegalArgumentException wrong(String field, String rule) {
        return new IllegalArgumentException("parameter " + name() + ": " + field + ": " + rule);
    }

    /** {@link #build} throws IllegalArgumentException with the parameter, the field, the rule and the value. */
    public static final class Builder extends ImmutableParameter.Builder {
        Builder() {}
    }
}
