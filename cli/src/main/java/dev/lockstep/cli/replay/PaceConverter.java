package dev.lockstep.cli.replay;

import dev.lockstep.measurement.Pace;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Reads what {@code --pace} takes; see {@link Pace#FORMS}. */
final class PaceConverter implements ITypeConverter<Pace> {
    /** Reads what {@code -q} takes: hey's number, or the same with its unit. */
    static final class Rate implements ITypeConverter<Pace> {
        @Override
        public Pace convert(String value) {
            try {
                Pace pace = Pace.parse(value.endsWith("/s") ? value : value + "/s");
                if (pace.kind() == Pace.Kind.CONSTANT) {
                    return pace;
                }
            } catch (IllegalArgumentException e) {
                // Told below, in the terms of this option.
            }
            throw new TypeConversionException(
                    "expected a number of requests per second above 0, found '" + value + "'");
        }
    }

    @Override
    public Pace convert(String value) {
        try {
            return Pace.parse(value);
        } catch (IllegalArgumentException e) {
            // The option is named in front of it: "expected" instead of naming the field again.
            throw new TypeConversionException(e.getMessage()
                    .replaceFirst("^pace must (?:be |have )?", "expected ")
                    .replaceFirst(", is ([^,]*)$", ", found $1"));
        }
    }
}
