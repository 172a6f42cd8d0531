package dev.lockstep.search;

/** The journal in a directory is that of another search. The message is one line. */
public final class OtherSearchException extends SearchException {
    private static final long serialVersionUID = 1;

    OtherSearchException(String message) {
        super(message);
    }
}
