package dev.lockstep.measurement;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Optional;
import org.HdrHistogram.Histogram;

/**
 * How far apart a request was sent to targets that ran together: for each request the time from its earliest actual send
 * to its latest. Immutable; a result that was read from {@code run.json} alone has no histogram.
 */
public final class Skew {
    private final Percentiles spread;
    private final long unmeasured;
    private final Histogram histogram;

    /**
     * @param spread of nanoseconds, taken over
     * @param unmeasured how many requests did not reach all targets, or one so late that it was not awaited
     */
    public Skew(Histogram spread, long unmeasured) {
        this(Percentiles.of(spread), unmeasured, spread);
    }

    private Skew(Percentiles spread, long unmeasured, Histogram histogram) {
        this.spread = spread;
        this.unmeasured = unmeasured;
        this.histogram = histogram;
    }

    /** Returns the spread in nanoseconds. */
    public Percentiles spread() {
        return spread;
    }

    /** Returns how many requests were sent to one target at least and are not in the spread. */
    public long unmeasured() {
        return unmeasured;
    }

    /** Returns the spread's histogram, which is not to be changed. */
    public Optional<Histogram> histogram() {
        return Optional.ofNullable(histogram);
    }

    /** Returns this skew and the other as one; both need their histograms. */
    public Skew merge(Skew other) {
        Histogram both = histogram.copy();
        both.add(other.histogram);
        return new Skew(both, unmeasured + other.unmeasured);
    }

    ObjectNode toJson() {
        ObjectNode json = JsonFields.object();
        json.set("spreadNs", spread.toJson());
        json.put("unmeasured", unmeasured);
        return json;
    }

    static Skew fromJson(JsonFields json) {
        return new Skew(Percentiles.fromJson(json.object("spreadNs")), json.number("unmeasured"), null);
    }
}
