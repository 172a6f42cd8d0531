package dev.lockstep.cli.command;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;

/** What was asked for cannot be done: exit code 1. The message is one line that says what, where and what to do. */
public class CliException extends RuntimeException {
    private static final long serialVersionUID = 1;

    /** @param message one line */
    public CliException(String message) {
        super(message);
    }

    /** Returns what the operating system says of a file, without the path that Java puts before it or in its place. */
    public static String reason(IOException e) {
        if (e instanceof AccessDeniedException) {
            return "permission denied";
        }
        String told = e instanceof FileSystemException ? ((FileSystemException) e).getReason() : e.getMessage();
        return told == null ? e.getClass().getSimpleName() : told;
    }
}
