package dev.lockstep.conversion;

import dev.lockstep.capture.CaptureException;
import java.io.IOException;
import java.nio.file.Path;

/** A recording that cannot be converted. The message is one line: what, where, expected, found, what to do. */
public final class ConversionException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    public ConversionException(Path file, String problem) {
        super(file + ": " + problem);
    }

    public ConversionException(Path file, String problem, Throwable cause) {
        super(file + ": " + problem, cause);
    }

    /** Ends the message with the operating system's words, without the path that Java puts before them. */
    public static ConversionException because(Path file, String problem, IOException cause) {
        return new ConversionException(file, problem + ": " + CaptureException.reason(cause), cause);
    }
}
