package dev.lockstep.profiler;

/** A profile cannot be taken, read or written. The message is one line for people. */
public final class ProfilerException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    ProfilerException(String message) {
        super(message);
    }

    ProfilerException(String message, Throwable cause) {
        super(message, cause);
    }
}
