package dev.lockstep.tweets;

import java.util.LinkedHashMap;
import java.util.Map;

/**
 * A command line of options with values, {@code --port 80} or {@code --port=80}. By hand, as that of the target
 * application: a parser's start would be part of the start-up time that is measured. Not thread-safe.
 */
public final class Options {
    private static final int MAX_PORT = 65_535;

    private final Map<String, String> values;

    private Options(Map<String, String> defaults) {
        this.values = new LinkedHashMap<>(defaults);
    }

    /**
     * Reads a command line.
     *
     * @param defaults all options, without their dashes, with the value of each that is not given
     * @throws IllegalArgumentException naming the option, the rule and the value
     */
    public static Options parse(Map<String, String> defaults, String... arguments) {
        Options options = new Options(defaults);
        for (int i = 0; i < arguments.length; i++) {
            String argument = arguments[i];
            int equals = argument.indexOf('=');
            String name = equals < 0 ? argument : argument.substring(0, equals);
            if (!name.startsWith("--") || !defaults.containsKey(name.substring(2))) {
                throw new IllegalArgumentException(
                        "unknown option '" + name + "'; known are --" + String.join(", --", defaults.keySet()));
            }
            String value;
            if (equals >= 0) {
                value = argument.substring(equals + 1);
            } else if (i + 1 < arguments.length) {
                value = arguments[++i];
            } else {
                throw new IllegalArgumentException(name + " needs a value");
            }
            options.values.put(name.substring(2), value);
        }
        return options;
    }

    public String text(String name) {
        return values.get(name);
    }

    public int port() {
        return number("port", 0, MAX_PORT);
    }

    public int number(String name, int min, int max) {
        return (int) number(name, min, (long) max);
    }

    /** @throws IllegalArgumentException if the value is no whole number of this range */
    public long number(String name, long min, long max) {
        String value = values.get(name);
        try {
            long number = Long.parseLong(value);
            if (number >= min && number <= max) {
                return number;
            }
        } catch (NumberFormatException e) {
            // Falls through to the same message.
        }
        throw new IllegalArgumentException(
                "--" + name + " must be a whole number from " + min + " to " + max + ", not '" + value + "'");
    }

    /** @throws IllegalArgumentException if the value is none of these */
    public String choice(String name, String... choices) {
        String value = values.get(name);
        for (String choice : choices) {
            if (choice.equals(value)) {
                return value;
            }
        }
        throw new IllegalArgumentException(
                "--" + name + " must be one of " + String.join(", ", choices) + ", not '" + value + "'");
    }
}
