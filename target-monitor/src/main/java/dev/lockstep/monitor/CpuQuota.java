package dev.lockstep.monitor;

import dev.lockstep.measurement.Cost;
import dev.lockstep.measurement.Costs;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * How long the kernel held a process back because of a CPU quota. The quota is that of the nearest control group that
 * has one, from the process's own upwards: a container's quota throttles everything in it. Used by one thread; nothing
 * to close.
 *
 * <p>It counts since this object was made, and for the group as a whole, with all processes that share the quota. When
 * no group up to the root of the hierarchy has a quota, the figure is 0. When the root cannot be seen, as from within a
 * container, a quota may stand above what can be seen, so the figure is absent. A quota that is set later is not
 * noticed.
 *
 * <p>Files as in the kernel's Documentation/scheduler/sched-bwc.rst and admin-guide/cgroup-v2.rst.
 */
final class CpuQuota {
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
    CpuQuota(Path group, KernelReader reader) {
        this.reader = reader;
        String found = null;
        boolean root = false;
        // The folder above the mount is no control group.
        for (Path at = group; at != null && isGroup(at) && found == null && !root; at = at.getParent()) {
            found = hasQuota(at) ? at.resolve("cpu.stat").toString() : null;
            root = isRoot(at);
        }
        stat = found;
        none = root && found == null;
        String now = found == null ? null : reader.read(found);
        periodsBefore = now == null ? UNKNOWN : KernelReader.value(now, "nr_throttled");
        throttledNsBefore = now == null ? UNKNOWN : throttledNs(now);
    }

    private static boolean isGroup(Path folder) {
        return Files.exists(folder.resolve("cgroup.procs"));
    }

    private boolean hasQuota(Path group) {
        String max = reader.read(group.resolve("cpu.max").toString());
        return max != null
                ? !max.startsWith("max")
                : reader.number(group.resolve("cpu.cfs_quota_us").toString()) > 0;
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
