package dev.lockstep.protocol;

import dev.lockstep.capture.Protocol;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;

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

    private static final Type[] TYPES = Type.values();

    /** How much of a dispatch is looked through for the message inside, in bytes. */
    private static final int MAX_DISPATCH_HEAD_BYTES = 1 << 16;

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
    static ThriftFacts of(Protocol protocol, ByteBuf message, int from, int to) {
        if (protocol == Protocol.THRIFT_MUX) {
            return ofDispatch(message, from, to);
        }
        ThriftStreamReader reader = read(protocol, message, from, to);
        if (!reader.head().hasHead() && protocol == Protocol.THRIFT_FRAMED_BINARY) {
            // A client may send TTwitter's headers before the recorder has seen that the server takes them.
            reader = read(Protocol.THRIFT_TTWITTER, message, from, to);
        }
        return reader.head().hasHead() ? of(reader.head(), message) : null;
    }

    /**
     * Reads a message in any of Thrift's protocols, as the body of an HTTP request carries it: bare, or in a frame of
     * THeader. Never throws.
     *
     * @return the facts, or null where the bytes do not say
     */
    static ThriftFacts ofBody(ByteBuf body, int from, int to) {
        ThriftMessageReader reader = new ThriftMessageReader(false);
        reader.begin(false);
        reader.read(body, from, to);
        if (reader.hasHead()) {
            return of(reader, body);
        }
        boolean inFrame = ThriftRecognition.CALLS.recognise(body, from, to) == Protocol.THRIFT_HEADER;
        return inFrame ? of(Protocol.THRIFT_HEADER, body, from, to) : null;
    }

    private static ThriftStreamReader read(Protocol protocol, ByteBuf message, int from, int to) {
        ThriftStreamReader reader = new ThriftStreamReader(protocol, false, false);
        int index = reader.feed(message, from, to);
        while (reader.isAside() && index < to) {
            index = reader.feed(message, index, to);
        }
        return reader;
    }

    private static ThriftFacts of(ThriftMessageReader head, ByteBuf message) {
        String name = message.toString(head.nameFrom(), head.nameTo() - head.nameFrom(), StandardCharsets.UTF_8);
        return new ThriftFacts(name, TYPES[head.type() - 1], head.sequenceId());
    }

    /** Reads the message in a dispatch of mux: from its first fragment on, whose tag is that of the last frame. */
    private static ThriftFacts ofDispatch(ByteBuf message, int from, int to) {
        int tag = lastTag(message, from, to);
        ByteBuf body = Unpooled.buffer(Math.min(to - from, MAX_DISPATCH_HEAD_BYTES));
        int type = 0;
        for (int frame = from; to - frame >= MuxFrame.HEADER_BYTES; frame = MuxFrame.end(message, frame, to)) {
            int frameType = MuxFrame.type(message, frame);
            if (MuxFrame.tag(message, frame) == tag && MuxFrame.isRequest(frameType)) {
                int bodyFrom = frame + MuxFrame.HEADER_BYTES;
                int bodyBytes = MuxFrame.end(message, frame, to) - bodyFrom;
                body.writeBytes(message, bodyFrom, Math.min(bodyBytes, body.writableBytes()));
                type = frameType;
            }
        }
        int payload = MuxFrame.payload(type, body);
        ThriftFacts inside = payload < 0 ? null : ofBody(body, payload, body.writerIndex());
        return inside == null ? null : new ThriftFacts(inside.name, inside.type, tag);
    }

    private static int lastTag(ByteBuf message, int from, int to) {
        int tag = -1;
        for (int frame = from; to - frame >= MuxFrame.HEADER_BYTES; frame = MuxFrame.end(message, frame, to)) {
            if (MuxFrame.isRequest(MuxFrame.type(message, frame))) {
                tag = MuxFrame.tag(message, frame);
            }
        }
        return tag;
    }

    /** The function's name as the client wrote it; a multiplexed service's name stands before a colon. */
    public String name() {
        return name;
    }

    public Type type() {
        return type;
    }

    /** The sequence id; for ThriftMux the tag of the frame. */
    public int sequenceId() {
        return sequenceId;
    }
}
