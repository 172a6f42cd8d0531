package dev.lockstep.redaction;

import io.netty.buffer.ByteBuf;

/** Finds the secrets in the client's bytes of one protocol. Runs per piece; used by the thread of its connection. */
abstract class Scanner {
    /**
     * Reads a piece of the stream; what it leaves open in the connection's {@link Secret} is held back.
     *
     * @param begins whether its first byte begins a request
     * @param ends whether its last byte ends a request
     * @param offset the offset of its first byte in the stream
     */
    abstract void scan(boolean begins, boolean ends, ByteBuf bytes, int from, int to, long offset);

    /** Says that bytes are missing: what is open is replaced as it is. */
    abstract void missing();

    /** The offset from which on bytes must wait, beside those of the connection's open secret. */
    long heldFrom() {
        return Long.MAX_VALUE;
    }

    /** Says that nothing more comes: what is open is replaced as it is. */
    abstract void end();
}
