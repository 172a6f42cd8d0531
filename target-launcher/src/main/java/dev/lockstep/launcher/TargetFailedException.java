package dev.lockstep.launcher;

import java.util.List;
import java.util.Optional;

/** A target could not be started, or does not run what was asked for. The message is one line. */
public final class TargetFailedException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final transient ProcessExit exit;
    private final transient List<String> lastLogLines;

    TargetFailedException(String message) {
        this(message, null, List.of());
    }

    TargetFailedException(String message, Throwable cause) {
        super(message, cause);
        exit = null;
        lastLogLines = List.of();
    }

    TargetFailedException(String message, ProcessExit exit, List<String> lastLogLines) {
        super(message);
        this.exit = exit;
        this.lastLogLines = List.copyOf(lastLogLines);
    }

    /** Returns how the process ended, when one was started and has ended. */
    public Optional<ProcessExit> exit() {
        return Optional.ofNullable(exit);
    }

    /** Returns the last lines of the target's output; empty when it was not started. */
    public List<String> lastLogLines() {
        return lastLogLines;
    }
}
