package dev.lockstep.results;

/** A value was built without a field that it needs. Thrown by the generated builders. */
public final class MissingFieldException extends IllegalArgumentException {
    private static final long serialVersionUID = 1L;

    MissingFieldException(String... fields) {
        super(String.join(", ", fields) + " must be given");
    }
}
