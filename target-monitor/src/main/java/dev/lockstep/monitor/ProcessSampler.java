package dev.lockstep.monitor;

import java.nio.file.Path;
import java.util.Map;

/**
 * Reads what a process has used from {@code /proc} and from its control group, at no cost to the process. Used by one
 * thread at a time; nothing to close.
 */
public final class ProcessSampler {
    /**
     * @param pid of the process
     * @param controlGroups folders of its control groups by controller ("cpuacct", "cpu", ... or "unified"); may be
     *     empty
     */
    public ProcessSampler(long pid, Map<String, Path> controlGroups) {}

    /** Reads now. Once the process has ended the sample holds what was last known of CPU times, and no levels. */
    public ProcessSample sample() {
        throw new UnsupportedOperationException();
    }

    /** Returns where the CPU times come from and how fine they are, in one line for people. */
    public String cpuSource() {
        throw new UnsupportedOperationException();
    }
}
