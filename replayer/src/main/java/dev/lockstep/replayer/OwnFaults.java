package dev.lockstep.replayer;

import dev.lockstep.measurement.Quantities;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.IntFunction;
import java.util.stream.Collectors;

/** Why results cannot be trusted: what this side did wrong, launch by launch. One thread. */
final class OwnFaults {
    /** What concerns one launch of a target. */
    private static final class Fault {
        private final int launch;
        private final String target;
        /** Which limit of this process was met, or null. */
        private final String limit;
        /** How late sends were at the 99th percentile, 0 where there was none. */
        private final long lagNs;

        Fault(int launch, String target, String limit, long lagNs) {
            this.launch = launch;
            this.target = target;
            this.limit = limit;
            this.lagNs = lagNs;
        }
    }

    private final List<Fault> faults = new ArrayList<>();

    /** Adds what is known of a finished target. */
    void add(int launch, TargetReplay target) {
        long lagNs = target.result().ownLag().getValueAtPercentile(99);
        faults.add(new Fault(launch, target.name(), target.worker().ownLimit(), lagNs));
    }

    /**
     * Says in a line each which limits of this process were met.
     *
     * @param unit what is counted by launches, for people
     */
    List<String> limits(String unit) {
        return faults.stream()
                .filter(fault -> fault.limit != null)
                .map(fault ->
                        (launches() > 1 ? unit + " " + fault.launch + ": " : "") + fault.target + ": " + fault.limit)
                .collect(Collectors.toList());
    }

    /**
     * Says where sends were later than this at the 99th percentile; absent where none were.
     *
     * @param units so many launches, for people
     */
    Optional<String> late(long maxLagNs, IntFunction<String> units) {
        Map<String, List<Integer>> late = new LinkedHashMap<>();
        long worstNs = 0;
        for (Fault fault : faults) {
            if (fault.lagNs > maxLagNs) {
                late.computeIfAbsent(fault.target, name -> new ArrayList<>()).add(fault.launch);
                worstNs = Math.max(worstNs, fault.lagNs);
            }
        }
        if (late.isEmpty()) {
            return Optional.empty();
        }
        String whom = late.entrySet().stream()
                .map(entry -> entry.getKey()
                        + (launches() == 1 ? "" : " in " + entry.getValue().size() + " of " + units.apply(launches())))
                .collect(Collectors.joining(", "));
        return Optional.of(String.format(
                Locale.ROOT,
                "%s: Lockstep was more than %s late with 1 %% of its sends (limit %s, --max-lag)",
                whom,
                Quantities.lag(worstNs),
                Quantities.lag(maxLagNs)));
    }

    private int launches() {
        return faults.stream().mapToInt(fault -> fault.launch).max().orElse(0);
    }
}
