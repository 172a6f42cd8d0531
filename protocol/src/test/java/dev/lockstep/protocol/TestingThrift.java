package dev.lockstep.protocol;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Random;

/** Writes Thrift messages in all their forms, with arguments made up at random. */
final class TestingThrift {
    static final int CALL = 1;
    static final int REPLY = 2;
    static final int EXCEPTION = 3;
    static final int ONEWAY = 4;

    /** How a message is written. */
    enum Form {
        STRICT,
        OLD,
        COMPACT,
        JSON
    }

    private static final int[] BINARY_TYPES = {2, 3, 4, 6, 8, 10, 11, 12, 13, 14, 15, 16};
    private static final int[] COMPACT_TYPES = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13};

    private final Random random;
    private final ByteArrayOutputStream out = new ByteArrayOutputStream();

    private TestingThrift(Random random) {
        this.random = random;
    }

    static byte[] message(Random random, Form form, String name, int type, int sequenceId) {
        TestingThrift writer = new TestingThrift(random);
        switch (form) {
            case STRICT:
                writer.i32(0x80010000 | type);
                writer.binaryString(name);
                writer.i32(sequenceId);
                writer.binaryStruct(0);
                break;
            case OLD:
                writer.binaryString(name);
                writer.out.write(type);
                writer.i32(sequenceId);
                writer.binaryStruct(0);
                break;
            case COMPACT:
                writer.out.write(0x82);
                writer.out.write(type << 5 | 1);
                writer.varint(sequenceId & 0xffffffffL);
                writer.compactString(name);
                writer.compactStruct(0);
                break;
            default:
                writer.text("[1,\"" + name + "\"," + type + "," + sequenceId + ",");
                writer.jsonValue(0);
                writer.text("]");
                break;
        }
        return writer.out.toByteArray();
    }

    /** A struct of the binary protocol. */
    static byte[] struct(Random random) {
        TestingThrift writer = new TestingThrift(random);
        writer.binaryStruct(0);
        return writer.out.toByteArray();
    }

    /** A struct of the compact protocol. */
    static byte[] compactStruct(Random random) {
        TestingThrift writer = new TestingThrift(random);
        writer.compactStruct(0);
        return writer.out.toByteArray();
    }

    /** A binary struct whose only field is a struct whose only field ... so many times. */
    static byte[] nested(int depth) {
        TestingThrift writer = new TestingThrift(new Random(0));
        for (int i = 1; i < depth; i++) {
            writer.out.write(12);
            writer.i16(1);
        }
        for (int i = 0; i < depth; i++) {
            writer.out.write(0);
        }
        return writer.out.toByteArray();
    }

    static byte[] frame(byte[] payload) {
        TestingThrift writer = new TestingThrift(null);
        writer.i32(payload.length);
        writer.out.writeBytes(payload);
        return writer.out.toByteArray();
    }

    /** A frame of THeader with transforms and an info header. */
    static byte[] header(byte[] payload, int sequenceId, int... transforms) {
        TestingThrift header = new TestingThrift(null);
        header.varint(0);
        header.varint(transforms.length);
        for (int transform : transforms) {
            header.varint(transform);
        }
        header.varint(1);
        header.varint(1);
        header.compactString("key");
        header.compactString("value");
        while (header.out.size() % 4 != 0) {
            header.out.write(0);
        }
        TestingThrift writer = new TestingThrift(null);
        writer.i16(0x0fff);
        writer.i16(0);
        writer.i32(sequenceId);
        writer.i16(header.out.size() / 4);
        writer.out.writeBytes(header.out.toByteArray());
        writer.out.writeBytes(payload);
        return frame(writer.out.toByteArray());
    }

    /** A frame of mux. */
    static byte[] mux(int type, int tag, boolean moreFollows, byte[] body) {
        TestingThrift writer = new TestingThrift(null);
        writer.i32(body.length + 4);
        writer.i32(type << 24 | (moreFollows ? 1 << 23 : 0) | tag);
        writer.out.writeBytes(body);
        return writer.out.toByteArray();
    }

    /** What is in a dispatch of mux: contexts, destination, a rewrite, and the message. */
    static byte[] dispatch(byte[] message) {
        TestingThrift writer = new TestingThrift(null);
        writer.i16(2);
        for (String string : new String[] {"com.twitter.finagle.Deadline", "12345678", "key", "", "/s/service"}) {
            writer.shortString(string);
        }
        writer.i16(1);
        writer.shortString("/from");
        writer.shortString("/to");
        writer.out.writeBytes(message);
        return writer.out.toByteArray();
    }

    static byte[] concat(byte[]... parts) {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        for (byte[] part : parts) {
            all.writeBytes(part);
        }
        return all.toByteArray();
    }

    private void binaryStruct(int depth) {
        for (int fields = random.nextInt(4); fields > 0; fields--) {
            int type = BINARY_TYPES[random.nextInt(BINARY_TYPES.length)];
            out.write(type);
            i16(1 + random.nextInt(300));
            binaryValue(type, depth);
        }
        out.write(0);
    }

    private void binaryValue(int type, int depth) {
        int size = depth > 3 ? 0 : random.nextInt(4);
        int even = BINARY_TYPES[random.nextInt(BINARY_TYPES.length)];
        int odd = BINARY_TYPES[random.nextInt(BINARY_TYPES.length)];
        switch (type) {
            case 11:
                binaryString("x".repeat(random.nextInt(20)));
                break;
            case 12:
                if (depth > 3) {
                    out.write(0);
                } else {
                    binaryStruct(depth + 1);
                }
                break;
            case 13:
                out.write(even);
                out.write(odd);
                i32(size);
                for (int i = 0; i < size; i++) {
                    binaryValue(even, depth + 1);
                    binaryValue(odd, depth + 1);
                }
                break;
            case 14:
            case 15:
                out.write(even);
                i32(size);
                for (int i = 0; i < size; i++) {
                    binaryValue(even, depth + 1);
                }
                break;
            default:
                random(type == 2 || type == 3 ? 1 : type == 6 ? 2 : type == 8 ? 4 : type == 16 ? 16 : 8);
                break;
        }
    }

    private void compactStruct(int depth) {
        for (int fields = random.nextInt(4); fields > 0; fields--) {
            int type = COMPACT_TYPES[random.nextInt(COMPACT_TYPES.length)];
            int delta = random.nextInt(16);
            out.write(delta << 4 | type);
            if (delta == 0) {
                varint(random.nextInt(40000));
            }
            if (type > 2) {
                compactValue(type, depth);
            }
        }
        out.write(0);
    }

    private void compactValue(int type, int depth) {
        int size = depth > 3 ? 0 : random.nextInt(20) == 0 ? 15 + random.nextInt(3) : random.nextInt(3);
        int even = COMPACT_TYPES[random.nextInt(COMPACT_TYPES.length)];
        int odd = COMPACT_TYPES[random.nextInt(COMPACT_TYPES.length)];
        switch (type) {
            case 1:
            case 2:
            case 3:
                random(1);
                break;
            case 7:
                random(8);
                break;
            case 8:
                compactString("x".repeat(random.nextInt(200)));
                break;
            case 9:
            case 10:
                out.write(Math.min(size, 15) << 4 | even);
                if (size >= 15) {
                    varint(size);
                }
                for (int i = 0; i < size; i++) {
                    compactValue(even, depth + 1);
                }
                break;
            case 11:
                varint(size);
                if (size > 0) {
                    out.write(even << 4 | odd);
                }
                for (int i = 0; i < size; i++) {
                    compactValue(even, depth + 1);
                    compactValue(odd, depth + 1);
                }
                break;
            case 12:
                if (depth > 3) {
                    out.write(0);
                } else {
                    compactStruct(depth + 1);
                }
                break;
            case 13:
                random(16);
                break;
            default:
                varint(random.nextLong() >>> random.nextInt(64));
                break;
        }
    }

    private void jsonValue(int depth) {
        text("{");
        for (int fields = random.nextInt(3); fields > 0; fields--) {
            text("\"" + fields + "\":");
            if (depth < 3 && random.nextBoolean()) {
                jsonValue(depth + 1);
            } else {
                text("{\"str\":\"a ]}\\\\ \\\" [{\"}");
            }
            text(fields > 1 ? "," : "");
        }
        text("}");
    }

    private void random(int bytes) {
        byte[] value = new byte[bytes];
        random.nextBytes(value);
        out.writeBytes(value);
    }

    private void binaryString(String value) {
        i32(value.length());
        text(value);
    }

    private void compactString(String value) {
        varint(value.length());
        text(value);
    }

    private void shortString(String value) {
        i16(value.length());
        text(value);
    }

    private void text(String value) {
        out.writeBytes(value.getBytes(StandardCharsets.US_ASCII));
    }

    private void varint(long value) {
        long rest = value;
        while ((rest & ~0x7fL) != 0) {
            out.write((int) (rest & 0x7f | 0x80));
            rest >>>= 7;
        }
        out.write((int) rest);
    }

    private void i16(int value) {
        out.write(value >>> 8);
        out.write(value);
    }

    private void i32(int value) {
        i16(value >>> 16);
        i16(value);
    }
}
