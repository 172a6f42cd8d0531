package dev.lockstep.replayer.answers;

import dev.lockstep.measurement.ErrorKind;
import io.netty.channel.Channel;

/**
 * The connection of an {@link AnswerReader}: what the reader asks it and tells it. Event loop only.
 *
 * <p>Design note: one class implements it, so that readers need not know how requests are sent; the JIT compiler calls
 * that one directly.
 */
public interface AnsweredConnection {
    /** Stands for the recorded connection's number where there is none, in a pool. */
    int POOLED = -1;

    /** The number of the recorded connection that this one replays, or {@link #POOLED}. */
    int recorded();

    /**
     * Tells whether the channel that was opened last still serves; when it was closed, the next may be under way
     * already.
     */
    boolean isUp();

    /** Tells whether this request was handed to the socket and awaits its answer. */
    boolean isAwaited(long sequence);

    /** The number in the phase of a request in flight. */
    long number(long sequence);

    int inFlight();

    /** Says that requests may be sent; called where {@link AnswerReader#opened} did not say so. */
    void ready();

    /**
     * Takes an answered request out of flight. An answer may come before its request was written to the end.
     *
     * @param status the answer's status code, 0 where the protocol has none
     * @param reusable whether the connection can carry more; where not, it is closed
     * @return whether the connection goes on
     */
    boolean completed(long sequence, int status, long bodyBytes, boolean reusable);

    /**
     * Takes a request out of flight whose answer is whole and says that it failed.
     *
     * @param reusable whether the connection can carry more; where not, it is closed
     * @return whether the connection goes on
     */
    boolean answeredWith(ErrorKind kind, long sequence, boolean reusable);

    /** Sends no more requests; closes the connection when the last one in flight is answered. */
    void drain();

    /** Closes the connection; requests in flight fail with this kind. */
    void close(ErrorKind kind);

    // ---- for readers that follow or lead the conversation -------------------------------------------------------

    /** The channel, to write something else behind the requests; null while there is none. */
    Channel channel();

    /** Hands over what was written to the {@link #channel} behind the requests, and stamps those that go with it. */
    void flushBehind();

    /** Tells whether the socket keeps up, so that what is sent now does not pile up in memory. */
    boolean isWritable();

    /** Reads no more of a target that does not take what we say to it, until it does; what it sends waits with it. */
    void readOnlyWhileWritable();

    /** Takes note that the reader writes the n-th request by its meaning, and not byte for byte. */
    void sendingByMeaning(long n);

    /**
     * Takes note of a request that ends in recorded bytes which are about to be written, and is not in the capture's
     * table.
     *
     * @return its sequence number
     */
    long sendingStream(int endpoint, long intendedNs);
}
