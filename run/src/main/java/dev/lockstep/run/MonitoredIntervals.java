package dev.lockstep.run;

import dev.lockstep.measurement.Cost;
import dev.lockstep.measurement.Costs;
import dev.lockstep.measurement.GcOverlap;
import dev.lockstep.measurement.Interval;
import dev.lockstep.measurement.IntervalSink;
import dev.lockstep.measurement.LoadResult;
import dev.lockstep.monitor.PauseOverlap;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Adds to each interval what the target cost in it, before it passes it on; and finds out which of a target's slowest
 * requests met a garbage collection, over all its launches. Used by the run's thread.
 */
final class MonitoredIntervals implements IntervalSink {
    private final IntervalSink next;
    private final Map<String, CostMeter> meters = new HashMap<>();
    private final Map<String, PauseOverlap> overlaps = new HashMap<>();
    /** Those of which some launch has no log, or a silent one. */
    private final Set<String> pausesUnknown = new HashSet<>();

    MonitoredIntervals(IntervalSink next) {
        this.next = next;
    }

    /** Has a target's intervals from now on filled by the meter of its launch; null for one that is not monitored. */
    void follow(String target, CostMeter meter) {
        meters.put(target, meter);
    }

    @Override
    public void interval(String target, Interval interval) {
        CostMeter meter = meters.get(target);
        if (meter != null) {
            meter.fill(interval);
            if (!meter.knowsPauses()) {
                pausesUnknown.add(target);
            } else if (interval.isMeasured()) {
                overlaps.computeIfAbsent(target, name -> new PauseOverlap())
                        .interval(interval.slowest(), meter.takePauses());
            }
        }
        next.interval(target, interval);
    }

    /**
     * Returns how much of a target's requests above the 99.9th percentile were collections; empty where pauses are not
     * known, and where there are no such requests.
     *
     * @param load of all its launches
     * @param costs of all its launches
     */
    Optional<GcOverlap> overlap(String target, LoadResult load, Costs costs) {
        return Optional.ofNullable(overlaps.get(target))
                .filter(overlap -> !pausesUnknown.contains(target))
                .flatMap(overlap -> overlap.result(load, costs.get(Cost.GC_PAUSE)));
    }
}
