package dev.lockstep.measurement;

import com.fasterxml.jackson.annotation.JsonIgnore;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.databind.annotation.JsonDeserialize;
import java.util.Optional;
import org.HdrHistogram.Histogram;
import org.immutables.value.Value;

/**
 * How far apart a request was sent to targets that ran together: for each request the time from its earliest actual
 * send to its latest. Immutable; a result that was read from {@code run.json} alone has no histogram.
 */
@Value.Immutable
@JsonDeserialize(builder = ImmutableSkew.Builder.class)
@SuppressWarnings("immutables:incompat") // HdrHistogram's package is in upper case.
public abstract class Skew {
    /**
     * @param spread of nanoseconds, taken over
     * @param unmeasured how many requests did not reach all targets, or one so late that it was not awaited
     */
    public static Skew of(Histogram spread, long unmeasured) {
        return ImmutableSkew.of(Percentiles.of(spread), unmeasured, Optional.of(spread));
    }

    /** Returns the time from a request's first send to its last. */
    @JsonProperty(value = "spreadNs", required = true)
    public abstract Percentiles spread();

    /** Returns how many requests went to one target at least and are not in the spread. */
    public abstract long unmeasured();

    /** Returns the spread's histogram, which is not to be changed. */
    @JsonIgnore
    @Value.Auxiliary
    public abstract Optional<Histogram> histogram();

    /** Returns this skew and the other as one; both need their histograms. */
    public Skew merge(Skew other) {
        Histogram both = histogram().orElseThrow().copy();
        both.add(other.histogram().orElseThrow());
        return of(both, unmeasured() + other.unmeasured());
    }
}
