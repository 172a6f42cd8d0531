package dev.lockstep.measurement;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.HdrHistogram.Histogram;
import org.immutables.value.Value;

/**
 * What one replayer measured at one target: counts, the histograms of the whole measured phase, and when the target
 * could not be reached. What happened second by second went to the run's {@link IntervalSink}.
 *
 * <p>The counts and histograms are taken over as they are given, and are not to be changed. All times are nanoseconds.
 */
@Value.Immutable
@SuppressWarnings("immutables:incompat") // HdrHistogram's package is in upper case.
public abstract class LoadResult {
    /** Starts a result; what is not given is zero, empty, or absent. */
    public static Builder builder() {
        return new Builder();
    }

    /** Of the measured phase. */
    @Value.Default
    public LoadCounts counts() {
        return new LoadCounts();
    }

    /** How long requests were sent and answers awaited, rounds in which the target was frozen left out. */
    @Value.Default
    public long measuredNs() {
        return 0;
    }

    /** After how long a request was given up; 0 where that is not known. */
    @Value.Default
    long timeoutNs() {
        return 0;
    }

    @Value.Default
    public Histogram responseTime() {
        return empty();
    }

    @Value.Default
    public Histogram serviceTime() {
        return empty();
    }

    @Value.Default
    public Histogram generatorLag() {
        return empty();
    }

    /**
     * Written minus intended of the sends that did not wait for a connection: what this replayer itself was late. Its
     * size decides whether the run is valid.
     */
    @Value.Default
    public Histogram ownLag() {
        return empty();
    }

    /**
     * Returns first byte from the target minus intended of the bursts of bytes that belong to no request; empty
     * without.
     */
    @Value.Default
    public Histogram opaqueFirstByte() {
        return empty();
    }

    /** Returns last byte from the target before the next burst minus intended; empty without. */
    @Value.Default
    public Histogram opaqueLastByte() {
        return empty();
    }

    /** Returns what came of the requests of each endpoint. */
    public abstract List<EndpointLoad> endpoints();

    /** Returns when the target could not be reached, in order of time. */
    public abstract List<Outage> outages();

    /** Returns how many outages there were beside those listed. */
    @Value.Default
    public long outagesLeftOut() {
        return 0;
    }

    /** Over the request bytes of the first complete pass. */
    @Value.Default
    public StreamDigest streamDigest() {
        return StreamDigest.absent("nothing was sent");
    }

    /** Returns the response times of all requests, those without an answer and those never sent included. */
    public Percentiles responseTimes() {
        return withUnanswered(responseTime(), counts().withoutAnswer());
    }

    /** Returns the service times of all requests that were sent. */
    public Percentiles serviceTimes() {
        return withUnanswered(serviceTime(), counts().unansweredOfSent());
    }

    /** Returns the response times of all requests of one of its endpoints, those without an answer included. */
    public Percentiles responseTimes(EndpointLoad endpoint) {
        return endpoint.responseTimes(timeoutNs());
    }

    private Percentiles withUnanswered(Histogram times, long unanswered) {
        return Percentiles.of(times, unanswered, counts().errors(ErrorKind.READ_TIMEOUT), timeoutNs());
    }

    /** Tells whether there were bursts of bytes that belong to no request, and a byte from the target after one. */
    public boolean hasOpaqueTimes() {
        return opaqueFirstByte().getTotalCount() > 0;
    }

    /**
     * Returns this result and that of a later launch of the same target as one. Neither is changed. The digest is this
     * one's, unless only the other saw a whole pass or saw another stream.
     */
    public LoadResult then(LoadResult later) {
        LoadCounts bothCounts = counts().copy();
        bothCounts.add(later.counts());
        List<Outage> bothOutages = new ArrayList<>(outages());
        bothOutages.addAll(later.outages());
        bothOutages.sort(Comparator.comparingLong(Outage::fromNs));
        String mine = streamDigest().sha256();
        String theirs = later.streamDigest().sha256();
        return builder()
                .counts(bothCounts)
                .measuredNs(measuredNs() + later.measuredNs())
                .timeoutNs(Math.min(timeoutNs(), later.timeoutNs()))
                .responseTime(sum(responseTime(), later.responseTime()))
                .serviceTime(sum(serviceTime(), later.serviceTime()))
                .generatorLag(sum(generatorLag(), later.generatorLag()))
                .ownLag(sum(ownLag(), later.ownLag()))
                .opaqueFirstByte(sum(opaqueFirstByte(), later.opaqueFirstByte()))
                .opaqueLastByte(sum(opaqueLastByte(), later.opaqueLastByte()))
                .endpoints(EndpointLoad.sum(endpoints(), later.endpoints()))
                .outages(bothOutages)
                .outagesLeftOut(outagesLeftOut() + later.outagesLeftOut())
                .streamDigest(
                        mine == null || theirs != null && !mine.equals(theirs) ? later.streamDigest() : streamDigest())
                .build();
    }

    private static Histogram empty() {
        return new Histogram(LatencyRecorder.SIGNIFICANT_DIGITS);
    }

    private static Histogram sum(Histogram a, Histogram b) {
        Histogram sum = a.copy();
        sum.setAutoResize(true);
        sum.add(b);
        return sum;
    }

    /** Collects the figures. Takes over what it is given. */
    public static final class Builder extends ImmutableLoadResult.Builder {
        Builder() {}
    }
}
