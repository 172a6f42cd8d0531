package dev.lockstep.capture;

import java.nio.file.Path;

/**
 * A capture file that cannot be read or written. The message is one line: file, offset, expected, found, what to do.
 */
public final class CaptureException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    CaptureException(Path path, String problem) {
        this(path, problem, null);
    }

    CaptureException(Path path, String problem, Throwable cause) {
        super(path + ": " + problem, cause);
    }

    CaptureException(Path path, long offset, String problem) {
        super(path + " at offset " + offset + ": " + problem);
    }
}
