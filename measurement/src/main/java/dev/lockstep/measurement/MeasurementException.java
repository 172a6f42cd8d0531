package dev.lockstep.measurement;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;

/** A plan, a result file or a run directory cannot be read or written. The message is one line for people. */
public final class MeasurementException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    public MeasurementException(String message) {
        super(message);
    }

    public MeasurementException(String message, Throwable cause) {
        super(message, cause);
    }

    /** Returns what the operating system says of a file, without the path that Java puts before it or in its place. */
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
        String told = e instanceof FileSystemException ? ((FileSystemException) e).getReason() : e.getMessage();
        return told == null ? e.getClass().getSimpleName() : told;
    }
}
