package dev.lockstep.analysis;

/** A text of the user cannot be understood. The message is one line for people. */
public final class AnalysisException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    public AnalysisException(String message) {
        super(message);
    }
}
