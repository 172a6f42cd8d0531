package dev.lockstep.redaction;

/** A file of rules or a key that cannot be used: one line that says what, where, what was expected and what found. */
public final class RedactionException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    RedactionException(String message) {
        super(message);
    }

    RedactionException(String message, Throwable cause) {
        super(message, cause);
    }
}
