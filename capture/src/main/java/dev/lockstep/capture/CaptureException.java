package dev.lockstep.capture;

import java.nio.file.Path;

/**
 * A capture file that cannot be read or written. The message is one line: file, offset, expected, found, what to do.
 */
public final class CaptureException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final transient Path path;
    private final long offset;

    CaptureException(Path path, String problem) {
        this(path, -1, problem, null);
    }

    CaptureException(Path path, String problem, Throwable cause) {
        this(path, -1, problem, cause);
    }

    CaptureException(Path path, long offset, String problem) {
        this(path, offset, problem, null);
    }

    private CaptureException(Path path, long offset, String problem, Throwable cause) {
        super(path + (offset < 0 ? "" : " at offset " + offset) + ": " + problem, cause);
        this.path = path;
        this.offset = offset;
    }

    public Path path() {
        return path;
    }

    /** Returns the position in the file, in bytes, or -1 where the problem is not at one. */
    public long offset() {
        return offset;
    }
}
