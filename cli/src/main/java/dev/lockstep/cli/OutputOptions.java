package dev.lockstep.cli;

import dev.lockstep.results.Output;
import java.util.Optional;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Option;
import picocli.CommandLine.TypeConversionException;

/** The option that says how much of a result is printed. Filled by picocli, then only read. */
@Heading("Output")
final class OutputOptions {
    private static final class Converter implements ITypeConverter<Output> {
        @Override
        public Output convert(String value) {
            try {
                return Output.parse(value);
            } catch (IllegalArgumentException e) {
                throw new TypeConversionException("expected short, full, hey or both, found '" + value + "'");
            }
        }
    }

    @Option(
            names = "--output",
            paramLabel = "short|full|hey",
            converter = Converter.class,
            description = "short: one screen. hey: what hey would print of each target. full: everything. Default: "
                    + "both, hey's and below it the screen.")
    private Output output;

    /** Returns what was asked for; absent where nothing was. */
    Optional<Output> output() {
        return Optional.ofNullable(output);
    }
}
