package dev.lockstep.cli.tune;

import dev.lockstep.launcher.FlagCheck;
import dev.lockstep.launcher.TargetSpec;
import dev.lockstep.search.Journal;
import dev.lockstep.search.SearchPlan;
import dev.lockstep.tuner.Configuration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Function;

/**
 * What a JVM made of a configuration: HotSpot rewrites some values that it is given, and two configurations may come to
 * the same. Immutable.
 */
final class FlagsInEffect {
    private static final int FINGERPRINT_DIGITS = 32;

    /** HotSpot prints six decimals of a number: it may be half of the last one off, and what rounding adds. */
    private static final double PRINTED = 0.500001e-6;

    private final Configuration configuration;
    private final List<String> notes;
    private final String fingerprint;

    private FlagsInEffect(Configuration configuration, List<String> notes, String fingerprint) {
        this.configuration = configuration;
        this.notes = List.copyOf(notes);
        this.fingerprint = fingerprint;
    }

    /**
     * @param jdk the JDK that gets the options
     * @param check what the JVM said to the target of the configuration
     * @param target returns the target of a configuration, with all its options
     * @param checks asks the JVM about another target
     */
    static FlagsInEffect of(
            SearchPlan plan,
            Configuration asked,
            int jdk,
            FlagCheck check,
            Function<Configuration, TargetSpec> target,
            Function<TargetSpec, FlagCheck> checks) {
        Map<String, Object> values = new LinkedHashMap<>(asked.values());
        List<String> notes = new ArrayList<>();
        asked.values().forEach((name, value) -> {
            for (String option : plan.options(name, value, jdk)) {
                Optional<String> found = check.valueOf(option);
                String given = given(option);
                if (found.isPresent() && given != null && !isSame(given, found.get())) {
                    notes.add(option + " is " + found.get() + " in effect");
                    if (value instanceof Number && option.endsWith("=" + given) && isNumber(found.get())) {
                        values.put(name, number(value, found.get()));
                    } else if (value instanceof Boolean && option.endsWith(name)) {
                        values.put(name, Boolean.valueOf(found.get()));
                    }
                }
            }
        });
        String fingerprint = fingerprint(target.apply(asked).jvmOptions(), check);
        Configuration inEffect = asked;
        if (!values.equals(asked.values())) {
            try {
                inEffect = plan.space().configuration(values);
            } catch (IllegalArgumentException e) {
                notes.add("which the space does not have, so that the search takes it for what was asked");
            }
        }
        if (!inEffect.equals(asked)) {
            TargetSpec again = target.apply(inEffect);
            FlagCheck found = checks.apply(again);
            if (found.failure().isPresent()
                    || !fingerprint(again.jvmOptions(), found).equals(fingerprint)) {
                // HotSpot scales thresholds by CompileThresholdScaling, though they are given.
                notes.add("and would be otherwise if it were given so, so that the search takes it for what was asked");
                inEffect = asked;
            }
        }
        return new FlagsInEffect(inEffect, notes, fingerprint);
    }

    /** Returns what an option sets its flag to; null where that is a size with a unit, or no value. */
    private static String given(String option) {
        if (option.startsWith("-XX:+") || option.startsWith("-XX:-")) {
            return String.valueOf(option.charAt("-XX:".length()) == '+');
        }
        int equals = option.indexOf('=');
        String value = equals < 0 ? "" : option.substring(equals + 1);
        return value.isEmpty() || value.matches("[0-9]+[kKmMgGtT]") ? null : value;
    }

    private static boolean isSame(String given, String found) {
        return given.equals(found)
                || isNumber(given)
                        && isNumber(found)
                        && Math.abs(Double.parseDouble(given) - Double.parseDouble(found)) <= PRINTED;
    }

    private static boolean isNumber(String text) {
        return text.matches("-?[0-9]+(\\.[0-9]+)?");
    }

    private static Object number(Object like, String text) {
        double number = Double.parseDouble(text);
        return like instanceof Long && number == Math.rint(number) ? (Object) (long) number : (Object) number;
    }

    /** Two configurations with all flags and all other options alike are the same JVM. */
    private static String fingerprint(List<String> options, FlagCheck check) {
        StringBuilder all = new StringBuilder();
        new TreeMap<>(check.values()).forEach((name, value) -> {
            // Drawn anew at each start.
            if (!name.endsWith("Address")) {
                all.append(name).append('=').append(value).append('\n');
            }
        });
        options.stream().filter(option -> check.valueOf(option).isEmpty()).forEach(option -> all.append(option)
                .append('\n'));
        return Journal.digest(all.toString()).substring(0, FINGERPRINT_DIGITS);
    }

    Configuration configuration() {
        return configuration;
    }

    /** What was asked for and is otherwise, a line each. */
    List<String> notes() {
        return notes;
    }

    String fingerprint() {
        return fingerprint;
    }
}
