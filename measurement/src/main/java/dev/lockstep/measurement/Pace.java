package dev.lockstep.measurement;

import java.math.BigDecimal;
import java.math.RoundingMode;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * At which times requests are sent. In an open loop the schedule decides: as recorded, at a constant rate, at random
 * with a mean rate, at a rate that rises or falls, or at one rate after the other. In a closed loop the answers decide:
 * each connection sends its next request when its answer is there. Immutable.
 *
 * <p>Rates are those of all connections to one target together.
 */
public final class Pace {
    /** How the times come about. */
    public enum Kind {
        /** The times of the capture, divided by the plan's speed. */
        RECORDED,
        CONSTANT,
        /** Gaps of an exponential distribution: what many clients that know nothing of each other send. */
        POISSON,
        /** A rate that changes evenly from one to another, and stays there. */
        RAMP,
        /** Constant rates one after the other; the last one stays. */
        STEPS,
        CLOSED
    }

    /** A rate that is kept for a while. Immutable. */
    public static final class Step {
        private final double ratePerSec;
        private final Duration length;

        private Step(double ratePerSec, Duration length) {
            this.ratePerSec = ratePerSec;
            this.length = length;
        }

        public double ratePerSec() {
            return ratePerSec;
        }

        public Duration length() {
            return length;
        }

        @Override
        public String toString() {
            return number(ratePerSec) + "/s:" + text(length);
        }
    }

    /** The times of the capture, divided by the plan's speed. */
    public static final Pace RECORDED = new Pace(Kind.RECORDED, "recorded", 0, 0, null, List.of(), 0);
    /** As fast as the target answers, one request in flight per connection; {@code closed} means the same. */
    public static final Pace MAX = new Pace(Kind.CLOSED, "max", 0, 0, Duration.ZERO, List.of(), 0);
    /** The seed of a Poisson pace for which none is given, so that two runs of one command send at the same times. */
    public static final long DEFAULT_SEED = 1;

    /** What {@link #parse} reads, in words for people. */
    public static final String FORMS =
            "recorded, RATE/s, poisson:RATE/s[:seed=N], ramp:RATE/s..RATE/s:DURATION, steps:RATE/s:DURATION,...,"
                    + " closed[:DURATION] or max";

    private static final double HIGHEST_RATE_PER_SEC = 1e9;
    private static final String NUMBER = "[0-9]{1,15}(?:\\.[0-9]{1,9})?";
    private static final String TIME = NUMBER + "(?:us|ms|s|m|h)";
    private static final Pattern RATE = Pattern.compile("(" + NUMBER + ")/s");
    private static final Pattern POISSON_PACE = Pattern.compile("poisson:(" + NUMBER + ")/s(?::seed=(-?[0-9]{1,19}))?");
    private static final Pattern RAMP_PACE =
            Pattern.compile("ramp:(" + NUMBER + ")/s\\.\\.(" + NUMBER + ")/s:(" + TIME + ")");
    private static final Pattern STEP = Pattern.compile("(" + NUMBER + ")/s:(" + TIME + ")");
    private static final Pattern CLOSED_PACE = Pattern.compile("closed:(" + TIME + ")");
    private static final Pattern TIME_PARTS = Pattern.compile("(" + NUMBER + ")([a-z]+)");

    private final Kind kind;
    private final String text;
    /** Constant, mean, or first. */
    private final double ratePerSec;

    private final double endRatePerSec;
    /** Of a ramp, of all steps together, or of a pause in a closed loop; else null. */
    private final Duration time;

    private final List<Step> steps;
    private final long seed;

    private Pace(
            Kind kind,
            String text,
            double ratePerSec,
            double endRatePerSec,
            Duration time,
            List<Step> steps,
            long seed) {
        this.kind = kind;
        this.text = text;
        this.ratePerSec = ratePerSec;
        this.endRatePerSec = endRatePerSec;
        this.time = time;
        this.steps = List.copyOf(steps);
        this.seed = seed;
    }

    /** Returns a constant rate. */
    public static Pace rate(double requestsPerSec) {
        checkRate(requestsPerSec);
        return new Pace(Kind.CONSTANT, number(requestsPerSec) + "/s", requestsPerSec, 0, null, List.of(), 0);
    }

    /**
     * Returns random times of a mean rate.
     *
     * @param seed the same seed gives the same times, to the nanosecond
     */
    public static Pace poisson(double requestsPerSec, long seed) {
        checkRate(requestsPerSec);
        String text = "poisson:" + number(requestsPerSec) + "/s:seed=" + seed;
        return new Pace(Kind.POISSON, text, requestsPerSec, 0, null, List.of(), seed);
    }

    /** Returns a rate that changes evenly within this time and stays at its end; only the first may be 0. */
    public static Pace ramp(double fromPerSec, double toPerSec, Duration length) {
        if (fromPerSec != 0) {
            checkRate(fromPerSec);
        }
        checkRate(toPerSec);
        Rules.positive("pace", length);
        String text = "ramp:" + number(fromPerSec) + "/s.." + number(toPerSec) + "/s:" + text(length);
        return new Pace(Kind.RAMP, text, fromPerSec, toPerSec, length, List.of(), 0);
    }

    /** Returns constant rates that follow each other, as {@link #step}s. */
    public static Pace steps(List<Step> steps) {
        if (steps.isEmpty()) {
            throw new IllegalArgumentException("pace must have at least one step");
        }
        Duration length = steps.stream().map(Step::length).reduce(Duration.ZERO, Duration::plus);
        Rules.nanos("pace", length);
        String text = "steps:" + steps.stream().map(Step::toString).collect(Collectors.joining(","));
        return new Pace(Kind.STEPS, text, 0, 0, length, steps, 0);
    }

    /** Returns a part of {@link #steps}. */
    public static Step step(double requestsPerSec, Duration length) {
        checkRate(requestsPerSec);
        Rules.positive("pace", length);
        return new Step(requestsPerSec, length);
    }

    /** Returns a closed loop in which each connection pauses this long between an answer and its next request. */
    public static Pace closed(Duration think) {
        if (think.isZero()) {
            return MAX;
        }
        Rules.positive("pace", think);
        return new Pace(Kind.CLOSED, "closed:" + text(think), 0, 0, think, List.of(), 0);
    }

    /** Returns the pace that {@link #toString} and users write, in one of {@link #FORMS}. */
    public static Pace parse(String text) {
        if (text.equals("recorded")) {
            return RECORDED;
        }
        if (text.equals("max") || text.equals("closed")) {
            return MAX;
        }
        if (text.startsWith("steps:")) {
            return parseSteps(text);
        }
        Matcher matcher;
        if ((matcher = RATE.matcher(text)).matches()) {
            return rate(Double.parseDouble(matcher.group(1)));
        }
        if ((matcher = POISSON_PACE.matcher(text)).matches()) {
            return poisson(
                    Double.parseDouble(matcher.group(1)),
                    matcher.group(2) == null ? DEFAULT_SEED : parseSeed(matcher.group(2)));
        }
        if ((matcher = RAMP_PACE.matcher(text)).matches()) {
            return ramp(
                    Double.parseDouble(matcher.group(1)),
                    Double.parseDouble(matcher.group(2)),
                    parseTime(matcher.group(3)));
        }
        if ((matcher = CLOSED_PACE.matcher(text)).matches()) {
            return closed(parseTime(matcher.group(1)));
        }
        throw unreadable(text);
    }

    private static Pace parseSteps(String text) {
        List<Step> steps = new ArrayList<>();
        for (String part : text.substring("steps:".length()).split(",", -1)) {
            Matcher matcher = STEP.matcher(part);
            if (!matcher.matches()) {
                throw unreadable(text);
            }
            steps.add(step(Double.parseDouble(matcher.group(1)), parseTime(matcher.group(2))));
        }
        return steps(steps);
    }

    private static IllegalArgumentException unreadable(String text) {
        String expected = FORMS;
        if (text.startsWith("poisson")) {
            expected = "poisson:RATE/s[:seed=N], for example poisson:2000/s or poisson:2000/s:seed=7";
        } else if (text.startsWith("ramp")) {
            expected = "ramp:RATE/s..RATE/s:DURATION, for example ramp:100/s..5000/s:60s";
        } else if (text.startsWith("steps")) {
            expected = "steps:RATE/s:DURATION,..., for example steps:100/s:10s,500/s:10s";
        } else if (text.startsWith("closed")) {
            expected = "closed or closed:DURATION, for example closed:10ms";
        }
        return new IllegalArgumentException("pace must be " + expected + ", is " + Rules.quote(text));
    }

    private static long parseSeed(String digits) {
        try {
            return Long.parseLong(digits);
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException("pace must have a seed that fits 64 bits, is " + digits, e);
        }
    }

    private static Duration parseTime(String text) {
        Matcher parts = TIME_PARTS.matcher(text);
        if (!parts.matches()) {
            throw new IllegalArgumentException("pace must have times like 10s, is " + Rules.quote(text));
        }
        BigDecimal ns = new BigDecimal(parts.group(1))
                .multiply(BigDecimal.valueOf(DurationUnit.of(parts.group(2)).ns()));
        try {
            return Duration.ofNanos(ns.setScale(0, RoundingMode.HALF_UP).longValueExact());
        } catch (ArithmeticException e) {
            throw new IllegalArgumentException("pace must have times of at most 292 years, is " + text, e);
        }
    }

    private static void checkRate(double requestsPerSec) {
        Rules.positive("pace", requestsPerSec);
        if (requestsPerSec > HIGHEST_RATE_PER_SEC) {
            throw new IllegalArgumentException("pace must be at most 1000000000/s, is " + requestsPerSec);
        }
    }

    private static String number(double value) {
        return value == 0 ? "0" : BigDecimal.valueOf(value).stripTrailingZeros().toPlainString();
    }

    /** Writes a time in the largest unit up to seconds in which it is a whole number of nanoseconds or more. */
    private static String text(Duration time) {
        long ns = time.toNanos();
        DurationUnit unit = ns % DurationUnit.SECONDS.ns() == 0
                ? DurationUnit.SECONDS
                : ns % DurationUnit.MILLISECONDS.ns() == 0 ? DurationUnit.MILLISECONDS : DurationUnit.MICROSECONDS;
        return BigDecimal.valueOf(ns)
                        .divide(BigDecimal.valueOf(unit.ns()))
                        .stripTrailingZeros()
                        .toPlainString()
                + unit.key();
    }

    public Kind kind() {
        return kind;
    }

    /** Returns the constant or mean rate; of a ramp and of steps the mean until they end. Absent otherwise. */
    public OptionalDouble ratePerSec() {
        switch (kind) {
            case CONSTANT:
            case POISSON:
                return OptionalDouble.of(ratePerSec);
            case RAMP:
                return OptionalDouble.of((ratePerSec + endRatePerSec) / 2);
            case STEPS:
                double requests = 0;
                for (Step step : steps) {
                    requests += step.ratePerSec * step.length.toNanos();
                }
                return OptionalDouble.of(requests / time.toNanos());
            default:
                return OptionalDouble.empty();
        }
    }

    /** Returns the rate at which a ramp starts. */
    public double rampFromPerSec() {
        return ratePerSec;
    }

    /** Returns the rate at which a ramp ends. */
    public double rampToPerSec() {
        return endRatePerSec;
    }

    /** Returns when a ramp or the last step ends: so long is a run that is not told its length. Absent otherwise. */
    public Optional<Duration> length() {
        return kind == Kind.RAMP || kind == Kind.STEPS ? Optional.of(time) : Optional.empty();
    }

    /** Returns the steps; empty for every other pace. */
    public List<Step> steps() {
        return steps;
    }

    /** Returns the seed of a Poisson pace. */
    public long seed() {
        return seed;
    }

    /** Returns how long a connection of a closed loop pauses between an answer and its next request. */
    public Duration think() {
        return closedLoop() ? time : Duration.ZERO;
    }

    /** Says whether a request waits for the answer before it, so that a slow target gets fewer requests. */
    public boolean closedLoop() {
        return kind == Kind.CLOSED;
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
