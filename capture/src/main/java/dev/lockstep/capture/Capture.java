package dev.lockstep.capture;

import java.nio.ByteBuffer;
import java.nio.file.Path;

/**
 * An opened and fully verified capture. Immutable; any thread may read. Request bytes stay in the mapped file.
 *
 * <p>A request is what lies between the start and the end of a message; requests are numbered from 0 by the time of
 * their first byte.
 */
public final class Capture implements AutoCloseable {
    private Capture() {}

    /**
     * Opens a capture: maps the file, checks every byte of it, and builds the index of requests outside the heap.
     *
     * @throws CaptureException when the file is missing, not a capture, of a later format, torn or damaged
     */
    public static Capture open(Path path) {
        return open(path, OpenOptions.defaults());
    }

    /** Opens a capture like {@link #open(Path)}, with options. */
    public static Capture open(Path path, OpenOptions options) {
        throw new UnsupportedOperationException();
    }

    /** Returns the file. */
    public Path path() {
        throw new UnsupportedOperationException();
    }

    /** Returns the SHA-256 of the whole file in lower-case hexadecimal. */
    public String sha256() {
        throw new UnsupportedOperationException();
    }

    /** Returns the SHA-256 of the bytes of all complete requests in capture order, in lower-case hexadecimal. */
    public String streamSha256() {
        throw new UnsupportedOperationException();
    }

    /** Returns the number of connections. */
    public int connectionCount() {
        throw new UnsupportedOperationException();
    }

    /** Returns the number of complete requests. */
    public long requestCount() {
        throw new UnsupportedOperationException();
    }

    /** Returns the bytes of all complete requests. */
    public long requestBytes() {
        throw new UnsupportedOperationException();
    }

    /** Returns the time from the first request's first byte to the last request's first byte, in ns. */
    public long durationNs() {
        throw new UnsupportedOperationException();
    }

    /** Returns what the file says of itself, and what is in it beside complete requests. */
    public CaptureInfo info() {
        throw new UnsupportedOperationException();
    }

    /** Returns the time of a request's first byte in ns since the capture's start; never less than the one before. */
    public long timeNs(long request) {
        throw new UnsupportedOperationException();
    }

    /** Returns the connection of a request. */
    public int connection(long request) {
        throw new UnsupportedOperationException();
    }

    /** Returns how many complete requests precede this one on its connection. */
    public int indexInConnection(long request) {
        throw new UnsupportedOperationException();
    }

    /** Returns of how many pieces a request is made, mostly 1; a piece may be empty. */
    public int fragments(long request) {
        throw new UnsupportedOperationException();
    }

    /** Returns the bytes of one piece of a request. */
    public int fragmentLength(long request, int fragment) {
        throw new UnsupportedOperationException();
    }

    /** Returns the bytes of a request. */
    public long requestLength(long request) {
        throw new UnsupportedOperationException();
    }

    /** Returns the mapping that holds a piece of a request as a whole. */
    public int mapping(long request, int fragment) {
        throw new UnsupportedOperationException();
    }

    /** Returns where in its mapping a piece of a request begins. */
    public int offset(long request, int fragment) {
        throw new UnsupportedOperationException();
    }

    /** Returns the number of mappings. */
    public int mappingCount() {
        throw new UnsupportedOperationException();
    }

    /** Returns a new read-only view of a mapping, about 1 GiB of the file. */
    public ByteBuffer mapping(int index) {
        throw new UnsupportedOperationException();
    }

    /** Returns when a connection was opened, in ns since the capture's start. */
    public long openedNs(int connection) {
        throw new UnsupportedOperationException();
    }

    /** Returns when a connection ended, or was last heard of, in ns since the capture's start. */
    public long closedNs(int connection) {
        throw new UnsupportedOperationException();
    }

    /** Returns why a connection ended. */
    public CloseReason closeReason(int connection) {
        throw new UnsupportedOperationException();
    }

    /** Returns the number of complete requests on a connection. */
    public long requestCount(int connection) {
        throw new UnsupportedOperationException();
    }

    /** Returns what a connection's bytes were recognised as, at last. */
    public Protocol protocol(int connection) {
        throw new UnsupportedOperationException();
    }

    /** Returns a client's address such as {@code 127.0.0.1:40312} or {@code [::1]:40312}, or "unknown". */
    public String clientAddress(int connection) {
        throw new UnsupportedOperationException();
    }

    /** Returns the address that a client connected to, or "unknown". */
    public String serverAddress(int connection) {
        throw new UnsupportedOperationException();
    }

    /** Hands every record to a handler, in file order, also those outside complete requests. */
    public void forEachRecord(RecordHandler handler) {
        throw new UnsupportedOperationException();
    }

    /** Forgets the mappings; the memory goes back when the last view that was handed out is garbage. */
    @Override
    public void close() {
        throw new UnsupportedOperationException();
    }
}
