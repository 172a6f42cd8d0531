package dev.lockstep.cli;

/**
 * The command line or a targets file asks for something that cannot be done as written: exit code 2, one line. Its
 * message says what, where, what is expected and what was found.
 */
final class UsageException extends CliException {
    private static final long serialVersionUID = 1;

    UsageException(String message) {
        super(message);
    }
}
