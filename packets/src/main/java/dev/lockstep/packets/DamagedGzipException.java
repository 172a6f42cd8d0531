package dev.lockstep.packets;

import java.io.EOFException;
import java.io.IOException;

/** Gzip data that cannot be unpacked any further. The message is a clause that says what is wrong, and where. */
public final class DamagedGzipException extends IOException {
    private static final long serialVersionUID = 1L;

    DamagedGzipException(long at, IOException cause) {
        super(
                cause instanceof EOFException
                        ? "the gzip data ends early, at byte " + at + " of the file"
                        : "the gzip data is damaged near byte " + at + " of the file: " + cause.getMessage(),
                cause);
    }
}
