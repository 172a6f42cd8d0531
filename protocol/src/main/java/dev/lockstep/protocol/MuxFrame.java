package dev.lockstep.protocol;

import io.netty.buffer.ByteBuf;
import java.nio.charset.StandardCharsets;

/**
 * The frame of mux, the session protocol of Twitter's Finagle (finagle-mux, {@code transport/Message.scala}), and what
 * a client has to say by itself: its handshake, and the answers to what a server asks.
 *
 * <pre>
 *   0        1        2        3
 *  +--------+--------+--------+--------+
 *  | length of what follows            |
 *  +--------+--------+--------+--------+
 *  | type   |F tag, 23 bits            |   F: a fragment, more of the message follows
 *  +--------+--------+--------+--------+
 *  | body, by type ...
 * </pre>
 */
public final class MuxFrame {
    /** The length and what is in every frame. */
    public static final int HEADER_BYTES = 8;

    /** What is in every frame behind its length. */
    static final int TAG_BYTES = 4;

    /** The tag of messages that get no answer. */
    public static final int NO_TAG = 0;

    /** The least tag of requests; the one before is for the handshake. */
    public static final int MIN_TAG = 2;

    public static final int MAX_TAG = 0x7fffff;

    /** What a client says, as an error, to see whether the server knows the handshake: it is said back then. */
    public static final String CAN_INIT = "tinit check";

    // The types that begin something; what answers one has the negative number.
    static final byte T_REQUEST = 1;
    static final byte T_DISPATCH = 2;
    static final byte T_DRAIN = 64;
    static final byte T_PING = 65;
    static final byte T_DISCARDED = 66;
    static final byte T_LEASE = 67;
    static final byte T_INIT = 68;

    static final byte R_REQUEST = -1;
    static final byte R_DISPATCH = -2;
    static final byte R_DRAIN = -64;
    static final byte R_PING = -65;
    static final byte R_DISCARDED = -66;
    static final byte R_INIT = -68;
    static final byte R_ERR = -128;

    // The numbers that two of them had at first, and that are still sent and understood.
    static final byte OLD_R_ERR = 127;
    static final byte OLD_T_DISCARDED = -62;

    /** The bit of a tag that says that more follows. */
    static final int FRAGMENT = 1 << 23;

    /** What a handshake, a reason or an error stays far below. */
    private static final int LONGEST_CONTROL_BYTES = 1 << 16;

    private static final int INIT_TAG = 1;
    private static final int INIT_VERSION = 1;
    private static final String FRAMER = "mux-framer";

    private MuxFrame() {}

    /** Whether a frame of this type carries a request. */
    static boolean isRequest(int type) {
        return type == T_DISPATCH || type == T_REQUEST;
    }

    /** Whether the frame at an index carries a request, or a fragment of one. */
    public static boolean isRequest(ByteBuf buffer, int frame) {
        return isRequest(type(buffer, frame));
    }

    /** Whether the frame at an index carries a dispatch, or a fragment of one: a request that may have contexts. */
    public static boolean isDispatch(ByteBuf buffer, int frame) {
        return type(buffer, frame) == T_DISPATCH;
    }

    /** Whether more of its message follows the frame at an index. */
    public static boolean isFragment(ByteBuf buffer, int frame) {
        return (buffer.getInt(frame + 4) & FRAGMENT) != 0;
    }

    static int type(ByteBuf buffer, int frame) {
        return buffer.getByte(frame + 4);
    }

    /** Returns the tag of the frame at an index, without the bit that says that more follows. */
    public static int tag(ByteBuf buffer, int frame) {
        return buffer.getInt(frame + 4) & MAX_TAG;
    }

    /** Replaces the tag of the frame at an index. */
    public static void tag(ByteBuf buffer, int frame, int tag) {
        buffer.setInt(frame + 4, buffer.getInt(frame + 4) & ~MAX_TAG | tag);
    }

    /** Returns the index after the frame at an index, at most {@code to}; beyond the index whatever the bytes say. */
    public static int end(ByteBuf buffer, int frame, int to) {
        long end = frame + 4L + buffer.getInt(frame);
        return (int) Math.min(to, Math.max(end, frame + HEADER_BYTES));
    }

    /**
     * Returns the index of the payload in a request's body, or -1 where the body ends before it. A dispatch has
     * contexts, pairs of key and value, then the destination's name, then rewrites of names, pairs again; each number
     * and length has two bytes. The old request has pairs whose number and lengths have one byte.
     */
    static int payload(int type, ByteBuf body) {
        if (type == T_REQUEST) {
            int index = 1;
            int pairs = body.writerIndex() == 0 ? -1 : body.getByte(0) & 0xff;
            for (int i = 0; i < pairs && index >= 0; i++) {
                // The key is the one byte before the value's length.
                index = index + 1 < body.writerIndex() ? index + 2 + body.getUnsignedByte(index + 1) : -1;
            }
            return pairs < 0 || index > body.writerIndex() ? -1 : index;
        }
        int index = skipPairs(body, 0);
        index = skipString(body, index);
        return skipPairs(body, index);
    }

    private static int skipPairs(ByteBuf body, int from) {
        if (from < 0 || body.writerIndex() - from < 2) {
            return -1;
        }
        int strings = 2 * body.getUnsignedShort(from);
        int index = from + 2;
        for (int i = 0; i < strings && index >= 0; i++) {
            index = skipString(body, index);
        }
        return index;
    }

    private static int skipString(ByteBuf body, int from) {
        if (from < 0 || body.writerIndex() - from < 2) {
            return -1;
        }
        int end = from + 2 + body.getUnsignedShort(from);
        return end > body.writerIndex() ? -1 : end;
    }

    /** Appends a client's first words: the question whether the server knows the handshake. */
    public static void writeCanInit(ByteBuf out) {
        begin(out, OLD_R_ERR, INIT_TAG, CAN_INIT.length());
        out.writeCharSequence(CAN_INIT, StandardCharsets.US_ASCII);
    }

    /** Appends a client's handshake, without TLS or compression, that takes frames of any length. */
    public static void writeInit(ByteBuf out) {
        begin(out, T_INIT, INIT_TAG, 2 + 4 + FRAMER.length() + 4 + 4);
        out.writeShort(INIT_VERSION);
        out.writeInt(FRAMER.length());
        out.writeCharSequence(FRAMER, StandardCharsets.US_ASCII);
        out.writeInt(4).writeInt(Integer.MAX_VALUE);
    }

    /** Appends the answer to a ping. */
    public static void writePong(ByteBuf out, int tag) {
        begin(out, R_PING, tag, 0);
    }

    /** Appends the answer to a drain. */
    public static void writeDrained(ByteBuf out, int tag) {
        begin(out, R_DRAIN, tag, 0);
    }

    private static void begin(ByteBuf out, int type, int tag, int bodyBytes) {
        out.writeInt(TAG_BYTES + bodyBytes).writeByte(type).writeMedium(tag);
    }

    /**
     * Whether a client says something of this type and length. What is none of its messages is not mux: other bytes
     * that look like control would be believed to hold no secret.
     */
    static boolean isFromClient(int type, int length) {
        switch (type) {
            case T_REQUEST:
            case T_DISPATCH:
                return length >= TAG_BYTES && length <= ThriftRecognition.MAX_MESSAGE_BYTES;
            case T_PING:
            case R_PING:
            case R_DRAIN:
                return length == TAG_BYTES;
            case T_INIT:
            case T_DISCARDED:
            case OLD_T_DISCARDED:
            case R_ERR:
            case OLD_R_ERR:
                return length >= TAG_BYTES && length <= LONGEST_CONTROL_BYTES;
            default:
                return false;
        }
    }

    static boolean isKnown(int type) {
        int number = Math.abs(type);
        return number == T_REQUEST
                || number == T_DISPATCH
                || number >= T_DRAIN && number <= T_INIT
                || type == R_ERR
                || type == OLD_R_ERR
                || type == OLD_T_DISCARDED;
    }
}
