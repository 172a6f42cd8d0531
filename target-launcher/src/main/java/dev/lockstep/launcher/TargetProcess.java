package dev.lockstep.launcher;

import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;

/**
 * A target that answers: a JVM started by {@link TargetLauncher}, or a server attached to. Safe to use from any thread;
 * whoever launched it closes it.
 *
 * <p>Of an attached server only name and address are known; everything else is empty.
 */
public final class TargetProcess implements AutoCloseable {
    private TargetProcess() {}

    public String name() {
        throw new UnsupportedOperationException();
    }

    public OptionalLong pid() {
        throw new UnsupportedOperationException();
    }

    public InetSocketAddress address() {
        throw new UnsupportedOperationException();
    }

    public Optional<Jvm> jvm() {
        throw new UnsupportedOperationException();
    }

    /** Returns the proven JIT ("c2", "graal", "openj9", "falcon", "none"), or "unknown" where none was asked for. */
    public String jit() {
        throw new UnsupportedOperationException();
    }

    /** Returns the evidence for {@link #jit()}, one line each. */
    public List<String> jitProof() {
        throw new UnsupportedOperationException();
    }

    /** Returns the command of the application as it was executed. */
    public List<String> commandLine() {
        throw new UnsupportedOperationException();
    }

    /** Returns the JVM's flags as it printed them at its start: those given and those it chose by itself. */
    public List<String> effectiveFlags() {
        throw new UnsupportedOperationException();
    }

    /** Returns the time from the start of the process to the open port. */
    public OptionalLong portOpenNs() {
        throw new UnsupportedOperationException();
    }

    /** Returns the time from the start of the process to the first good answer. */
    public OptionalLong firstAnswerNs() {
        throw new UnsupportedOperationException();
    }

    /** Returns which mechanism pins, caps and freezes this target, with the reason where that is second best. */
    public String isolation() {
        throw new UnsupportedOperationException();
    }

    /** Returns the processors as read back from the kernel. */
    public Optional<CpuList> cpus() {
        throw new UnsupportedOperationException();
    }

    /** Returns the memory limit as read back from the kernel; empty when there is none. */
    public OptionalLong memoryLimitBytes() {
        throw new UnsupportedOperationException();
    }

    /** Returns the folders of its control groups by controller: "memory", "cpuset"... (v1) or "unified" (v2). */
    public Map<String, Path> controlGroups() {
        throw new UnsupportedOperationException();
    }

    /** Returns the highest memory use of the control group, the last known value after its end. */
    public OptionalLong memoryPeakBytes() {
        throw new UnsupportedOperationException();
    }

    /** Returns how many processes of the control group the kernel killed for lack of memory. */
    public OptionalLong oomKills() {
        throw new UnsupportedOperationException();
    }

    /** Tells whether {@link #freeze()} works: not for attached targets. */
    public boolean canFreeze() {
        throw new UnsupportedOperationException();
    }

    /** Stops all its threads and returns when they stand still; does nothing when it is frozen or has ended. */
    public void freeze() {
        throw new UnsupportedOperationException();
    }

    /** Lets a frozen target go on; does nothing when it is not frozen or has ended. */
    public void thaw() {
        throw new UnsupportedOperationException();
    }

    /** Tells whether the process runs; always true for an attached target. */
    public boolean isAlive() {
        throw new UnsupportedOperationException();
    }

    /** Returns how it ended; empty as long as it runs. */
    public Optional<TargetExit> exit() {
        throw new UnsupportedOperationException();
    }

    /** Returns a future that is completed when it ends, whoever ended it; never for an attached target. */
    public CompletableFuture<TargetExit> onExit() {
        throw new UnsupportedOperationException();
    }

    /** Returns the last lines of standard output and standard error, in the order they came. */
    public List<String> lastLogLines() {
        throw new UnsupportedOperationException();
    }

    /** Stops it: SIGTERM, and SIGKILL after the grace time; then removes its control groups. Idempotent. */
    @Override
    public void close() {
        throw new UnsupportedOperationException();
    }
}
