package dev.lockstep.monitor;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/**
 * How much CPU time the kernel grants a control group, and the file that says so. Immutable.
 *
 * <p>Files as in the kernel's Documentation/scheduler/sched-bwc.rst and admin-guide/cgroup-v2.rst.
 */
public final class CpuQuota {
    private final double processors;
    private final Path file;

    public CpuQuota(double processors, Path file) {
        this.processors = processors;
        this.file = file;
    }

    /** The time of so many processors. */
    public double processors() {
        return processors;
    }

    public Path file() {
        return file;
    }

    /**
     * Returns the narrowest quota of a group and of those above it, which hold for what is in it too, as far as they
     * can be seen; empty where none has one.
     *
     * @param group folder of a control group that the "cpu" controller counts for; null for none
     */
    public static Optional<CpuQuota> narrowest(Path group) {
        return narrowest(group, new KernelReader());
    }

    static Optional<CpuQuota> narrowest(Path group, KernelReader reader) {
        CpuQuota narrowest = null;
        // The folder above the mount is no control group.
        for (Path at = group; at != null && isGroup(at); at = at.getParent()) {
            CpuQuota quota = of(at, reader);
            if (quota != null && (narrowest == null || quota.processors < narrowest.processors)) {
                narrowest = quota;
            }
        }
        return Optional.ofNullable(narrowest);
    }

    static boolean isGroup(Path folder) {
        return Files.exists(folder.resolve("cgroup.procs"));
    }

    /** Returns null where it has none, as the root of version 2, which has no such file. */
    private static CpuQuota of(Path group, KernelReader reader) {
        Path version2 = group.resolve("cpu.max");
        String max = reader.read(version2.toString());
        if (max != null) {
            // "max 100000" for none.
            String[] us = max.trim().split(" ");
            return us.length == 2 ? of(KernelReader.parse(us[0]), KernelReader.parse(us[1]), version2) : null;
        }
        Path version1 = group.resolve("cpu.cfs_quota_us");
        long quotaUs = reader.number(version1.toString());
        // -1 for none.
        return of(quotaUs, reader.number(group.resolve("cpu.cfs_period_us").toString()), version1);
    }

    private static CpuQuota of(long quotaUs, long periodUs, Path file) {
        return quotaUs > 0 && periodUs > 0 ? new CpuQuota((double) quotaUs / periodUs, file) : null;
    }
}
