package dev.lockstep.cli;

/** What was asked for cannot be done: exit code 1. The message is one line that says what, where and what to do. */
class CliException extends RuntimeException {
    private static final long serialVersionUID = 1;

    CliException(String message) {
        super(message);
    }
}
