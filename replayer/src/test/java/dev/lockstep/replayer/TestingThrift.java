package dev.lockstep.replayer;

import dev.lockstep.capture.Protocol;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;

/** Writes Thrift calls, and the answers to recorded ones, in all forms that are answered in order. */
public final class TestingThrift {
    public static final int CALL = 1;
    public static final int REPLY = 2;
    public static final int EXCEPTION = 3;
    public static final int ONEWAY = 4;

    public static final String UPGRADE_PROBE = "__can__finagle__trace__v3__";

    private static final int STRICT = 0x80;
    private static final int COMPACT = 0x82;
    private static final int JSON = '[';
    private static final int OLD = 0;

    private TestingThrift() {}

    /** Returns a message in the protocol's form, with the struct {1: "text"}. */
    public static byte[] message(Protocol protocol, String name, int type, int sequenceId) {
        return framed(protocol, message(payloadForm(protocol), name, type, sequenceId, -1), sequenceId);
    }

    /** Returns a not strict binary message. */
    public static byte[] oldMessage(Protocol protocol, String name, int type, int sequenceId) {
        return framed(protocol, message(OLD, name, type, sequenceId, -1), sequenceId);
    }

    /** Returns a TApplicationException. */
    public static byte[] exception(Protocol protocol, String name, int sequenceId, int exceptionType) {
        byte[] message = message(payloadForm(protocol), name, EXCEPTION, sequenceId, exceptionType);
        return framed(protocol, message, sequenceId);
    }

    /**
     * Returns the answer to a recorded call: a reply, or where {@code exceptionType} is not negative an exception. It
     * has the call's name without the service's, its sequence id, its message protocol and its framing.
     *
     * @param protocol what the call's connection was recognised as before it
     */
    public static byte[] answer(Protocol protocol, byte[] call, int exceptionType) {
        ByteBuf in = Unpooled.wrappedBuffer(call);
        boolean isFramed = protocol == Protocol.THRIFT_HEADER
                || protocol == Protocol.THRIFT_TTWITTER
                || protocol.name().startsWith("THRIFT_FRAMED");
        Protocol answered = protocol;
        if (isFramed) {
            in.skipBytes(4);
            while (in.getInt(in.readerIndex()) == in.readableBytes() - 4) {
                in.skipBytes(4);
            }
        }
        int headerId = 0;
        if (isFramed && in.getUnsignedShort(in.readerIndex()) == 0x0fff) {
            in.skipBytes(4);
            headerId = in.readInt();
            in.skipBytes(in.readUnsignedShort() * 4);
        } else if (protocol == Protocol.THRIFT_TTWITTER && in.getByte(in.readerIndex()) != (byte) STRICT) {
            skipStruct(in);
        } else if (protocol == Protocol.THRIFT_TTWITTER) {
            answered = Protocol.THRIFT_FRAMED_BINARY;
        }
        int type = exceptionType < 0 ? REPLY : EXCEPTION;
        int form = in.getUnsignedByte(in.readerIndex());
        String name;
        int id;
        switch (form) {
            case STRICT:
                in.skipBytes(4);
                name = string(in, in.readInt());
                id = in.readInt();
                break;
            case COMPACT:
                in.skipBytes(2);
                id = varint(in);
                name = string(in, varint(in));
                break;
            case JSON:
                String[] head = in.toString(StandardCharsets.ISO_8859_1).split(",", 5);
                name = head[1].substring(1, head[1].length() - 1);
                id = Integer.parseInt(head[3]);
                break;
            case OLD:
                name = string(in, in.readInt());
                in.skipBytes(1);
                id = in.readInt();
                break;
            default:
                // Compressed: nobody can read it, so any bytes will do.
                return framed(protocol, string(in, in.readableBytes()).getBytes(StandardCharsets.ISO_8859_1), headerId);
        }
        String method = name.substring(name.indexOf(':') + 1);
        return framed(answered, message(form, method, type, id, exceptionType), headerId);
    }

    private static int payloadForm(Protocol protocol) {
        return protocol.name().endsWith("COMPACT") ? COMPACT : protocol.name().endsWith("JSON") ? JSON : STRICT;
    }

    private static byte[] message(int form, String name, int type, int sequenceId, int exceptionType) {
        ByteBuf out = Unpooled.buffer();
        byte[] nameBytes = name.getBytes(StandardCharsets.ISO_8859_1);
        switch (form) {
            case STRICT:
                out.writeInt(0x80010000 | type).writeInt(nameBytes.length).writeBytes(nameBytes);
                out.writeInt(sequenceId);
                break;
            case OLD:
                out.writeInt(nameBytes.length).writeBytes(nameBytes).writeByte(type);
                out.writeInt(sequenceId);
                break;
            case COMPACT:
                out.writeByte(COMPACT).writeByte(type << 5 | 1);
                writeVarint(out, sequenceId);
                writeVarint(out, nameBytes.length);
                out.writeBytes(nameBytes);
                break;
            default:
                String number = exceptionType < 0 ? "" : ",\"2\":{\"i32\":" + exceptionType + "}";
                write(
                        out,
                        "[1,\"" + name + "\"," + type + "," + sequenceId + ",{\"1\":{\"str\":\"text\"}" + number
                                + "}]");
                return bytes(out);
        }
        if (form == COMPACT) {
            write(out.writeByte(0x18).writeByte(4), "text");
            if (exceptionType >= 0) {
                out.writeByte(0x15).writeByte(exceptionType << 1);
            }
        } else {
            write(out.writeByte(11).writeShort(1).writeInt(4), "text");
            if (exceptionType >= 0) {
                out.writeByte(8).writeShort(2).writeInt(exceptionType);
            }
        }
        return bytes(out.writeByte(0));
    }

    private static byte[] framed(Protocol protocol, byte[] message, int headerId) {
        ByteBuf out = Unpooled.buffer();
        if (protocol == Protocol.THRIFT_HEADER) {
            // Header: the binary protocol, no transforms, padding.
            out.writeInt(14 + message.length).writeInt(0x0fff0000).writeInt(headerId);
            out.writeShort(1).writeInt(0);
        } else if (protocol == Protocol.THRIFT_TTWITTER) {
            // An empty header.
            out.writeInt(1 + message.length).writeByte(0);
        } else if (protocol.name().startsWith("THRIFT_FRAMED")) {
            out.writeInt(message.length);
        }
        return bytes(out.writeBytes(message));
    }

    /** Skips a binary struct that holds what Finagle's request headers hold: numbers, strings, structs and lists. */
    private static void skipStruct(ByteBuf in) {
        for (int type = in.readByte(); type != 0; type = in.readByte()) {
            in.skipBytes(2);
            skipValue(in, type);
        }
    }

    private static void skipValue(ByteBuf in, int type) {
        switch (type) {
            case 2:
            case 3:
                in.skipBytes(1);
                break;
            case 6:
                in.skipBytes(2);
                break;
            case 8:
                in.skipBytes(4);
                break;
            case 4:
            case 10:
                in.skipBytes(8);
                break;
            case 11:
                in.skipBytes(in.readInt());
                break;
            case 12:
                skipStruct(in);
                break;
            case 15:
                int element = in.readByte();
                for (int left = in.readInt(); left > 0; left--) {
                    skipValue(in, element);
                }
                break;
            default:
                throw new IllegalStateException("a value of type " + type);
        }
    }

    private static String string(ByteBuf in, int length) {
        return in.readCharSequence(length, StandardCharsets.ISO_8859_1).toString();
    }

    private static int varint(ByteBuf in) {
        int number = 0;
        for (int shift = 0; ; shift += 7) {
            byte b = in.readByte();
            number |= (b & 0x7f) << shift;
            if (b >= 0) {
                return number;
            }
        }
    }

    private static void writeVarint(ByteBuf out, int value) {
        int rest = value;
        while ((rest & ~0x7f) != 0) {
            out.writeByte(rest & 0x7f | 0x80);
            rest >>>= 7;
        }
        out.writeByte(rest);
    }

    private static void write(ByteBuf out, String text) {
        out.writeCharSequence(text, StandardCharsets.ISO_8859_1);
    }

    private static byte[] bytes(ByteBuf out) {
        byte[] bytes = new byte[out.readableBytes()];
        out.readBytes(bytes);
        return bytes;
    }
}
