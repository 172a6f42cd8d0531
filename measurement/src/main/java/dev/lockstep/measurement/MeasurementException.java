package dev.lockstep.measurement;

/** A plan, a result file or a run directory cannot be read or written. The message is one line for people. */
public final class MeasurementException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    public MeasurementException(String message) {
        super(message);
    }

    public MeasurementException(String message, Throwable cause) {
        super(message, cause);
    }
}
