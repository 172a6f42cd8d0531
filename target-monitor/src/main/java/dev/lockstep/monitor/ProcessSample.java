package dev.lockstep.monitor;

import java.util.Arrays;
import java.util.OptionalLong;

/**
 * What a process had used up to a moment, or between two moments. Immutable. What could not be read is absent, not
 * zero.
 */
public final class ProcessSample {
    /** The values; whether each is a running total, of which differences make sense, or a level of the moment. */
    enum Value {
        USER_CPU_NS(true),
        SYSTEM_CPU_NS(true),
        APPLICATION_CPU_NS(true),
        JIT_CPU_NS(true),
        GC_CPU_NS(true),
        RSS_BYTES(false),
        PEAK_RSS_BYTES(false),
        MINOR_FAULTS(true),
        MAJOR_FAULTS(true),
        VOLUNTARY_SWITCHES(true),
        INVOLUNTARY_SWITCHES(true),
        GROUP_CPU_NS(true),
        THROTTLED_PERIODS(true),
        THROTTLED_NS(true);

        private final boolean total;

        Value(boolean total) {
            this.total = total;
        }
    }

    private static final long ABSENT = Long.MIN_VALUE;

    private final long timeNs;
    private final long durationNs;
    private final long[] values;

    private ProcessSample(long timeNs, long durationNs, long[] values) {
        this.timeNs = timeNs;
        this.durationNs = durationNs;
        this.values = values;
    }

    /** Collects the values of a sample; those not set are absent. */
    static final class Builder {
        private final long[] values = new long[Value.values().length];

        Builder() {
            Arrays.fill(values, ABSENT);
        }

        void set(Value value, long number) {
            values[value.ordinal()] = number;
        }

        ProcessSample build(long timeNs) {
            return new ProcessSample(timeNs, 0, values.clone());
        }
    }

    private OptionalLong get(Value value) {
        long number = values[value.ordinal()];
        return number == ABSENT ? OptionalLong.empty() : OptionalLong.of(number);
    }

    /** Returns when it was read, {@link System#nanoTime()}; of a difference: the later moment. */
    public long timeNs() {
        return timeNs;
    }

    /** Returns the length of the window; 0 for a plain sample. */
    public long durationNs() {
        return durationNs;
    }

    public OptionalLong userCpuNs() {
        return get(Value.USER_CPU_NS);
    }

    public OptionalLong systemCpuNs() {
        return get(Value.SYSTEM_CPU_NS);
    }

    /**
     * Returns the CPU time, user and system, of all but the JVM's compilers and collectors. Like those two it is absent
     * where no thread has a name that a JVM gives.
     */
    public OptionalLong applicationCpuNs() {
        return get(Value.APPLICATION_CPU_NS);
    }

    /** Returns the CPU time, user and system, of the JVM's compiler threads. */
    public OptionalLong jitCpuNs() {
        return get(Value.JIT_CPU_NS);
    }

    /** Returns the CPU time, user and system, of the JVM's collector threads and of its VM thread. */
    public OptionalLong gcCpuNs() {
        return get(Value.GC_CPU_NS);
    }

    /** Returns the resident memory at the moment of the (later) sample. */
    public OptionalLong rssBytes() {
        return get(Value.RSS_BYTES);
    }

    /** Returns the highest resident memory since the start of the process. */
    public OptionalLong peakRssBytes() {
        return get(Value.PEAK_RSS_BYTES);
    }

    public OptionalLong minorFaults() {
        return get(Value.MINOR_FAULTS);
    }

    public OptionalLong majorFaults() {
        return get(Value.MAJOR_FAULTS);
    }

    /** Returns how often its threads gave up a processor, to wait; of threads that ended as far as they were seen. */
    public OptionalLong voluntaryContextSwitches() {
        return get(Value.VOLUNTARY_SWITCHES);
    }

    /** Returns how often a processor was taken from its threads; of threads that ended as far as they were seen. */
    public OptionalLong involuntaryContextSwitches() {
        return get(Value.INVOLUNTARY_SWITCHES);
    }

    /** Returns the CPU time of the whole control group. */
    public OptionalLong groupCpuNs() {
        return get(Value.GROUP_CPU_NS);
    }

    /** Returns how often the control group's CPU quota stopped it. */
    public OptionalLong throttledPeriods() {
        return get(Value.THROTTLED_PERIODS);
    }

    /** Returns how long the control group's CPU quota stopped it. */
    public OptionalLong throttledNs() {
        return get(Value.THROTTLED_NS);
    }

    /**
     * Returns what was used since an earlier sample of the same process; levels such as RSS stay as they are. What is
     * absent in one of both is absent in the difference.
     */
    public ProcessSample since(ProcessSample earlier) {
        long[] differences = values.clone();
        for (Value value : Value.values()) {
            int i = value.ordinal();
            if (value.total && differences[i] != ABSENT) {
                // Parts of a sample are read one after the other, so a difference of two sums can be off by that much.
                differences[i] = earlier.values[i] == ABSENT ? ABSENT : Math.max(0, differences[i] - earlier.values[i]);
            }
        }
        return new ProcessSample(timeNs, timeNs - earlier.timeNs, differences);
    }
}
