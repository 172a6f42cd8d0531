package dev.lockstep.net;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;

/** What the operating system says of a file that cannot be read or written. */
final class FileFailure {
    private FileFailure() {}

    /** Returns its words without the path that Java puts before them. */
    static String reason(IOException e) {
        if (e instanceof AccessDeniedException) {
            return "permission denied";
        }
        if (e instanceof NoSuchFileException) {
            return "no such file";
        }
        boolean isTold = e instanceof FileSystemException && ((FileSystemException) e).getReason() != null;
        return isTold ? ((FileSystemException) e).getReason() : String.valueOf(e.getMessage());
    }
}
