package dev.lockstep.redaction;

import dev.lockstep.protocol.ThriftStructReader;
import io.netty.buffer.ByteBuf;

/**
 * Reads the head of a Thrift message in the binary or compact protocol, and where its function has rules finds the
 * secret fields of its arguments; has the contexts of TTwitter's header before it searched. Runs per byte of a head and
 * per field; used by the thread of its connection.
 *
 * <p>A path goes down through structs; lists, sets and maps on its way are gone through. Everything inside a secret
 * field is secret: elements, keys and values of any depth. A bool has nothing to hide behind and stays.
 */
final class ThriftWalker implements ThriftStructReader.Listener {
    // What the next byte belongs to.
    private static final int FIRST = 0;
    private static final int NAME_LENGTH = 1;
    private static final int NAME = 2;
    private static final int TYPE = 3;
    private static final int SEQUENCE = 4;
    private static final int COMPACT_TYPE = 5;
    private static final int COMPACT_SEQUENCE = 6;
    private static final int STRUCT_BEFORE = 7;
    private static final int ARGUMENTS = 8;
    private static final int SKIP = 9;
    private static final int BROKEN = 10;
    private static final int DONE = 11;

    private static final byte STRICT = (byte) 0x80;
    private static final byte COMPACT = (byte) 0x82;
    private static final int LONGEST_NAME = 512;
    private static final int MOST_LEVELS = 64;
    private static final int MOST_VARINT_BYTES = 10;

    private final ThriftRules rules;
    private final Secret secret;
    private final PairScanner pair;
    private final Contexts contexts = new Contexts();
    private final ThriftStructReader struct = new ThriftStructReader(true);

    private int state;
    private boolean compact;
    private boolean strict;
    private long number;
    private int numberBytes;
    private byte[] name = new byte[32];
    private int nameLength;
    private int nameLeft;

    /** What an index of the buffer being read lacks to be an offset in the stream. */
    private long base;

    /** The paths that hold for the function. */
    private long functionPaths;
    // Per level the field that is open: the paths that go on in it, and whether all in it is secret.
    private final long[] fieldPaths = new long[MOST_LEVELS];
    private final boolean[] fieldSecret = new boolean[MOST_LEVELS];

    ThriftWalker(ThriftRules rules, Secret secret, PairScanner pair) {
        this.rules = rules;
        this.secret = secret;
        this.pair = pair;
    }

    /** Prepares for a message, before which TTwitter's header may stand, a struct of the binary protocol. */
    void begin(boolean afterHeader) {
        if (afterHeader) {
            struct.begin(false, contexts);
            state = STRUCT_BEFORE;
        } else {
            expectNumber(FIRST);
        }
    }

    /** Whether the message could not be followed to its end, so that secrets may have passed. */
    boolean isBroken() {
        return state == BROKEN;
    }

    /** Reads on in the message; returns the index behind its end where that is read, else {@code to}. */
    int scan(ByteBuf bytes, int from, int to, long offsetBase) {
        base = offsetBase;
        int i = from;
        while (i < to && state < SKIP) {
            if (state >= STRUCT_BEFORE) {
                i = struct.read(bytes, i, to);
                structRead();
            } else {
                step(bytes.getByte(i++));
            }
        }
        return state == DONE ? i : to;
    }

    void end() {
        secret.close();
    }

    @Override
    public boolean field(int level, int id, int type) {
        long among = level == 0 ? functionPaths : fieldPaths[level - 1];
        long found = among == 0 ? 0 : rules.step(among, level, id);
        boolean isSecret = level > 0 && fieldSecret[level - 1] || found != 0 && rules.isComplete(found, level);
        fieldPaths[level] = found;
        fieldSecret[level] = isSecret;
        return isSecret || found != 0;
    }

    @Override
    public boolean value(int level, int type) {
        if (!fieldSecret[level] || type == ThriftStructReader.BOOL) {
            return false;
        }
        secret.open(RuleKind.THRIFT, spelling(type));
        return true;
    }

    @Override
    public void bytes(ByteBuf bytes, int from, int to) {
        secret.add(base + from, bytes, from, to);
    }

    @Override
    public void valueEnded() {
        secret.close();
    }

    private Spelling spelling(int type) {
        switch (type) {
            case ThriftStructReader.BINARY:
                return Spelling.PLAIN;
            case ThriftStructReader.DOUBLE:
                return compact ? Spelling.DOUBLE_LITTLE_ENDIAN : Spelling.DOUBLE;
            case ThriftStructReader.BYTE:
            case ThriftStructReader.UUID:
                return Spelling.BYTES;
            default:
                return compact ? Spelling.VARINT : Spelling.BYTES;
        }
    }

    private void structRead() {
        if (struct.hasFailed()) {
            pair.end();
            secret.close();
            state = BROKEN;
        } else if (struct.isDone()) {
            if (state != STRUCT_BEFORE) {
                state = DONE;
            } else if (rules.isEmpty()) {
                state = SKIP;
            } else {
                expectNumber(FIRST);
            }
        }
    }

    private void step(byte b) {
        switch (state) {
            case FIRST:
                first(b);
                break;
            case NAME_LENGTH:
                if (compact ? varint(b) : fixed(b)) {
                    beginName((int) number);
                }
                break;
            case NAME:
                name[nameLength++] = b;
                if (--nameLeft == 0) {
                    endName();
                }
                break;
            case TYPE:
                expectNumber(SEQUENCE);
                break;
            case SEQUENCE:
                if (fixed(b)) {
                    beginArguments();
                }
                break;
            case COMPACT_TYPE:
                expectNumber(COMPACT_SEQUENCE);
                break;
            default:
                if (varint(b)) {
                    expectNumber(NAME_LENGTH);
                }
                break;
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
        if (!fixed(b)) {
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
        nameLeft = length;
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
        functionPaths = rules.of(name, nameLength);
        if (functionPaths == 0) {
            state = SKIP;
        } else {
            struct.begin(compact, this);
            state = ARGUMENTS;
        }
    }

    private void expectNumber(int next) {
        state = next;
        number = 0;
        numberBytes = 0;
    }

    /** Reads a byte of a number of four bytes; returns whether that was the last. */
    private boolean fixed(byte b) {
        number = number << 8 | b & 0xff;
        return ++numberBytes == Integer.BYTES;
    }

    private boolean varint(byte b) {
        number |= (long) (b & 0x7f) << 7 * numberBytes;
        numberBytes++;
        if (b < 0 && numberBytes == MOST_VARINT_BYTES) {
            state = BROKEN;
            return false;
        }
        return b >= 0;
    }

    /** Finds the contexts in TTwitter's header: structs of a key and a value, in a list. */
    private final class Contexts implements ThriftStructReader.Listener {
        private static final int LIST = 8;
        private static final int KEY = 1;
        private static final int VALUE = 2;

        private int part;

        @Override
        public boolean field(int level, int id, int type) {
            part = id;
            return level == 0 ? id == LIST : level == 1 && (id == KEY || id == VALUE);
        }

        @Override
        public boolean value(int level, int type) {
            if (level != 1 || type != ThriftStructReader.BINARY) {
                return false;
            }
            if (part == KEY) {
                pair.beginKey();
            } else {
                pair.beginValue();
            }
            return true;
        }

        @Override
        public void bytes(ByteBuf bytes, int from, int to) {
            if (part == KEY) {
                pair.key(bytes, from, to);
            } else {
                pair.value(bytes, from, to, base);
            }
        }

        @Override
        public void valueEnded() {
            pair.end();
        }
    }
}
