package dev.lockstep.redaction;

import dev.lockstep.protocol.ByteSearch;
import io.netty.buffer.ByteBuf;

/**
 * Finds secret values in JSON, without building a tree and without believing that the document is valid. Runs per byte
 * of such a body; used by the thread of its connection.
 *
 * <p>A string is a name when a colon follows it. Where the value of a secret name is an object or an array, all strings
 * and numbers in it are secret, its names are not. Names are compared with their escapes resolved. {@code true},
 * {@code false} and {@code null} stay: there is nothing of the same length and type that would hide them. In all other
 * strings the passwords of addresses are looked for.
 */
final class JsonScanner extends BodyScanner {
    private static final int STRUCTURE = 0;
    private static final int STRING = 1;
    private static final int STRING_ESCAPE = 2;
    private static final int STRING_UNICODE = 3;
    private static final int AFTER_STRING = 4;
    private static final int BEFORE_SECRET = 5;
    private static final int SECRET_STRING = 6;
    private static final int SECRET_STRING_ESCAPE = 7;
    private static final int AFTER_SECRET_STRING = 8;
    private static final int SECRET_BARE = 9;
    private static final int IN_SECRET = 10;

    private static final int MOST_SPACES = 1024;
    private static final long QUOTES = ByteSearch.pattern('"');
    private static final long BACKSLASHES = ByteSearch.pattern('\\');
    private static final long COLONS = ByteSearch.pattern(':');
    private static final int ESCAPE_BYTES = 2;
    private static final int UNICODE_BYTES = 6;

    private final JsonRules rules;
    private final NameSet names;
    private final Secret secret;
    private final AddressPassword password;
    /** By depth, the paths of which all names down to there were met; and those met with the last name there. */
    private final long[] active;

    private final long[] met;

    private int state;
    private int depth;
    private int name;
    private int levelName;
    private int digits;
    private int code;
    /** How many objects and arrays, of the value of a secret name, are open. */
    private int secretDepth;

    private int spaces;

    JsonScanner(RuleSet all, Secret secret) {
        rules = all.json;
        this.secret = secret;
        password = new AddressPassword(all, RuleKind.ADDRESS, Spelling.JSON_STRING, secret);
        names = rules.names;
        active = new long[rules.levels() + 1];
        met = new long[rules.levels() + 1];
    }

    @Override
    void begin() {
        state = STRUCTURE;
        depth = 0;
        secretDepth = 0;
        met[0] = -1L;
        password.begin();
    }

    /** Takes the brace that begins an object, for a caller that has read it. */
    void beginObject() {
        structure((byte) '{');
    }

    @Override
    void scan(ByteBuf bytes, int from, int to, long base) {
        int i = from;
        while (i < to) {
            if (state == STRING && name == NameSet.DEAD && levelName == NameSet.DEAD && !password.isReading()) {
                i = ByteSearch.findOf(bytes, i, to, QUOTES, BACKSLASHES, COLONS, COLONS, COLONS, COLONS);
                if (i == to) {
                    return;
                }
            }
            byte b = bytes.getByte(i);
            switch (state) {
                case STRUCTURE:
                    structure(b);
                    break;
                case STRING:
                    string(b, base + i);
                    break;
                case STRING_ESCAPE:
                    if (b == 'u') {
                        password.read(base + i, b, -1, 0, 0);
                        state = STRING_UNICODE;
                        digits = 4;
                        code = 0;
                    } else {
                        password.read(base + i, b, Hex.unescaped(b) & 0xff, 0, ESCAPE_BYTES);
                        state = STRING;
                        step(Hex.unescaped(b));
                    }
                    break;
                case STRING_UNICODE:
                    unicode(b, base + i);
                    break;
                case AFTER_STRING:
                    if (b == ':') {
                        endName();
                    } else if (!isSpace(b)) {
                        state = STRUCTURE;
                        structure(b);
                    }
                    break;
                case SECRET_STRING:
                    if (b == '"') {
                        if (secretDepth == 0) {
                            secret.close();
                            state = STRUCTURE;
                        } else {
                            spaces = 0;
                            state = AFTER_SECRET_STRING;
                        }
                        break;
                    }
                    secret.add(base + i, b);
                    if (b == '\\') {
                        state = SECRET_STRING_ESCAPE;
                    }
                    break;
                case SECRET_STRING_ESCAPE:
                    secret.add(base + i, b);
                    state = SECRET_STRING;
                    break;
                case AFTER_SECRET_STRING:
                    afterSecretString(b, base + i);
                    break;
                case SECRET_BARE:
                    if (b == ',' || b == '}' || b == ']' || b == '"' || isSpace(b)) {
                        endBare();
                        if (state == IN_SECRET) {
                            insideSecret(b, base + i);
                        } else {
                            structure(b);
                        }
                    } else {
                        secret.add(base + i, b);
                    }
                    break;
                default:
                    insideSecret(b, base + i);
                    break;
            }
            i++;
        }
    }

    @Override
    void end() {
        if (state == SECRET_BARE) {
            endBare();
        }
        password.end();
        secret.close();
        state = STRUCTURE;
    }

    private void structure(byte b) {
        switch (b) {
            case '"':
                state = STRING;
                name = NameSet.START;
                levelName = depth > 0 && depth <= rules.levels() ? NameSet.START : NameSet.DEAD;
                break;
            case '{':
                if (depth < rules.levels()) {
                    active[depth] = met[depth];
                    met[depth + 1] = 0;
                }
                depth = Math.min(depth + 1, Integer.MAX_VALUE - 1);
                break;
            case '}':
                depth = Math.max(0, depth - 1);
                break;
            default:
                break;
        }
    }

    private void step(byte b) {
        name = names.next(name, b);
        if (levelName != NameSet.DEAD) {
            levelName = rules.level(depth - 1).next(levelName, b);
        }
    }

    private void string(byte b, long offset) {
        if (b == '"') {
            password.end();
            state = AFTER_STRING;
        } else if (b == '\\') {
            password.read(offset, b, -1, 0, 0);
            state = STRING_ESCAPE;
        } else {
            password.read(offset, b, b & 0xff, 0, 1);
            step(b);
        }
    }

    private void unicode(byte b, long offset) {
        int digit = Character.digit(b, 16);
        if (digit < 0) {
            // No escape after all: this byte is the string's next.
            state = STRING;
            step((byte) 0);
            string(b, offset);
            return;
        }
        code = code << 4 | digit;
        if (--digits != 0) {
            password.read(offset, b, -1, 0, 0);
            return;
        }
        state = STRING;
        byte c = code < 0x80 ? (byte) code : (byte) -1;
        password.read(offset, b, c & 0xff, 0, UNICODE_BYTES);
        step(c);
    }

    private void endName() {
        boolean isSecret = names.bits(name) != 0;
        if (depth > 0 && depth <= rules.levels()) {
            long found = levelName == NameSet.DEAD
                    ? 0
                    : active[depth - 1] & rules.level(depth - 1).bits(levelName);
            met[depth] = found;
            isSecret |= (found & rules.complete(depth - 1)) != 0;
        }
        secretDepth = 0;
        state = isSecret ? BEFORE_SECRET : STRUCTURE;
    }

    /** Reads what stands before, between and behind the strings and numbers of a secret value. */
    private void insideSecret(byte b, long offset) {
        if (isSpace(b)) {
            return;
        }
        switch (b) {
            case '"':
                secret.open(RuleKind.JSON, Spelling.JSON_STRING);
                state = SECRET_STRING;
                break;
            case '{':
            case '[':
                secretDepth++;
                state = IN_SECRET;
                break;
            case '}':
            case ']':
                if (secretDepth == 0) {
                    state = STRUCTURE;
                    structure(b);
                } else if (--secretDepth == 0) {
                    state = STRUCTURE;
                }
                break;
            case ',':
            case ':':
                if (secretDepth == 0) {
                    state = STRUCTURE;
                }
                break;
            default:
                secret.open(RuleKind.JSON, Spelling.JSON_BARE);
                secret.add(offset, b);
                state = SECRET_BARE;
                break;
        }
    }

    private void afterSecretString(byte b, long offset) {
        if (b == ':') {
            secret.abandon();
            state = IN_SECRET;
            return;
        }
        if (isSpace(b) && ++spaces < MOST_SPACES) {
            return;
        }
        secret.close();
        state = IN_SECRET;
        insideSecret(b, offset);
    }

    private void endBare() {
        byte[] raw = secret.raw();
        int length = secret.to();
        if (!secret.isContinued()
                && (ContentType.is(raw, 0, length, "true")
                        || ContentType.is(raw, 0, length, "false")
                        || ContentType.is(raw, 0, length, "null"))) {
            secret.abandon();
        } else {
            boolean number = true;
            for (int i = 0; i < length; i++) {
                byte b = raw[i];
                number &= b >= '0' && b <= '9' || b == '-' || b == '+' || b == '.' || b == 'e' || b == 'E';
            }
            if (!number) {
                secret.spelling(Spelling.PLAIN);
            }
            secret.close();
        }
        state = secretDepth == 0 ? STRUCTURE : IN_SECRET;
    }

    static boolean isSpace(byte b) {
        return b == ' ' || b == '\t' || b == '\n' || b == '\r';
    }
}
