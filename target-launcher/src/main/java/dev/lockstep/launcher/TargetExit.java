package dev.lockstep.launcher;

import java.util.List;
import java.util.Optional;

/** How a target's process ended. Immutable. */
public final class TargetExit {
    private TargetExit() {}

    /** Returns the exit code; 128 + n when signal n ended it. */
    public int exitCode() {
        throw new UnsupportedOperationException();
    }

    /** Returns the signal's name, for example "SIGKILL", when one ended it. */
    public Optional<String> signal() {
        throw new UnsupportedOperationException();
    }

    /** Tells whether we stopped it on purpose. */
    public boolean isStopped() {
        throw new UnsupportedOperationException();
    }

    /** Tells whether the kernel killed it for lack of memory. */
    public boolean isOomKilled() {
        throw new UnsupportedOperationException();
    }

    /** Returns the kernel's log line about the kill, where that can be read. */
    public Optional<String> kernelLine() {
        throw new UnsupportedOperationException();
    }

    public List<String> lastLogLines() {
        throw new UnsupportedOperationException();
    }

    /** Returns all but the log in one line for people. */
    public String describe() {
        throw new UnsupportedOperationException();
    }
}
