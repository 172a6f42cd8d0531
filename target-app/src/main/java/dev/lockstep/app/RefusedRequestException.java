package dev.lockstep.app;

/**
 * A request that cannot be answered as asked: becomes a response with this status and a JSON body with this message.
 * Carries no stack trace, because it is an answer and not a fault.
 */
final class RefusedRequestException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    final int status;

    RefusedRequestException(int status, String message) {
        super(message, null, false, false);
        this.status = status;
    }
}
