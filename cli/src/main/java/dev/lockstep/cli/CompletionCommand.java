package dev.lockstep.cli;

import dev.lockstep.cli.command.ExitCode;
import dev.lockstep.cli.command.ToolCommand;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import picocli.AutoComplete;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;

/** {@code replay completion}: what lets a shell complete commands, options and their words. */
@Command(
        name = "completion",
        header = "Prints what lets bash or zsh complete commands and options.",
        description = "Prints a script that lets bash or zsh complete commands, options and their words; the shell "
                + "sources it.",
        footer = {"  replay completion > ~/.local/share/bash-completion/completions/replay"},
        exitCodeList = {"0:Printed.", "2:Wrong command line."})
final class CompletionCommand extends ToolCommand {
    @Override
    public Integer call() {
        CommandLine replay = spec.parent().commandLine();
        nameWords(replay.getCommandSpec());
        replay.getSubcommands().values().forEach(command -> nameWords(command.getCommandSpec()));
        spec.commandLine().getOut().print(AutoComplete.bash(replay.getCommandName(), replay));
        spec.commandLine().getOut().flush();
        return ExitCode.DONE;
    }

    /** Has options of few words offer these: picocli would offer the names of constants, which are other words. */
    private static void nameWords(CommandSpec command) {
        for (OptionSpec option : new ArrayList<>(command.options())) {
            if (option.type().isEnum()) {
                command.remove(option);
                command.addOption(OptionSpec.builder(option)
                        .completionCandidates(words(option))
                        .build());
            }
        }
    }

    private static List<String> words(OptionSpec option) {
        return Stream.of(option.type().getEnumConstants())
                .flatMap(constant -> Stream.of(
                                constant.toString(),
                                constant.toString().toLowerCase(Locale.ROOT),
                                constant.toString().toLowerCase(Locale.ROOT).replace('_', '-'))
                        .filter(word -> option.converters().length == 0
                                ? word.equals(constant.toString().toLowerCase(Locale.ROOT))
                                : isRead(option.converters()[0], word, constant))
                        .limit(1))
                .collect(Collectors.toList());
    }

    private static boolean isRead(ITypeConverter<?> converter, String word, Object constant) {
        try {
            return constant.equals(converter.convert(word));
        } catch (Exception e) {
            // A word that the option does not take.
            return false;
        }
    }
}
