package dev.lockstep.replayer;

import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Watches this process's own garbage collections while it measures. One thread. */
final class SelfWatch {
    /** Collections may take this share of the measured time; every one of them delays sends and stamps. */
    private static final double MAX_GC_SHARE = 0.01;

    private long measuredNs;
    private long gcMs;

    private long startedNs;
    private long startedGcMs;

    void start() {
        startedNs = System.nanoTime();
        startedGcMs = totalGcMs();
    }

    void stop() {
        measuredNs += System.nanoTime() - startedNs;
        gcMs += totalGcMs() - startedGcMs;
    }

    List<String> reasons(long maxLagNs) {
        List<String> reasons = new ArrayList<>();
        double limitNs = Math.max(maxLagNs, measuredNs * MAX_GC_SHARE);
        if (gcMs * 1e6 > limitNs) {
            reasons.add(String.format(
                    Locale.ROOT,
                    "Lockstep's own garbage collections took %d ms of %.1f s (limit %.0f ms); give it more memory"
                            + " (LOCKSTEP_JAVA_OPTS)",
                    gcMs,
                    measuredNs / 1e9,
                    limitNs / 1e6));
        }
        return reasons;
    }

    private static long totalGcMs() {
        long total = 0;
        for (GarbageCollectorMXBean collector : ManagementFactory.getGarbageCollectorMXBeans()) {
            total += Math.max(0, collector.getCollectionTime());
        }
        return total;
    }
}
