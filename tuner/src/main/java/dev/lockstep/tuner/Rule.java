package dev.lockstep.tuner;

import java.util.List;
import java.util.function.Function;
import java.util.function.Predicate;

/**
 * What must hold between parameters, known before anything is evaluated, such as {@code ParallelGCThreads >=
 * ConcGCThreads}. Immutable, if its test is.
 */
public final class Rule {
    /** The numbers that a parameter may have, beside the other values as they are, for a rule to hold. Immutable. */
    public static final class Range {
        final String parameter;
        final double low;
        final double high;

        private Range(String parameter, double low, double high) {
            this.parameter = parameter;
            this.low = low;
            this.high = high;
        }

        /** Returns a range, whose ends may be infinite; the rule need not hold at the ends themselves. */
        public static Range of(String parameter, double low, double high) {
            return new Range(parameter, low, high);
        }
    }

    private final String text;
    private final Predicate<Configuration> test;
    /** Null where nobody knows. */
    private final Function<Configuration, List<Range>> ranges;

    private Rule(String text, Predicate<Configuration> test, Function<Configuration, List<Range>> ranges) {
        this.text = text;
        this.test = test;
        this.ranges = ranges;
    }

    /**
     * @param text the rule as messages have it
     * @param test whether a configuration keeps it; some parameters may have no value in it
     */
    public static Rule of(String text, Predicate<Configuration> test) {
        return new Rule(text, test, null);
    }

    /**
     * As {@link #of(String, Predicate)}, of a rule that also knows how it can be kept, so that configurations are found
     * that keep it where hardly any do.
     *
     * @param ranges what numbers each of its parameters may have for it
     */
    public static Rule of(String text, Predicate<Configuration> test, Function<Configuration, List<Range>> ranges) {
        return new Rule(text, test, ranges);
    }

    public boolean holds(Configuration configuration) {
        return test.test(configuration);
    }

    /** Returns whether it knows how it can be kept. */
    boolean hasRanges() {
        return ranges != null;
    }

    /** Returns what may be changed of a configuration that breaks it, one of these. */
    List<Range> ranges(Configuration configuration) {
        return ranges.apply(configuration);
    }

    @Override
    public String toString() {
        return text;
    }
}
