package dev.lockstep.cli.replay;

import dev.lockstep.cli.options.Heading;
import dev.lockstep.cli.options.KeyConverter;
import dev.lockstep.results.Output;
import java.util.Optional;
import picocli.CommandLine.Option;

/** The option that says how much of a result is printed. Filled by picocli, then only read. */
@Heading("Output")
final class OutputOptions {
    @Option(
            names = "--output",
            paramLabel = "short|full|hey",
            converter = OutputConverter.class,
            description = "short: one screen. hey: what hey would print of each target. full: everything. Default: "
                    + "both, hey's and below it the screen.")
    private Output output;

    /** Returns what was asked for; absent where nothing was. */
    Optional<Output> output() {
        return Optional.ofNullable(output);
    }

    /** Reads how much is printed. */
    static final class OutputConverter extends KeyConverter<Output> {
        OutputConverter() {
            super(Output.values(), Output::key);
        }
    }
}
