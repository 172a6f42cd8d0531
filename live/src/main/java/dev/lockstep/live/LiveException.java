package dev.lockstep.live;

/** A run cannot be shown live: one line with what, where, what was expected and found, and what to do. */
public final class LiveException extends RuntimeException {
    private static final long serialVersionUID = 1;

    LiveException(String message, Throwable cause) {
        super(message, cause);
    }
}
