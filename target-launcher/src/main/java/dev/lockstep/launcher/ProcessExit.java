package dev.lockstep.launcher;

import java.util.List;
import java.util.Optional;
import org.immutables.value.Value;

/** How a target's process ended. Immutable. */
@Value.Immutable
public abstract class ProcessExit {
    private static final List<String> SIGNALS = List.of(
            "0", "SIGHUP", "SIGINT", "SIGQUIT", "SIGILL", "SIGTRAP", "SIGABRT", "SIGBUS", "SIGFPE", "SIGKILL",
            "SIGUSR1", "SIGSEGV", "SIGUSR2", "SIGPIPE", "SIGALRM", "SIGTERM");

    /** 128 + n when signal n ended it. */
    @Value.Parameter
    public abstract int exitCode();

    /** Whether we stopped it on purpose. */
    @Value.Parameter
    public abstract boolean isStopped();

    /** Whether the kernel killed it for lack of memory. */
    @Value.Parameter
    public abstract boolean isOomKilled();

    /** The kernel's log line about the kill, where that can be read. */
    @Value.Parameter
    public abstract Optional<String> kernelLine();

    @Value.Parameter
    public abstract List<String> lastLogLines();

    /**
     * Returns the signal's name, for example "SIGKILL", when one ended it. A JVM that SIGTERM told to stop ends by
     * itself with the code of that signal, which looks the same.
     */
    public Optional<String> signal() {
        int number = exitCode() - 128;
        if (number <= 0 || number > 64) {
            return Optional.empty();
        }
        return Optional.of(number < SIGNALS.size() ? SIGNALS.get(number) : "signal " + number);
    }

    /** Returns all but the log in one line for people. */
    public String describe() {
        return "exit code " + exitCode()
                + signal().map(name -> " (" + name + ")").orElse("")
                + (isStopped() ? ", stopped by Lockstep" : "")
                + (isOomKilled() ? ", killed by the kernel for lack of memory" : "")
                + kernelLine().map(line -> ": " + line).orElse("");
    }

    @Override
    public String toString() {
        return describe();
    }
}
