package dev.lockstep.measurement;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.List;
import org.HdrHistogram.Histogram;

/**
 * The usual figures of one time of all requests, in nanoseconds. Immutable. Values have the three significant digits of
 * the histogram that they come from; without any values there is only the count.
 *
 * <p>A percentile that leaves a share 1 - q of the values above it is supported when at least ten values lie there,
 * which takes 10 / (1 - q) values in all. The figure is given in any case; {@link #supports} says whether to believe it.
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

        double percentile() {
            return 100.0 - 100.0 / oneAboveIn;
        }
    }

    private static final Level[] LEVELS = Level.values();

    private final long count;
    private final long[] values;
    private final long max;
    private final long min;
    private final long mean;
    private final long standardDeviation;

    private Percentiles(long count, long[] values, long max, long min, long mean, long standardDeviation) {
        this.count = count;
        this.values = values;
        this.max = max;
        this.min = min;
        this.mean = mean;
        this.standardDeviation = standardDeviation;
    }

    /** Returns the figures of a histogram of nanoseconds. */
    public static Percentiles of(Histogram histogram) {
        long[] values = new long[LEVELS.length];
        long count = histogram.getTotalCount();
        if (count == 0) {
            return new Percentiles(0, values, 0, 0, 0, 0);
        }
        for (Level level : LEVELS) {
            values[level.ordinal()] = histogram.getValueAtPercentile(level.percentile());
        }
        return new Percentiles(
                count,
                values,
                histogram.getMaxValue(),
                histogram.getMinValue(),
                Math.round(histogram.getMean()),
                Math.round(histogram.getStdDeviation()));
    }

    /** Returns how many values there are; with none, the other figures do not exist. */
    public long count() {
        return count;
    }

    /** Returns a percentile in nanoseconds. */
    public long at(Level level) {
        requireValues();
        return values[level.ordinal()];
    }

    /** Says whether there are enough values for this percentile to mean something. */
    public boolean supports(Level level) {
        return count >= level.neededValues();
    }

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

    ObjectNode toJson() {
        ObjectNode json = JsonFields.object();
        if (count > 0) {
            for (Level level : LEVELS) {
                json.put(level.key(), values[level.ordinal()]);
            }
            json.put("max", max);
            json.put("mean", mean);
            json.put("min", min);
            json.put("stddev", standardDeviation);
        }
        json.put("count", count);
        List<String> unsupported = new ArrayList<>();
        for (Level level : LEVELS) {
            if (count > 0 && !supports(level)) {
                unsupported.add(level.key());
            }
        }
        JsonFields.put(json, "unsupported", unsupported);
        return json;
    }

    static Percentiles fromJson(JsonFields json) {
        long[] values = new long[LEVELS.length];
        long count = json.number("count");
        if (count == 0) {
            return new Percentiles(0, values, 0, 0, 0, 0);
        }
        for (Level level : LEVELS) {
            values[level.ordinal()] = json.number(level.key());
        }
        return new Percentiles(
                count, values, json.number("max"), json.number("min"), json.number("mean"), json.number("stddev"));
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Percentiles && toJson().equals(((Percentiles) other).toJson());
    }

    @Override
    public int hashCode() {
        return Long.hashCode(count + 31 * max);
    }

    @Override
    public String toString() {
        return toJson().toString();
    }
}
