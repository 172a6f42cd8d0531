package dev.lockstep.cli.command;

import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** What all commands have in common: --help, --version, and options in the order of their fields. */
@Command(mixinStandardHelpOptions = true, versionProvider = Version.class, sortOptions = false)
public abstract class ToolCommand implements Callable<Integer> {
    /** The command as picocli read it. */
    @Spec
    protected CommandSpec spec;
}
