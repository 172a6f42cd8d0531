package dev.lockstep.echo;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** A command line of options with values, such as {@code --port 7}. */
final class EchoOptions {
    private final Map<String, String> values;

    private EchoOptions(Map<String, String> values) {
        this.values = values;
    }

    /**
     * Prints the options with their defaults where that alone is asked for; returns whether it was.
     *
     * @param defaults as of {@link #parse}
     */
    static boolean help(String program, List<String> defaults, String... arguments) {
        if (arguments.length != 1 || !List.of("--help", "-h").contains(arguments[0])) {
            return false;
        }
        System.out.println("Usage: " + program + " [OPTION VALUE]...");
        for (int i = 0; i < defaults.size(); i += 2) {
            System.out.println("  " + defaults.get(i) + " " + defaults.get(i + 1));
        }
        return true;
    }

    /**
     * Reads a command line.
     *
     * @param defaults all options in turn with the value of each that is not given: {@code "--port", "7"}
     * @throws IllegalArgumentException naming the option and the rule
     */
    static EchoOptions parse(List<String> defaults, String... arguments) {
        Map<String, String> values = new LinkedHashMap<>();
        for (int i = 0; i < defaults.size(); i += 2) {
            values.put(defaults.get(i), defaults.get(i + 1));
        }
        for (int i = 0; i < arguments.length; i += 2) {
            if (!values.containsKey(arguments[i])) {
                throw new IllegalArgumentException(
                        "unknown option '" + arguments[i] + "'; known are " + String.join(", ", values.keySet()));
            }
            if (i + 1 == arguments.length) {
                throw new IllegalArgumentException(arguments[i] + " needs a value");
            }
            values.put(arguments[i], arguments[i + 1]);
        }
        return new EchoOptions(values);
    }

    String text(String option) {
        return values.get(option);
    }

    /** @throws IllegalArgumentException if the value is no whole number of this range */
    int number(String option, int min, int max) {
        String value = values.get(option);
        try {
            int number = Integer.parseInt(value);
            if (number >= min && number <= max) {
                return number;
            }
        } catch (NumberFormatException e) {
            // Falls through to the same message.
        }
        throw new IllegalArgumentException(
                option + " must be a whole number from " + min + " to " + max + ", not '" + value + "'");
    }

    /** @throws IllegalArgumentException if the value is none of these */
    String choice(String option, String... choices) {
        String value = values.get(option);
        if (!Arrays.asList(choices).contains(value)) {
            throw new IllegalArgumentException(
                    option + " must be one of " + String.join(", ", choices) + ", not '" + value + "'");
        }
        return value;
    }

    static List<String> ofServer(String... more) {
        String threads = Integer.toString(Runtime.getRuntime().availableProcessors());
        List<String> options = new ArrayList<>(
                List.of("--host", "127.0.0.1", "--port", "7007", "--transport", "nio", "--threads", threads));
        options.addAll(List.of(more));
        return options;
    }

    /** Prints the line that says that a server is ready. */
    static void ready(String netty, EchoOptions options, int port, String more) {
        System.out.println(
                "echo ready: tcp://" + options.text("--host") + ":" + port + " netty=" + netty + " transport="
                        + options.text("--transport") + " threads=" + options.text("--threads") + more + " jvm=\""
                        + System.getProperty("java.vm.name") + " " + System.getProperty("java.vm.version") + "\" pid="
                        + ProcessHandle.current().pid());
    }

    /** Reports what a server threw before it was ready, and ends the process: 2 for a bad command line, else 1. */
    static void fail(Throwable failure) {
        System.err.println("echo: "
                + (failure instanceof IllegalArgumentException ? failure.getMessage() : "cannot start: " + failure));
        System.exit(failure instanceof IllegalArgumentException ? 2 : 1);
    }
}
