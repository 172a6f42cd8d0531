package dev.lockstep.measurement;

import java.math.BigDecimal;
import java.util.OptionalDouble;
import java.util.regex.Pattern;

/**
 * At which times requests are sent: as recorded, at a constant rate (both open loop), or each as soon as its
 * connection's previous answer is there (closed loop). Immutable.
 */
public final class Pace {
    /** The times of the capture, divided by the plan's speed. */
    public static final Pace RECORDED = new Pace(OptionalDouble.empty(), "recorded");
    /** As fast as the target answers, one request in flight per connection. */
    public static final Pace MAX = new Pace(OptionalDouble.empty(), "max");

    private static final double HIGHEST_RATE_PER_SEC = 1e9;
    private static final Pattern RATE = Pattern.compile("([0-9]+(?:\\.[0-9]+)?)/s");

    private final OptionalDouble ratePerSec;
    private final String text;

    private Pace(OptionalDouble ratePerSec, String text) {
        this.ratePerSec = ratePerSec;
        this.text = text;
    }

    /** Returns a constant rate of all connections of one target together. */
    public static Pace rate(double requestsPerSec) {
        Rules.positive("pace", requestsPerSec);
        if (requestsPerSec > HIGHEST_RATE_PER_SEC) {
            throw new IllegalArgumentException("pace must be at most 1000000000/s, is " + requestsPerSec);
        }
        String number = BigDecimal.valueOf(requestsPerSec).stripTrailingZeros().toPlainString();
        return new Pace(OptionalDouble.of(requestsPerSec), number + "/s");
    }

    /** Returns the pace that {@link #toString} and users write: {@code recorded}, {@code max} or {@code 1000/s}. */
    public static Pace parse(String text) {
        if (text.equals("recorded")) {
            return RECORDED;
        }
        if (text.equals("max")) {
            return MAX;
        }
        var matcher = RATE.matcher(text);
        if (!matcher.matches()) {
            throw new IllegalArgumentException(
                    "pace must be recorded, max or a rate like 1000/s, is " + Rules.quote(text));
        }
        return rate(Double.parseDouble(matcher.group(1)));
    }

    /** Returns the constant rate, absent for the recorded pace and the closed loop. */
    public OptionalDouble ratePerSec() {
        return ratePerSec;
    }

    /** Says whether a request waits for the answer before it, so that a slow target gets fewer requests. */
    public boolean closedLoop() {
        return equals(MAX);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Pace && text.equals(((Pace) other).text);
    }

    @Override
    public int hashCode() {
        return text.hashCode();
    }

    @Override
    public String toString() {
        return text;
    }
}
