package dev.lockstep.experiment;

/** An experiment cannot be read or carried out; the message is one line that says what, where and what to do. */
public final class ExperimentException extends RuntimeException {
    private static final long serialVersionUID = 1;

    /** @param message one line */
    public ExperimentException(String message) {
        super(message);
    }
}
