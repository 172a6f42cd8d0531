package dev.lockstep.measurement;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.HdrHistogram.Histogram;

/**
 * What one replayer measured at one target: counts, the histograms of the whole measured phase, and when the target
 * could not be reached. What happened second by second went to the run's {@link IntervalSink}.
 *
 * <p>The histograms are owned by this object and are not to be changed. All times are nanoseconds.
 */
public final class LoadResult {
    private final LoadCounts counts;
    private final long measuredNs;
    private final long timeoutNs;
    private final Histogram responseTime;
    private final Histogram serviceTime;
    private final Histogram generatorLag;
    private final Histogram ownLag;
    private final Histogram opaqueFirstByte;
    private final Histogram opaqueLastByte;
    private final List<Outage> outages;
    private final long outagesLeftOut;
    private final StreamDigest streamDigest;

    private LoadResult(Builder builder) {
        counts = builder.counts;
        measuredNs = builder.measuredNs;
        timeoutNs = builder.timeoutNs;
        responseTime = builder.responseTime;
        serviceTime = builder.serviceTime;
        generatorLag = builder.generatorLag;
        ownLag = builder.ownLag;
        opaqueFirstByte = builder.opaqueFirstByte;
        opaqueLastByte = builder.opaqueLastByte;
        outages = List.copyOf(builder.outages);
        outagesLeftOut = builder.outagesLeftOut;
        streamDigest = builder.streamDigest;
    }

    /** Starts a result; what is not given is zero, empty, or absent. */
    public static Builder builder() {
        return new Builder();
    }

    public LoadCounts counts() {
        return counts;
    }

    public long measuredNs() {
        return measuredNs;
    }

    public Histogram responseTime() {
        return responseTime;
    }

    public Histogram serviceTime() {
        return serviceTime;
    }

    /** Returns the response times of all requests, those without an answer and those never sent included. */
    public Percentiles responseTimes() {
        return Percentiles.of(responseTime, counts.withoutAnswer(), counts.errors(ErrorKind.READ_TIMEOUT), timeoutNs);
    }

    /** Returns the service times of all requests that were sent. */
    public Percentiles serviceTimes() {
        return Percentiles.of(serviceTime, counts.unansweredOfSent(), counts.errors(ErrorKind.READ_TIMEOUT), timeoutNs);
    }

    public Histogram generatorLag() {
        return generatorLag;
    }

    /** Returns the lag that is this side's own doing; its size decides whether the run is valid. */
    public Histogram ownLag() {
        return ownLag;
    }

    /** Tells whether there were bursts of bytes that belong to no request, and a byte from the target after one. */
    public boolean hasOpaqueTimes() {
        return opaqueFirstByte.getTotalCount() > 0;
    }

    /**
     * Returns first byte from the target minus intended of the bursts of bytes that belong to no request; empty
     * without.
     */
    public Histogram opaqueFirstByte() {
        return opaqueFirstByte;
    }

    /** Returns last byte from the target before the next burst minus intended; empty without. */
    public Histogram opaqueLastByte() {
        return opaqueLastByte;
    }

    /** Returns when the target could not be reached, in order of time. */
    public List<Outage> outages() {
        return outages;
    }

    /** Returns how many outages there were beside those listed. */
    public long outagesLeftOut() {
        return outagesLeftOut;
    }

    public StreamDigest streamDigest() {
        return streamDigest;
    }

    /**
     * Returns this result and that of a later launch of the same target as one. Neither is changed. The digest is this
     * one's, unless only the other saw a whole pass or saw another stream.
     */
    public LoadResult then(LoadResult later) {
        LoadCounts bothCounts = counts.copy();
        bothCounts.add(later.counts);
        List<Outage> bothOutages = new ArrayList<>(outages);
        bothOutages.addAll(later.outages);
        bothOutages.sort(Comparator.comparingLong(Outage::fromNs));
        StreamDigest digest = streamDigest.sha256() == null
                        || later.streamDigest.sha256() != null
                                && !streamDigest.sha256().equals(later.streamDigest.sha256())
                ? later.streamDigest
                : streamDigest;
        return builder()
                .counts(bothCounts)
                .measuredNs(measuredNs + later.measuredNs)
                .timeoutNs(Math.min(timeoutNs, later.timeoutNs))
                .responseTime(sum(responseTime, later.responseTime))
                .serviceTime(sum(serviceTime, later.serviceTime))
                .generatorLag(sum(generatorLag, later.generatorLag))
                .ownLag(sum(ownLag, later.ownLag))
                .opaqueTimes(sum(opaqueFirstByte, later.opaqueFirstByte), sum(opaqueLastByte, later.opaqueLastByte))
                .outages(bothOutages, outagesLeftOut + later.outagesLeftOut)
                .streamDigest(digest)
                .build();
    }

    private static Histogram sum(Histogram a, Histogram b) {
        Histogram sum = a.copy();
        sum.setAutoResize(true);
        sum.add(b);
        return sum;
    }

    /** Collects the figures. Takes over what it is given. */
    public static final class Builder {
        private LoadCounts counts = new LoadCounts();
        private long measuredNs;
        private long timeoutNs;
        private Histogram responseTime = new Histogram(LatencyRecorder.SIGNIFICANT_DIGITS);
        private Histogram serviceTime = new Histogram(LatencyRecorder.SIGNIFICANT_DIGITS);
        private Histogram generatorLag = new Histogram(LatencyRecorder.SIGNIFICANT_DIGITS);
        private Histogram ownLag = new Histogram(LatencyRecorder.SIGNIFICANT_DIGITS);
        private Histogram opaqueFirstByte = new Histogram(LatencyRecorder.SIGNIFICANT_DIGITS);
        private Histogram opaqueLastByte = new Histogram(LatencyRecorder.SIGNIFICANT_DIGITS);
        private List<Outage> outages = List.of();
        private long outagesLeftOut;
        private StreamDigest streamDigest = StreamDigest.absent("nothing was sent");

        private Builder() {}

        /** Of the measured phase. */
        public Builder counts(LoadCounts counts) {
            this.counts = counts;
            return this;
        }

        /** How long requests were sent and answers awaited, rounds in which the target was frozen left out. */
        public Builder measuredNs(long ns) {
            this.measuredNs = ns;
            return this;
        }

        /** After how long a request was given up; 0 where that is not known. */
        public Builder timeoutNs(long ns) {
            this.timeoutNs = ns;
            return this;
        }

        public Builder responseTime(Histogram histogram) {
            this.responseTime = histogram;
            return this;
        }

        public Builder serviceTime(Histogram histogram) {
            this.serviceTime = histogram;
            return this;
        }

        public Builder generatorLag(Histogram histogram) {
            this.generatorLag = histogram;
            return this;
        }

        /**
         * Written minus intended of the sends that did not wait for a connection: what this replayer itself was late.
         */
        public Builder ownLag(Histogram histogram) {
            this.ownLag = histogram;
            return this;
        }

        /** First and last byte from the target minus intended of the bursts of bytes that belong to no request. */
        public Builder opaqueTimes(Histogram firstByte, Histogram lastByte) {
            this.opaqueFirstByte = firstByte;
            this.opaqueLastByte = lastByte;
            return this;
        }

        /**
         * @param outages in order of time
         * @param leftOut how many more there were
         */
        public Builder outages(List<Outage> outages, long leftOut) {
            this.outages = outages;
            this.outagesLeftOut = leftOut;
            return this;
        }

        /** Over the request bytes of the first complete pass. */
        public Builder streamDigest(StreamDigest digest) {
            this.streamDigest = digest;
            return this;
        }

        public LoadResult build() {
            return new LoadResult(this);
        }
    }
}
