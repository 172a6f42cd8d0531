package dev.lockstep.tuner;

import java.util.function.Predicate;

/**
 * What must hold between parameters, known before anything is evaluated, such as {@code ParallelGCThreads >=
 * ConcGCThreads}. Immutable, if its test is.
 */
public final class Rule {
    private final String text;
    private final Predicate<Configuration> test;

    private Rule(String text, Predicate<Configuration> test) {
        this.text = text;
        this.test = test;
    }

    /**
     * @param text the rule as messages have it
     * @param test whether a configuration keeps it; some parameters may have no value in it
     */
    public static Rule of(String text, Predicate<Configuration> test) {
        return new Rule(text, test);
    }

    public boolean holds(Configuration configuration) {
        return test.test(configuration);
    }

    @Override
    public String toString() {
        return text;
    }
}
