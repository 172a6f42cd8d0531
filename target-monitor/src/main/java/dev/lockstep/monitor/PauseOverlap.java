package dev.lockstep.monitor;

import dev.lockstep.measurement.GcOverlap;
import dev.lockstep.measurement.LatencyRecorder;
import dev.lockstep.measurement.LoadResult;
import dev.lockstep.measurement.SlowRequests;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.HdrHistogram.Histogram;

/**
 * Finds out which of a target's slowest requests waited while a collection had stopped it, over all its launches. Used by
 * one thread; needs the same memory however long a run is.
 *
 * <p>A pause is in the log only when it has ended, and may be read later than the answer that it held up. So the requests
 * of an interval are judged when the next one has come.
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
        // Two of a concurrent collector can be told one within the other.
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
        for (int i = 0; i < unjudged.size(); i++) {
            long intendedNs = unjudged.intendedNs(i);
            long lastByteNs = unjudged.lastByteNs(i);
            slow.recordValue(lastByteNs - intendedNs);
            Map.Entry<Long, Long> pause = pauses.floorEntry(lastByteNs);
            if (pause != null && pause.getValue() >= intendedNs) {
                overlapping.recordValue(lastByteNs - intendedNs);
            }
        }
        unjudged.reset(0);
    }

    /**
     * Returns how many of the requests above the 99.9th percentile overlapped a pause, with the pauses known so far; empty
     * where the times of none of them were kept.
     *
     * @param load all requests of the target
     */
    public Optional<GcOverlap> result(LoadResult load) {
        Histogram all = load.responseTime();
        return all.getTotalCount() == 0
                ? Optional.empty()
                : Optional.of(above(all, all.getValueAtPercentile(PERCENTILE)))
                        .filter(overlap -> overlap.requests() > 0);
    }

    /** Returns the same for those above any response time. */
    GcOverlap above(Histogram all, long aboveNs) {
        judge();
        return new GcOverlap(
                aboveNs, countAbove(all, aboveNs), countAbove(slow, aboveNs), countAbove(overlapping, aboveNs));
    }

    private static long countAbove(Histogram histogram, long ns) {
        return histogram.getTotalCount() - histogram.getCountBetweenValues(0, ns);
    }
}
