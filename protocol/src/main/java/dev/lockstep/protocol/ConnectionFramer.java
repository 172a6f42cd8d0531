package dev.lockstep.protocol;

import io.netty.buffer.ByteBuf;

/**
 * Recognises the protocol of a connection at its first bytes and finds where the client's requests begin and end. Runs
 * per read; used by the one thread that handles the connection.
 *
 * <p>The bytes may arrive cut anywhere; the boundaries do not depend on the cuts. A caller walks the client's bytes like
 * this, and hands over the server's bytes, in the order in which both came, while {@link #wantsAnswers()}:
 *
 * <pre>{@code
 * while (from < to) {
 *     boolean begins = framer.isBetweenRequests();
 *     int next = framer.feed(buffer, from, to);
 *     boolean ends = framer.isBetweenRequests();
 *     // [from, next) belongs to one request, or to none when framer.isOpaque() or framer.isAside()
 *     from = next;
 * }
 * }</pre>
 *
 * <p>A stream that is not recognised or cannot be followed is never an error: it is opaque from there on.
 */
public final class ConnectionFramer {
    private final HttpRequestFramer http = new HttpRequestFramer();

    /**
     * Creates a framer for a connection of which no byte was read yet.
     *
     * @param forced the protocol that the connection is known to have, or null to recognise it
     * @param alreadyOpen whether the connection was open before recording began, so that its first byte may be any
     */
    public ConnectionFramer(StreamProtocol forced, boolean alreadyOpen) {}

    /**
     * Reads on in the client's bytes, at most to the end of one request. The buffer's own indices are neither used nor
     * moved.
     *
     * @param from the index of the first byte to read
     * @param to the index after the last byte that may be read
     * @return the index after the last byte read: {@code to}, or the end of a request
     */
    public int feed(ByteBuf buffer, int from, int to) {
        return http.feed(buffer, from, to);
    }

    /** Tells whether the next byte begins a request: true at first and right after each request's last byte. */
    public boolean isBetweenRequests() {
        return http.isBetweenRequests();
    }

    /** Tells whether a request has begun and not ended, leaving out what no request needs to follow. */
    public boolean isInRequest() {
        return http.isInRequest();
    }

    /** Tells whether the bytes read last, and those that follow, belong to no request. */
    public boolean isOpaque() {
        return http.isOpaque();
    }

    /**
     * Tells whether the bytes read last belong to no request, though the stream is followed: a protocol's own control
     * frames, such as pings.
     */
    public boolean isAside() {
        return false;
    }

    /** Tells whether servers may disagree about the end of the current request, or else of the last one. */
    public boolean isAmbiguous() {
        return http.isAmbiguous();
    }

    /** Returns what the connection's bytes are recognised as by now; changes when a connection switches. */
    public StreamProtocol protocol() {
        return http.opaqueReason() == OpaqueReason.HTTP2
                ? StreamProtocol.HTTP2
                : http.isRecognised() ? StreamProtocol.HTTP1 : StreamProtocol.UNKNOWN;
    }

    /** Tells whether the server's next bytes may decide how the client's are read. Asked before each of its reads. */
    public boolean wantsAnswers() {
        return false;
    }

    /** Reads the server's bytes; needed only while {@link #wantsAnswers()}, harmless otherwise. */
    public void feedAnswer(ByteBuf buffer, int from, int to) {}

    /**
     * Returns the number, counted from 0 over the connection's requests, of a request that is known to get no answer
     * and was not returned before; -1 when there is none.
     */
    public long takeUnanswered() {
        return -1;
    }

    /**
     * Says that the client's next bytes are missing. Where the framer knows that they lay inside a body it stays in
     * step; elsewhere it looks for the beginning of a request in what comes after.
     *
     * @param bytes how many, 0 when not known
     */
    public void missing(long bytes) {}

    /** Says that the server's next bytes are missing; {@code bytes} is 0 when it is not known how many. */
    public void answerMissing(long bytes) {}
}
