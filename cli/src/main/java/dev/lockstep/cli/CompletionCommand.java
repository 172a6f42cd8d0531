package dev.lockstep.cli;

import dev.lockstep.cli.command.ExitCode;
import dev.lockstep.cli.command.ToolCommand;
import dev.lockstep.cli.command.UsageException;
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
import picocli.CommandLine.Parameters;

/** {@code replay completion}: what lets a shell complete commands, options and their words. */
@Command(
        name = "completion",
        header = "Prints what lets bash, zsh or fish complete commands and options.",
        description = "Prints a script that lets a shell complete commands, options and their words. The folders of "
                + "the examples may be missing: mkdir -p makes them.",
        footer = {
            "  replay completion > ~/.local/share/bash-completion/completions/replay",
            "  replay completion fish > ~/.config/fish/completions/replay.fish"
        },
        exitCodeList = {"0:Printed.", "2:Wrong command line."})
final class CompletionCommand extends ToolCommand {
    static final List<String> SHELLS = List.of("bash", "zsh", "fish");

    @Parameters(
            arity = "0..1",
            paramLabel = "SHELL",
            defaultValue = "bash",
            description = "bash, zsh or fish. Default: bash; zsh can source that too.")
    private String shell;

    @Override
    public Integer call() {
        CommandLine replay = spec.parent().commandLine();
        nameWords(replay.getCommandSpec());
        replay.getSubcommands().values().forEach(command -> nameWords(command.getCommandSpec()));
        spec.commandLine().getOut().print(script(replay));
        spec.commandLine().getOut().flush();
        return ExitCode.DONE;
    }

    private String script(CommandLine replay) {
        switch (shell) {
            case "bash":
                return AutoComplete.bash(replay.getCommandName(), replay);
            case "zsh":
                return zsh(replay);
            case "fish":
                return FishCompletion.of(replay);
            default:
                throw new UsageException("completion: expected bash, zsh or fish, found \"" + shell + "\"");
        }
    }

    /**
     * Returns the file of a folder of zsh's {@code fpath}. zsh reads it as the function _replay at the first
     * completion: the script for bash, which zsh runs by its own emulation, has to answer that one too.
     */
    private static String zsh(CommandLine replay) {
        return "#compdef " + replay.getCommandName() + "\n"
                // bash's, which the script calls; the alias that it has instead is not looked at in a function.
                + "(( $+functions[compopt] )) || compopt() { return 0 }\n"
                + AutoComplete.bash(replay.getCommandName(), replay)
                + "_bash_complete -o default -F _complete_" + replay.getCommandName() + "\n";
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
