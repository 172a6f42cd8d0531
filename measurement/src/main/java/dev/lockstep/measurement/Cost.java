package dev.lockstep.measurement;

/**
 * One quantity that a target uses up, which is a running total, or occupies, which is a level or the peak of one.
 * {@link Costs} holds their values.
 */
public enum Cost {
    /** CPU time of the process in its own code. */
    USER_CPU("userCpuNs", Kind.TOTAL),
    /** CPU time of the process in the kernel. */
    SYSTEM_CPU("systemCpuNs", Kind.TOTAL),
    /** CPU time, user and system, of all threads but the JVM's compilers and collectors. */
    APPLICATION_CPU("applicationCpuNs", Kind.TOTAL),
    /** CPU time, user and system, of the JVM's compiler threads. */
    JIT_CPU("jitCpuNs", Kind.TOTAL),
    /** CPU time, user and system, of the JVM's collector threads and of its VM thread. */
    GC_CPU("gcCpuNs", Kind.TOTAL),
    /** CPU time of the whole control group. */
    GROUP_CPU("groupCpuNs", Kind.TOTAL),
    /** CPU time of a server that runs already, user and system, as its own metrics tell it. */
    PROCESS_CPU("processCpuNs", Kind.TOTAL),
    /**
     * How long threads were ready to run and had no processor, summed over them: behind each other, behind other
     * processes, or behind other machines.
     */
    RUN_DELAY("runDelayNs", Kind.TOTAL),
    /** How long at least one task of the control group waited for a processor; known with control groups v2. */
    CPU_PRESSURE("cpuPressureNs", Kind.TOTAL),
    /** CPU time of everything that ran on the processors that the process may use, itself included. */
    PROCESSORS_BUSY("processorsBusyNs", Kind.TOTAL),
    /** How long other machines had these processors while something here was ready to run. */
    PROCESSORS_STOLEN("processorsStolenNs", Kind.TOTAL),
    /** Garbage collection cycles of all collectors, pauses of concurrent ones not counted apart; absent for Zing. */
    GC_CYCLES("gcCycles", Kind.TOTAL),
    /** How long collections stopped the application. */
    GC_PAUSE("gcPauseNs", Kind.TOTAL),
    /** How long safepoints stopped the application, those of collections included. */
    SAFEPOINT("safepointNs", Kind.TOTAL),
    /** What the application allocated on the Java heap. */
    ALLOCATED("allocatedBytes", Kind.TOTAL),
    /** Java heap in use at the end. */
    HEAP_USED("heapUsedBytes", Kind.LEVEL),
    /** Old generation in use at the end. */
    OLD_GEN_USED("oldGenUsedBytes", Kind.LEVEL),
    /** Resident memory of the process at the end. */
    RSS("rssBytes", Kind.LEVEL),
    /** The highest resident memory since the start of the process. */
    PEAK_RSS("peakRssBytes", Kind.PEAK),
    /** Memory of the control group at the end, page cache included. */
    MEMORY("memoryBytes", Kind.LEVEL),
    /** The highest of it since the start of the process. */
    MEMORY_PEAK("memoryPeakBytes", Kind.PEAK),
    /** Page faults without reading from disk. */
    MINOR_FAULTS("minorFaults", Kind.TOTAL),
    /** Page faults that read from disk. */
    MAJOR_FAULTS("majorFaults", Kind.TOTAL),
    /** How often threads gave up a processor, to wait. */
    VOLUNTARY_SWITCHES("voluntarySwitches", Kind.TOTAL),
    /** How often a processor was taken from a thread. */
    INVOLUNTARY_SWITCHES("involuntarySwitches", Kind.TOTAL),
    /**
     * How often a CPU quota held it back, of its own group or of one above; 0 without a quota, absent where that cannot
     * be seen.
     */
    THROTTLED_PERIODS("throttledPeriods", Kind.TOTAL),
    /** How long. */
    THROTTLED("throttledNs", Kind.TOTAL),
    /** Processes of the control group that the kernel killed for lack of memory. */
    OOM_KILLS("oomKills", Kind.TOTAL);

    /** How the values of two moments relate. */
    public enum Kind {
        /** A running total: differences and sums make sense. */
        TOTAL,
        /** A level of the moment: the later one holds. */
        LEVEL,
        /** The highest level since the start of the process: of two launches the higher one holds. */
        PEAK
    }

    private final String key;
    private final Kind kind;

    Cost(String key, Kind kind) {
        this.key = key;
        this.kind = kind;
    }

    /**
     * Returns the field's name in {@code run.json} and {@code intervals.jsonl}. It ends with the unit, {@code Ns} or
     * {@code Bytes}; one without counts things.
     */
    public String key() {
        return key;
    }

    public Kind kind() {
        return kind;
    }
}
