package dev.lockstep.cli;

import dev.lockstep.cli.command.CommandNames;
import dev.lockstep.cli.command.ExitCode;
import dev.lockstep.cli.command.ToolCommand;
import dev.lockstep.cli.command.UsageException;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** {@code replay help}: what {@code --help} is, for those who type it first. */
@Command(
        name = "help",
        header = "Prints the help of a command.",
        description = "Prints the help of a command, as its --help does; without one that of replay itself.",
        footer = {"  replay help report"},
        exitCodeList = {"0:Printed.", "2:Wrong command line."})
final class HelpCommand extends ToolCommand {
    @Parameters(arity = "0..1", paramLabel = "COMMAND", description = "The command.")
    private String name;

    @Override
    public Integer call() {
        CommandLine replay = spec.parent().commandLine();
        CommandLine command = name == null ? replay : replay.getSubcommands().get(name);
        if (command == null) {
            throw new UsageException(
                    CommandNames.unknown(name, replay.getSubcommands().keySet()));
        }
        command.usage(spec.commandLine().getOut());
        return ExitCode.DONE;
    }
}
