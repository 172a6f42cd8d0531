package dev.lockstep.protocol;

import io.netty.buffer.ByteBuf;

/**
 * Reads one Thrift message after the other: its name, type and sequence id, and where asked to find its end, its body.
 * Takes binary, strict and not, compact and JSON, told by the message's first byte. Runs per message; used by the one
 * thread that reads the stream.
 *
 * <p>The bytes may come in pieces of any size; none of them are kept. The layouts are those of the Thrift
 * specification's documents on the binary and compact protocols; JSON is {@code [1,"name",type,sequence
 * id,{arguments}]}.
 */
final class ThriftMessageReader {
    // A message's type.
    static final int CALL = 1;
    static final int REPLY = 2;
    static final int EXCEPTION = 3;
    static final int ONEWAY = 4;

    /** The hash of the empty name, and the start of every other's (FNV-1a, 64 bits). */
    static final long EMPTY_HASH = 0xcbf29ce484222325L;

    private static final long HASH_PRIME = 0x100000001b3L;

    // How a message is written.
    private static final int STRICT = 0;
    private static final int OLD = 1;
    private static final int COMPACT = 2;
    private static final int JSON = 3;

    /** The field of a TApplicationException in JSON that says what kind it is, an i32. */
    private static final int EXCEPTION_TYPE_FIELD = 2;

    private static final long JSON_I32 = 'i' << 16 | '3' << 8 | '2';
    /** JSON numbers are read no further than this, so that they do not overflow. */
    private static final int MAX_JSON_EXCEPTION_TYPE = 100_000_000;

    private static final int BINARY_VERSION = 0x0100;
    private static final byte SERVICE_SEPARATOR = ':';
    private static final int NOT_SEEN = -1;

    // What the next byte is. The head is read up to BODY.
    private static final int START = 0;
    private static final int VERSION = 1;
    private static final int NAME_SIZE = 2;
    private static final int NAME = 3;
    private static final int OLD_TYPE = 4;
    private static final int SEQUENCE_ID = 5;
    private static final int COMPACT_VERSION = 6;
    private static final int COMPACT_SEQUENCE_ID = 7;
    private static final int COMPACT_NAME_SIZE = 8;
    private static final int JSON_HEAD = 9;
    private static final int BODY = 10;
    private static final int JSON_BODY = 11;
    private static final int DONE = 12;
    private static final int FAILED = 13;

    // The elements of a JSON message.
    private static final int JSON_VERSION = 0;
    private static final int JSON_NAME = 1;
    private static final int JSON_TYPE = 2;
    private static final int JSON_SEQUENCE_ID = 3;

    /** Null in a reader of calls. */
    private final ThriftExceptionType exception;
    /** Null until the first body that is read. */
    private ThriftStructReader struct;

    private int state = FAILED;
    private boolean toItsEnd;
    private boolean headRead;

    private int form;
    private int type;
    private int sequenceId;
    private long nameHash;
    private long methodHash;
    private int nameSize;
    private int nameBytes;
    private int nameFrom;

    // Of the number being read: its value, and how many bytes are to come or bits were read.
    private int number;
    private int numberSize;

    // Of the JSON being read.
    private int element;
    private int depth;
    private boolean inString;
    private boolean escaped;

    // Of the JSON of an exception: the last bytes of the string being read, the field and the type it belongs to.
    private long jsonText;
    private long jsonField;
    private long jsonFieldType;
    private int jsonExceptionType;

    /** Creates a reader of calls, or of answers whose exceptions' types matter. */
    ThriftMessageReader(boolean readsExceptions) {
        exception = readsExceptions ? new ThriftExceptionType() : null;
    }

    /** Begins at the first byte of a message, to be read {@code toItsEnd} or no further than its head. */
    void begin(boolean toItsEnd) {
        this.toItsEnd = toItsEnd;
        headRead = false;
        state = START;
        type = 0;
        sequenceId = 0;
        nameHash = EMPTY_HASH;
        methodHash = EMPTY_HASH;
        nameSize = 0;
        nameBytes = 0;
        nameFrom = NOT_SEEN;
    }

    /** Begins after the length of the name with which a binary message begins that is not strict. */
    void beginOld(boolean toItsEnd, int size) {
        begin(toItsEnd);
        form = OLD;
        beginName(size);
    }

    /** Reads on, at most to the end of the message or of its head, and returns the index after the last byte read. */
    int read(ByteBuf buffer, int from, int to) {
        int index = from;
        while (index < to && state < DONE) {
            switch (state) {
                case NAME:
                    index = readName(buffer, index, to);
                    break;
                case BODY:
                    index = struct.read(buffer, index, to);
                    bodyRead();
                    break;
                case JSON_HEAD:
                    readJsonHead(buffer.getByte(index), index);
                    index++;
                    break;
                case JSON_BODY:
                    index = readJsonBody(buffer, index, to);
                    break;
                default:
                    readHead(buffer.getByte(index++));
                    break;
            }
        }
        return index;
    }

    /** Whether what was asked for was read: the message, or its head. */
    boolean isDone() {
        return state == DONE;
    }

    boolean hasFailed() {
        return state == FAILED;
    }

    /** Whether name, type and sequence id are known. */
    boolean hasHead() {
        return state >= BODY && state <= DONE;
    }

    /** Whether name, type and sequence id are known, also of a message whose body turned out to be none. */
    boolean wasHeadRead() {
        return headRead;
    }

    /** The type of an exception, 0 where it names none; read only by a reader of answers. */
    int exceptionType() {
        return form == JSON ? jsonExceptionType : exception.type();
    }

    int type() {
        return type;
    }

    int sequenceId() {
        return sequenceId;
    }

    /** A hash of the whole name, never 0. */
    long nameHash() {
        return nameHash;
    }

    /** A hash of the name without the service's, with which a multiplexed call's begins; never 0. */
    long methodHash() {
        return methodHash;
    }

    /** Where the name begins in the buffer, provided that the head was read from one buffer in one piece. */
    int nameFrom() {
        return nameFrom;
    }

    /** Where the name ends, as {@link #nameFrom}. */
    int nameTo() {
        return nameFrom + nameBytes;
    }

    /** Steps over bytes that are missing; returns false, and stays where it is, unless they all lie inside a value. */
    boolean skipMissing(long bytes) {
        if (state != BODY || !struct.skipMissing(bytes)) {
            return false;
        }
        bodyRead();
        return true;
    }

    /** Returns the {@link #nameHash} of a name. */
    static long hash(String name) {
        long hash = EMPTY_HASH;
        for (int i = 0; i < name.length(); i++) {
            hash = hash(hash, (byte) name.charAt(i));
        }
        return hash;
    }

    private static long hash(long hash, byte b) {
        return (hash ^ b & 0xff) * HASH_PRIME;
    }

    private void readHead(byte b) {
        switch (state) {
            case START:
                start(b);
                break;
            case OLD_TYPE:
                type = b;
                expect(SEQUENCE_ID, 4);
                break;
            case COMPACT_VERSION:
                type = b >> 5 & 7;
                int version = b & 0x1f;
                expect(COMPACT_SEQUENCE_ID, 0);
                checkType(version == 1 || version == 2);
                break;
            case COMPACT_SEQUENCE_ID:
            case COMPACT_NAME_SIZE:
                readVarint(b);
                break;
            default:
                number = number << 8 | b & 0xff;
                if (--numberSize == 0) {
                    numberRead();
                }
                break;
        }
    }

    private void start(byte b) {
        switch (b) {
            case (byte) 0x80:
                form = STRICT;
                expect(VERSION, 3);
                break;
            case (byte) 0x82:
                form = COMPACT;
                state = COMPACT_VERSION;
                break;
            case '[':
                form = JSON;
                element = JSON_VERSION;
                depth = 1;
                inString = false;
                escaped = false;
                expect(JSON_HEAD, 0);
                break;
            case 0:
                form = OLD;
                expect(NAME_SIZE, 3);
                break;
            default:
                state = FAILED;
                break;
        }
    }

    private void expect(int meaning, int bytes) {
        state = meaning;
        number = 0;
        numberSize = bytes;
    }

    private void numberRead() {
        switch (state) {
            case VERSION:
                type = number & 0xff;
                int version = number >>> 8;
                expect(NAME_SIZE, 4);
                checkType(version == BINARY_VERSION);
                break;
            case NAME_SIZE:
                beginName(number);
                break;
            default:
                sequenceId = number;
                checkType(true);
                if (state != FAILED) {
                    beginBody();
                }
                break;
        }
    }

    private void readVarint(byte b) {
        if (numberSize > 28) {
            state = FAILED;
            return;
        }
        number |= (b & 0x7f) << numberSize;
        numberSize += 7;
        if (b < 0) {
            return;
        }
        if (state == COMPACT_SEQUENCE_ID) {
            sequenceId = number;
            expect(COMPACT_NAME_SIZE, 0);
        } else {
            beginName(number);
        }
    }

    private void checkType(boolean versionKnown) {
        if (!versionKnown || type < CALL || type > ONEWAY) {
            state = FAILED;
        }
    }

    private void beginName(int size) {
        nameSize = size;
        if (size < (form == OLD ? 1 : 0) || size > ThriftRecognition.MAX_NAME_BYTES) {
            state = FAILED;
        } else if (size == 0) {
            nameRead();
        } else {
            state = NAME;
        }
    }

    private int readName(ByteBuf buffer, int from, int to) {
        if (nameFrom == NOT_SEEN) {
            nameFrom = from;
        }
        int end = Math.min(to, from + nameSize - nameBytes);
        for (int i = from; i < end; i++) {
            byte b = buffer.getByte(i);
            if (form == OLD && !ThriftRecognition.isNameByte(b, nameBytes == 0)) {
                state = FAILED;
                return i;
            }
            addToName(b);
        }
        if (nameBytes == nameSize) {
            nameRead();
        }
        return end;
    }

    private void addToName(byte b) {
        nameBytes++;
        nameHash = hash(nameHash, b);
        methodHash = b == SERVICE_SEPARATOR ? EMPTY_HASH : hash(methodHash, b);
    }

    private void nameRead() {
        if (form == OLD) {
            state = OLD_TYPE;
        } else if (form == STRICT) {
            expect(SEQUENCE_ID, 4);
        } else {
            beginBody();
        }
    }

    private void beginBody() {
        headRead = true;
        if (readsBody()) {
            if (struct == null) {
                struct = new ThriftStructReader();
            }
            boolean isException = readsExceptionType();
            if (isException) {
                exception.begin(form == COMPACT);
            }
            struct.begin(form == COMPACT, isException ? exception : null);
            state = BODY;
        } else {
            state = DONE;
        }
    }

    private boolean readsBody() {
        return toItsEnd || readsExceptionType();
    }

    private boolean readsExceptionType() {
        return exception != null && type == EXCEPTION;
    }

    private void bodyRead() {
        if (struct.isDone()) {
            state = DONE;
        } else if (struct.hasFailed()) {
            state = FAILED;
        }
    }

    /** Reads a byte before the arguments: the elements are a number, a string and two numbers. */
    private void readJsonHead(byte b, int index) {
        if (inString) {
            readJsonName(b, index);
        } else if (b == ',') {
            endJsonElement();
        } else if (b == '"' && element == JSON_NAME && nameFrom == NOT_SEEN) {
            inString = true;
            nameFrom = index + 1;
        } else if (b >= '0' && b <= '9' && element != JSON_NAME) {
            number = number * 10 + b - '0';
        } else if (b == '-' && element == JSON_SEQUENCE_ID) {
            numberSize = -1;
        } else {
            state = FAILED;
        }
    }

    private void readJsonName(byte b, int index) {
        if (escaped) {
            escaped = false;
            addToName(b);
        } else if (b == '"') {
            inString = false;
        } else {
            escaped = b == '\\';
            addToName(b);
        }
        if (nameBytes > ThriftRecognition.MAX_NAME_BYTES) {
            state = FAILED;
        }
    }

    private void endJsonElement() {
        switch (element) {
            case JSON_VERSION:
                if (number != 1) {
                    state = FAILED;
                }
                break;
            case JSON_NAME:
                if (nameFrom == NOT_SEEN) {
                    state = FAILED;
                }
                break;
            case JSON_TYPE:
                type = number;
                checkType(true);
                break;
            default:
                sequenceId = numberSize < 0 ? -number : number;
                headRead = true;
                jsonField = 0;
                jsonFieldType = 0;
                jsonExceptionType = 0;
                state = readsBody() ? JSON_BODY : DONE;
                break;
        }
        element++;
        number = 0;
        numberSize = 0;
    }

    private int readJsonBody(ByteBuf buffer, int from, int to) {
        for (int i = from; i < to; i++) {
            byte b = buffer.getByte(i);
            if (inString) {
                if (escaped) {
                    escaped = false;
                } else if (b == '\\') {
                    escaped = true;
                } else if (b == '"') {
                    inString = false;
                    jsonStringRead();
                } else {
                    jsonText = jsonText << 8 | b & 0xff;
                }
            } else if (b == '"') {
                inString = true;
                jsonText = 0;
            } else if (b >= '0' && b <= '9') {
                readJsonDigit(b - '0');
            } else if (b == '{' || b == '[') {
                depth++;
            } else if ((b == '}' || b == ']') && --depth == 0) {
                state = DONE;
                return i + 1;
            }
        }
        return to;
    }

    /** Fields are the keys at depth 2, the name of a value's type is the key at depth 3. */
    private void jsonStringRead() {
        if (depth == 2) {
            jsonField = jsonText;
            jsonFieldType = 0;
        } else if (depth == 3 && jsonFieldType == 0) {
            jsonFieldType = jsonText;
        }
    }

    private void readJsonDigit(int digit) {
        if (depth == 3
                && jsonField == '0' + EXCEPTION_TYPE_FIELD
                && jsonFieldType == JSON_I32
                && jsonExceptionType < MAX_JSON_EXCEPTION_TYPE) {
            jsonExceptionType = jsonExceptionType * 10 + digit;
        }
    }
}
