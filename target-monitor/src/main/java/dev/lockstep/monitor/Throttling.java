package dev.lockstep.monitor;

import dev.lockstep.measurement.Cost;
import dev.lockstep.measurement.Costs;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * How long the kernel held a process back because of a CPU quota. The quota is the narrowest of the process's own
 * control group and of those above it: a container's quota throttles everything in it. Used by one thread; nothing to
 * close.
 *
 * <p>It counts since this object was made, and for the group as a whole, with all processes that share the quota. When
 * no group up to the root of the hierarchy has a quota, the figure is 0. When the root cannot be seen, as from within a
 * container, a quota may stand above what can be seen, so the figure is absent. A quota that is set later is not
 * noticed.
 *
 * <p>Files as in the kernel's Documentation/scheduler/sched-bwc.rst and admin-guide/cgroup-v2.rst.
 */
final class Throttling {
    private static final long UNKNOWN = -1;

    private final KernelReader reader;
    /** Null without a quota. */
    private final String stat;

    private final boolean none;
    private final long periodsBefore;
    private final long throttledNsBefore;

    /**
     * @param group folder of the process's control group that the "cpu" controller counts for; null where it has none
     */
    Throttling(Path group, KernelReader reader) {
        this.reader = reader;
        stat = CpuQuota.narrowest(group, reader)
                .map(quota -> quota.file().resolveSibling("cpu.stat").toString())
                .orElse(null);
        none = stat == null && seesRoot(group);
        String now = stat == null ? null : reader.read(stat);
        periodsBefore = now == null ? UNKNOWN : KernelReader.value(now, "nr_throttled");
        throttledNsBefore = now == null ? UNKNOWN : throttledNs(now);
    }

    private static boolean seesRoot(Path group) {
        Path at = group;
        while (at != null && CpuQuota.isGroup(at) && !isRoot(at)) {
            at = at.getParent();
        }
        return at != null && CpuQuota.isGroup(at);
    }

    /**
     * Recognises the root by a file that only the root has (version 1) or that only the root lacks (version 2). A
     * container's root is no root.
     */
    private static boolean isRoot(Path group) {
        boolean version2 = Files.exists(group.resolve("cgroup.controllers"));
        return version2 ? !Files.exists(group.resolve("cgroup.events")) : Files.exists(group.resolve("release_agent"));
    }

    private static long throttledNs(String stat) {
        long us = KernelReader.value(stat, "throttled_usec");
        return us >= 0 ? us * 1_000 : KernelReader.value(stat, "throttled_time");
    }

    void sample(Costs.Builder sample) {
        if (none) {
            sample.set(Cost.THROTTLED_PERIODS, 0).set(Cost.THROTTLED, 0);
            return;
        }
        String now = stat == null ? null : reader.read(stat);
        if (now == null) {
            return;
        }
        long periods = KernelReader.value(now, "nr_throttled");
        long throttledNs = throttledNs(now);
        if (periods >= 0 && periodsBefore >= 0) {
            sample.set(Cost.THROTTLED_PERIODS, periods - periodsBefore);
        }
        if (throttledNs >= 0 && throttledNsBefore >= 0) {
            sample.set(Cost.THROTTLED, throttledNs - throttledNsBefore);
        }
    }
}
