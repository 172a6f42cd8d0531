package dev.lockstep.search;

/** A space cannot be read, or is none. The message is one line: file, line and column, what is expected and found. */
public final class SpaceException extends RuntimeException {
    private static final long serialVersionUID = 1;

    /** @param message one line */
    public SpaceException(String message) {
        super(message);
    }
}
