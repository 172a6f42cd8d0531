package dev.lockstep.measurement;

import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.OptionalLong;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import org.HdrHistogram.Histogram;

/**
 * The usual figures of one time of all requests, in nanoseconds. Immutable. Values have the three significant digits of
 * the histogram that they come from; without any values there is only the count.
 *
 * <p>A percentile that leaves a share 1 - q of the requests above it is supported when at least ten lie there, which
 * takes 10 / (1 - q) in all. The figure is given in any case; {@link #supports} says whether to believe it.
 *
 * <p>A request without an answer counts as slower than each that got one. So a percentile is that of all requests, and
 * where it would be one without an answer, {@link #stands} is false and the figure is the least that it can be. Of one
 * that was given up that is the time allowed, of others the longest time of an answer. Minimum, mean and deviation are
 * those of the answers.
 */
public final class Percentiles {
    private static final int VALUES_ABOVE = 10;

    /** A percentile of the table. */
    public enum Level {
        P50("p50", "p50", 2),
        P90("p90", "p90", 10),
        P95("p95", "p95", 20),
        P99("p99", "p99", 100),
        P999("p999", "p99.9", 1_000),
        P9999("p9999", "p99.99", 10_000);

        private final String key;
        private final String label;
        private final int oneAboveIn;

        Level(String key, String label, int oneAboveIn) {
            this.key = key;
            this.label = label;
            this.oneAboveIn = oneAboveIn;
        }

        /** Returns the field's name in files. */
        public String key() {
            return key;
        }

        /** Returns the name on the screen. */
        public String label() {
            return label;
        }

        /** Returns how many values it takes for ten of them to lie above the percentile. */
        public long neededValues() {
            return (long) VALUES_ABOVE * oneAboveIn;
        }

        public double percentile() {
            return 100.0 - 100.0 / oneAboveIn;
        }
    }

    private static final Level[] LEVELS = Level.values();

    /** Of no values. */
    public static final Percentiles NONE = new Percentiles(0, 0, new long[LEVELS.length], 0, 0, 0, 0);

    private final long count;
    private final long withoutAnswer;
    private final long[] values;
    private final long max;
    private final long min;
    private final long mean;
    private final long standardDeviation;

    private Percentiles(
            long count, long withoutAnswer, long[] values, long max, long min, long mean, long standardDeviation) {
        this.count = count;
        this.withoutAnswer = withoutAnswer;
        this.values = values;
        this.max = max;
        this.min = min;
        this.mean = mean;
        this.standardDeviation = standardDeviation;
    }

    /**
     * Returns known figures.
     *
     * @param levels in the order of {@link Level}
     */
    public static Percentiles of(
            long count, long withoutAnswer, long[] levels, long max, long min, long mean, long standardDeviation) {
        return new Percentiles(count, withoutAnswer, levels.clone(), max, min, mean, standardDeviation);
    }

    /** Returns the figures of a histogram of nanoseconds. */
    public static Percentiles of(Histogram histogram) {
        return of(histogram, 0, 0, 0);
    }

    /**
     * Returns the figures of requests of which some got no answer.
     *
     * @param answers their times, nanoseconds
     * @param withoutAnswer how many have none
     * @param timedOut how many of these were given up
     * @param timeoutNs after how long
     */
    public static Percentiles of(Histogram answers, long withoutAnswer, long timedOut, long timeoutNs) {
        long count = answers.getTotalCount();
        if (count == 0) {
            return NONE;
        }
        long longest = answers.getMaxValue();
        long[] values = new long[LEVELS.length];
        for (Level level : LEVELS) {
            long rank = rank(level.percentile(), count + withoutAnswer);
            // The order of those without an answer is not known: those that were given up come last.
            boolean givenUp = rank > count + withoutAnswer - timedOut;
            values[level.ordinal()] = rank <= count
                    ? answers.getValueAtPercentile(100.0 * rank / count)
                    : givenUp ? Math.max(longest, timeoutNs) : longest;
        }
        long mean;
        long standardDeviation;
        // These use one iterator of the histogram's own, and several listeners of a run may read the same result.
        synchronized (answers) {
            mean = Math.round(answers.getMean());
            standardDeviation = Math.round(answers.getStdDeviation());
        }
        return new Percentiles(
                count,
                withoutAnswer,
                values,
                timedOut > 0 ? Math.max(longest, timeoutNs) : longest,
                answers.getMinValue(),
                mean,
                standardDeviation);
    }

    /** Returns which value, counted from 1, is the percentile of so many, as HdrHistogram takes it. */
    private static long rank(double percentile, long count) {
        return Math.max(1, (long) Math.ceil(Math.nextDown(percentile) * count / 100));
    }

    /**
     * Returns another percentile of the same requests, in nanoseconds; absent where it would be one without an answer.
     *
     * @param answers the histogram of these figures
     */
    public OptionalLong of(double percentile, Histogram answers) {
        long rank = rank(percentile, count + withoutAnswer);
        return rank > count || !stands(percentile)
                ? OptionalLong.empty()
                : OptionalLong.of(answers.getValueAtPercentile(100.0 * rank / count));
    }

    /** Whether these are the figures of this histogram, as far as it tells. */
    public boolean isOf(Histogram answers) {
        Percentiles found = of(answers, withoutAnswer, 0, 0);
        return count == found.count
                && min == found.min
                && mean == found.mean
                && standardDeviation == found.standardDeviation
                && Arrays.stream(LEVELS)
                        .allMatch(level -> !stands(level) || values[level.ordinal()] == found.values[level.ordinal()]);
    }

    /** Returns how many values there are; with none, the other figures do not exist. */
    public long count() {
        return count;
    }

    /** Returns how many requests have no time because they got no answer. */
    public long withoutAnswer() {
        return withoutAnswer;
    }

    /** Says whether a percentile is that of an answered request; else it is at least the figure given. */
    public boolean stands(Level level) {
        return stands(level.percentile());
    }

    private boolean stands(double percentile) {
        return withoutAnswer == 0 || 100.0 * withoutAnswer < (100 - percentile) * (count + withoutAnswer);
    }

    /** Returns a percentile in nanoseconds. */
    public long at(Level level) {
        requireValues();
        return values[level.ordinal()];
    }

    /**
     * Says whether there are enough requests for this percentile to mean something: those without an answer are above
     * it, so that no launch is without one for having failed some.
     */
    public boolean supports(Level level) {
        return count + withoutAnswer >= level.neededValues();
    }

    /** Returns the longest time; where requests have no answer, at least that. */
    public long max() {
        requireValues();
        return max;
    }

    public long min() {
        requireValues();
        return min;
    }

    public long mean() {
        requireValues();
        return mean;
    }

    public long standardDeviation() {
        requireValues();
        return standardDeviation;
    }

    private void requireValues() {
        if (count == 0) {
            throw new IllegalStateException("there is no such figure without values; ask count() first");
        }
    }

    private List<Long> figures() {
        List<Long> figures = LongStream.of(values).boxed().collect(Collectors.toList());
        Collections.addAll(figures, count, withoutAnswer, max, min, mean, standardDeviation);
        return figures;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Percentiles && figures().equals(((Percentiles) other).figures());
    }

    @Override
    public int hashCode() {
        return figures().hashCode();
    }

    @Override
    public String toString() {
        return count + " values, " + withoutAnswer + " missing, percentiles " + Arrays.toString(values) + ", max " + max
                + ", min " + min + ", mean " + mean + ", standard deviation " + standardDeviation;
    }
}
