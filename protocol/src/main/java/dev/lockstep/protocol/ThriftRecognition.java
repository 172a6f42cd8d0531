package dev.lockstep.protocol;

import dev.lockstep.capture.Protocol;
import io.netty.buffer.ByteBuf;

/**
 * Recognises Thrift and ThriftMux on the first bytes of a stream or of a packet. Immutable; any thread.
 *
 * <p>What the first bytes of each form are: a framed one begins with its four-byte length, then as the unframed one
 * does; strict binary with {@code 80 01 00} and the message's type; compact with {@code 82} and type and version in one
 * byte; JSON with {@code [1,"}; THeader with {@code 0F FF}; old, not strict binary with the name's four-byte length and
 * the name; mux with a length, a type and a tag of three bytes; the zlib transport with zlib's header. A length and a
 * name look alike only until the bytes that follow them.
 */
final class ThriftRecognition {
    /** The most bytes that {@link #recognise} needs. */
    static final int MAX_BYTES = 16;

    /** The longest frame or message that is followed, in bytes: the default of Thrift's own libraries for messages. */
    static final int MAX_MESSAGE_BYTES = 100 << 20;

    /** The longest function name that is believed where only its length shows whether this is Thrift. */
    static final int MAX_NAME_BYTES = 512;

    private static final int LENGTH_BYTES = 4;

    /** Recognises what a client sends. */
    static final ThriftRecognition CALLS = new ThriftRecognition(ThriftMessageReader.CALL, ThriftMessageReader.ONEWAY);

    /** Recognises what a server sends. */
    static final ThriftRecognition ANSWERS =
            new ThriftRecognition(ThriftMessageReader.REPLY, ThriftMessageReader.EXCEPTION);

    private final int type;
    private final int otherType;

    private ThriftRecognition(int type, int otherType) {
        this.type = type;
        this.otherType = otherType;
    }

    /**
     * Recognises the first bytes of a stream, as early as that is possible: never later than with the byte that ends
     * the first message.
     *
     * @return the protocol, {@link Protocol#UNKNOWN} when it is not Thrift, or null when more bytes are needed
     */
    Protocol recognise(ByteBuf buffer, int from, int to) {
        if (from == to) {
            return null;
        }
        switch (buffer.getByte(from)) {
            case (byte) 0x80:
                return startsStrict(buffer, from, to, Protocol.THRIFT_UNFRAMED_BINARY);
            case (byte) 0x82:
                return startsCompact(buffer, from, to, Protocol.THRIFT_UNFRAMED_COMPACT);
            case '[':
                return startsJson(buffer, from, to, Protocol.THRIFT_UNFRAMED_JSON);
            case 'x':
                return startsZlib(buffer, from, to);
            default:
                return startsWithLength(buffer, from, to);
        }
    }

    /**
     * Recognises a message at the beginning of a packet, in the middle of a stream, TTwitter's and mux's among them.
     *
     * @return the protocol, or {@link Protocol#UNKNOWN} where no message begins that can be told by this packet
     */
    Protocol recogniseInside(ByteBuf buffer, int from, int to) {
        if (startsWithTwitterHeader(buffer, from, to)) {
            return Protocol.THRIFT_TTWITTER;
        }
        Protocol found = recognise(buffer, from, to);
        return found == null || found == Protocol.THRIFT_ZLIB || hasHalfAName(found, buffer, from, to)
                ? Protocol.UNKNOWN
                : found;
    }

    /**
     * Whether a message that begins with its name's length does not show all of the name, and the type behind it: then
     * it may as well be a string inside another message.
     */
    private boolean hasHalfAName(Protocol found, ByteBuf buffer, int from, int to) {
        int lengthAt = found == Protocol.THRIFT_FRAMED_BINARY ? from + LENGTH_BYTES : from;
        boolean isBinary = found == Protocol.THRIFT_FRAMED_BINARY || found == Protocol.THRIFT_UNFRAMED_BINARY;
        if (!isBinary || buffer.getByte(lengthAt) != 0) {
            return false;
        }
        if (found == Protocol.THRIFT_FRAMED_BINARY && buffer.getByte(lengthAt + LENGTH_BYTES) == (byte) 0x80) {
            return false; // a frame in a frame
        }
        int type = lengthAt + LENGTH_BYTES + buffer.getInt(lengthAt);
        return type >= to || !isMessageType(buffer.getByte(type));
    }

    /** A frame that holds a struct and a strict binary message behind it: a request's header or an answer's. */
    private boolean startsWithTwitterHeader(ByteBuf buffer, int from, int to) {
        int payload = from + LENGTH_BYTES;
        if (to - from < MAX_BYTES / 2 || buffer.getInt(from) <= 0 || buffer.getInt(from) > MAX_MESSAGE_BYTES) {
            return false;
        }
        ThriftStructReader header = new ThriftStructReader();
        header.begin(false, null);
        int message = header.read(buffer, payload, to);
        return header.isDone()
                && message < to
                && buffer.getByte(message) == (byte) 0x80
                && startsStrict(buffer, message, to, Protocol.THRIFT_TTWITTER) == Protocol.THRIFT_TTWITTER;
    }

    private Protocol startsWithLength(ByteBuf buffer, int from, int to) {
        if (buffer.getByte(from) < 0 || buffer.getByte(from) > MAX_MESSAGE_BYTES >> 24) {
            return Protocol.UNKNOWN;
        }
        if (to - from < LENGTH_BYTES) {
            return null;
        }
        int length = buffer.getInt(from);
        if (length <= 0 || length > MAX_MESSAGE_BYTES) {
            return Protocol.UNKNOWN;
        }
        int payload = from + LENGTH_BYTES;
        if (payload == to) {
            return null;
        }
        Protocol framed = startsFramed(buffer, payload, to);
        if (framed != Protocol.UNKNOWN) {
            return framed;
        }
        Protocol mux = startsMux(buffer, payload, to, length);
        if (mux != Protocol.UNKNOWN) {
            return mux;
        }
        Protocol unframed = startsName(buffer, payload, to, length, Protocol.THRIFT_UNFRAMED_BINARY);
        if (unframed != Protocol.UNKNOWN) {
            return unframed;
        }
        return startsWithTwoLengths(buffer, payload, to, length);
    }

    /** What a length is followed by is a length too: a frame in a frame, or a frame with an old binary message. */
    private Protocol startsWithTwoLengths(ByteBuf buffer, int from, int to, int length) {
        if (buffer.getByte(from) < 0 || buffer.getByte(from) > MAX_MESSAGE_BYTES >> 24) {
            return Protocol.UNKNOWN;
        }
        if (to - from < LENGTH_BYTES) {
            return null;
        }
        int inner = buffer.getInt(from);
        int payload = from + LENGTH_BYTES;
        if (inner <= 0 || inner > length - LENGTH_BYTES) {
            return Protocol.UNKNOWN;
        }
        if (payload == to) {
            return null;
        }
        if (inner < length - LENGTH_BYTES) {
            return startsName(buffer, payload, to, inner, Protocol.THRIFT_FRAMED_BINARY);
        }
        return startsFramed(buffer, payload, to);
    }

    /** A message that shows by its first byte what it is, behind its frame's length. */
    private Protocol startsFramed(ByteBuf buffer, int payload, int to) {
        switch (buffer.getByte(payload)) {
            case (byte) 0x80:
                return startsStrict(buffer, payload, to, Protocol.THRIFT_FRAMED_BINARY);
            case (byte) 0x82:
                return startsCompact(buffer, payload, to, Protocol.THRIFT_FRAMED_COMPACT);
            case '[':
                return startsJson(buffer, payload, to, Protocol.THRIFT_FRAMED_JSON);
            case 0x0f:
                return startsHeader(buffer, payload, to);
            default:
                return Protocol.UNKNOWN;
        }
    }

    private Protocol startsStrict(ByteBuf buffer, int from, int to, Protocol found) {
        if (to - from > 1 && buffer.getByte(from + 1) != 1 || to - from > 2 && buffer.getByte(from + 2) != 0) {
            return Protocol.UNKNOWN;
        }
        if (to - from < 4) {
            return null;
        }
        return isMessageType(buffer.getByte(from + 3)) ? found : Protocol.UNKNOWN;
    }

    private Protocol startsCompact(ByteBuf buffer, int from, int to, Protocol found) {
        if (to - from < 2) {
            return null;
        }
        int versionAndType = buffer.getUnsignedByte(from + 1);
        int version = versionAndType & 0x1f;
        return (version == 1 || version == 2) && isMessageType(versionAndType >> 5) ? found : Protocol.UNKNOWN;
    }

    private static Protocol startsJson(ByteBuf buffer, int from, int to, Protocol found) {
        if (to - from > 1 && buffer.getByte(from + 1) != '1'
                || to - from > 2 && buffer.getByte(from + 2) != ','
                || to - from > 3 && buffer.getByte(from + 3) != '"') {
            return Protocol.UNKNOWN;
        }
        return to - from < 4 ? null : found;
    }

    private static Protocol startsHeader(ByteBuf buffer, int from, int to) {
        if (to - from < 2) {
            return null;
        }
        return buffer.getByte(from + 1) == (byte) 0xff ? Protocol.THRIFT_HEADER : Protocol.UNKNOWN;
    }

    private static Protocol startsZlib(ByteBuf buffer, int from, int to) {
        if (to - from < 2) {
            return null;
        }
        // RFC 1950: the two bytes are a multiple of 31, and no preset dictionary is used.
        int header = buffer.getUnsignedShort(from);
        return header % 31 == 0 && (header & 0x20) == 0 ? Protocol.THRIFT_ZLIB : Protocol.UNKNOWN;
    }

    /**
     * The first frame of a mux session: Tinit, the marker that asks whether Tinit is known, a ping or a dispatch. Tags
     * are given out from 1 on, so that the first of their three bytes is 0 but for the bit of a fragment.
     */
    private static Protocol startsMux(ByteBuf buffer, int from, int to, int length) {
        byte frame = buffer.getByte(from);
        boolean known = frame == MuxFrame.T_INIT
                || frame == MuxFrame.OLD_R_ERR
                || frame == MuxFrame.T_PING
                || frame == MuxFrame.T_DISPATCH;
        if (!known || length < LENGTH_BYTES || to - from > 1 && (buffer.getByte(from + 1) & 0x7f) != 0) {
            return Protocol.UNKNOWN;
        }
        if (frame == MuxFrame.T_PING) {
            if (length != LENGTH_BYTES) {
                return Protocol.UNKNOWN;
            }
            return to - from < LENGTH_BYTES ? null : Protocol.THRIFT_MUX;
        }
        if (length < LENGTH_BYTES + 2) {
            return Protocol.UNKNOWN;
        }
        // Each byte is looked at as soon as it is there: a name may begin with some of the types.
        if (to - from > LENGTH_BYTES) {
            byte first = buffer.getByte(from + LENGTH_BYTES);
            if (frame == MuxFrame.OLD_R_ERR ? first != 't' : first != 0) {
                return Protocol.UNKNOWN;
            }
        }
        return to - from < LENGTH_BYTES + 2 ? null : Protocol.THRIFT_MUX;
    }

    /** The name of a binary message that is not strict, after its length: letters, then the message's type. */
    private Protocol startsName(ByteBuf buffer, int from, int to, int length, Protocol found) {
        if (length > MAX_NAME_BYTES) {
            return Protocol.UNKNOWN;
        }
        // A name that is longer than what was asked for is believed by its first bytes.
        int needed = Math.min(length, MAX_BYTES - 2 * LENGTH_BYTES);
        for (int i = 0; i < needed && from + i < to; i++) {
            if (!isNameByte(buffer.getByte(from + i), i == 0)) {
                return Protocol.UNKNOWN;
            }
        }
        if (to - from < needed) {
            return null;
        }
        if (length > needed) {
            return found;
        }
        if (to - from == length) {
            return length < MAX_BYTES - 2 * LENGTH_BYTES ? null : found;
        }
        return isMessageType(buffer.getByte(from + length)) ? found : Protocol.UNKNOWN;
    }

    /** Whether a function's name may hold a byte: an identifier, with a service's name before a colon. */
    static boolean isNameByte(byte b, boolean first) {
        return b >= 'a' && b <= 'z'
                || b >= 'A' && b <= 'Z'
                || b == '_'
                || !first && (b >= '0' && b <= '9' || b == ':' || b == '.' || b == '-' || b == '/' || b == '$');
    }

    private boolean isMessageType(int found) {
        return found == type || found == otherType;
    }
}
