package dev.lockstep.measurement;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Locale;

/**
 * Whether a quantity of one target rose or fell for as long as a soak run lasted: a leak in its memory, or a response time
 * that creeps up. Immutable.
 */
public final class Drift {
    /** What was looked at. */
    public enum Metric {
        RSS("rssBytes", true),
        OLD_GEN_USED("oldGenUsedBytes", true),
        /** The 99th percentile of the response time. */
        RESPONSE_TIME_P99("responseTimeP99Ns", false);

        private final String key;
        private final boolean memory;

        Metric(String key, boolean memory) {
            this.key = key;
            this.memory = memory;
        }

        /** Returns the name in files, with its unit. */
        public String key() {
            return key;
        }

        /** Says whether it is in bytes, and a rise therefore a leak; else it is in nanoseconds. */
        public boolean isMemory() {
            return memory;
        }

        static Metric parse(String key) {
            for (Metric metric : values()) {
                if (metric.key.equals(key)) {
                    return metric;
                }
            }
            throw new IllegalArgumentException(
                    "expected rssBytes, oldGenUsedBytes or responseTimeP99Ns, found " + Rules.quote(key));
        }
    }

    private final String target;
    private final Metric metric;
    private final double slopePerHour;
    private final double low;
    private final double high;
    private final double pValue;
    private final boolean found;

    /**
     * @param slopePerHour in the metric's unit per hour under measured load
     * @param low of its 95 % interval
     * @param high of it
     * @param pValue of there being no trend
     * @param found whether it rises or falls for good
     */
    public Drift(
            String target, Metric metric, double slopePerHour, double low, double high, double pValue, boolean found) {
        this.target = target;
        this.metric = metric;
        this.slopePerHour = slopePerHour;
        this.low = low;
        this.high = high;
        this.pValue = pValue;
        this.found = found;
    }

    public String target() {
        return target;
    }

    public Metric metric() {
        return metric;
    }

    public double slopePerHour() {
        return slopePerHour;
    }

    public double low() {
        return low;
    }

    public double high() {
        return high;
    }

    public double pValue() {
        return pValue;
    }

    public boolean found() {
        return found;
    }

    /** Says whether it is what a soak run is made to find: memory or a response time that rises for good. */
    public boolean isRising() {
        return found && slopePerHour > 0;
    }

    ObjectNode toJson() {
        ObjectNode json = JsonFields.object();
        json.put("target", target);
        json.put("metric", metric.key);
        json.put("slopePerHour", slopePerHour);
        json.put("low", low);
        json.put("high", high);
        json.put("pValue", pValue);
        json.put("found", found);
        return json;
    }

    static Drift fromJson(JsonFields json) {
        return new Drift(
                json.text("target"),
                json.parsed("metric", Metric::parse),
                json.decimal("slopePerHour"),
                json.decimal("low"),
                json.decimal("high"),
                json.decimal("pValue"),
                json.flag("found"));
    }

    @Override
    public String toString() {
        return String.format(
                Locale.ROOT,
                "%s %s %+.4g (%+.4g to %+.4g) an hour, p %.2g%s",
                target,
                metric.key,
                slopePerHour,
                low,
                high,
                pValue,
                found ? ", found" : "");
    }
}
