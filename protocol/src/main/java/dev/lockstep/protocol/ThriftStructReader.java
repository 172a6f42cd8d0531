package dev.lockstep.protocol;

import io.netty.buffer.ByteBuf;

/**
 * Walks a Thrift struct, binary or compact, to its end, which no length tells, and tells a listener of the fields and
 * values that it asks for. Keeps none of the bytes, which may come in pieces of any size. Runs per message; used by the
 * one thread that reads the stream.
 *
 * <p>Values are skipped by the sizes that stand before them, so the work is linear in the bytes and the memory fixed,
 * whatever the bytes say; values nest at most {@link #MAX_DEPTH} deep.
 */
public final class ThriftStructReader {
    /**
     * Is told of a struct's fields. A level counts the structs around a field: 0 in the outermost one. What lies in a
     * field's list, set or map has the field's level.
     */
    public interface Listener {
        /**
         * A field begins; not told of a bool in compact, whose value is in its type.
         *
         * @param type one of the reader's types
         * @return whether its value is of use; if not, nothing is told of it
         */
        boolean field(int level, int id, int type);

        /**
         * A number, string or uuid begins: the field's value, or a part of it; returns whether its bytes are of use.
         */
        boolean value(int level, int type);

        /** A piece of the value, valid during the call. */
        void bytes(ByteBuf bytes, int from, int to);

        /** The value has ended; not told where the bytes turn out to be no struct. */
        void valueEnded();
    }

    // The types of both protocols, in the numbers of the binary one.
    public static final int BOOL = 2;
    public static final int BYTE = 3;
    public static final int DOUBLE = 4;
    public static final int I16 = 6;
    public static final int I32 = 8;
    public static final int I64 = 10;
    public static final int BINARY = 11;
    private static final int STRUCT = 12;
    private static final int MAP = 13;
    private static final int SET = 14;
    private static final int LIST = 15;
    public static final int UUID = 16;

    /** How deep structs and collections may lie in each other: the default of Thrift's own libraries. */
    static final int MAX_DEPTH = 64;

    private static final int STOP = 0;

    private static final int[] OF_COMPACT = {
        STOP, BOOL, BOOL, BYTE, I16, I32, I64, DOUBLE, BINARY, LIST, SET, MAP, STRUCT, UUID, STOP, STOP
    };
    /** Up to this compact type a field is a bool. */
    private static final int COMPACT_FALSE = 2;

    // By type: a value's size in bytes outside a field, 0 where it varies, -1 where there is no such type.
    private static final byte[] BINARY_SIZE = {-1, -1, 1, 1, 8, -1, 2, -1, 4, -1, 8, 0, 0, 0, 0, 0, 16};
    private static final byte[] COMPACT_SIZE = {-1, -1, 1, 1, 8, -1, 0, -1, 0, -1, 0, 0, 0, 0, 0, 0, 16};

    /** A binary field's type and number. */
    private static final int FIELD_HEADER_BYTES = 3;

    private static final int MAX_VARINT_BITS = 64;

    // What the next byte is.
    private static final int FIELD_TYPE = 0;
    private static final int FIELD_ID = 1;
    private static final int STRING_SIZE = 2;
    private static final int LIST_TYPE = 3;
    private static final int LIST_SIZE = 4;
    private static final int MAP_KEY_TYPE = 5;
    private static final int MAP_VALUE_TYPE = 6;
    private static final int MAP_SIZE = 7;
    private static final int SKIP = 8;
    private static final int VARINT = 9;
    private static final int DONE = 10;
    private static final int FAILED = 11;

    /** In place of the number of values left: fields follow, up to a stop. */
    private static final int FIELDS = -1;

    private final boolean inFrame;

    // Per level of nesting: how many values are left, and the types of every other one of them.
    private final int[] left = new int[MAX_DEPTH];
    private final byte[] evenType = new byte[MAX_DEPTH];
    private final byte[] oddType = new byte[MAX_DEPTH];
    /** Per level of nesting the number of the field that is read; null before the first listener. */
    private short[] fieldIds;

    private boolean compact;
    private int depth;
    private int level;
    private int state = FAILED;

    private Listener listener;
    /** Whether the listener is told of what is read now, or has declined the field. */
    private boolean listening;
    /** While it is not: the depth of the struct whose next field it is told of; -1 for never. */
    private int listeningDepth;
    /** Whether the listener is told of the bytes of the value being read. */
    private boolean telling;

    // Of the number being read: what is known of it, and how many bytes, or bits, it has or had.
    private long number;
    private int numberBytes;

    private int keyType;
    private int valueType;
    private int fieldType;
    private long skip;

    /** Creates a reader that fails at sizes larger than any message. */
    ThriftStructReader() {
        this(false);
    }

    /** @param inFrame whether a frame bounds the struct, so that a size may be larger than what follows */
    public ThriftStructReader(boolean inFrame) {
        this.inFrame = inFrame;
    }

    /**
     * Begins at the first byte of a struct.
     *
     * @param listener who is told of fields, or null for nobody
     */
    public void begin(boolean compactProtocol, Listener listener) {
        compact = compactProtocol;
        this.listener = listener;
        if (listener != null && fieldIds == null) {
            fieldIds = new short[MAX_DEPTH];
        }
        listening = listener != null;
        listeningDepth = -1;
        telling = false;
        depth = 0;
        level = -1;
        beginStruct();
    }

    /** Reads on, at most to the end of the struct, and returns the index after the last byte read. */
    public int read(ByteBuf buffer, int from, int to) {
        int index = from;
        while (index < to && state < DONE) {
            switch (state) {
                case FIELD_TYPE:
                    index = compact ? readCompactFields(buffer, index, to) : readBinaryFields(buffer, index, to);
                    break;
                case SKIP:
                    index = skipBytes(buffer, index, to);
                    break;
                case STRING_SIZE:
                    index = readStringSize(buffer, index, to);
                    break;
                default:
                    if (telling) {
                        listener.bytes(buffer, index, index + 1);
                    }
                    read(buffer.getByte(index++));
                    break;
            }
        }
        return index;
    }

    /** Whether the struct's last byte was read. */
    public boolean isDone() {
        return state == DONE;
    }

    /** Whether the bytes are no struct. */
    public boolean hasFailed() {
        return state == FAILED;
    }

    /** Steps over bytes that are missing; returns false, and stays where it is, unless they all lie inside a value. */
    boolean skipMissing(long bytes) {
        if (state != SKIP || telling || bytes > skip) {
            return false;
        }
        skip -= bytes;
        if (skip == 0) {
            next();
        }
        return true;
    }

    private void read(byte b) {
        switch (state) {
            case LIST_TYPE:
                if (compact) {
                    valueType = OF_COMPACT[b & 0xf];
                    int size = b >> 4 & 0xf;
                    if (size == 0xf) {
                        expectNumber(LIST_SIZE, 0);
                    } else {
                        beginList(size);
                    }
                } else {
                    valueType = b;
                    expectNumber(LIST_SIZE, 4);
                }
                break;
            case MAP_KEY_TYPE:
                // Compact has both types in one byte, after the size.
                if (compact) {
                    keyType = OF_COMPACT[b >> 4 & 0xf];
                    valueType = OF_COMPACT[b & 0xf];
                    beginMap((int) number);
                } else {
                    keyType = b;
                    state = MAP_VALUE_TYPE;
                }
                break;
            case MAP_VALUE_TYPE:
                valueType = b;
                expectNumber(MAP_SIZE, 4);
                break;
            case VARINT:
                readVarint(b);
                if (state == VARINT && b >= 0) {
                    endValue();
                }
                break;
            default:
                readNumber(b);
                break;
        }
    }

    /** Reads fields up to one that is no plain value whole in the buffer, or is to be told of. */
    private int readBinaryFields(ByteBuf buffer, int from, int to) {
        int index = from;
        while (to - index >= FIELD_HEADER_BYTES) {
            int type = buffer.getByte(index);
            if (type == STOP) {
                endStruct();
                return index + 1;
            }
            int end = listening ? -1 : binaryEnd(buffer, type, index + FIELD_HEADER_BYTES, to);
            if (end < 0) {
                fieldType = type;
                beginField(buffer.getShort(index + 1));
                return index + FIELD_HEADER_BYTES;
            }
            index = end;
        }
        if (index < to) {
            fieldType = buffer.getByte(index++);
            if (fieldType == STOP) {
                endStruct();
            } else {
                expectNumber(FIELD_ID, 2);
            }
        }
        return index;
    }

    /** Returns the end of a value, or -1 where it is not whole in the buffer or not that simple. */
    private static int binaryEnd(ByteBuf buffer, int type, int from, int to) {
        if (type == BINARY) {
            int length = to - from < Integer.BYTES ? -1 : buffer.getInt(from);
            boolean isWhole = length >= 0 && length <= to - from - Integer.BYTES;
            return isWhole && length <= ThriftRecognition.MAX_MESSAGE_BYTES ? from + Integer.BYTES + length : -1;
        }
        int bytes = type < 0 || type >= BINARY_SIZE.length ? -1 : BINARY_SIZE[type];
        return bytes > 0 && bytes <= to - from ? from + bytes : -1;
    }

    /** As {@link #readBinaryFields}. */
    private int readCompactFields(ByteBuf buffer, int from, int to) {
        int index = from;
        while (index < to) {
            byte b = buffer.getByte(index);
            if (b == STOP) {
                endStruct();
                return index + 1;
            }
            fieldType = b & 0xf;
            int delta = b >> 4 & 0xf;
            int end = listening || delta == 0 ? -1 : compactEnd(buffer, fieldType, index + 1, to);
            if (end < 0) {
                if (delta == 0) {
                    expectNumber(FIELD_ID, 0);
                } else {
                    beginField(listening ? fieldIds[depth - 1] + delta : 0);
                }
                return index + 1;
            }
            index = end;
        }
        return index;
    }

    /** Returns the end of a field's value, or -1 where it is not whole in the buffer or not that simple. */
    private static int compactEnd(ByteBuf buffer, int compactType, int from, int to) {
        int type = OF_COMPACT[compactType];
        switch (type) {
            case BOOL:
                return from;
            case I16:
            case I32:
            case I64:
                int last = Math.min(to, from + MAX_VARINT_BITS / 7);
                for (int i = from; i < last; i++) {
                    if (buffer.getByte(i) >= 0) {
                        return i + 1;
                    }
                }
                return -1;
            case BINARY:
                // A length of more than one byte is left to the common way.
                int length = from < to ? buffer.getByte(from) : -1;
                return length >= 0 && to - from > length ? from + 1 + length : -1;
            default:
                int bytes = COMPACT_SIZE[type];
                return bytes > 0 && to - from >= bytes ? from + bytes : -1;
        }
    }

    private int readStringSize(ByteBuf buffer, int from, int to) {
        if (compact || numberBytes < Integer.BYTES || to - from < Integer.BYTES) {
            readNumber(buffer.getByte(from));
            return from + 1;
        }
        number = buffer.getInt(from);
        numberRead();
        return from + Integer.BYTES;
    }

    private int skipBytes(ByteBuf buffer, int from, int to) {
        int bytes = (int) Math.min(skip, to - from);
        if (telling) {
            listener.bytes(buffer, from, from + bytes);
        }
        skip -= bytes;
        if (skip == 0) {
            endValue();
        }
        return from + bytes;
    }

    private void beginField(int id) {
        if (listening) {
            fieldIds[depth - 1] = (short) id;
        }
        int type = fieldType;
        if (compact) {
            if (type != STOP && type <= COMPACT_FALSE) {
                next();
                return;
            }
            type = OF_COMPACT[type];
        }
        if (listening && !listener.field(level, (short) id, type)) {
            listening = false;
            listeningDepth = depth;
        }
        beginValue(type);
    }

    /** Expects a number: of so many bytes, or a varint where bytes is 0 or the protocol compact. */
    private void expectNumber(int meaning, int bytes) {
        state = meaning;
        number = 0;
        numberBytes = compact ? 0 : bytes;
    }

    private void readNumber(byte b) {
        if (compact) {
            readVarint(b);
            if (b >= 0 && state != FAILED) {
                numberRead();
            }
        } else {
            number = number << 8 | b & 0xff;
            if (--numberBytes == 0) {
                numberRead();
            }
        }
    }

    private void readVarint(byte b) {
        if (numberBytes >= MAX_VARINT_BITS) {
            state = FAILED;
            return;
        }
        number |= (long) (b & 0x7f) << numberBytes;
        numberBytes += 7;
    }

    private void numberRead() {
        if (state == FIELD_ID) {
            beginField((int) (compact ? number >>> 1 ^ -(number & 1) : number));
            return;
        }
        if (number < 0 || number > (inFrame ? Integer.MAX_VALUE : ThriftRecognition.MAX_MESSAGE_BYTES)) {
            state = FAILED;
            return;
        }
        if (state == STRING_SIZE) {
            beginBytes(BINARY, number);
            return;
        }
        // An element has a byte at least, so that no frame holds more of them.
        number = Math.min(number, ThriftRecognition.MAX_MESSAGE_BYTES);
        if (state == LIST_SIZE) {
            beginList((int) number);
        } else if (!compact) {
            beginMap((int) number);
        } else if (number == 0) {
            next();
        } else {
            state = MAP_KEY_TYPE;
        }
    }

    private void beginList(int size) {
        int bytes = fixedBytes(valueType);
        if (bytes > 0 && !listening) {
            skipAll(size, bytes);
        } else if (size == 0) {
            next();
        } else if (bytes < 0 || !push(size, valueType, valueType)) {
            state = FAILED;
        } else {
            next();
        }
    }

    private void beginMap(int size) {
        int keyBytes = fixedBytes(keyType);
        int valueBytes = fixedBytes(valueType);
        if (size == 0) {
            next();
        } else if ((keyBytes < 0 || valueBytes < 0) && !inFrame) {
            // In a frame it fails where the first such value would be, so that the listener is told of those before.
            state = FAILED;
        } else if (keyBytes > 0 && valueBytes > 0 && !listening) {
            skipAll(size, keyBytes + valueBytes);
        } else if (push(2 * size, keyType, valueType)) {
            next();
        } else {
            state = FAILED;
        }
    }

    private void skipAll(int size, int bytesEach) {
        long bytes = (long) size * bytesEach;
        if (bytes > ThriftRecognition.MAX_MESSAGE_BYTES && !inFrame) {
            state = FAILED;
        } else {
            skip(bytes);
        }
    }

    private void skip(long bytes) {
        skip = bytes;
        state = SKIP;
        if (bytes == 0) {
            endValue();
        }
    }

    private void beginBytes(int type, long bytes) {
        telling = listening && listener.value(level, type);
        skip(bytes);
    }

    private void endValue() {
        if (telling) {
            telling = false;
            listener.valueEnded();
        }
        next();
    }

    private void beginValue(int type) {
        int bytes = fixedBytes(type);
        if (bytes != 0) {
            if (bytes > 0) {
                beginBytes(type, bytes);
            } else {
                state = FAILED;
            }
            return;
        }
        switch (type) {
            case BINARY:
                expectNumber(STRING_SIZE, 4);
                break;
            case LIST:
            case SET:
                state = LIST_TYPE;
                break;
            case MAP:
                if (compact) {
                    expectNumber(MAP_SIZE, 0);
                } else {
                    state = MAP_KEY_TYPE;
                }
                break;
            case STRUCT:
                beginStruct();
                break;
            default:
                telling = listening && listener.value(level, type);
                expectNumber(VARINT, 0);
                break;
        }
    }

    private void beginStruct() {
        if (push(FIELDS, 0, 0)) {
            level++;
            if (listening) {
                fieldIds[depth - 1] = 0;
            }
            next();
        } else {
            state = FAILED;
        }
    }

    private void endStruct() {
        depth--;
        level--;
        next();
    }

    /** A value's size outside a field, 0 where it varies, -1 where there is no such type. */
    private int fixedBytes(int type) {
        if (type < 0 || type >= BINARY_SIZE.length) {
            return -1;
        }
        return compact ? COMPACT_SIZE[type] : BINARY_SIZE[type];
    }

    private boolean push(int values, int even, int odd) {
        if (depth == MAX_DEPTH) {
            return false;
        }
        left[depth] = values;
        evenType[depth] = (byte) even;
        oddType[depth] = (byte) odd;
        depth++;
        return true;
    }

    /**
     * Goes on after a value: to the next one of the innermost collection that has one, or to its struct's next field.
     */
    private void next() {
        while (depth > 0) {
            int top = depth - 1;
            int values = left[top];
            if (values == FIELDS) {
                state = FIELD_TYPE;
                if (depth == listeningDepth) {
                    listening = true;
                    listeningDepth = -1;
                }
                return;
            }
            if (values > 0) {
                left[top] = values - 1;
                beginValue((values & 1) == 0 ? evenType[top] : oddType[top]);
                return;
            }
            depth--;
        }
        state = DONE;
    }
}
