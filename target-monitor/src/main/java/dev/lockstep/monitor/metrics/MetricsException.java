package dev.lockstep.monitor.metrics;

/** A server's metrics could not be had: the message says in one line where, what was expected and what was found. */
public final class MetricsException extends Exception {
    private static final long serialVersionUID = 1L;

    public MetricsException(String message) {
        super(message);
    }
}
