package dev.lockstep.redaction;

import io.netty.buffer.ByteBuf;

/**
 * Takes a body, or a part of one, by its first bytes, behind a byte order mark and blanks: JSON, whatever its type, for
 * many have a name of their own for it; of text, of no told type, and of what is said to be a form, as curl says of all
 * that it sends, else a form, unless it is XML. What is told to be JSON or text but begins as neither does, in UTF-16
 * or UTF-32 or compressed, is read nevertheless, and counts as not searched. Runs per byte until that is known; used by
 * the thread of its connection.
 *
 * <p>A brace or a bracket alone makes no JSON: GraphQL, INI files and lines of logs begin with one too. Behind a brace
 * must stand a name in quotes, behind a bracket a value, which is a word of JSON's or a number only where it ends as
 * JSON has it. An array of one of these alone tells nothing, since names in forms and lines of logs begin with
 * {@code [0]}: what stands behind it is looked at as if it were the first. In text a packet's number may stand before
 * JSON, as in Engine.IO's {@code 42["login",...]}.
 */
final class Sniffer extends BodyScanner {
    private static final byte[] MARK = {(byte) 0xEF, (byte) 0xBB, (byte) 0xBF};
    /** More than a number has. */
    private static final int LONGEST_SCALAR = 32;
    /** So many bytes tell text from what is none. */
    private static final int FIRST_BYTES = 16;

    /** Before each text of a sequence (RFC 7464). */
    private static final byte RECORD_SEPARATOR = 0x1E;

    /** Begins a colour in what was written for a terminal. */
    private static final byte ESCAPE = 0x1B;

    private static final byte FORM_FEED = '\f';

    private static final int BEGINNING = 0;
    private static final int IN_OBJECT = 1;
    private static final int IN_ARRAY = 2;
    private static final int SCALAR = 3;
    private static final int BEHIND_SCALAR = 4;
    private static final int UNSEARCHED = 5;

    private final Bodies bodies;
    private final Runnable onUnsearched;
    private boolean isJson;
    private boolean isText;
    private boolean isUnsearched;
    private BodyScanner chosen;
    /** How many of the first bytes were looked at. */
    private int firstBytes;

    private int state;
    /** How many bytes of a mark were read. */
    private int marks;
    /** How many arrays began; 0 where a number stands before JSON. */
    private int brackets;
    /** A word or number behind a bracket, or a number before, as far as it was read. */
    private final byte[] scalar = new byte[LONGEST_SCALAR];

    private int scalarLength;
    /** Whether a line ended behind it. */
    private boolean lineEnded;

    /** @param onUnsearched is run once for each that cannot be searched */
    Sniffer(Bodies bodies, Runnable onUnsearched) {
        this.bodies = bodies;
        this.onUnsearched = onUnsearched;
    }

    /** Says of what is begun next whether its type is JSON's, or one of text. */
    void expect(boolean json, boolean text) {
        isJson = json;
        isText = text;
    }

    @Override
    void begin() {
        chosen = null;
        beginAgain();
        marks = 0;
        firstBytes = 0;
        isUnsearched = false;
        if (isJson) {
            json();
        }
    }

    @Override
    void scan(ByteBuf bytes, int from, int to, long base) {
        if (isJson || isText) {
            lookForText(bytes, from, to);
        }
        int i = from;
        while (i < to && isUndecided()) {
            read(bytes.getByte(i));
            if (isUndecided()) {
                i++;
            }
        }
        if (i < to && chosen != null) {
            chosen.scan(bytes, i, to, base);
            if (chosen.isUnsearched()) {
                countUnsearched();
            }
        }
    }

    private void lookForText(ByteBuf bytes, int from, int to) {
        for (int i = from; i < to && firstBytes < FIRST_BYTES; i++) {
            byte b = bytes.getByte(i);
            boolean isMark = firstBytes == 0 && (b == (byte) 0xFE || b == (byte) 0xFF);
            boolean isOfText = !isJson && (b == ESCAPE || b == FORM_FEED);
            boolean isControl = b >= 0 && b < ' ' && !JsonScanner.isSpace(b) && b != RECORD_SEPARATOR && !isOfText;
            if (isMark || isControl) {
                countUnsearched();
            }
            firstBytes++;
        }
    }

    @Override
    void end() {
        if (chosen != null) {
            chosen.end();
        }
    }

    @Override
    boolean isUnsearched() {
        return isUnsearched;
    }

    private boolean isUndecided() {
        return chosen == null && state != UNSEARCHED;
    }

    private void read(byte b) {
        switch (state) {
            case BEGINNING:
                first(b);
                break;
            case IN_OBJECT:
                if (b == '"' || b == '}') {
                    json();
                } else if (!JsonScanner.isSpace(b)) {
                    other();
                }
                break;
            case IN_ARRAY:
                inArray(b);
                break;
            case SCALAR:
                if ((brackets == 0 ? isDigit(b) : isOfScalar(b)) && scalarLength < LONGEST_SCALAR) {
                    scalar[scalarLength++] = b;
                } else {
                    behindScalar(b);
                }
                break;
            default:
                behindScalar(b);
                break;
        }
    }

    private void first(byte b) {
        if (marks < MARK.length && b == MARK[marks]) {
            marks++;
        } else if (b == '{') {
            state = IN_OBJECT;
        } else if (b == '[') {
            brackets = 1;
            state = IN_ARRAY;
        } else if (b == '<') {
            unsearched();
        } else if (isText && isDigit(b)) {
            scalar[scalarLength++] = b;
            state = SCALAR;
        } else if (!JsonScanner.isSpace(b) && b != RECORD_SEPARATOR && !(isText && b >= 0 && b < ' ')) {
            // In text a control character is none of its lines.
            other();
        }
    }

    private void inArray(byte b) {
        if (b == '"') {
            json();
        } else if (b == ']') {
            endArray();
        } else if (b == '[') {
            brackets++;
        } else if (b == '{') {
            state = IN_OBJECT;
        } else if (b == 't' || b == 'f' || b == 'n' || b == '-' || isDigit(b)) {
            scalar[scalarLength++] = b;
            state = SCALAR;
        } else if (!JsonScanner.isSpace(b)) {
            other();
        }
    }

    private void behindScalar(byte b) {
        if (brackets == 0) {
            behindNumber(b);
        } else if (JsonScanner.isSpace(b)) {
            state = BEHIND_SCALAR;
            lineEnded |= b == '\n';
        } else if (b == ',' && isScalar()) {
            json();
        } else if (b == ']' && isScalar()) {
            endArray();
        } else {
            other();
        }
    }

    private void behindNumber(byte b) {
        if (b == '{' || b == '[') {
            beginAgain();
            first(b);
        } else if ((b == ':' || b == RECORD_SEPARATOR) && scalarLength < LONGEST_SCALAR) {
            scalar[scalarLength++] = b;
        } else {
            other();
        }
    }

    private void endArray() {
        if (brackets > 1) {
            json();
        } else {
            beginAgain();
        }
    }

    private void beginAgain() {
        scalarLength = 0;
        brackets = 0;
        lineEnded = false;
        state = BEGINNING;
    }

    private boolean isScalar() {
        return ContentType.is(scalar, 0, scalarLength, "true")
                || ContentType.is(scalar, 0, scalarLength, "false")
                || ContentType.is(scalar, 0, scalarLength, "null")
                || isNumber();
    }

    private boolean isNumber() {
        boolean point = false;
        boolean exponent = false;
        for (int i = 0; i < scalarLength; i++) {
            byte b = scalar[i];
            boolean first = i == 0 || scalar[i - 1] == 'e' || scalar[i - 1] == 'E';
            if (b == '.') {
                if (point || exponent) {
                    return false;
                }
                point = true;
            } else if (b == 'e' || b == 'E') {
                if (exponent) {
                    return false;
                }
                exponent = true;
            } else if (!(isDigit(b) || first && (b == '-' || b == '+'))) {
                return false;
            }
        }
        return true;
    }

    private static boolean isDigit(byte b) {
        return b >= '0' && b <= '9';
    }

    private static boolean isOfScalar(byte b) {
        return isDigit(b) || b >= 'a' && b <= 'z' || b == '-' || b == '+' || b == '.' || b == 'E';
    }

    private void json() {
        JsonScanner json = bodies.json();
        json.begin();
        if (state == IN_OBJECT) {
            json.beginObject();
        }
        chosen = json;
    }

    private void other() {
        if (!isText) {
            unsearched();
            return;
        }
        ParameterScanner form = bodies.form();
        form.begin();
        // What was taken for a scalar may be a name, or the beginning of one.
        for (int i = 0; i < scalarLength && !lineEnded; i++) {
            form.name(scalar[i]);
        }
        if (state == BEHIND_SCALAR && !lineEnded) {
            form.blankBehindName();
        }
        chosen = form;
    }

    private void unsearched() {
        state = UNSEARCHED;
        countUnsearched();
    }

    private void countUnsearched() {
        if (!isUnsearched) {
            isUnsearched = true;
            onUnsearched.run();
        }
    }
}
