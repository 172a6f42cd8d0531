package dev.lockstep.search;

/** A search cannot go on: its journal, or a program that it relies on, fails. The message is one line. */
public class SearchException extends RuntimeException {
    private static final long serialVersionUID = 1;

    /** @param message one line */
    public SearchException(String message) {
        super(message);
    }
}
