package dev.lockstep.packets;

/** Turns the time stamps of one interface of a pcapng file into ns. Immutable. What does not fit becomes the limit. */
final class TimeResolution {
    private static final long NS_PER_SECOND = 1_000_000_000;

    private final boolean binary;
    private final int exponent;
    private final long offsetNs;

    /**
     * Creates a resolution.
     *
     * @param code the option if_tsresol: a negative power of 10, or of 2 when the upper bit is set
     * @param offsetSeconds the option if_tsoffset, added to each stamp
     */
    TimeResolution(int code, long offsetSeconds) {
        this.binary = (code & 0x80) != 0;
        this.exponent = code & 0x7f;
        this.offsetNs = multiply(offsetSeconds, NS_PER_SECOND);
    }

    /** Returns the time of a stamp, which is unsigned. */
    long toNs(long units) {
        long ns = binary ? fromBinary(units) : fromDecimal(units);
        long sum = ns + offsetNs;
        return offsetNs > 0 && sum < ns ? Long.MAX_VALUE : sum;
    }

    private long fromDecimal(long units) {
        if (exponent <= 9) {
            return units < 0 ? Long.MAX_VALUE : multiply(units, powerOf10(9 - exponent));
        }
        return exponent <= 27 ? Long.divideUnsigned(units, powerOf10(exponent - 9)) : 0;
    }

    private long fromBinary(long units) {
        if (exponent >= 64) {
            long positive = units >>> 1;
            return exponent - 64 >= 63 ? 0 : Math.multiplyHigh(positive, NS_PER_SECOND) << 1 >>> exponent - 64;
        }
        if (exponent == 0) {
            return units < 0 ? Long.MAX_VALUE : multiply(units, NS_PER_SECOND);
        }
        long seconds = units >>> exponent;
        long fraction = units & (1L << exponent) - 1;
        long fractionNs =
                Math.multiplyHigh(fraction, NS_PER_SECOND) << 64 - exponent | fraction * NS_PER_SECOND >>> exponent;
        long secondsNs = multiply(seconds, NS_PER_SECOND);
        return secondsNs == Long.MAX_VALUE ? secondsNs : secondsNs + fractionNs;
    }

    private static long powerOf10(int exponent) {
        long power = 1;
        for (int i = 0; i < exponent; i++) {
            power *= 10;
        }
        return power;
    }

    /** Multiplies by a positive number; what does not fit becomes the limit. */
    private static long multiply(long value, long factor) {
        if (value > Long.MAX_VALUE / factor) {
            return Long.MAX_VALUE;
        }
        return value < Long.MIN_VALUE / factor ? Long.MIN_VALUE : value * factor;
    }
}
