package dev.lockstep.launcher;

import java.io.IOException;

/**
 * The control groups of one run: a parent that belongs to this process, and below it one group for each target. Two
 * implementations, for the two versions of the kernel's interface. Safe to use from any thread; close it when all
 * groups are removed.
 */
interface ControlGroups extends AutoCloseable {
    /**
     * Opens the control groups that this machine lets us use, and removes the groups of dead runs with the processes in
     * them. Never fails: the methods below say what is not possible.
     */
    static ControlGroups open() {
        CgroupMounts mounts = CgroupMounts.read();
        CgroupFiles files = new CgroupFiles();
        boolean v1 = mounts.v1("memory").isPresent()
                || mounts.v1("cpuset").isPresent()
                || mounts.v1("freezer").isPresent();
        if (!v1 && mounts.v2().isPresent()) {
            return ControlGroupsV2.open(mounts.v2().get(), files);
        }
        return ControlGroupsV1.open(mounts, files);
    }

    /** Returns "cgroup v1" or "cgroup v2". */
    String version();

    /** Returns why targets can not be pinned by a cpuset, in one line; empty when they can. */
    String whyNotPinned();

    /** Returns why memory can not be capped, in one line; empty when it can. */
    String whyNotCapped();

    /** Returns why targets can not be frozen, in one line; empty when they can. */
    String whyNotFrozen();

    /**
     * Returns what the user should do to keep capped groups from swapping, in one line; empty when they cannot swap.
     */
    String swapRemark();

    /**
     * Makes a group.
     *
     * @param name of the target; need not be unique
     * @param cpus null for all
     * @param memoryLimitBytes 0 for none
     * @throws IOException when the kernel refuses; nothing is left then
     */
    ControlGroup create(String name, CpuList cpus, long memoryLimitBytes) throws IOException;

    /** Removes the parent group; idempotent. */
    @Override
    void close();
}
