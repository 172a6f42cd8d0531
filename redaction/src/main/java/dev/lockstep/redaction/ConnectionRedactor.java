package dev.lockstep.redaction;

import dev.lockstep.protocol.StreamProtocol;
import io.netty.buffer.ByteBuf;

/**
 * Replaces the secrets in what one client sends, in the pieces into which a framer cut it. Runs per read; used by the
 * one thread that handles the connection, which closes it.
 *
 * <p>No byte is handed on before it is known whether it belongs to a secret, so a piece may come out later than it went
 * in, or in several parts. The number of bytes, their order and the requests' boundaries stay as they are.
 */
public final class ConnectionRedactor implements AutoCloseable {
    ConnectionRedactor() {}

    /** Says what the bytes from here on were recognised as. */
    public void protocol(StreamProtocol protocol) {}

    /** Says that the bytes from here on are not cut into requests. */
    public void opaque() {}

    /**
     * Takes a piece of the client's stream; the buffer stays the caller's, its indices are not moved.
     *
     * @param nowNs when it came
     * @param begins whether its first byte begins a request
     * @param ends whether its last byte ends a request
     */
    public void piece(long nowNs, boolean begins, boolean ends, ByteBuf bytes, int from, int to, RedactedSink sink) {
        sink.accept(nowNs, begins, ends, false, bytes, from, to);
    }

    /** Says that bytes are missing here: hands on what was held back, redacted as far as it must be. */
    public void missing(long nowNs, RedactedSink sink) {}

    /** Says that nothing more comes: hands on what was held back, redacted as far as it must be. */
    public void end(long nowNs, RedactedSink sink) {}

    /** Returns how many values were replaced since this was asked last. */
    public long takeRedactions() {
        return 0;
    }

    /** Releases the memory of what was held back. */
    @Override
    public void close() {}
}
