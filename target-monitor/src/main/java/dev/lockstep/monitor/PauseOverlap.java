package dev.lockstep.monitor;

import dev.lockstep.measurement.GcOverlap;
import dev.lockstep.measurement.LatencyRecorder;
import dev.lockstep.measurement.LoadResult;
import dev.lockstep.measurement.SlowRequests;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalLong;
import java.util.TreeMap;
import org.HdrHistogram.Histogram;

/**
 * Finds out which of a target's slowest requests waited while a collection had stopped it, over all its launches. Used
 * by one thread; needs the same memory however long a run is.
 *
 * <p>A pause is in the log only when it has ended, and may be read later than the answer that it held up. So the
 * requests of an interval are judged when the next one has come.
 */
public final class PauseOverlap {
    private static final double PERCENTILE = 99.9;

    /** More than happen in the longest time that an answer may take. */
    private static final int MOST_PAUSES = 20_000;

    /** The last pauses, start to end; no two of them overlap. */
    private final TreeMap<Long, Long> pauses = new TreeMap<>();

    private final SlowRequests unjudged = new SlowRequests();
    private final Histogram slow = LatencyRecorder.newHistogram();
    private final Histogram overlapping = LatencyRecorder.newHistogram();
    /** How many microseconds of requests of each response time were within pauses. */
    private final Histogram pausedUs = LatencyRecorder.newHistogram();

    /**
     * Takes the next interval.
     *
     * @param slowest of its requests; copied
     * @param logged the pauses that were read since the interval before
     */
    public void interval(SlowRequests slowest, List<GcPause> logged) {
        logged.forEach(this::add);
        judge();
        unjudged.set(slowest);
    }

    private void add(GcPause pause) {
        long startNs = pause.startNs();
        long endNs = pause.endNs();
        // A concurrent collector can report one pause within another.
        Map.Entry<Long, Long> other = pauses.floorEntry(endNs);
        while (other != null && other.getValue() >= startNs) {
            startNs = Math.min(startNs, other.getKey());
            endNs = Math.max(endNs, other.getValue());
            pauses.remove(other.getKey());
            other = pauses.floorEntry(endNs);
        }
        pauses.put(startNs, endNs);
        if (pauses.size() > MOST_PAUSES) {
            pauses.pollFirstEntry();
        }
    }

    private void judge() {
        if (unjudged.size() == 0) {
            return;
        }
        long[] starts = pauses.keySet().stream().mapToLong(Long::longValue).toArray();
        long[] ends = pauses.values().stream().mapToLong(Long::longValue).toArray();
        // All pauses up to the end of each.
        long[] sums = new long[ends.length];
        for (int i = 0; i < ends.length; i++) {
            sums[i] = (i == 0 ? 0 : sums[i - 1]) + ends[i] - starts[i];
        }
        for (int i = 0; i < unjudged.size(); i++) {
            long intendedNs = unjudged.intendedNs(i);
            long lastByteNs = unjudged.lastByteNs(i);
            long tookNs = lastByteNs - intendedNs;
            slow.recordValue(tookNs);
            int last = lastStarted(starts, lastByteNs);
            if (last >= 0 && ends[last] >= intendedNs) {
                overlapping.recordValue(tookNs);
                long pausedNs =
                        pausedUntil(starts, ends, sums, lastByteNs) - pausedUntil(starts, ends, sums, intendedNs);
                pausedUs.recordValueWithCount(tookNs, pausedNs / 1000);
            }
        }
        unjudged.reset(0);
    }

    /** Returns the last pause that has begun by then, or -1. */
    private static int lastStarted(long[] starts, long ns) {
        int found = Arrays.binarySearch(starts, ns);
        return found >= 0 ? found : -found - 2;
    }

    private static long pausedUntil(long[] starts, long[] ends, long[] sums, long ns) {
        int last = lastStarted(starts, ns);
        return last < 0 ? 0 : sums[last] - Math.max(0, ends[last] - ns);
    }

    /**
     * Returns how many of the requests above the 99.9th percentile overlapped a pause, with the pauses known so far;
     * empty where the times of none of them were kept.
     *
     * @param load all requests of the target
     * @param pausesNs how long pauses stopped the target while it was measured
     */
    public Optional<GcOverlap> result(LoadResult load, OptionalLong pausesNs) {
        Histogram all = load.responseTime();
        OptionalDouble byChance = pausesNs.isEmpty() || load.measuredNs() == 0
                ? OptionalDouble.empty()
                : OptionalDouble.of(Math.min(1, (double) pausesNs.getAsLong() / load.measuredNs()));
        return all.getTotalCount() == 0
                ? Optional.empty()
                : Optional.of(above(all, all.getValueAtPercentile(PERCENTILE), byChance))
                        .filter(overlap -> overlap.requests() > 0);
    }

    /** Returns the same for requests above any response time. */
    GcOverlap above(Histogram all, long aboveNs, OptionalDouble byChance) {
        judge();
        double slowNs = 0;
        for (var value : slow.recordedValues()) {
            if (value.getValueIteratedTo() > slow.highestEquivalentValue(aboveNs)) {
                slowNs += (double) value.getCountAtValueIteratedTo()
                        * slow.medianEquivalentValue(value.getValueIteratedTo());
            }
        }
        return GcOverlap.of(
                aboveNs,
                countAbove(all, aboveNs),
                countAbove(slow, aboveNs),
                countAbove(overlapping, aboveNs),
                slowNs == 0
                        ? OptionalDouble.empty()
                        : OptionalDouble.of(Math.min(1, countAbove(pausedUs, aboveNs) * 1e3 / slowNs)),
                byChance);
    }

    private static long countAbove(Histogram histogram, long ns) {
        return histogram.getTotalCount() - histogram.getCountBetweenValues(0, ns);
    }
}
