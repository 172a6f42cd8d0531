package dev.lockstep.measurement;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import org.HdrHistogram.Histogram;

/**
 * What one replayer measured at one target: counts, the three histograms, and the same histograms second by second.
 * Results of several replayers of one run {@link #merge merge} without loss: counts and histograms add up, seconds of
 * the same start are added together.
 *
 * <p>The histograms of the totals are owned by this object and are not to be changed. All times are nanoseconds.
 */
public final class LoadResult {
    /**
     * One interval of the measured phase. Immutable.
     *
     * <p>Design note: the histograms are kept in HdrHistogram's own encoding, about 2 KB instead of 190 KB each, so that
     * a run of an hour is held in megabytes; encoding costs no more than a copy would.
     */
    public static final class Interval {
        private final long startMs;
        private final long endMs;
        private final byte[] responseTime;
        private final byte[] serviceTime;
        private final byte[] generatorLag;

        /**
         * Takes what the histograms hold now; they stay the caller's. The interval is that of the start and end stamps
         * (epoch milliseconds) of the first.
         */
        public Interval(Histogram responseTime, Histogram serviceTime, Histogram generatorLag) {
            this.startMs = responseTime.getStartTimeStamp();
            this.endMs = responseTime.getEndTimeStamp();
            this.responseTime = encode(responseTime);
            this.serviceTime = encode(serviceTime);
            this.generatorLag = encode(generatorLag);
        }

        /** Returns when it began, epoch milliseconds. */
        public long startMs() {
            return startMs;
        }

        /** Returns when it ended, epoch milliseconds. */
        public long endMs() {
            return endMs;
        }

        /** Returns a new histogram, which is the caller's and carries start and end stamps, as do the other two. */
        public Histogram responseTime() {
            return decode(responseTime);
        }

        public Histogram serviceTime() {
            return decode(serviceTime);
        }

        public Histogram generatorLag() {
            return decode(generatorLag);
        }

        private static byte[] encode(Histogram histogram) {
            ByteBuffer buffer = ByteBuffer.allocate(histogram.getNeededByteBufferCapacity());
            int length = histogram.encodeIntoByteBuffer(buffer);
            return Arrays.copyOf(buffer.array(), length);
        }

        private Histogram decode(byte[] encoded) {
            Histogram histogram = Histogram.decodeFromByteBuffer(ByteBuffer.wrap(encoded), 0);
            histogram.setAutoResize(true);
            histogram.setStartTimeStamp(startMs);
            histogram.setEndTimeStamp(endMs);
            return histogram;
        }

        private Interval plus(Interval other) {
            return new Interval(
                    sum(responseTime(), other.responseTime()),
                    sum(serviceTime(), other.serviceTime()),
                    sum(generatorLag(), other.generatorLag()));
        }

        private static Histogram sum(Histogram a, Histogram b) {
            a.add(b);
            a.setStartTimeStamp(Math.min(a.getStartTimeStamp(), b.getStartTimeStamp()));
            a.setEndTimeStamp(Math.max(a.getEndTimeStamp(), b.getEndTimeStamp()));
            return a;
        }
    }

    private final LoadCounts counts;
    private final long measuredNs;
    private final Histogram responseTime = new Histogram(3);
    private final Histogram serviceTime = new Histogram(3);
    private final Histogram generatorLag = new Histogram(3);
    private final Histogram ownLag;
    private final List<Interval> intervals;
    private final StreamDigest streamDigest;

    /**
     * @param counts of the measured phase, taken over
     * @param measuredNs how long requests were sent and answers awaited, rounds in which the target was frozen left out
     * @param ownLag written minus intended of the sends that did not wait for a connection: what this replayer itself
     *     was late, taken over
     * @param intervals in order of time, taken over; the totals are their sums
     * @param streamDigest over the request bytes of the first complete pass
     */
    public LoadResult(
            LoadCounts counts, long measuredNs, Histogram ownLag, List<Interval> intervals, StreamDigest streamDigest) {
        this.counts = counts;
        this.measuredNs = measuredNs;
        this.ownLag = ownLag;
        this.intervals = Collections.unmodifiableList(intervals);
        this.streamDigest = streamDigest;
        for (Interval interval : intervals) {
            responseTime.add(interval.responseTime());
            serviceTime.add(interval.serviceTime());
            generatorLag.add(interval.generatorLag());
        }
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

    public Histogram generatorLag() {
        return generatorLag;
    }

    /** Returns the lag that is this side's own doing; its size decides whether the run is valid. */
    public Histogram ownLag() {
        return ownLag;
    }

    public List<Interval> intervals() {
        return intervals;
    }

    public StreamDigest streamDigest() {
        return streamDigest;
    }

    /** Returns completed requests per second of the measured time, 0 where no time was measured. */
    public double throughputPerSec() {
        return measuredNs == 0 ? 0 : counts.completed * 1e9 / measuredNs;
    }

    /**
     * Returns this result and the other as one, for two replayers that loaded the same target in the same run, each
     * with its own share of the requests. Neither is changed. Each saw only its share of the byte stream, so the digest
     * is absent.
     */
    public LoadResult merge(LoadResult other) {
        LoadCounts mergedCounts = counts.copy();
        mergedCounts.add(other.counts);
        Histogram mergedLag = ownLag.copy();
        mergedLag.add(other.ownLag);
        List<Interval> merged = new ArrayList<>();
        int mine = 0;
        int theirs = 0;
        while (mine < intervals.size() || theirs < other.intervals.size()) {
            Interval a = mine < intervals.size() ? intervals.get(mine) : null;
            Interval b = theirs < other.intervals.size() ? other.intervals.get(theirs) : null;
            if (a != null && b != null && a.startMs == b.startMs) {
                merged.add(a.plus(b));
                mine++;
                theirs++;
            } else if (b == null || a != null && a.startMs < b.startMs) {
                merged.add(a);
                mine++;
            } else {
                merged.add(b);
                theirs++;
            }
        }
        return new LoadResult(
                mergedCounts,
                Math.max(measuredNs, other.measuredNs),
                mergedLag,
                merged,
                StreamDigest.absent("the requests were spread over several replayers"));
    }
}
