package dev.lockstep.cli.options;

import dev.lockstep.measurement.DurationUnit;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Reads durations as hey and Go write them: {@code 10s}, {@code 500ms}, {@code 1h30m}, {@code 1.5s}, {@code 0}. */
public class DurationConverter implements ITypeConverter<Duration> {
    private static final Pattern PART = Pattern.compile("([0-9]{1,12}(?:\\.[0-9]{1,9})?)(ns|us|ms|s|m|h)");
    private static final Duration LONGEST = Duration.ofDays(366);

    /** Reads the same, and a bare number as seconds, as hey takes its time-out and wrk its duration. */
    public static final class SecondsByDefault extends DurationConverter {
        @Override
        public Duration convert(String value) {
            return super.convert(value.matches("[0-9]+(\\.[0-9]+)?") ? value + "s" : value);
        }
    }

    @Override
    public Duration convert(String value) {
        if (value.equals("0")) {
            return Duration.ZERO;
        }
        Matcher part = PART.matcher(value);
        BigDecimal totalNs = BigDecimal.ZERO;
        int end = 0;
        while (part.find() && part.start() == end) {
            totalNs = totalNs.add(new BigDecimal(part.group(1))
                    .multiply(BigDecimal.valueOf(DurationUnit.of(part.group(2)).ns())));
            end = part.end();
        }
        if (end == 0 || end != value.length()) {
            throw new TypeConversionException(
                    "expected a duration such as 10s, 500ms, 2m or 1h30m, found '" + value + "'");
        }
        if (totalNs.compareTo(BigDecimal.valueOf(LONGEST.toNanos())) > 0) {
            throw new TypeConversionException("expected at most " + LONGEST.toDays() + " days, found '" + value + "'");
        }
        return Duration.ofNanos(totalNs.longValue());
    }

    /** Writes a duration as this reads it, in the largest unit that leaves no rest. */
    public static String print(Duration duration) {
        long ns = duration.toNanos();
        DurationUnit[] units = DurationUnit.values();
        int largest = units.length - 1;
        while (ns % units[largest].ns() != 0) {
            largest--;
        }
        return ns == 0 ? "0" : ns / units[largest].ns() + units[largest].key();
    }
}
