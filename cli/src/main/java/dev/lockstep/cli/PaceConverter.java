package dev.lockstep.cli;

import dev.lockstep.measurement.Pace;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Reads what {@code --pace} takes: {@code recorded}, {@code max} or a rate such as {@code 2000/s}. */
final class PaceConverter implements ITypeConverter<Pace> {
    /** Reads what {@code -q} takes: hey's number, or the same with its unit. */
    static final class Rate implements ITypeConverter<Pace> {
        @Override
        public Pace convert(String value) {
            return parse(
                    value.endsWith("/s") ? value : value + "/s",
                    "expected a number of requests per second above 0, found '" + value + "'");
        }
    }

    @Override
    public Pace convert(String value) {
        return parse(value, "expected recorded, max or a rate such as 2000/s, found '" + value + "'");
    }

    private static Pace parse(String text, String complaint) {
        try {
            return Pace.parse(text);
        } catch (IllegalArgumentException e) {
            throw new TypeConversionException(complaint);
        }
    }
}
