package dev.lockstep.cli.replay;

import dev.lockstep.cli.command.CommandNames;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParseResult;

/** The words that ask for a run again: the program, each option with its value in a word of its own, the capture. */
final class CommandWords {
    /** Where a run is written and what is printed of it is no part of the run. */
    private static final Set<String> LEFT_OUT =
            Set.of("-o", "--force", "--json", "--output", "--summary", "--otlp", "--live");

    /** How a comparison is printed. */
    private static final Set<String> PRINTED = Set.of("--json", "--html", "--markdown");

    private static final String SET_HEADER = "-H";
    private static final String TOKEN_COMMAND = "--token-command";
    private static final String JVM_OPTIONS = "--jvm-options";

    /** The body of a request may hold a password, as of a login. */
    private static final String BODY = "-d";

    private CommandWords() {}

    /**
     * Returns them, with what can be secret, the values of headers, a body and a command for a token, left out.
     *
     * @param capture what is replayed, without secrets; the last word
     */
    static List<String> of(ParseResult parsed, String capture) {
        List<String> words = new ArrayList<>(List.of(CommandNames.program()));
        addOptions(words, parsed, LEFT_OUT);
        words.add(capture);
        return words;
    }

    /**
     * Returns those that ask for a comparison again, as a page.
     *
     * @param page the file to write
     */
    static List<String> ofComparison(ParseResult parsed, String page) {
        List<String> words = new ArrayList<>(List.of(CommandNames.program(), "compare", "--html", page));
        addOptions(words, parsed, PRINTED);
        parsed.matchedPositionals().stream()
                .distinct()
                .forEach(positional -> words.addAll(positional.originalStringValues()));
        return words;
    }

    private static void addOptions(List<String> words, ParseResult parsed, Set<String> leftOut) {
        // One that is given twice is matched twice, each time with all its values.
        for (OptionSpec option : new LinkedHashSet<>(parsed.matchedOptions())) {
            String name = option.names()[0];
            if (!leftOut.contains(name)) {
                if (option.arity().max() == 0) {
                    words.add(name);
                } else {
                    option.originalStringValues().forEach(value -> {
                        if (value.isEmpty()) {
                            // Of a value that may be left out: alone, the name would take the next word for it.
                            words.add(name + "=");
                        } else {
                            words.addAll(List.of(name, shown(name, value)));
                        }
                    });
                }
            }
        }
    }

    private static String shown(String option, String value) {
        if (option.equals(SET_HEADER)) {
            return withoutValue(value);
        }
        // A blank before JVM options is TargetOptions' own.
        return option.equals(TOKEN_COMMAND) || option.equals(BODY)
                ? "***"
                : option.equals(JVM_OPTIONS) ? value.strip() : value;
    }

    private static String withoutValue(String header) {
        int colon = header.indexOf(':');
        return colon < 0 || header.substring(colon + 1).isBlank() ? header : header.substring(0, colon) + ": ***";
    }
}
