package dev.lockstep.cli.command;

/**
 * The command line or a targets file asks for something that cannot be done as written: exit code 2, one line. Its
 * message says what, where, what is expected and what was found.
 */
public final class UsageException extends CliException {
    private static final long serialVersionUID = 1;

    /** @param message one line */
    public UsageException(String message) {
        super(message);
    }
}
