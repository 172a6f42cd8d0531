package dev.lockstep.redaction;

import io.netty.buffer.ByteBuf;

/** Takes the bytes of one connection after redaction, in order. */
public interface RedactedSink {
    /**
     * Takes a piece; the buffer is valid only during the call.
     *
     * @param nowNs the time at which the piece's first byte came
     * @param begins whether its first byte begins a request
     * @param ends whether its last byte ends a request
     * @param redacted whether some of its bytes were replaced
     */
    void accept(long nowNs, boolean begins, boolean ends, boolean redacted, ByteBuf bytes, int from, int to);

    /**
     * Is told of bytes that are left out here because they could not be searched.
     *
     * @param nowNs the time at which the first of them came
     */
    void leftOut(long nowNs, long bytes);
}
