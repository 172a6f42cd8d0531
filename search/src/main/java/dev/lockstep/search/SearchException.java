package dev.lockstep.search;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;

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
