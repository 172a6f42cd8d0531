package dev.lockstep.protocol;

import io.netty.buffer.ByteBuf;

/**
 * Finds where a Thrift struct ends that carries no length, binary or compact, without keeping any of it. Runs per
 * message; used by the one thread that reads the stream.
 *
 * <p>The bytes may come in pieces of any size. Values are skipped by the sizes that stand before them, so the work is
 * linear in the bytes and the memory fixed, whatever the bytes say; values nest at most {@link #MAX_DEPTH} deep.
 */
final class ThriftStructReader {
    /** How deep structs and collections may lie in each other: the default of Thrift's own libraries. */
    static final int MAX_DEPTH = 64;

    // The binary protocol's types, in the order of the Thrift specification.
    private static final int STOP = 0;
    private static final int I32 = 8;
    private static final int STRING = 11;
    private static final int MAP = 13;
    private static final int SET = 14;
    private static final int LIST = 15;

    /** By binary type: a value's size in bytes, or 0 where it varies, or -1 where there is no such type. */
    private static final byte[] BINARY_SIZE = {-1, -1, 1, 1, 8, -1, 2, -1, 4, -1, 8, 0, 0, 0, 0, 0, 16};

    // The compact protocol's types that have no fixed size; a boolean field has its value in its type.
    private static final int COMPACT_TRUE = 1;
    private static final int COMPACT_FALSE = 2;
    private static final int COMPACT_BYTE = 3;
    private static final int COMPACT_I32 = 5;
    private static final int COMPACT_I64 = 6;
    private static final int COMPACT_DOUBLE = 7;
    private static final int COMPACT_STRING = 8;
    private static final int COMPACT_LIST = 9;
    private static final int COMPACT_SET = 10;
    private static final int COMPACT_MAP = 11;
    private static final int COMPACT_STRUCT = 12;
    private static final int COMPACT_UUID = 13;

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
    private static final int WATCHED = 10;
    private static final int DONE = 11;
    private static final int FAILED = 12;

    /** In place of the number of values left: fields follow, up to a stop. */
    private static final int FIELDS = -1;

    // Per level of nesting: how many values are left, and the types of every other one of them.
    private final int[] left = new int[MAX_DEPTH];
    private final byte[] evenType = new byte[MAX_DEPTH];
    private final byte[] oddType = new byte[MAX_DEPTH];

    private boolean compact;
    private int depth;
    private int state = FAILED;

    // Of the number being read: what is known of it, and how many bytes, or bits, it has or had.
    private long number;
    private int numberBytes;

    private int keyType;
    private int valueType;
    private int fieldType;
    private long skip;

    // The number of the outermost struct's field that is read, and of the one whose value is kept, 0 for none.
    private int fieldId;
    private int watchedField;
    private int watchedValue;

    /** Begins at the first byte of a struct. */
    void begin(boolean compactProtocol) {
        begin(compactProtocol, 0);
    }

    /** Begins at the first byte of a struct, of which the value of one i32 field is kept. */
    void begin(boolean compactProtocol, int watched) {
        compact = compactProtocol;
        watchedField = watched;
        watchedValue = 0;
        fieldId = 0;
        depth = 0;
        push(FIELDS, 0, 0);
        next();
    }

    /** Reads on, at most to the end of the struct, and returns the index after the last byte read. */
    int read(ByteBuf buffer, int from, int to) {
        int index = from;
        while (index < to && state < DONE) {
            if (state == SKIP) {
                int bytes = (int) Math.min(skip, to - index);
                index += bytes;
                skip -= bytes;
                if (skip == 0) {
                    next();
                }
            } else if (state == FIELD_TYPE && !compact && to - index >= FIELD_HEADER_BYTES) {
                fieldType = buffer.getByte(index);
                if (fieldType == STOP) {
                    index++;
                    depth--;
                    next();
                } else {
                    noteField(buffer.getShort(index + 1));
                    index += FIELD_HEADER_BYTES;
                    beginField();
                }
            } else if (state == STRING_SIZE
                    && !compact
                    && numberBytes == Integer.BYTES
                    && to - index >= Integer.BYTES) {
                number = buffer.getInt(index);
                index += Integer.BYTES;
                numberRead();
            } else {
                read(buffer.getByte(index++));
            }
        }
        return index;
    }

    /** Tells whether the struct's last byte was read. */
    boolean isDone() {
        return state == DONE;
    }

    /** Tells whether the bytes are no struct. */
    boolean hasFailed() {
        return state == FAILED;
    }

    /** Returns the value of the field that is watched, 0 where it has not come. */
    int watchedValue() {
        return watchedValue;
    }

    /** Steps over bytes that are missing; returns false, and stays where it is, unless they all lie inside a value. */
    boolean skipMissing(long bytes) {
        if (state != SKIP || bytes > skip) {
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
            case FIELD_TYPE:
                if (compact) {
                    readCompactField(b);
                } else if (b == STOP) {
                    depth--;
                    next();
                } else {
                    fieldType = b;
                    expectNumber(FIELD_ID, 2);
                }
                break;
            case LIST_TYPE:
                if (compact) {
                    valueType = b & 0xf;
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
                    keyType = b >> 4 & 0xf;
                    valueType = b & 0xf;
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
                    next();
                }
                break;
            default:
                readNumber(b);
                break;
        }
    }

    private void readCompactField(byte b) {
        if (b == STOP) {
            depth--;
            next();
            return;
        }
        fieldType = b & 0xf;
        if ((b & 0xf0) == 0) {
            expectNumber(FIELD_ID, 0);
        } else {
            noteField(fieldId + (b >> 4 & 0xf));
            beginField();
        }
    }

    private void noteField(int id) {
        if (depth == 1) {
            fieldId = id;
        }
    }

    private void beginField() {
        if (compact && (fieldType == COMPACT_TRUE || fieldType == COMPACT_FALSE)) {
            next();
        } else if (watchedField != 0
                && depth == 1
                && fieldId == watchedField
                && fieldType == (compact ? COMPACT_I32 : I32)) {
            expectNumber(WATCHED, Integer.BYTES);
        } else {
            beginValue(fieldType);
        }
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
            noteField((int) (compact ? unzigzag(number) : number));
            beginField();
            return;
        }
        if (state == WATCHED) {
            watchedValue = (int) (compact ? unzigzag(number) : number);
            next();
            return;
        }
        if (number < 0 || number > ThriftRecognition.MAX_MESSAGE_BYTES) {
            state = FAILED;
            return;
        }
        switch (state) {
            case STRING_SIZE:
                skip(number);
                break;
            case LIST_SIZE:
                beginList((int) number);
                break;
            default:
                if (!compact) {
                    beginMap((int) number);
                } else if (number == 0) {
                    next();
                } else {
                    state = MAP_KEY_TYPE;
                }
                break;
        }
    }

    private static long unzigzag(long number) {
        return number >>> 1 ^ -(number & 1);
    }

    private void beginList(int size) {
        int bytes = fixedBytes(valueType);
        if (bytes > 0) {
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
        } else if (keyBytes < 0 || valueBytes < 0) {
            state = FAILED;
        } else if (keyBytes > 0 && valueBytes > 0) {
            skipAll(size, keyBytes + valueBytes);
        } else if (push(2 * size, keyType, valueType)) {
            next();
        } else {
            state = FAILED;
        }
    }

    private void skipAll(int size, int bytesEach) {
        long bytes = (long) size * bytesEach;
        if (bytes > ThriftRecognition.MAX_MESSAGE_BYTES) {
            state = FAILED;
        } else {
            skip(bytes);
        }
    }

    private void skip(long bytes) {
        skip = bytes;
        state = SKIP;
        if (bytes == 0) {
            next();
        }
    }

    private void beginValue(int type) {
        int bytes = fixedBytes(type);
        if (bytes < 0) {
            state = FAILED;
        } else if (bytes > 0) {
            skip(bytes);
        } else if (compact) {
            beginCompactValue(type);
        } else if (type == STRING) {
            expectNumber(STRING_SIZE, 4);
        } else if (type == MAP) {
            state = MAP_KEY_TYPE;
        } else if (type == SET || type == LIST) {
            state = LIST_TYPE;
        } else {
            beginStruct();
        }
    }

    private void beginCompactValue(int type) {
        switch (type) {
            case COMPACT_STRING:
                expectNumber(STRING_SIZE, 0);
                break;
            case COMPACT_LIST:
            case COMPACT_SET:
                state = LIST_TYPE;
                break;
            case COMPACT_MAP:
                expectNumber(MAP_SIZE, 0);
                break;
            case COMPACT_STRUCT:
                beginStruct();
                break;
            default:
                expectNumber(VARINT, 0);
                break;
        }
    }

    private void beginStruct() {
        if (push(FIELDS, 0, 0)) {
            next();
        } else {
            state = FAILED;
        }
    }

    /** Returns the size of a value outside a field, 0 where it varies, and -1 where there is no such type. */
    private int fixedBytes(int type) {
        if (!compact) {
            return type < 0 || type >= BINARY_SIZE.length ? -1 : BINARY_SIZE[type];
        }
        switch (type) {
            case COMPACT_TRUE:
            case COMPACT_FALSE:
            case COMPACT_BYTE:
                return 1;
            case COMPACT_DOUBLE:
                return 8;
            case COMPACT_UUID:
                return 16;
            default:
                return type > COMPACT_BYTE && type <= COMPACT_I64 || type >= COMPACT_STRING && type <= COMPACT_STRUCT
                        ? 0
                        : -1;
        }
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

    /** Goes on after a value: to the next one of the innermost collection that has one, or to its struct's next field. */
    private void next() {
        while (depth > 0) {
            int level = depth - 1;
            int values = left[level];
            if (values == FIELDS) {
                state = FIELD_TYPE;
                return;
            }
            if (values > 0) {
                left[level] = values - 1;
                beginValue((values & 1) == 0 ? evenType[level] : oddType[level]);
                return;
            }
            depth--;
        }
        state = DONE;
    }
}
