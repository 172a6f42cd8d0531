package dev.lockstep.protocol;

import io.netty.buffer.ByteBuf;

/**
 * Finds where Thrift messages begin and end on one connection, in the client's bytes, and learns from the server's
 * which calls get no answer and whether the connection was upgraded. Runs per request; used by the one thread that
 * handles the connection.
 *
 * <p>The bytes may arrive cut anywhere; the boundaries do not depend on the cuts. A stream that cannot be followed is
 * never an error: it is opaque from there on.
 */
final class ThriftFramer {
    /** The most bytes of a connection that {@link #recognise} needs. */
    static final int MAX_RECOGNITION_BYTES = ThriftRecognition.MAX_BYTES;

    private final StreamProtocol protocol;

    /**
     * Creates a framer.
     *
     * @param protocol one of the Thrift protocols
     * @param alreadyOpen whether the first byte that is fed may be any, and not only a message's first
     */
    ThriftFramer(StreamProtocol protocol, boolean alreadyOpen) {
        this.protocol = protocol;
    }

    /**
     * Recognises the first bytes that a client sends, as early as that is possible: never later than with the byte that
     * ends the first message.
     *
     * @return the protocol, {@link StreamProtocol#UNKNOWN} when it is not Thrift, or null when more bytes are needed
     */
    static StreamProtocol recognise(ByteBuf buffer, int from, int to) {
        return ThriftRecognition.recognise(buffer, from, to);
    }

    /**
     * Recognises a Thrift message, TTwitter's and mux's among them, at the beginning of a packet of a connection that
     * was open before recording began.
     *
     * @return the protocol, whose framer may begin with this packet's first byte, or {@link StreamProtocol#UNKNOWN}
     */
    static StreamProtocol recogniseInside(ByteBuf buffer, int from, int to) {
        StreamProtocol found = ThriftRecognition.recognise(buffer, from, to);
        return found == null || found == StreamProtocol.THRIFT_ZLIB ? StreamProtocol.UNKNOWN : found;
    }

    /** Reads on in the client's bytes, at most to the end of one request, and returns the index after the last byte read. */
    int feed(ByteBuf buffer, int from, int to) {
        return to;
    }

    /** Tells whether the next byte begins a request: true at first and right after each request's last byte. */
    boolean isBetweenRequests() {
        return false;
    }

    /** Tells whether a request has begun and not ended. */
    boolean isInRequest() {
        return false;
    }

    /** Tells whether the bytes read last could not be followed, and belong to no request. */
    boolean isOpaque() {
        return true;
    }

    /** Tells whether the bytes read last were followed but belong to no request: mux's pings and its handshake. */
    boolean isAside() {
        return false;
    }

    /** Returns the form of the client's messages; changes when the connection is upgraded to TTwitter. */
    StreamProtocol protocol() {
        return protocol;
    }

    /** Tells whether the server's next bytes are of use. */
    boolean wantsAnswers() {
        return false;
    }

    /** Reads the server's bytes, in the order in which they came between the client's. */
    void feedAnswer(ByteBuf buffer, int from, int to) {}

    /** Returns the number of a request that is known to get no answer and was not returned before, or -1. */
    long takeUnanswered() {
        return -1;
    }

    /** Says that the client's next bytes are missing; {@code bytes} is 0 when it is not known how many. */
    void missing(long bytes) {}

    /** Says that the server's next bytes are missing; {@code bytes} is 0 when it is not known how many. */
    void answerMissing(long bytes) {}
}
