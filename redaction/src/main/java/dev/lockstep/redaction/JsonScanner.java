package dev.lockstep.redaction;

import dev.lockstep.protocol.ByteSearch;
import io.netty.buffer.ByteBuf;

/**
 * Finds secret values in JSON, without building a tree and without believing that the document is valid. Runs per byte
 * of such a body; used by the thread of its connection.
 *
 * <p>A string is a name when a colon follows it. It is met if the whole of it is of the set, or what stands behind its
 * last dot: {@code spring.datasource.password}. In {@code {"name":"password","value":...}} the name of the value stands
 * in a string before it. Where the value of a secret name is an object or an array, all strings and numbers in it are
 * secret, its names are not. Names are compared with their escapes resolved. {@code true}, {@code false} and
 * {@code null} stay: there is nothing of the same length and type that would hide them. All other strings are searched
 * for the parameters and passwords of addresses, and as JSON where they are that, by a {@link ParameterScanner}.
 *
 * <p>A document may be percent-encoded, in parts or more than once: a string ends at a quote that is encoded as often
 * as the one that it began with, or less often. A plus between names and values is a blank: in such a document it may
 * be, and elsewhere none stands there.
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
    private static final long QUESTION_MARKS = ByteSearch.pattern('?');
    private static final long NUMBER_SIGNS = ByteSearch.pattern('#');
    private static final long PERCENTS = ByteSearch.pattern('%');
    private static final long AMPERSANDS = ByteSearch.pattern('&');
    private static final long DOTS = ByteSearch.pattern('.');
    private static final long SEMICOLONS = ByteSearch.pattern(';');

    private final JsonRules rules;
    private final NameSet names;
    private final RuleKind kind;
    private final Spelling strings;
    private final Secret secret;
    private final AddressPassword password;
    /** Searches the strings that are no secret. */
    private final ParameterScanner text;
    /** By depth, the paths of which all names down to there were met; and those met with the last name there. */
    private final long[] active;

    private final long[] met;

    private int state;
    private int depth;
    /** How many objects and arrays are open, but for those of a secret. */
    private int brackets;

    private int name;
    /** What was read of the name behind its last dot. */
    private int part;

    private int levelName;
    /** Whether a brace or a comma stands before, so that the next string is a name, unless it is an array's. */
    private boolean mayBeName;
    /** Whether the next string names the value that stands behind it in its object. */
    private boolean naming;
    /** By depth, one bit each, in which objects that value was named as a secret; of those deeper nobody knows. */
    private long named;

    private int digits;
    private int code;
    /** How many bytes an escape has so far. */
    private int escapeBytes;
    /** How often the quote is percent-encoded that began the string. */
    private int quoteDepth;
    /** How often the last colon in a string is. */
    private int colonDepth;
    /** How many objects and arrays, of the value of a secret name, are open. */
    private int secretDepth;
    /** Whether a quote ended a bare value, as in broken JSON, so that nothing tells where the secret ends. */
    private boolean behindBare;

    private int spaces;

    /** Creates a scanner of bodies. */
    JsonScanner(RuleSet all, Secret secret) {
        this(
                all,
                RuleKind.JSON,
                Spelling.JSON_STRING,
                new AddressPassword(all, RuleKind.ADDRESS, Spelling.JSON_STRING, secret),
                secret,
                1);
    }

    /**
     * Creates a scanner of documents within something else.
     *
     * @param kind as what a field counts; where it is HTTP/2, parameters do so too
     * @param strings how strings are written
     * @param nesting in how many documents, with this one, a string stands
     */
    JsonScanner(RuleSet all, RuleKind kind, Spelling strings, AddressPassword password, Secret secret, int nesting) {
        rules = all.json;
        this.kind = kind;
        this.strings = strings;
        this.secret = secret;
        this.password = password;
        text = new ParameterScanner(
                all, kind == RuleKind.HTTP2 ? kind : RuleKind.QUERY, strings, password, secret, nesting);
        names = rules.names;
        active = new long[rules.levels() + 1];
        met = new long[rules.levels() + 1];
    }

    @Override
    void begin() {
        state = STRUCTURE;
        depth = 0;
        brackets = 0;
        secretDepth = 0;
        mayBeName = false;
        naming = false;
        named = 0;
        met[0] = -1L;
        password.begin();
    }

    /** Takes the brace that begins an object, for a caller that has read it. */
    void beginObject() {
        structure('{', 0);
    }

    /** Whether a string or a secret is open, of which all bytes belong to the document. */
    boolean isOpen() {
        return state != STRUCTURE && state != AFTER_STRING;
    }

    /** Whether the value of a secret name is not at its end, be it of several parts or not begun. */
    boolean isInSecret() {
        return state >= BEFORE_SECRET || isInString() && text.isInSecret();
    }

    /** Takes notice of a plus that may be a blank, also in the document in which this one stands. */
    void blank(boolean endsUser) {
        if (isInString()) {
            text.blank(endsUser);
        }
    }

    /** Whether a line's end tells that the document was cut: within a string, unless that is a secret with an end. */
    boolean endsAtLine() {
        boolean isBroken = state >= SECRET_STRING && state <= AFTER_SECRET_STRING && behindBare;
        return isInString() || isBroken;
    }

    /** Whether a string is open that is no secret. */
    private boolean isInString() {
        return state == STRING || state == STRING_ESCAPE || state == STRING_UNICODE;
    }

    /** Whether the open secret ended with its string, so that it has no bytes of what stands behind that. */
    boolean isBehindSecretString() {
        return state == AFTER_SECRET_STRING || isInString() && text.isBehindSecretString();
    }

    /** Whether as many objects and arrays ended as began. */
    boolean isDone() {
        return brackets == 0 && !isOpen();
    }

    @Override
    void scan(ByteBuf bytes, int from, int to, long base) {
        int i = from;
        while (i < to) {
            if (state == STRING && name == NameSet.DEAD && levelName == NameSet.DEAD && text.isIdle()) {
                int next = ByteSearch.findOf(
                        bytes,
                        i,
                        to,
                        QUOTES,
                        BACKSLASHES,
                        COLONS,
                        QUESTION_MARKS,
                        NUMBER_SIGNS,
                        PERCENTS,
                        AMPERSANDS,
                        SEMICOLONS);
                if (mayBeName) {
                    stepPart(bytes, i, next);
                }
                i = next;
                if (i == to) {
                    return;
                }
            }
            byte b = bytes.getByte(i);
            read(base + i, b, b & 0xff, 0, 1);
            i++;
        }
    }

    /**
     * Reads a byte.
     *
     * @param c the character, 0 to 255, that it ends, or -1 in the middle of one
     * @param encoded how often the character is percent-encoded
     * @param width how many bytes it takes
     */
    void read(long offset, byte b, int c, int encoded, int width) {
        switch (state) {
            case STRUCTURE:
                structure(c, encoded);
                break;
            case STRING:
                string(offset, b, c, encoded, width);
                break;
            case STRING_ESCAPE:
                escaped(offset, b, c, width);
                break;
            case STRING_UNICODE:
                unicode(offset, b, c, encoded, width);
                break;
            case AFTER_STRING:
                if (c == ':') {
                    endName();
                } else if (c >= 0 && !isBlank(c)) {
                    state = STRUCTURE;
                    structure(c, encoded);
                }
                break;
            case SECRET_STRING:
                secretString(offset, b, c, encoded, width);
                break;
            case SECRET_STRING_ESCAPE:
                secret.add(offset, b);
                if (c >= 0) {
                    state = SECRET_STRING;
                }
                break;
            case AFTER_SECRET_STRING:
                afterSecretString(offset, b, c, encoded, width);
                break;
            case SECRET_BARE:
                if (c == ',' || c == '}' || c == ']' || c == '"' || isSpace(c) || c == '+' && encoded < quoteDepth) {
                    secret.trimEnd(width - 1);
                    endBare();
                    behindBare = c == '"';
                    if (state == IN_SECRET || behindBare) {
                        insideSecret(offset, b, c, encoded, width);
                    } else {
                        structure(c, encoded);
                    }
                } else {
                    secret.add(offset, b);
                }
                break;
            default:
                insideSecret(offset, b, c, encoded, width);
                break;
        }
    }

    @Override
    void end() {
        if (state == SECRET_BARE) {
            endBare();
        }
        text.end();
        secret.close();
        state = STRUCTURE;
    }

    private void structure(int c, int encoded) {
        switch (c) {
            case '"':
                state = STRING;
                quoteDepth = encoded;
                colonDepth = 0;
                name = NameSet.START;
                part = mayBeName ? NameSet.START : NameSet.DEAD;
                levelName = depth > 0 && depth <= rules.levels() ? NameSet.START : NameSet.DEAD;
                text.beginString();
                break;
            case ',':
                mayBeName = true;
                naming = false;
                break;
            case '{':
                mayBeName = true;
                naming = false;
                if (depth < rules.levels()) {
                    active[depth] = met[depth];
                    met[depth + 1] = 0;
                }
                depth = Math.min(depth + 1, Integer.MAX_VALUE - 1);
                named &= ~bit();
                brackets++;
                break;
            case '[':
                brackets++;
                break;
            case '}':
                depth = Math.max(0, depth - 1);
                brackets--;
                break;
            case ']':
                brackets--;
                break;
            default:
                break;
        }
    }

    /** The bit of the innermost object that is open. */
    private long bit() {
        return depth < Long.SIZE ? 1L << depth : 0;
    }

    private void step(byte b) {
        name = names.next(name, b);
        if (mayBeName) {
            stepPart(b);
        }
        if (levelName != NameSet.DEAD) {
            levelName = rules.level(depth - 1).next(levelName, b);
        }
    }

    private void stepPart(ByteBuf bytes, int from, int to) {
        for (int i = from; i < to; i++) {
            if (part == NameSet.DEAD && !naming) {
                // Only a dot begins another.
                i = ByteSearch.find(bytes, i, to, DOTS);
            }
            if (i < to) {
                stepPart(bytes.getByte(i));
            }
        }
    }

    private void stepPart(byte b) {
        part = b == '.' || b == '/' && naming ? NameSet.START : names.next(part, b);
    }

    private void string(long offset, byte b, int c, int encoded, int width) {
        if (c == '"' && encoded <= quoteDepth) {
            text.endAt(offset, b, c, 0, width);
            if (naming && ((names.bits(name) | names.bits(part)) & JsonRules.SECRET) != 0) {
                named |= bit();
            }
            naming = false;
            state = AFTER_STRING;
        } else if (c == '\\' && encoded <= quoteDepth) {
            text.read(offset, b, -1, 0, 0);
            escapeBytes = width;
            state = STRING_ESCAPE;
        } else {
            // What is encoded as often as the quotes stands plain in the string.
            text.read(offset, b, c, Math.max(0, encoded - quoteDepth), width);
            if (c >= 0) {
                step((byte) c);
            }
            colonDepth = c == ':' ? encoded : colonDepth;
            if (c == '+' && encoded < quoteDepth) {
                text.blank(encoded < colonDepth);
            }
        }
    }

    private void escaped(long offset, byte b, int c, int width) {
        if (c < 0) {
            text.read(offset, b, -1, 0, 0);
            return;
        }
        escapeBytes += width;
        if (c == 'u') {
            text.read(offset, b, -1, 0, 0);
            state = STRING_UNICODE;
            digits = 4;
            code = 0;
        } else {
            text.read(offset, b, Hex.unescaped((byte) c) & 0xff, 0, escapeBytes);
            state = STRING;
            step(Hex.unescaped((byte) c));
        }
    }

    private void unicode(long offset, byte b, int c, int encoded, int width) {
        if (c < 0) {
            text.read(offset, b, -1, 0, 0);
            return;
        }
        int digit = Character.digit(c, 16);
        if (digit < 0) {
            // No escape after all: this byte is the string's next.
            state = STRING;
            step((byte) 0);
            string(offset, b, c, encoded, width);
            return;
        }
        code = code << 4 | digit;
        escapeBytes += width;
        if (--digits != 0) {
            text.read(offset, b, -1, 0, 0);
            return;
        }
        state = STRING;
        byte character = code < 0x80 ? (byte) code : (byte) -1;
        text.read(offset, b, character & 0xff, 0, escapeBytes);
        step(character);
    }

    private void endName() {
        long bits = names.bits(name) | names.bits(part);
        boolean isNamed = (bits & JsonRules.VALUE) != 0 && (named & bit()) != 0;
        boolean isSecret = isNamed || (bits & JsonRules.SECRET) != 0;
        if (depth > 0 && depth <= rules.levels()) {
            long found = levelName == NameSet.DEAD
                    ? 0
                    : active[depth - 1] & rules.level(depth - 1).bits(levelName);
            met[depth] = found;
            isSecret |= (found & rules.complete(depth - 1)) != 0;
        }
        secretDepth = 0;
        behindBare = false;
        naming = !isSecret && (bits & JsonRules.NAME) != 0;
        mayBeName = naming;
        if (isSecret) {
            password.end();
        }
        state = isSecret ? BEFORE_SECRET : STRUCTURE;
    }

    private void secretString(long offset, byte b, int c, int encoded, int width) {
        if (c != '"' || encoded > quoteDepth) {
            secret.add(offset, b);
            if (c == '\\' && encoded <= quoteDepth) {
                state = SECRET_STRING_ESCAPE;
            }
            return;
        }
        secret.trimEnd(width - 1);
        if (secretDepth == 0 && !behindBare) {
            secret.close();
            state = STRUCTURE;
        } else {
            spaces = 0;
            state = AFTER_SECRET_STRING;
        }
    }

    /** Reads what stands before, between and behind the strings and numbers of a secret value. */
    private void insideSecret(long offset, byte b, int c, int encoded, int width) {
        if (c < 0 || !isStructure(c)) {
            // In the middle of a character nothing tells yet whether a number begins.
            if (!secret.isOpen()) {
                secret.open(kind, Spelling.JSON_BARE);
            }
            secret.add(offset, b);
            if (c >= 0) {
                state = SECRET_BARE;
            }
            return;
        }
        secret.abandon();
        switch (c) {
            case '"':
                secret.open(kind, strings);
                quoteDepth = encoded;
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
                    structure(c, encoded);
                } else if (--secretDepth == 0) {
                    state = STRUCTURE;
                }
                break;
            case ',':
            case ':':
                if (secretDepth == 0) {
                    state = STRUCTURE;
                    structure(c, encoded);
                }
                break;
            default:
                break;
        }
    }

    private void afterSecretString(long offset, byte b, int c, int encoded, int width) {
        if (c == ':') {
            secret.abandon();
            state = IN_SECRET;
            return;
        }
        if ((c < 0 || isBlank(c)) && ++spaces < MOST_SPACES) {
            return;
        }
        secret.close();
        state = IN_SECRET;
        insideSecret(offset, b, c, encoded, width);
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

    private static boolean isStructure(int c) {
        return c == '"' || c == '{' || c == '}' || c == '[' || c == ']' || c == ',' || c == ':' || isBlank(c);
    }

    private static boolean isBlank(int c) {
        return isSpace(c) || c == '+';
    }

    static boolean isSpace(int c) {
        return c == ' ' || c == '\t' || c == '\n' || c == '\r';
    }
}
