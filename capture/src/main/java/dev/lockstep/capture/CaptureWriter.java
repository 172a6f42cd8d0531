package dev.lockstep.capture;

import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.file.Path;

/** Writes a capture file while it is recorded; appends may come from any thread and never wait for the disk. */
public final class CaptureWriter implements AutoCloseable {
    private CaptureWriter() {}

    /**
     * Creates a capture file, readable and writable by its owner only (mode 0600).
     *
     * @throws CaptureException when the file exists and is not to be overwritten, or cannot be created
     */
    public static CaptureWriter create(Path path, CaptureOptions options) {
        throw new UnsupportedOperationException();
    }

    /**
     * Records that a client has connected.
     *
     * @param nowNs the time, from {@link System#nanoTime()}
     * @param client the client's address, or null when not known
     * @param server the address that the client connected to, or null when not known
     * @return the connection's number, 0, 1, 2, ..., or -1 when there was no room: then the connection is counted as
     *     lost, and what is appended to -1 is counted as well
     */
    public int openConnection(long nowNs, InetSocketAddress client, InetSocketAddress server) {
        throw new UnsupportedOperationException();
    }

    /** Records what the connection's bytes were recognised as; may be called again when that changes. */
    public void protocol(int connection, long nowNs, Protocol protocol) {
        throw new UnsupportedOperationException();
    }

    /**
     * Records bytes from the client to the server. They are copied and consumed: on return nothing remains in
     * {@code bytes}, whatever the result.
     *
     * @param flags {@link RecordFlags}; bytes of two messages need two calls
     * @return false when the bytes are lost, because the disk does not keep up or failed: then the connection is lost
     *     from here on as a whole, and counted
     */
    public boolean data(int connection, long nowNs, int flags, ByteBuffer bytes) {
        throw new UnsupportedOperationException();
    }

    /** Records that bytes of the client are missing here; {@code missingBytes} is 0 when it is not known how many. */
    public void gap(int connection, long nowNs, long missingBytes) {
        throw new UnsupportedOperationException();
    }

    /** Records that the client sent its FIN. */
    public void halfClose(int connection, long nowNs) {
        throw new UnsupportedOperationException();
    }

    /** Records the end of a connection; its number is not used again. */
    public void closeConnection(int connection, long nowNs, CloseReason reason) {
        throw new UnsupportedOperationException();
    }

    /** Returns what was taken and lost so far. */
    public CaptureTotals totals() {
        throw new UnsupportedOperationException();
    }

    /**
     * Writes what waits, the index and the summary, waits until the disk has it all, and closes the file. Does not
     * throw: {@link CaptureTotals#failure()} says what went wrong. What is appended later is ignored.
     */
    @Override
    public void close() {
        throw new UnsupportedOperationException();
    }
}
