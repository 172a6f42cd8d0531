package dev.lockstep.replayer;

import com.sun.management.GcInfo;
import dev.lockstep.measurement.SelfReport;
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * Watches this process while it measures: its garbage collections, its CPU time and its event loops. {@link #poll} may come
 * from another thread than the rest.
 */
final class SelfWatch {
    /** A turn of a loop that does not sleep takes some microseconds; this long is a stall. */
    static final long STALL_NS = 100_000;

    /** Collections, or stalls, may take this share of the measured time: so many sends are late, or stamps. */
    private static final double MAX_SHARE = 0.01;
    /** A loop of a closed loop that is busy for this share of the time has no time to spare. */
    private static final double BOTTLENECK_SHARE = 0.97;

    private final boolean closedLoop;
    private final List<LoopUse> loops = new ArrayList<>();

    private boolean running;
    private long measuredNs;
    private long cpuNs;
    private long gcCount;
    private long gcMs;
    private final List<GarbageCollectorMXBean> collectors = collectors();
    private long polledCollections = -1;
    private long longestGcMs;

    private long startedNs;
    private long startedUptimeMs;
    private Duration startedCpu;
    private long startedGcCount;
    private long startedGcMs;

    SelfWatch(boolean closedLoop) {
        this.closedLoop = closedLoop;
    }

    /** Adds a loop, which starts and stops its own watch. */
    synchronized void add(LoopUse loop) {
        loops.add(loop);
    }

    synchronized void start() {
        running = true;
        startedNs = System.nanoTime();
        startedUptimeMs = ManagementFactory.getRuntimeMXBean().getUptime();
        startedCpu = cpuTime();
        startedGcCount = 0;
        startedGcMs = 0;
        for (GarbageCollectorMXBean collector : collectors) {
            startedGcCount += Math.max(0, collector.getCollectionCount());
            startedGcMs += Math.max(0, collector.getCollectionTime());
        }
    }

    synchronized void stop() {
        poll();
        running = false;
        measuredNs += System.nanoTime() - startedNs;
        cpuNs += cpuTime().minus(startedCpu).toNanos();
        gcCount -= startedGcCount;
        gcMs -= startedGcMs;
        for (GarbageCollectorMXBean collector : collectors) {
            gcCount += Math.max(0, collector.getCollectionCount());
            gcMs += Math.max(0, collector.getCollectionTime());
        }
    }

    /** Looks at the last collection, whose length is told until the next one comes; some times a second. */
    synchronized void poll() {
        if (!running) {
            return;
        }
        long collections = 0;
        for (GarbageCollectorMXBean collector : collectors) {
            collections += collector.getCollectionCount();
        }
        if (collections == polledCollections) {
            // What the last one was like takes a quarter of a millisecond to ask for: 2 % of a closed loop's CPU.
            return;
        }
        polledCollections = collections;
        for (GarbageCollectorMXBean collector : collectors) {
            if (collector instanceof com.sun.management.GarbageCollectorMXBean) {
                GcInfo last = ((com.sun.management.GarbageCollectorMXBean) collector).getLastGcInfo();
                if (last != null && last.getStartTime() >= startedUptimeMs) {
                    longestGcMs = Math.max(longestGcMs, last.getDuration());
                }
            }
        }
    }

    /** Returns what was seen, after the last round. */
    synchronized SelfReport report() {
        List<SelfReport.Loop> reports = new ArrayList<>();
        loops.forEach(loop -> reports.add(loop.report()));
        double busiest =
                reports.stream().mapToLong(SelfReport.Loop::busyNs).max().orElse(0);
        return new SelfReport(
                measuredNs,
                cpuNs,
                gcCount,
                gcMs * 1_000_000,
                longestGcMs * 1_000_000,
                reports,
                closedLoop && busiest >= BOTTLENECK_SHARE * measuredNs);
    }

    synchronized List<String> reasons(long maxLagNs) {
        List<String> reasons = new ArrayList<>();
        double limitNs = Math.max(maxLagNs, measuredNs * MAX_SHARE);
        if (gcMs * 1e6 > limitNs) {
            reasons.add(String.format(
                    Locale.ROOT,
                    "Lockstep's own garbage collections took %d ms of %.1f s (limit %.0f ms); give it more memory"
                            + " (LOCKSTEP_JAVA_OPTS)",
                    gcMs,
                    measuredNs / 1e9,
                    limitNs / 1e6));
        }
        for (LoopUse loop : loops) {
            long stalledNs = loop.stalledNs(maxLagNs);
            if (stalledNs > limitNs) {
                reasons.add(String.format(
                        Locale.ROOT,
                        "an event loop of Lockstep stood still for %.0f ms of %.1f s (stalls of %.0f ms and more; limit"
                                + " %.0f ms); give it a core that nothing else uses",
                        stalledNs / 1e6,
                        measuredNs / 1e9,
                        maxLagNs / 1e6,
                        limitNs / 1e6));
            }
        }
        return reasons;
    }

    private static Duration cpuTime() {
        return ProcessHandle.current().info().totalCpuDuration().orElse(Duration.ZERO);
    }

    /** Collectors whose collections are pauses; those of concurrent ones have beans of their own for their cycles. */
    private static List<GarbageCollectorMXBean> collectors() {
        List<GarbageCollectorMXBean> pausing = new ArrayList<>();
        for (GarbageCollectorMXBean collector : ManagementFactory.getGarbageCollectorMXBeans()) {
            if (!collector.getName().contains("Cycles")) {
                pausing.add(collector);
            }
        }
        return pausing;
    }
}
