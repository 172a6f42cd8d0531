package dev.lockstep.protocol;

import io.netty.buffer.ByteBuf;

/**
 * Recognises Thrift and ThriftMux on the first bytes of a stream. Stateless; any thread.
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

    private ThriftRecognition() {}

    /**
     * Recognises the first bytes that a client sends, as early as that is possible.
     *
     * @return the protocol, {@link StreamProtocol#UNKNOWN} when it is not Thrift, or null when more bytes are needed
     */
    static StreamProtocol recognise(ByteBuf buffer, int from, int to) {
        if (from == to) {
            return null;
        }
        switch (buffer.getByte(from)) {
            case (byte) 0x80:
                return startsStrict(buffer, from, to, StreamProtocol.THRIFT_UNFRAMED_BINARY);
            case (byte) 0x82:
                return startsCompact(buffer, from, to, StreamProtocol.THRIFT_UNFRAMED_COMPACT);
            case '[':
                return startsJson(buffer, from, to, StreamProtocol.THRIFT_UNFRAMED_JSON);
            case 'x':
                return startsZlib(buffer, from, to);
            default:
                return startsWithLength(buffer, from, to);
        }
    }

    private static StreamProtocol startsWithLength(ByteBuf buffer, int from, int to) {
        if (buffer.getByte(from) < 0 || buffer.getByte(from) > MAX_MESSAGE_BYTES >> 24) {
            return StreamProtocol.UNKNOWN;
        }
        if (to - from < LENGTH_BYTES) {
            return null;
        }
        int length = buffer.getInt(from);
        if (length <= 0 || length > MAX_MESSAGE_BYTES) {
            return StreamProtocol.UNKNOWN;
        }
        int payload = from + LENGTH_BYTES;
        if (payload == to) {
            return null;
        }
        switch (buffer.getByte(payload)) {
            case (byte) 0x80:
                return startsStrict(buffer, payload, to, StreamProtocol.THRIFT_FRAMED_BINARY);
            case (byte) 0x82:
                return startsCompact(buffer, payload, to, StreamProtocol.THRIFT_FRAMED_COMPACT);
            case '[':
                return startsJson(buffer, payload, to, StreamProtocol.THRIFT_FRAMED_JSON);
            case 0x0f:
                return startsHeader(buffer, payload, to);
            default:
                break;
        }
        StreamProtocol mux = startsMux(buffer, payload, to, length);
        if (mux != StreamProtocol.UNKNOWN) {
            return mux;
        }
        StreamProtocol unframed = startsName(buffer, payload, to, length, StreamProtocol.THRIFT_UNFRAMED_BINARY);
        if (unframed != StreamProtocol.UNKNOWN) {
            return unframed;
        }
        return startsWithTwoLengths(buffer, payload, to, length);
    }

    /** What a length is followed by is a length too: a frame in a frame, or a frame with an old binary message. */
    private static StreamProtocol startsWithTwoLengths(ByteBuf buffer, int from, int to, int length) {
        for (int i = from; i < to && i < from + LENGTH_BYTES; i++) {
            if (i - from < 1 && (buffer.getByte(i) < 0 || buffer.getByte(i) > MAX_MESSAGE_BYTES >> 24)) {
                return StreamProtocol.UNKNOWN;
            }
        }
        if (to - from < LENGTH_BYTES) {
            return null;
        }
        int inner = buffer.getInt(from);
        int payload = from + LENGTH_BYTES;
        if (inner <= 0 || inner > length - LENGTH_BYTES) {
            return StreamProtocol.UNKNOWN;
        }
        if (payload == to) {
            return null;
        }
        switch (buffer.getByte(payload)) {
            case (byte) 0x80:
                return startsStrict(buffer, payload, to, StreamProtocol.THRIFT_FRAMED_BINARY);
            case (byte) 0x82:
                return startsCompact(buffer, payload, to, StreamProtocol.THRIFT_FRAMED_COMPACT);
            case 0x0f:
                return startsHeader(buffer, payload, to);
            default:
                return startsName(buffer, payload, to, inner, StreamProtocol.THRIFT_FRAMED_BINARY);
        }
    }

    private static StreamProtocol startsStrict(ByteBuf buffer, int from, int to, StreamProtocol found) {
        if (to - from > 1 && buffer.getByte(from + 1) != 1 || to - from > 2 && buffer.getByte(from + 2) != 0) {
            return StreamProtocol.UNKNOWN;
        }
        if (to - from < 4) {
            return null;
        }
        return isMessageType(buffer.getByte(from + 3)) ? found : StreamProtocol.UNKNOWN;
    }

    private static StreamProtocol startsCompact(ByteBuf buffer, int from, int to, StreamProtocol found) {
        if (to - from < 2) {
            return null;
        }
        int versionAndType = buffer.getUnsignedByte(from + 1);
        int version = versionAndType & 0x1f;
        return (version == 1 || version == 2) && isMessageType(versionAndType >> 5) ? found : StreamProtocol.UNKNOWN;
    }

    private static StreamProtocol startsJson(ByteBuf buffer, int from, int to, StreamProtocol found) {
        if (to - from > 1 && buffer.getByte(from + 1) != '1'
                || to - from > 2 && buffer.getByte(from + 2) != ','
                || to - from > 3 && buffer.getByte(from + 3) != '"') {
            return StreamProtocol.UNKNOWN;
        }
        return to - from < 4 ? null : found;
    }

    private static StreamProtocol startsHeader(ByteBuf buffer, int from, int to) {
        if (to - from < 2) {
            return null;
        }
        return buffer.getByte(from + 1) == (byte) 0xff ? StreamProtocol.THRIFT_HEADER : StreamProtocol.UNKNOWN;
    }

    private static StreamProtocol startsZlib(ByteBuf buffer, int from, int to) {
        if (to - from < 2) {
            return null;
        }
        // RFC 1950: the two bytes are a multiple of 31, and no preset dictionary is used.
        int header = buffer.getUnsignedShort(from);
        return header % 31 == 0 && (header & 0x20) == 0 ? StreamProtocol.THRIFT_ZLIB : StreamProtocol.UNKNOWN;
    }

    /** The first frame of a mux session: Tinit, the marker that asks whether Tinit is known, a ping or a dispatch. */
    private static StreamProtocol startsMux(ByteBuf buffer, int from, int to, int length) {
        byte type = buffer.getByte(from);
        boolean known = type == MuxFrame.T_INIT
                || type == MuxFrame.R_ERR
                || type == MuxFrame.T_PING
                || type == MuxFrame.T_DISPATCH;
        if (!known || length < LENGTH_BYTES || to - from > 1 && buffer.getByte(from + 1) < 0) {
            return StreamProtocol.UNKNOWN;
        }
        if (type == MuxFrame.T_PING) {
            if (length != LENGTH_BYTES) {
                return StreamProtocol.UNKNOWN;
            }
            return to - from < LENGTH_BYTES ? null : StreamProtocol.THRIFT_MUX;
        }
        if (length < LENGTH_BYTES + 2) {
            return StreamProtocol.UNKNOWN;
        }
        // The bytes are looked at as soon as they are there: a name may begin with any of the types.
        if (to - from > LENGTH_BYTES) {
            byte first = buffer.getByte(from + LENGTH_BYTES);
            if (type == MuxFrame.R_ERR ? first != 't' : first != 0) {
                return StreamProtocol.UNKNOWN;
            }
        }
        if (type == MuxFrame.T_INIT && to - from > 3 && buffer.getMedium(from + 1) > 0xffff) {
            return StreamProtocol.UNKNOWN;
        }
        return to - from < LENGTH_BYTES + 2 ? null : StreamProtocol.THRIFT_MUX;
    }

    /** The name of a binary message that is not strict, after its length: letters, then the message's type. */
    private static StreamProtocol startsName(ByteBuf buffer, int from, int to, int length, StreamProtocol found) {
        if (length > MAX_NAME_BYTES) {
            return StreamProtocol.UNKNOWN;
        }
        // A name that is longer than what was asked for is believed by its first bytes.
        int needed = Math.min(length, MAX_BYTES - 2 * LENGTH_BYTES);
        for (int i = 0; i < needed && from + i < to; i++) {
            if (!isNameByte(buffer.getByte(from + i), i == 0)) {
                return StreamProtocol.UNKNOWN;
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
        return isMessageType(buffer.getByte(from + length)) ? found : StreamProtocol.UNKNOWN;
    }

    /** Tells whether a function's name may hold a byte: an identifier, with a service's name before a colon. */
    static boolean isNameByte(byte b, boolean first) {
        return b >= 'a' && b <= 'z'
                || b >= 'A' && b <= 'Z'
                || b == '_'
                || !first && (b >= '0' && b <= '9' || b == ':' || b == '.' || b == '-' || b == '/' || b == '$');
    }

    /** Tells whether a client's message may have a type: call or oneway. */
    private static boolean isMessageType(int type) {
        return type == ThriftMessageReader.CALL || type == ThriftMessageReader.ONEWAY;
    }
}
