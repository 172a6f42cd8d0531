package dev.lockstep.capture;

import java.nio.file.Path;

/**
 * Reads a capture record by record, of whatever length, compression and number of segments, in memory that does not
 * grow with it. For one thread.
 *
 * <p>Segments are read as one capture: connections and records have the numbers, and times the axis, of the whole.
 */
public final class CaptureReader implements AutoCloseable {
    private CaptureReader() {}

    /** Opens a capture for reading from its first record. */
    public static CaptureReader open(Path path) {
        return open(path, OpenOptions.defaults());
    }

    /**
     * Opens a capture like {@link #open(Path)}, with options.
     *
     * @throws CaptureException when the file is missing, not a capture, of a later format, or needs another key
     */
    public static CaptureReader open(Path path, OpenOptions options) {
        throw new CaptureException(path, "cannot be streamed yet");
    }

    /**
     * Returns the next record, a view that is valid until the next call, or null at the end of the capture.
     *
     * @throws CaptureException when the file is damaged here
     */
    public CaptureRecord next() {
        return null;
    }

    /** Hands the remaining records to a handler, until it wants no more. */
    public void forEach(RecordHandler handler) {
        for (CaptureRecord record = next(); record != null && handler.onRecord(record); ) {
            record = next();
        }
    }

    /** Goes to the first record that is not before a time, in ns since the capture's start. */
    public void seekTime(long timeNs) {}

    /** Goes to the record with a number, counted from 0. */
    public void seekRecord(long number) {}

    /** Limits what {@link #next()} returns to the records of some connections, and skips blocks that hold none. */
    public void onlyConnections(int first, int last) {}

    /** Returns what the file says of itself, and what was counted in the records that were read so far. */
    public CaptureInfo info() {
        return null;
    }

    /** Closes the file; may be called from another thread to end one that follows a recording. */
    @Override
    public void close() {}
}
