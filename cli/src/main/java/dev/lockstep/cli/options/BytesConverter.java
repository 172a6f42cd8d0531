package dev.lockstep.cli.options;

import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Reads amounts of memory as the JVM's options and Docker write them, in powers of 1024: {@code 128m}, {@code 1g}. */
public final class BytesConverter implements ITypeConverter<Long> {
    private static final Pattern AMOUNT = Pattern.compile("([0-9]+)([kmg])b?");
    /** As many as any unit can be shifted by without overflow. */
    private static final int MAX_DIGITS = 9;

    @Override
    public Long convert(String value) {
        Matcher amount = AMOUNT.matcher(value.toLowerCase(Locale.ROOT));
        if (!amount.matches()) {
            throw new TypeConversionException(
                    "expected an amount of memory with its unit such as 128m or 1g, found '" + value + "'");
        }
        int shift = amount.group(2).equals("k") ? 10 : amount.group(2).equals("m") ? 20 : 30;
        String digits = amount.group(1).replaceFirst("^0+(?=.)", "");
        if (digits.length() > MAX_DIGITS) {
            throw new TypeConversionException("expected at most " + "9".repeat(MAX_DIGITS) + amount.group(2)
                    + ", found '" + value + "', which is too large");
        }
        return Long.parseLong(digits) << shift;
    }

    /** Writes an amount as this reads it, in the largest unit that leaves no rest; bytes otherwise. */
    public static String print(long bytes) {
        for (int unit = 2; unit >= 0; unit--) {
            long size = 1024L << 10 * unit;
            if (bytes >= size && bytes % size == 0) {
                return bytes / size + "kmg".substring(unit, unit + 1);
            }
        }
        return bytes + " bytes";
    }
}
