package dev.lockstep.replayer;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

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

    /** Says in a line each which limits were met and where sends were later than this at the 99th percentile. */
    List<String> reasons(long maxLagNs) {
        List<String> reasons = new ArrayList<>();
        boolean several = faults.stream().anyMatch(fault -> fault.launch > 1);
        for (Fault fault : faults) {
            String name = several ? "launch " + fault.launch + ": " + fault.target : fault.target;
            if (fault.limit != null) {
                reasons.add(name + ": " + fault.limit);
            }
            if (fault.lagNs > maxLagNs) {
                reasons.add(String.format(
                        Locale.ROOT,
                        "%s: Lockstep sent 1 %% of the requests more than %.1f ms late by its own doing"
                                + " (limit %.1f ms, --max-lag); give it a core of its own or a lower rate",
                        name,
                        fault.lagNs / 1e6,
                        maxLagNs / 1e6));
            }
        }
        return reasons;
    }
}
