package dev.lockstep.replayer.meters;

import com.sun.management.GcInfo;
import dev.lockstep.measurement.SelfReport;
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * Watches this process while it measures: its garbage collections, its CPU time and its event loops. {@link #poll} may
 * come from another thread than the rest.
 */
public final class SelfWatch {
    /** A turn of this length is a stall; a loop that does not sleep turns in microseconds. */
    static final long STALL_NS = 100_000;

    /**
     * The largest share of the measured time that collections, or stalls, may take: about that share of sends or stamps
     * is late.
     */
    private static final double MAX_SHARE = 0.01;
    /** Of the measured time: who had a loop's processor for so long made it late. */
    private static final double MUCH = 0.05;

    private static final String OWN_CORE = "; give Lockstep a core that nothing else uses";
    /** In a closed loop, an event loop this busy on a processor of its own is the bottleneck. */
    private static final double BOTTLENECK_SHARE = 0.97;

    private final boolean closedLoop;
    private final boolean ownProcessors;
    private final List<LoopUse> loops = new ArrayList<>();
    private final List<SelfReport.Bottleneck> bottlenecks = new ArrayList<>();
    private final List<SelfReport.Bottleneck> fullLoadBottlenecks = new ArrayList<>();

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

    /** @param ownProcessors whether no target that was started here runs on the loops' processors */
    public SelfWatch(boolean closedLoop, boolean ownProcessors) {
        this.closedLoop = closedLoop;
        this.ownProcessors = ownProcessors;
    }

    /** Adds a loop, which starts and stops its own watch. */
    public synchronized void add(LoopUse loop) {
        loops.add(loop);
    }

    /**
     * Takes note of a launch of a target that was measured. The mean of all targets would hide a quick one that this
     * side could not keep up with. Where targets may run on the loops' processors, a loop that waits for them seems
     * busy, and sets nobody's pace.
     *
     * @param utilisation share of its measured time, but for the ends of turns, in which its event loop was busy
     * @param done how many requests were done; without any, the loop was busy with a target that could not be reached
     */
    public synchronized void served(String target, int launch, double utilisation, long done) {
        if (closedLoop && ownProcessors && utilisation >= BOTTLENECK_SHARE && done > 0) {
            bottlenecks.add(SelfReport.Bottleneck.of(target, launch, utilisation));
        }
    }

    /**
     * As {@link #served}, of full load, which is a closed loop in any case.
     *
     * @param utilisation share of the time between its rests, but for the ends of turns
     */
    public synchronized void loadedFully(String target, int launch, double utilisation, long done) {
        if (ownProcessors && utilisation >= BOTTLENECK_SHARE && done > 0) {
            fullLoadBottlenecks.add(SelfReport.Bottleneck.of(target, launch, utilisation));
        }
    }

    public synchronized void start() {
        running = true;
        startedNs = System.nanoTime();
        startedUptimeMs = ManagementFactory.getRuntimeMXBean().getUptime();
        startedCpu = cpuTime();
        countCollections(-1);
    }

    public synchronized void stop() {
        poll();
        running = false;
        measuredNs += System.nanoTime() - startedNs;
        cpuNs += cpuTime().minus(startedCpu).toNanos();
        countCollections(1);
    }

    /** @param sign -1 to take those so far away from the totals, 1 to add them again with those that came since */
    private void countCollections(int sign) {
        for (GarbageCollectorMXBean collector : collectors) {
            gcCount += sign * Math.max(0, collector.getCollectionCount());
            gcMs += sign * Math.max(0, collector.getCollectionTime());
        }
    }

    /** Looks at the last collection, whose length is known until the next one; some times a second. */
    public synchronized void poll() {
        if (!running) {
            return;
        }
        long collections = 0;
        for (GarbageCollectorMXBean collector : collectors) {
            collections += collector.getCollectionCount();
        }
        if (collections == polledCollections) {
            // Asking for the last one takes a quarter of a millisecond: 2 % of a closed loop's CPU.
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

    public synchronized SelfReport report() {
        List<SelfReport.Loop> reports = new ArrayList<>();
        loops.forEach(loop -> reports.add(loop.report()));
        return SelfReport.of(
                        measuredNs, cpuNs, gcCount, gcMs * 1_000_000, longestGcMs * 1_000_000, reports, bottlenecks)
                .withFullLoadBottlenecks(fullLoadBottlenecks);
    }

    /**
     * Says what made sends and stamps late, a line each: collections, and stalls of this length and more.
     *
     * @param late what is known of late sends
     */
    public synchronized List<String> reasons(Optional<String> late, long maxLagNs) {
        List<String> reasons = new ArrayList<>();
        late.ifPresent(reasons::add);
        double limitNs = Math.max(maxLagNs, measuredNs * MAX_SHARE);
        for (LoopUse loop : loops) {
            long stalledNs = loop.stalledNs(maxLagNs);
            if (stalledNs > limitNs) {
                reasons.add(String.format(
                        Locale.ROOT,
                        "an event loop of Lockstep stood still for %.0f ms of %.1f s (stalls of %.0f ms and more; limit"
                                + " %.0f ms)",
                        stalledNs / 1e6,
                        measuredNs / 1e9,
                        maxLagNs / 1e6,
                        limitNs / 1e6));
            }
        }
        if (!reasons.isEmpty()) {
            reasons.set(0, reasons.get(0) + ": " + culprit(report(), ownProcessors));
        }
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

    /** Returns whose doing it was that a loop was late, and what helps, as a clause. */
    static String culprit(SelfReport self, boolean ownProcessors) {
        double measuredNs = self.measuredNs();
        for (SelfReport.Loop loop : self.loops()) {
            String core = "processor " + loop.cpus().orElse("");
            double busy = loop.coreBusyNs().orElse(0) / measuredNs;
            // At least: threads of this process may run elsewhere.
            double programs = busy - self.cpuNs() / measuredNs;
            if (programs >= MUCH) {
                return share(
                                (ownProcessors ? "other programs" : "a target or other programs") + " had its " + core
                                        + " for at least",
                                programs)
                        + (ownProcessors ? "; stop them, or give Lockstep a core that nothing else uses" : OWN_CORE);
            }
            double machines = loop.coreStolenNs().orElse(0) / measuredNs;
            if (machines >= MUCH) {
                return share("other machines on the same host had its " + core + " for", machines)
                        + "; measure on a quieter one";
            }
            double threads = busy - loop.cpuNs() / measuredNs;
            if (threads >= MUCH) {
                return share("other threads had its " + core + " for", threads) + OWN_CORE;
            }
            double waited = loop.waitedForCpuNs().orElse(0) / measuredNs;
            if (waited >= MUCH) {
                return share("it waited for a processor for", waited) + OWN_CORE;
            }
        }
        return "nothing else had its processor for long; give it a core of its own or a lower rate";
    }

    private static String share(String what, double share) {
        return String.format(Locale.ROOT, "%s %.0f %% of the time", what, 100 * share);
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
