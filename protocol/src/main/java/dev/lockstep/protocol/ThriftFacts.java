package dev.lockstep.protocol;

import io.netty.buffer.ByteBuf;

/** What a Thrift message says of itself before its arguments. Immutable. */
public final class ThriftFacts {
    /** What kind of message it is, as Thrift's protocols number them from 1. */
    public enum Type {
        /** A call, or a oneway call of a client that does not tell them apart. */
        CALL,
        /** The answer to a call. */
        REPLY,
        /** An answer that is a TApplicationException. */
        EXCEPTION,
        /** A call that gets no answer. */
        ONEWAY
    }

    private final String name;
    private final Type type;
    private final int sequenceId;

    ThriftFacts(String name, Type type, int sequenceId) {
        this.name = name;
        this.type = type;
        this.sequenceId = sequenceId;
    }

    /**
     * Reads a message from its bytes as they were framed: with its length, headers or mux frame where the protocol has
     * them. Never throws.
     *
     * @return the facts, or null where the bytes do not say
     */
    static ThriftFacts of(StreamProtocol protocol, ByteBuf message, int from, int to) {
        return null;
    }

    /**
     * Reads a bare message in any of Thrift's protocols, as the body of an HTTP request carries it. Never throws.
     *
     * @return the facts, or null where the bytes do not say
     */
    static ThriftFacts ofBody(ByteBuf body, int from, int to) {
        return null;
    }

    /** Returns the function's name as the client wrote it; a multiplexed service's name stands before a colon. */
    public String name() {
        return name;
    }

    /** Returns the kind of the message. */
    public Type type() {
        return type;
    }

    /** Returns the sequence id; for ThriftMux the tag of the frame. */
    public int sequenceId() {
        return sequenceId;
    }
}
