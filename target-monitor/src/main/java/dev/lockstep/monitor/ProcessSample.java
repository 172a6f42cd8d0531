package dev.lockstep.monitor;

import java.util.OptionalLong;

/**
 * What a process had used up to a moment, or between two moments. Immutable. What could not be read is absent, not
 * zero.
 */
public final class ProcessSample {
    private ProcessSample() {}

    /** Returns when it was read, {@link System#nanoTime()}; of a difference: the later moment. */
    public long timeNs() {
        throw new UnsupportedOperationException();
    }

    /** Returns the length of the window; 0 for a plain sample. */
    public long durationNs() {
        throw new UnsupportedOperationException();
    }

    public OptionalLong userCpuNs() {
        throw new UnsupportedOperationException();
    }

    public OptionalLong systemCpuNs() {
        throw new UnsupportedOperationException();
    }

    /** Returns the CPU time of threads that are neither the JVM's compilers nor its collectors. */
    public OptionalLong applicationCpuNs() {
        throw new UnsupportedOperationException();
    }

    public OptionalLong jitCpuNs() {
        throw new UnsupportedOperationException();
    }

    public OptionalLong gcCpuNs() {
        throw new UnsupportedOperationException();
    }

    /** Returns the resident memory at the moment of the (later) sample. */
    public OptionalLong rssBytes() {
        throw new UnsupportedOperationException();
    }

    /** Returns the highest resident memory since the start of the process. */
    public OptionalLong peakRssBytes() {
        throw new UnsupportedOperationException();
    }

    public OptionalLong minorFaults() {
        throw new UnsupportedOperationException();
    }

    public OptionalLong majorFaults() {
        throw new UnsupportedOperationException();
    }

    public OptionalLong voluntaryContextSwitches() {
        throw new UnsupportedOperationException();
    }

    public OptionalLong involuntaryContextSwitches() {
        throw new UnsupportedOperationException();
    }

    /** Returns the CPU time of the whole control group. */
    public OptionalLong groupCpuNs() {
        throw new UnsupportedOperationException();
    }

    /** Returns how often the control group's CPU quota stopped it. */
    public OptionalLong throttledPeriods() {
        throw new UnsupportedOperationException();
    }

    public OptionalLong throttledNs() {
        throw new UnsupportedOperationException();
    }

    /** Returns what was used since an earlier sample of the same process; levels such as RSS stay as they are. */
    public ProcessSample since(ProcessSample earlier) {
        throw new UnsupportedOperationException();
    }
}
