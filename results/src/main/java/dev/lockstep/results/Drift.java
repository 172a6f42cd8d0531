package dev.lockstep.results;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonValue;
import com.fasterxml.jackson.databind.annotation.JsonDeserialize;
import java.util.Locale;
import java.util.Optional;
import org.immutables.value.Value;

/** Whether a quantity of one target rose or fell for as long as a soak run lasted, such as a leak in its memory. */
@Value.Immutable
@JsonDeserialize(builder = ImmutableDrift.Builder.class)
public abstract class Drift {
    /** Why the rise of a heap does not count: all of it may be garbage. */
    public static final String UNCOLLECTED =
            "not collected in the last half of the time: soak longer, or take a smaller heap";
    /** Why that of the resident memory does not count then. */
    public static final String WITH_UNCOLLECTED = "rises with the heap, which was not collected";

    /** What was looked at. */
    public enum Metric {
        RSS("rssBytes", true),
        OLD_GEN_USED("oldGenUsedBytes", true),
        /** The whole heap, of a collector without generations. */
        HEAP_USED("heapUsedBytes", true),
        /** The 99th percentile of the response time. */
        RESPONSE_TIME_P99("responseTimeP99Ns", false);

        private final String key;
        private final boolean memory;

        Metric(String key, boolean memory) {
            this.key = key;
            this.memory = memory;
        }

        /** The name in files, with its unit. */
        @JsonValue
        public String key() {
            return key;
        }

        /** True for a metric in bytes, whose rise is a leak; the other one is in nanoseconds. */
        public boolean isMemory() {
            return memory;
        }

        @JsonCreator
        static Metric parse(String key) {
            return Keys.parse(values(), Metric::key, key);
        }
    }

    /**
     * @param low of the slope's 95 % interval
     * @param high of it
     */
    public static Drift of(
            String target, Metric metric, double slopePerHour, double low, double high, double pValue, boolean found) {
        return ImmutableDrift.builder()
                .target(target)
                .metric(metric)
                .slopePerHour(slopePerHour)
                .low(low)
                .high(high)
                .pValue(pValue)
                .found(found)
                .build();
    }

    /** The target. */
    public abstract String target();

    /** What was looked at. */
    public abstract Metric metric();

    /** In the metric's unit per hour under measured load. */
    public abstract double slopePerHour();

    public abstract double low();

    public abstract double high();

    /** Of there being no trend. */
    public abstract double pValue();

    /** Whether it rises or falls for good. */
    @Value.Default
    public boolean found() {
        return false;
    }

    /** Why a trend that is certain does not count, for people: too small, it levels off, or nothing was collected. */
    public abstract Optional<String> whyNot();

    /** Returns this one, which is not found though the test is certain of it. */
    public Drift notFoundSince(String why) {
        return ImmutableDrift.builder().from(this).found(false).whyNot(why).build();
    }

    /** True for what a soak run is made to find: memory or a response time that rises for good. */
    public boolean isRising() {
        return found() && slopePerHour() > 0;
    }

    /** True for a heap that rises and was not collected, of which nobody can tell whether it leaks. */
    public boolean isUncollected() {
        return whyNot().filter(UNCOLLECTED::equals).isPresent();
    }

    @Override
    public String toString() {
        return String.format(
                Locale.ROOT,
                "%s %s %+.4g (%+.4g to %+.4g) an hour, p %.2g%s",
                target(),
                metric().key,
                slopePerHour(),
                low(),
                high(),
                pValue(),
                found() ? ", found" : "");
    }
}
