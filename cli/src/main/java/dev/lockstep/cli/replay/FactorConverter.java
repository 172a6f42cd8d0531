package dev.lockstep.cli.replay;

import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Reads what {@code --speed} takes: {@code 2x}, {@code 0.5x}, {@code 2}. */
final class FactorConverter implements ITypeConverter<Double> {
    private static final Pattern FACTOR = Pattern.compile("([0-9]{1,6}(?:\\.[0-9]{1,6})?)x?");

    @Override
    public Double convert(String value) {
        Matcher factor = FACTOR.matcher(value);
        double times = factor.matches() ? Double.parseDouble(factor.group(1)) : 0;
        if (times <= 0) {
            throw new TypeConversionException("expected a factor such as 2x or 0.5x, found '" + value + "'");
        }
        return times;
    }
}
