package dev.lockstep.recorder;

/** A recording that could not be started: one line that says what, where, why and what to do. */
public final class RecorderException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    RecorderException(String message, Throwable cause) {
        super(message, cause);
    }
}
