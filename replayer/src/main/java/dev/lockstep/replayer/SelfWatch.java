package dev.lockstep.replayer;

import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * What this process itself cost and suffered while it measured: its garbage collections and its CPU time. One thread.
 */
public final class SelfWatch {
    /** Collections may take this share of the measured time; every one of them delays sends and stamps. */
    private static final double MAX_GC_SHARE = 0.01;

    private long measuredNs;
    private long gcMs;
    private long gcCount;
    private long cpuNs;

    private long startedNs;
    private long startedGcMs;
    private long startedGcCount;
    private long startedCpuNs;

    SelfWatch() {}

    void start() {
        startedNs = System.nanoTime();
        startedCpuNs = processCpuNs();
        startedGcMs = totalGcMs();
        startedGcCount = totalGcCount();
    }

    void stop() {
        measuredNs += System.nanoTime() - startedNs;
        cpuNs += processCpuNs() - startedCpuNs;
        gcMs += totalGcMs() - startedGcMs;
        gcCount += totalGcCount() - startedGcCount;
    }

    /** Returns how long the measured rounds took, nanoseconds. */
    public long measuredNs() {
        return measuredNs;
    }

    /** Returns the CPU time of this process, user and system, nanoseconds. */
    public long cpuNs() {
        return cpuNs;
    }

    /** Returns how many garbage collections this process made. */
    public long gcCount() {
        return gcCount;
    }

    /** Returns how long they took, milliseconds. */
    public long gcMs() {
        return gcMs;
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

    private static long totalGcCount() {
        long total = 0;
        for (GarbageCollectorMXBean collector : ManagementFactory.getGarbageCollectorMXBeans()) {
            total += Math.max(0, collector.getCollectionCount());
        }
        return total;
    }

    private static long processCpuNs() {
        return ((com.sun.management.OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean())
                .getProcessCpuTime();
    }
}
