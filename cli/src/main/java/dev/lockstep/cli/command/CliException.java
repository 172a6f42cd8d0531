package dev.lockstep.cli.command;

/** What was asked for cannot be done: exit code 1. The message is one line that says what, where and what to do. */
public class CliException extends RuntimeException {
    private static final long serialVersionUID = 1;

    /** @param message one line */
    public CliException(String message) {
        super(message);
    }
}
