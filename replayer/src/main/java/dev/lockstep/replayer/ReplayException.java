package dev.lockstep.replayer;

/** A replay that cannot start or go on; the message is one line for the user. */
public final class ReplayException extends RuntimeException {
    private static final long serialVersionUID = 1;

    public ReplayException(String message) {
        super(message);
    }

    public ReplayException(String message, Throwable cause) {
        super(message, cause);
    }
}
