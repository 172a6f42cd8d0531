package dev.lockstep.cli;

import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Reads amounts of memory as the JVM's options and Docker write them, in powers of 1024: {@code 128m}, {@code 1g}. */
final class BytesConverter implements ITypeConverter<Long> {
    private static final Pattern AMOUNT = Pattern.compile("([0-9]{1,9})([kmg])b?");

    @Override
    public Long convert(String value) {
        Matcher amount = AMOUNT.matcher(value.toLowerCase(Locale.ROOT));
        if (!amount.matches()) {
            throw new TypeConversionException(
                    "expected an amount of memory with its unit such as 128m or 1g, found '" + value + "'");
        }
        int shift = amount.group(2).equals("k") ? 10 : amount.group(2).equals("m") ? 20 : 30;
        return Long.parseLong(amount.group(1)) << shift;
    }
}
