package dev.lockstep.report;

import dev.lockstep.results.Verdict.Interval;
import java.math.BigDecimal;
import java.math.MathContext;
import java.math.RoundingMode;
import java.util.Locale;
import java.util.regex.Pattern;

/** Numbers and foreign text as a terminal shows them, the same in every country. */
final class Figures {
    /** What stands where there is no figure. */
    static final String ABSENT = "-";

    /** Stands before the least that a figure can be. */
    static final String AT_LEAST = ">=";

    private static final int SIGNIFICANT_DIGITS = 3;
    /** Ratios this large are shown without decimals. */
    private static final double LARGE_RATIO = 100;
    /** Ratios below this would be 0.000, as if there was none. */
    private static final double SMALL_RATIO = 0.0005;

    /** Two launches that differ give intervals over many powers of ten, which say no more than this. */
    private static final double TOO_WIDE = 100;

    private static final Pattern ESCAPE_SEQUENCE = Pattern.compile("\u001B\\[[0-?]*[ -/]*[@-~]");
    private static final Pattern CONTROL =
            Pattern.compile("[\\p{Cc}\\p{Cs}\\p{Zl}\\p{Zp}\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069]");

    private Figures() {}

    /** Returns at least three significant digits and never fewer than all digits before the point. */
    static String threeDigits(double value) {
        if (value == 0) {
            return "0";
        }
        BigDecimal exact = BigDecimal.valueOf(value);
        BigDecimal rounded = exact.round(new MathContext(SIGNIFICANT_DIGITS, RoundingMode.HALF_UP));
        int digitsBeforePoint = rounded.precision() - rounded.scale();
        int decimals = SIGNIFICANT_DIGITS - digitsBeforePoint;
        return (decimals > 0
                        ? rounded.setScale(decimals, RoundingMode.HALF_UP)
                        : exact.setScale(0, RoundingMode.HALF_UP))
                .toPlainString();
    }

    static String ratio(double ratio) {
        if (ratio > 0 && ratio < SMALL_RATIO) {
            return "<0.001";
        }
        return ratio < LARGE_RATIO ? format("%.3f", ratio) : threeDigits(ratio);
    }

    /** Returns an interval of ratios. */
    static String interval(Interval interval) {
        return isTooWide(interval) ? "too wide" : ratio(interval.low()) + " to " + ratio(interval.high());
    }

    static boolean isTooWide(Interval interval) {
        return interval.high() > TOO_WIDE * (interval.low() > 0 ? interval.low() : 1);
    }

    static String format(String format, Object... arguments) {
        return String.format(Locale.ROOT, format, arguments);
    }

    /**
     * Returns text that others wrote, such as a log line, as one line that cannot move the cursor, colour the screen or
     * turn the direction of writing.
     */
    static String printable(String foreign) {
        String plain = ESCAPE_SEQUENCE.matcher(foreign).replaceAll("").replace('\t', ' ');
        return CONTROL.matcher(plain).replaceAll("?");
    }
}
