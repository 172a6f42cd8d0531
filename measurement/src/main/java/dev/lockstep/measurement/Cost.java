package dev.lockstep.measurement;

/**
 * One quantity that a target uses up, which is a running total, or occupies, which is a level. {@link Costs} holds their
 * values.
 */
public enum Cost {
    /** CPU time of the process in its own code. */
    USER_CPU("userCpuNs", true),
    /** CPU time of the process in the kernel. */
    SYSTEM_CPU("systemCpuNs", true),
    /** CPU time, user and system, of all threads but the JVM's compilers and collectors. */
    APPLICATION_CPU("applicationCpuNs", true),
    /** CPU time, user and system, of the JVM's compiler threads. */
    JIT_CPU("jitCpuNs", true),
    /** CPU time, user and system, of the JVM's collector threads and of its VM thread. */
    GC_CPU("gcCpuNs", true),
    /** CPU time of the whole control group. */
    GROUP_CPU("groupCpuNs", true),
    /** Garbage collection cycles of all collectors, pauses of concurrent ones not counted apart. */
    GC_CYCLES("gcCycles", true),
    /** How long collections stopped the application. */
    GC_PAUSE("gcPauseNs", true),
    /** How long safepoints stopped the application, those of collections included. */
    SAFEPOINT("safepointNs", true),
    /** What the application allocated on the Java heap. */
    ALLOCATED("allocatedBytes", true),
    HEAP_USED("heapUsedBytes", false),
    OLD_GEN_USED("oldGenUsedBytes", false),
    /** Resident memory of the process. */
    RSS("rssBytes", false),
    /** The highest resident memory since the start of the process. */
    PEAK_RSS("peakRssBytes", false),
    /** Memory of the control group, page cache included. */
    MEMORY("memoryBytes", false),
    /** The highest of it since the start of the process. */
    MEMORY_PEAK("memoryPeakBytes", false),
    MINOR_FAULTS("minorFaults", true),
    MAJOR_FAULTS("majorFaults", true),
    /** How often threads gave up a processor, to wait. */
    VOLUNTARY_SWITCHES("voluntarySwitches", true),
    /** How often a processor was taken from a thread. */
    INVOLUNTARY_SWITCHES("involuntarySwitches", true),
    /** How often the control group's CPU quota stopped it. */
    THROTTLED_PERIODS("throttledPeriods", true),
    THROTTLED("throttledNs", true),
    /** Processes of the control group that the kernel killed for lack of memory. */
    OOM_KILLS("oomKills", true);

    private final String key;
    private final boolean total;

    Cost(String key, boolean total) {
        this.key = key;
        this.total = total;
    }

    /** Returns the field's name in {@code run.json} and {@code intervals.jsonl}, with the unit. */
    public String key() {
        return key;
    }

    /** Says whether it is a running total, of which differences and sums make sense, and not a level of the moment. */
    public boolean isTotal() {
        return total;
    }
}
