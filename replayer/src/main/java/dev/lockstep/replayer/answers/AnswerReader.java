package dev.lockstep.replayer.answers;

import dev.lockstep.measurement.ErrorKind;
import io.netty.buffer.ByteBuf;

/**
 * Understands what a target says on one connection, in the protocol that was recorded: finds where answers end, matches
 * them to the requests in flight, and tells the {@link AnsweredConnection}. Runs per request on the event loop.
 *
 * <p>A reader belongs to one connection and serves one channel after the other. Requests in flight are named by their
 * sequence number, which the connection counts up from 0 over its life.
 */
public interface AnswerReader {
    /**
     * A new channel is open; what an earlier one left is forgotten.
     *
     * @return whether requests may be sent at once; where not, the reader talks to the target first and calls
     *     {@link AnsweredConnection#ready} when they may
     */
    boolean opened();

    /**
     * A request is about to be written.
     *
     * @param sequence its number among the connection's requests
     * @param n its number in the phase
     * @param intendedNs when it was to be sent, on the monotonic clock; {@link Long#MIN_VALUE} for when it is written
     * @return whether it gets an answer; one that gets none is complete when it is written
     */
    boolean sending(long sequence, long n, long intendedNs);

    /**
     * Recorded bytes that belong to no request are about to be written.
     *
     * @param piece their number among the capture's opaque pieces
     * @param intendedNs when they were to be sent, on the monotonic clock
     * @return whether they are to be sent; a reader that leads the conversation itself says no
     */
    boolean sendingOpaque(long piece, long intendedNs);

    /** Tells whether {@link #sending} writes requests itself, because they are not sent byte for byte. */
    default boolean writesRequests() {
        return false;
    }

    /** Reads what came; the buffer stays the caller's. May close the connection. */
    void read(ByteBuf in);

    /** The target closed its side: completes what ends with that. What is then still in flight fails. */
    void ended();

    /** The connection was closed, by either side. */
    default void closed() {}

    /** Why the oldest request in flight fails when it has waited too long. */
    default ErrorKind expiredAs() {
        return ErrorKind.READ_TIMEOUT;
    }
}
