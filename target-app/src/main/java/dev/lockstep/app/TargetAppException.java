package dev.lockstep.app;

/** The application cannot start or go on. The message is one line: what, where, and what to do. */
final class TargetAppException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    TargetAppException(String message, Throwable cause) {
        super(message, cause);
    }
}
