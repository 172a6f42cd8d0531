package dev.lockstep.conversion;

import java.nio.file.Path;

/** A recording that cannot be converted. The message is one line: what, where, expected, found, what to do. */
public final class ConversionException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    ConversionException(Path file, String problem) {
        super(file + ": " + problem);
    }

    ConversionException(Path file, String problem, Throwable cause) {
        super(file + ": " + problem, cause);
    }
}
