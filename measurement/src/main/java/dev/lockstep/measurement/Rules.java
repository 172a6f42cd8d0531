package dev.lockstep.measurement;

import java.time.Duration;

/** Checks that several builders share. Each refuses with the field, the rule and the value. */
public final class Rules {
    private Rules() {}

    public static void atLeast(String field, long least, long value) {
        if (value < least) {
            throw new IllegalArgumentException(field + " must be at least " + least + ", is " + value);
        }
    }

    public static void positive(String field, Duration value) {
        if (value.isZero() || value.isNegative()) {
            throw new IllegalArgumentException(field + " must be longer than 0, is " + value);
        }
        nanos(field, value);
    }

    public static void positive(String field, double value) {
        if (!(value > 0) || Double.isInfinite(value)) {
            throw new IllegalArgumentException(field + " must be more than 0, is " + value);
        }
    }

    /** Refuses a duration of more than 292 years, the most that nanoseconds in a long can hold. */
    public static long nanos(String field, Duration value) {
        try {
            return value.toNanos();
        } catch (ArithmeticException e) {
            throw new IllegalArgumentException(field + " must be at most 292 years, is " + value, e);
        }
    }

    public static String quote(String text) {
        return text == null ? "absent" : "\"" + text.replaceAll("\\s+", " ") + "\"";
    }
}
