package dev.lockstep.redaction;

import io.netty.buffer.ByteBuf;

/**
 * Walks a Thrift message in the binary or compact protocol, as it comes, and finds the secret fields of its arguments.
 * Runs per byte of a message that has rules; used by the thread of its connection.
 *
 * <p>A path goes down through structs; lists, sets and maps on its way are gone through. Everything inside a secret
 * field is secret: elements, keys and values of any depth. A bool has nothing to hide behind and stays.
 */
final class ThriftWalker extends BodyScanner {
    // What the next byte belongs to.
    private static final int FIRST = 0;
    private static final int NAME_LENGTH = 1;
    private static final int NAME = 2;
    private static final int TYPE = 3;
    private static final int SEQUENCE = 4;
    private static final int COMPACT_TYPE = 5;
    private static final int COMPACT_SEQUENCE = 6;
    private static final int FIELD = 7;
    private static final int FIELD_ID = 8;
    private static final int VALUE = 9;
    private static final int STRING_LENGTH = 10;
    private static final int STRING = 11;
    private static final int ELEMENT_TYPE = 12;
    private static final int SIZE = 13;
    private static final int MAP_TYPES = 14;
    private static final int VARINT_VALUE = 15;
    private static final int SKIP = 16;
    private static final int BROKEN = 17;

    // The types of both protocols, in the numbers of the binary one where it has them.
    private static final int STOP = 0;
    private static final int BOOL = 2;
    private static final int BYTE = 3;
    private static final int DOUBLE = 4;
    private static final int I16 = 6;
    private static final int I32 = 8;
    private static final int I64 = 10;
    private static final int BINARY = 11;
    private static final int STRUCT = 12;
    private static final int MAP = 13;
    private static final int SET = 14;
    private static final int LIST = 15;
    private static final int UUID = 16;
    /** A bool whose value is in the field's own byte. */
    private static final int BOOL_IN_TYPE = 17;

    private static final int[] OF_COMPACT = {
        STOP, BOOL_IN_TYPE, BOOL_IN_TYPE, BYTE, I16, I32, I64, DOUBLE, BINARY, LIST, SET, MAP, STRUCT, UUID
    };

    private static final byte STRICT = (byte) 0x80;
    private static final byte COMPACT = (byte) 0x82;
    private static final int MOST_DEPTH = 64;
    private static final int LONGEST_NAME = 512;
    private static final int MOST_VARINT_BYTES = 10;

    private final ThriftRules rules;
    private final Secret secret;

    private int state;
    private boolean compact;
    private boolean structFirst;
    private long number;
    private int numberBytes;
    private long left;
    private byte[] name = new byte[32];
    private int nameLength;
    private boolean strict;

    // The structs and containers that are open; a container counts its elements, a map keys and values.
    private int depth;
    private final int[] kinds = new int[MOST_DEPTH];
    private final int[] elements = new int[MOST_DEPTH];
    private final int[] mapValues = new int[MOST_DEPTH];
    private final long[] remaining = new long[MOST_DEPTH];
    private final int[] fieldIds = new int[MOST_DEPTH];
    private final int[] levels = new int[MOST_DEPTH];
    private final long[] paths = new long[MOST_DEPTH];
    private final boolean[] secrets = new boolean[MOST_DEPTH];

    // Of the value being read.
    private int type;
    private long valuePaths;
    private boolean valueSecret;

    ThriftWalker(ThriftRules rules, Secret secret) {
        this.rules = rules;
        this.secret = secret;
    }

    @Override
    void begin() {
        begin(false);
    }

    /** Prepares for a message, before which a struct of the binary protocol may stand. */
    void begin(boolean afterStruct) {
        depth = 0;
        expectNumber(FIRST);
        structFirst = afterStruct;
        if (afterStruct) {
            compact = false;
            push(STRUCT, 0, false);
            state = FIELD;
        }
    }

    /** Tells whether the message could not be followed to its end, so that secrets may have passed. */
    boolean isBroken() {
        return state == BROKEN;
    }

    @Override
    void scan(ByteBuf bytes, int from, int to, long base) {
        int i = from;
        while (i < to) {
            if (state == SKIP || state == BROKEN) {
                return;
            }
            if (state == STRING || state == VALUE) {
                int length = (int) Math.min(left, to - i);
                if (valueSecret) {
                    for (int j = i; j < i + length; j++) {
                        secret.add(base + j, bytes.getByte(j));
                    }
                }
                i += length;
                left -= length;
                if (left == 0) {
                    endValue();
                }
            } else {
                step(bytes.getByte(i), base + i);
                i++;
            }
        }
    }

    @Override
    void end() {
        secret.close();
    }

    private void step(byte b, long offset) {
        switch (state) {
            case FIRST:
                first(b);
                break;
            case NAME_LENGTH:
                if (compact ? varint(b) : fixed(b, Integer.BYTES)) {
                    beginName((int) number);
                }
                break;
            case NAME:
                name[nameLength++] = b;
                if (--left == 0) {
                    endName();
                }
                break;
            case TYPE:
                expectNumber(SEQUENCE);
                break;
            case SEQUENCE:
                if (fixed(b, Integer.BYTES)) {
                    beginArguments();
                }
                break;
            case COMPACT_TYPE:
                expectNumber(COMPACT_SEQUENCE);
                break;
            case COMPACT_SEQUENCE:
                if (varint(b)) {
                    expectNumber(NAME_LENGTH);
                }
                break;
            case FIELD:
                field(b);
                break;
            case FIELD_ID:
                if (compact ? varint(b) : fixed(b, Short.BYTES)) {
                    beginField(compact ? (short) (number >>> 1 ^ -(number & 1)) : (short) number);
                }
                break;
            case STRING_LENGTH:
                if (compact ? varint(b) : fixed(b, Integer.BYTES)) {
                    beginString((int) number);
                }
                break;
            case ELEMENT_TYPE:
                elementType(b);
                break;
            case SIZE:
                if (compact ? varint(b) : fixed(b, Integer.BYTES)) {
                    endSize();
                }
                break;
            case MAP_TYPES:
                mapTypes(b);
                break;
            case VARINT_VALUE:
                if (valueSecret) {
                    secret.add(offset, b);
                }
                if (varint(b)) {
                    endValue();
                }
                break;
            default:
                throw new IllegalStateException("no state " + state);
        }
    }

    private void first(byte b) {
        if (numberBytes == 0) {
            compact = b == COMPACT;
            strict = b == STRICT;
            if (compact) {
                state = COMPACT_TYPE;
                return;
            }
        }
        if (!fixed(b, Integer.BYTES)) {
            return;
        }
        if (strict) {
            expectNumber(NAME_LENGTH);
        } else {
            beginName((int) number);
        }
    }

    private void beginName(int length) {
        if (length < 0 || length > LONGEST_NAME) {
            state = BROKEN;
            return;
        }
        if (name.length < length) {
            name = new byte[LONGEST_NAME];
        }
        nameLength = 0;
        left = length;
        state = NAME;
        if (length == 0) {
            endName();
        }
    }

    private void endName() {
        if (compact) {
            beginArguments();
        } else {
            expectNumber(strict ? SEQUENCE : TYPE);
        }
    }

    private void beginArguments() {
        long found = rules.of(name, nameLength);
        if (found == 0) {
            state = SKIP;
            return;
        }
        push(STRUCT, found, false);
        state = FIELD;
    }

    private void field(byte b) {
        int top = depth - 1;
        if (b == STOP) {
            depth--;
            endValue();
            return;
        }
        if (!compact) {
            type = ofBinary(b);
            expectNumber(FIELD_ID);
            return;
        }
        type = ofCompact(b & 15);
        int delta = (b & 0xff) >>> 4;
        if (type < 0) {
            state = BROKEN;
        } else if (delta == 0) {
            expectNumber(FIELD_ID);
        } else {
            beginField((short) (fieldIds[top] + delta));
        }
    }

    private void beginField(short id) {
        int top = depth - 1;
        fieldIds[top] = id;
        valuePaths = paths[top] == 0 ? 0 : rules.step(paths[top], levels[top], id);
        valueSecret = secrets[top] || valuePaths != 0 && rules.isComplete(valuePaths, levels[top]);
        beginValue();
    }

    private void beginValue() {
        switch (type) {
            case BOOL_IN_TYPE:
                endValue();
                break;
            case BOOL:
                valueSecret = false;
                beginFixed(1);
                break;
            case BYTE:
                beginFixed(Byte.BYTES);
                break;
            case DOUBLE:
                beginFixed(Double.BYTES);
                break;
            case I16:
            case I32:
            case I64:
                if (compact) {
                    openSecret(Spelling.VARINT);
                    expectNumber(VARINT_VALUE);
                } else {
                    beginFixed(type == I16 ? Short.BYTES : type == I32 ? Integer.BYTES : Long.BYTES);
                }
                break;
            case UUID:
                beginFixed(2 * Long.BYTES);
                break;
            case BINARY:
                expectNumber(STRING_LENGTH);
                break;
            case STRUCT:
                if (push(STRUCT, valuePaths, valueSecret)) {
                    state = FIELD;
                }
                break;
            case LIST:
            case SET:
                if (push(type, valuePaths, valueSecret)) {
                    state = ELEMENT_TYPE;
                }
                break;
            case MAP:
                if (push(MAP, valuePaths, valueSecret)) {
                    if (compact) {
                        expectNumber(SIZE);
                    } else {
                        elements[depth - 1] = -1;
                        state = MAP_TYPES;
                    }
                }
                break;
            default:
                state = BROKEN;
                break;
        }
    }

    private void beginFixed(int length) {
        left = length;
        state = VALUE;
        openSecret(type != DOUBLE ? Spelling.BYTES : compact ? Spelling.DOUBLE_LITTLE_ENDIAN : Spelling.DOUBLE);
    }

    private void beginString(int length) {
        if (length < 0) {
            state = BROKEN;
            return;
        }
        left = length;
        state = STRING;
        openSecret(Spelling.PLAIN);
        if (length == 0) {
            endValue();
        }
    }

    private void openSecret(Spelling spelling) {
        if (valueSecret) {
            secret.open(RuleKind.THRIFT, spelling);
        }
    }

    /** Goes on behind a value: with the next element, or behind the containers that end with it, or the next field. */
    private void endValue() {
        secret.close();
        while (depth > 0) {
            int top = depth - 1;
            if (kinds[top] == STRUCT) {
                state = FIELD;
                return;
            }
            if (remaining[top] > 0) {
                remaining[top]--;
                type = kinds[top] == MAP && (remaining[top] & 1) == 0 ? mapValues[top] : elements[top];
                valuePaths = paths[top];
                valueSecret = secrets[top];
                beginValue();
                return;
            }
            depth--;
        }
        if (structFirst) {
            begin(false);
        } else {
            state = SKIP;
        }
    }

    private void elementType(byte b) {
        int top = depth - 1;
        if (!compact) {
            elements[top] = ofBinary(b);
            expectNumber(SIZE);
            return;
        }
        int element = inContainer(ofCompact(b & 15));
        elements[top] = element;
        int size = (b & 0xff) >>> 4;
        if (element <= STOP) {
            state = BROKEN;
        } else if (size == 15) {
            expectNumber(SIZE);
        } else {
            remaining[top] = size;
            endValue();
        }
    }

    private void endSize() {
        int top = depth - 1;
        int size = (int) number;
        if (size < 0) {
            state = BROKEN;
            return;
        }
        if (kinds[top] != MAP) {
            remaining[top] = size;
            endValue();
            return;
        }
        remaining[top] = 2L * size;
        if (compact && size > 0) {
            state = MAP_TYPES;
        } else {
            endValue();
        }
    }

    private void mapTypes(byte b) {
        int top = depth - 1;
        if (compact) {
            elements[top] = inContainer(ofCompact((b & 0xff) >>> 4));
            mapValues[top] = inContainer(ofCompact(b & 15));
            if (elements[top] <= STOP || mapValues[top] <= STOP) {
                state = BROKEN;
            } else {
                endValue();
            }
        } else if (elements[top] < 0) {
            elements[top] = ofBinary(b);
        } else {
            mapValues[top] = ofBinary(b);
            expectNumber(SIZE);
        }
    }

    private boolean push(int kind, long found, boolean isSecret) {
        if (depth == MOST_DEPTH) {
            state = BROKEN;
            return false;
        }
        int level = 0;
        if (depth > 0) {
            level = levels[depth - 1] + (kinds[depth - 1] == STRUCT ? 1 : 0);
        }
        kinds[depth] = kind;
        // What is in a container is on the level of the container's own field.
        levels[depth] = level;
        paths[depth] = found;
        secrets[depth] = isSecret;
        fieldIds[depth] = 0;
        remaining[depth] = 0;
        depth++;
        return true;
    }

    /** Every value of these types takes a byte at least, so that no number of elements can be read without any. */
    private static int ofBinary(byte binaryType) {
        int type = binaryType & 0xff;
        return type == BOOL_IN_TYPE ? STOP : type;
    }

    private static int ofCompact(int compactType) {
        return compactType < OF_COMPACT.length ? OF_COMPACT[compactType] : -1;
    }

    private static int inContainer(int fieldType) {
        return fieldType == BOOL_IN_TYPE ? BOOL : fieldType;
    }

    private void expectNumber(int next) {
        state = next;
        number = 0;
        numberBytes = 0;
    }

    private boolean fixed(byte b, int bytes) {
        number = number << 8 | b & 0xff;
        return ++numberBytes == bytes;
    }

    private boolean varint(byte b) {
        number |= (long) (b & 0x7f) << 7 * numberBytes;
        numberBytes++;
        if (b < 0 && numberBytes == MOST_VARINT_BYTES) {
            secret.close();
            state = BROKEN;
            return false;
        }
        return b >= 0;
    }
}
