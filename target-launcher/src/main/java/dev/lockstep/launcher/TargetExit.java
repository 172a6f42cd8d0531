package dev.lockstep.launcher;

import java.util.List;
import java.util.Optional;

/** How a target's process ended. Immutable. */
public final class TargetExit {
    private static final List<String> SIGNALS = List.of(
            "0", "SIGHUP", "SIGINT", "SIGQUIT", "SIGILL", "SIGTRAP", "SIGABRT", "SIGBUS", "SIGFPE", "SIGKILL",
            "SIGUSR1", "SIGSEGV", "SIGUSR2", "SIGPIPE", "SIGALRM", "SIGTERM");

    private final int exitCode;
    private final boolean stopped;
    private final boolean oomKilled;
    private final String kernelLine;
    private final List<String> lastLogLines;

    TargetExit(int exitCode, boolean stopped, boolean oomKilled, String kernelLine, List<String> lastLogLines) {
        this.exitCode = exitCode;
        this.stopped = stopped;
        this.oomKilled = oomKilled;
        this.kernelLine = kernelLine;
        this.lastLogLines = List.copyOf(lastLogLines);
    }

    /** Returns the exit code; 128 + n when signal n ended it. */
    public int exitCode() {
        return exitCode;
    }

    /**
     * Returns the signal's name, for example "SIGKILL", when one ended it. A JVM that SIGTERM told to stop ends by
     * itself with the code of that signal, which looks the same.
     */
    public Optional<String> signal() {
        int number = exitCode - 128;
        if (number <= 0 || number > 64) {
            return Optional.empty();
        }
        return Optional.of(number < SIGNALS.size() ? SIGNALS.get(number) : "signal " + number);
    }

    /** Tells whether we stopped it on purpose. */
    public boolean isStopped() {
        return stopped;
    }

    /** Tells whether the kernel killed it for lack of memory. */
    public boolean isOomKilled() {
        return oomKilled;
    }

    /** Returns the kernel's log line about the kill, where that can be read. */
    public Optional<String> kernelLine() {
        return Optional.ofNullable(kernelLine);
    }

    /** Returns the last lines of its output. */
    public List<String> lastLogLines() {
        return lastLogLines;
    }

    /** Returns all but the log in one line for people. */
    public String describe() {
        return "exit code " + exitCode
                + signal().map(name -> " (" + name + ")").orElse("")
                + (stopped ? ", stopped by Lockstep" : "")
                + (oomKilled ? ", killed by the kernel for lack of memory" : "")
                + (kernelLine == null ? "" : ": " + kernelLine);
    }

    @Override
    public String toString() {
        return describe();
    }
}
