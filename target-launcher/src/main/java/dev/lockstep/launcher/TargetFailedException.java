package dev.lockstep.launcher;

import java.util.List;
import java.util.Optional;

/** A target could not be started, or does not run what was asked for. The message is one line. */
public final class TargetFailedException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final transient ProcessExit exit;
    private final transient List<String> lastLogLines;
    private final boolean late;
    private final boolean ofMachine;

    TargetFailedException(String message) {
        this(message, null, List.of());
    }

    /** Of what the machine or its kernel did not do. */
    TargetFailedException(String message, Throwable cause) {
        super(message, cause);
        exit = null;
        lastLogLines = List.of();
        late = false;
        ofMachine = true;
    }

    TargetFailedException(String message, ProcessExit exit, List<String> lastLogLines) {
        this(message, exit, lastLogLines, false, false);
    }

    private TargetFailedException(
            String message, ProcessExit exit, List<String> lastLogLines, boolean late, boolean ofMachine) {
        super(message);
        this.exit = exit;
        this.lastLogLines = List.copyOf(lastLogLines);
        this.late = late;
        this.ofMachine = ofMachine;
    }

    /** Returns the failure of a target that the machine did not start, or not as asked: another one may fail alike. */
    static TargetFailedException ofMachine(String message, List<String> lastLogLines) {
        return new TargetFailedException(message, null, lastLogLines, false, true);
    }

    /** Returns the failure of a process that lives and was not ready in time. */
    static TargetFailedException late(String message, List<String> lastLogLines) {
        return new TargetFailedException(message, null, lastLogLines, true, false);
    }

    /** Returns how the process ended, when one was started and has ended. */
    public Optional<ProcessExit> exit() {
        return Optional.ofNullable(exit);
    }

    /** Whether a process was started and lived, but was not ready in time. */
    public boolean isLate() {
        return late;
    }

    /** Whether it says nothing of the target itself: no port, no process, other processors, a program that is gone. */
    public boolean isOfMachine() {
        return ofMachine;
    }

    /** Returns the last lines of the target's output; empty when it was not started. */
    public List<String> lastLogLines() {
        return lastLogLines;
    }
}
