package dev.lockstep.exporter;

/** Metrics cannot be published: one line with what, where, what was expected and found, and what to do. */
public final class ExporterException extends RuntimeException {
    private static final long serialVersionUID = 1;

    ExporterException(String message) {
        super(message);
    }

    ExporterException(String message, Throwable cause) {
        super(message, cause);
    }
}
