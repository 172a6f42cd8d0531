package dev.lockstep.measurement;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.HdrHistogram.Histogram;

/**
 * What one replayer measured at one target: counts, the three histograms, and the same histograms second by second.
 * Results of several replayers of one run {@link #merge merge} without loss: counts and histograms add up, seconds of
 * the same start are added together.
 *
 * <p>The histograms are owned by this object and are not to be changed. All times are nanoseconds.
 */
public final class LoadResult {
    /** One interval of the measured phase. Its histograms carry their epoch start and end, in milliseconds. */
    public static final class Interval {
        private final Histogram responseTime;
        private final Histogram serviceTime;
        private final Histogram generatorLag;

        /** Takes over the histograms, which carry start and end stamps (epoch milliseconds). */
        public Interval(Histogram responseTime, Histogram serviceTime, Histogram generatorLag) {
            this.responseTime = responseTime;
            this.serviceTime = serviceTime;
            this.generatorLag = generatorLag;
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
            responseTime.add(interval.responseTime);
            serviceTime.add(interval.serviceTime);
            generatorLag.add(interval.generatorLag);
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
            long aStart = a == null ? Long.MAX_VALUE : a.responseTime.getStartTimeStamp();
            long bStart = b == null ? Long.MAX_VALUE : b.responseTime.getStartTimeStamp();
            if (aStart == bStart) {
                merged.add(new Interval(
                        sum(a.responseTime, b.responseTime),
                        sum(a.serviceTime, b.serviceTime),
                        sum(a.generatorLag, b.generatorLag)));
                mine++;
                theirs++;
            } else if (aStart < bStart) {
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

    private static Histogram sum(Histogram a, Histogram b) {
        Histogram sum = a.copy();
        sum.add(b);
        sum.setStartTimeStamp(Math.min(a.getStartTimeStamp(), b.getStartTimeStamp()));
        sum.setEndTimeStamp(Math.max(a.getEndTimeStamp(), b.getEndTimeStamp()));
        return sum;
    }
}
