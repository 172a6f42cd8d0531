package dev.lockstep.cli;

import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** What all commands have in common: --help, --version, and options in the order of their fields. */
@Command(mixinStandardHelpOptions = true, versionProvider = Main.Version.class, sortOptions = false)
abstract class ToolCommand implements Callable<Integer> {
    /** The command as picocli read it. */
    @Spec
    CommandSpec spec;
}
