package dev.lockstep.protocol;

import io.netty.buffer.ByteBuf;

/**
 * Finds where HTTP/1.0 and HTTP/1.1 requests begin and end on one connection's byte stream.
 *
 * <p>Not thread-safe: used by the one thread that reads the connection.
 */
public final class HttpRequestFramer {
    /** Creates a framer for a connection of which no byte was read yet. */
    public HttpRequestFramer() {}

    /** What the framer knows of the stream. */
    public enum State {
        /** Before the first byte of a request. */
        BETWEEN_REQUESTS,
        /** Inside a request. */
        IN_REQUEST,
        /** No longer HTTP/1, or not understood, for the rest of the connection. */
        OPAQUE
    }

    /**
     * Reads on, at most to the end of one request. Neither index of the buffer moves.
     *
     * @param from the index of the first byte to read
     * @param to the index after the last byte to read
     * @return the index after the last byte that belongs to the request, or {@code to}
     */
    public int feed(ByteBuf buffer, int from, int to) {
        return to;
    }

    /** Returns what the framer knows of the stream now. */
    public State state() {
        return State.OPAQUE;
    }
}
