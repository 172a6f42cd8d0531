package dev.lockstep.capture;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;

/**
 * A capture file that cannot be read or written. The message is one line: file, offset, expected, found, what to do.
 */
public final class CaptureException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /** Says what is wrong with a file. */
    public CaptureException(Path path, String problem) {
        this(path, problem, null);
    }

    /** Says what is wrong with a file, and which exception told so. */
    public CaptureException(Path path, String problem, Throwable cause) {
        super(path + ": " + problem, cause);
    }

    /** Says what is wrong with the bytes of a file at an offset. */
    public CaptureException(Path path, long offset, String problem) {
        super(path + " at offset " + offset + ": " + problem);
    }

    /** Returns what the operating system says of a file, without the path that Java puts before it or in its place. */
    public static String reason(IOException e) {
        if (e instanceof AccessDeniedException) {
            return "permission denied";
        }
        if (e instanceof NoSuchFileException) {
            return "no such file or directory";
        }
        String told = e instanceof FileSystemException ? ((FileSystemException) e).getReason() : e.getMessage();
        return told == null ? e.getClass().getSimpleName() : told;
    }
}
