package dev.lockstep.measurement;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonProperty;
import java.util.Optional;
import org.HdrHistogram.Histogram;

/**
 * How far apart a request was sent to targets that ran together: for each request the time from its earliest actual
 * send to its latest. Immutable; a result that was read from {@code run.json} alone has no histogram.
 */
public final class Skew {
    @JsonProperty("spreadNs")
    private final Percentiles spread;

    @JsonProperty
    private final long unmeasured;

    private final Histogram histogram;

    /**
     * @param spread of nanoseconds, taken over
     * @param unmeasured how many requests did not reach all targets, or one so late that it was not awaited
     */
    public Skew(Histogram spread, long unmeasured) {
        this(Percentiles.of(spread), unmeasured, spread);
    }

    @JsonCreator
    private Skew(
            @JsonProperty(value = "spreadNs", required = true) Percentiles spread,
            @JsonProperty(value = "unmeasured", required = true) long unmeasured) {
        this(spread, unmeasured, null);
    }

    private Skew(Percentiles spread, long unmeasured, Histogram histogram) {
        this.spread = spread;
        this.unmeasured = unmeasured;
        this.histogram = histogram;
    }

    /** Returns the time from a request's first send to its last. */
    public Percentiles spread() {
        return spread;
    }

    /** Returns how many requests went to one target at least and are not in the spread. */
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

    @Override
    public boolean equals(Object other) {
        return other instanceof Skew && spread.equals(((Skew) other).spread) && unmeasured == ((Skew) other).unmeasured;
    }

    @Override
    public int hashCode() {
        return 31 * spread.hashCode() + Long.hashCode(unmeasured);
    }

    @Override
    public String toString() {
        return spread + ", " + unmeasured + " not measured";
    }
}
