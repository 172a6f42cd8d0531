package dev.lockstep.monitor;

/**
 * Splits an exact CPU time into user and system time by the kernel's tick counts, without ever going backwards. Used by
 * one thread.
 *
 * <p>At each timer tick the kernel counts whether it met user or system code. This is coarse, and counts too much on a
 * virtual machine that loses time to others; the sum of the run times is exact. The kernel therefore scales the ticks
 * to the exact sum. This is the same algorithm: {@code cputime_adjust()} in the kernel's kernel/sched/cputime.c. It is
 * needed for the control groups of version 1, whose files give both unscaled.
 */
final class CpuSplit {
    private long userNs;
    private long systemNs;

    /**
     * Takes new readings, all since the start.
     *
     * @param exactNs the sum of the run times
     * @param userTicks and {@code systemTicks} in one unit, whichever
     */
    void update(long exactNs, long userTicks, long systemTicks) {
        if (exactNs <= userNs + systemNs) {
            return;
        }
        long sampled = userTicks + systemTicks;
        long system = sampled == 0 ? 0 : (long) ((double) exactNs * systemTicks / sampled);
        system = Math.max(system, systemNs);
        long user = exactNs - system;
        if (user < userNs) {
            user = userNs;
            system = exactNs - user;
        }
        userNs = user;
        systemNs = system;
    }

    long userNs() {
        return userNs;
    }

    long systemNs() {
        return systemNs;
    }
}
