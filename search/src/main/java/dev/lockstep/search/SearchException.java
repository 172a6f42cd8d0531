package dev.lockstep.search;

/** A search cannot go on: its journal, or a program that it relies on, fails. The message is one line. */
public class SearchException extends RuntimeException {
    private static final long serialVersionUID = 1;

    private final String kept;

    /** @param message one line */
    public SearchException(String message) {
        this(message, message);
    }

    /** @param kept the same without the command of a program, which may hold secrets */
    SearchException(String message, String kept) {
        super(message);
        this.kept = kept;
    }

    /** Returns what files may keep of the message, which more people read than the terminal. */
    public String kept() {
        return kept;
    }
}
