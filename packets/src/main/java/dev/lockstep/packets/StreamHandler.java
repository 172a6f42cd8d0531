package dev.lockstep.packets;

import io.netty.buffer.ByteBuf;

/**
 * Takes the two streams of one TCP connection, in order; called on the reassembler's thread.
 *
 * <p>Each call has the time of the packet that made it possible: bytes that came early have the time at which the hole
 * before them was filled, since the receiver could not read them sooner either. It never decreases.
 *
 * <p>Buffers are valid during the call only, and stay the reassembler's; their indices mean nothing and must not be
 * moved.
 */
public interface StreamHandler {
    void clientBytes(long timeNs, ByteBuf bytes, int from, int to);

    void serverBytes(long timeNs, ByteBuf bytes, int from, int to);

    /** Says that the client's next bytes, more than 0, were sent but not captured. */
    void clientMissing(long timeNs, long bytes);

    /** Says that the server's next bytes, more than 0, were sent but not captured. */
    void serverMissing(long timeNs, long bytes);

    /** Says that the client sent its FIN and everything before it. */
    void clientEnded(long timeNs);

    /** Says that the server sent its FIN and everything before it. */
    void serverEnded(long timeNs);

    /** Says that nothing more comes; always the last call. */
    void closed(long timeNs, TcpEnd end);
}
