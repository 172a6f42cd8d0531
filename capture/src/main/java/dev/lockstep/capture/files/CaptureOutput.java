package dev.lockstep.capture.files;

import java.io.IOException;
import java.nio.ByteBuffer;

/** The file under a {@code CaptureWriter}. Used by its writer thread only. */
public interface CaptureOutput {
    /** Writes all of {@code bytes} at a position; after an exception any part of it may stand there. */
    void write(ByteBuffer bytes, long position) throws IOException;

    /** Cuts the file. */
    void truncate(long length) throws IOException;

    /** Waits until the disk has everything. */
    void force() throws IOException;

    void close() throws IOException;
}
