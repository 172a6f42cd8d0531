package dev.lockstep.experiment;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;

/** An experiment cannot be read or carried out; the message is one line that says what, where and what to do. */
public final class ExperimentException extends RuntimeException {
    private static final long serialVersionUID = 1;

    /** @param message one line */
    public ExperimentException(String message) {
        super(message);
    }

    /** Returns what the operating system says of a file, without the path that Java puts before it. */
    public static String reason(IOException e) {
        if (e instanceof AccessDeniedException) {
            return "permission denied";
        }
        if (e instanceof NoSuchFileException) {
            return "no such file or directory";
        }
        if (e instanceof FileAlreadyExistsException) {
            return "a file stands where its directory should";
        }
        boolean isTold = e instanceof FileSystemException && ((FileSystemException) e).getReason() != null;
        return isTold ? ((FileSystemException) e).getReason() : e.getMessage();
    }
}
