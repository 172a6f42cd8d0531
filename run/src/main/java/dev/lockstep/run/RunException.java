package dev.lockstep.run;

/** A run cannot begin, or ended before it measured anything. The message is one line: what, where and what to do. */
public final class RunException extends RuntimeException {
    private static final long serialVersionUID = 1;

    public RunException(String message) {
        super(message);
    }
}
