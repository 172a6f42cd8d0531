package dev.lockstep.cli;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;

/**
 * The script that lets fish complete commands and options, each with the first sentence of its description. picocli
 * writes none for fish. A word beside the options is completed as the name of a file, as fish does by itself.
 */
final class FishCompletion {
    private static final int LONGEST_DESCRIPTION = 90;

    private final String program;
    private final List<String> lines = new ArrayList<>();

    private FishCompletion(String program) {
        this.program = program;
    }

    /** Returns the script for a command line with its commands. */
    static String of(CommandLine line) {
        FishCompletion script = new FishCompletion(line.getCommandName());
        script.add(line);
        return String.join("\n", script.lines) + "\n";
    }

    private void add(CommandLine line) {
        lines.add("# fish completion for " + program + ", made by " + program + " completion fish");
        String commands = String.join(" ", line.getSubcommands().keySet());
        String none = "not __fish_seen_subcommand_from " + commands;
        line.getSubcommands()
                .forEach((name, command) -> lines.add(start(none) + " -a " + name
                        + description(command.getCommandSpec().usageMessage().header())));
        options(line.getCommandSpec(), none);
        line.getSubcommands()
                .forEach((name, command) -> options(command.getCommandSpec(), "__fish_seen_subcommand_from " + name));
        // Their arguments are words that Lockstep knows, not files.
        complete("help", commands);
        complete("completion", String.join(" ", CompletionCommand.SHELLS));
    }

    private void complete(String command, String words) {
        lines.add(start("__fish_seen_subcommand_from " + command) + " -f -a '" + words + "'");
    }

    private void options(CommandSpec command, String condition) {
        for (OptionSpec option : command.options()) {
            if (option.hidden()) {
                continue;
            }
            StringBuilder entry = new StringBuilder(start(condition));
            for (String name : option.names()) {
                if (name.startsWith("--")) {
                    entry.append(" -l ").append(name.substring(2));
                } else {
                    entry.append(name.length() == 2 ? " -s " : " -o ").append(name.substring(1));
                }
            }
            lines.add(entry.append(argument(option))
                    .append(description(option.description()))
                    .toString());
        }
    }

    /** {@code -x}: it needs a value that is no file; {@code -r}: one that may be a file. */
    private static String argument(OptionSpec option) {
        if (option.arity().min() == 0) {
            return "";
        }
        if (option.completionCandidates() != null) {
            return " -x -a '" + String.join(" ", option.completionCandidates()) + "'";
        }
        return option.auxiliaryTypes()[0] == Path.class ? " -r" : " -x";
    }

    private String start(String condition) {
        return "complete -c " + program + " -n '" + condition + "'";
    }

    private static String description(String... texts) {
        String text = texts.length == 0 ? "" : texts[0].replace("%%", "%").strip();
        int end = text.indexOf(". ");
        if (end >= 0) {
            text = text.substring(0, end);
        } else if (text.endsWith(".") || text.endsWith(":")) {
            text = text.substring(0, text.length() - 1);
        }
        if (text.length() > LONGEST_DESCRIPTION) {
            text = text.substring(0, text.lastIndexOf(' ', LONGEST_DESCRIPTION)) + " ...";
        }
        return text.isEmpty() ? "" : " -d '" + text.replace("\\", "\\\\").replace("'", "\\'") + "'";
    }
}
