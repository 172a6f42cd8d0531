package dev.lockstep.redaction;

import io.netty.buffer.ByteBuf;
import java.util.Arrays;

/**
 * Finds secrets in bytes of which nobody knows where requests begin and end: values behind the name of a header and a
 * colon, up to the line's end, and values behind the name of a parameter and an equals sign, wherever in a line they
 * stand and whatever stands before them; and the passwords of addresses. Runs per byte of such a stream; used by the
 * thread of its connection.
 */
final class LineSearch {
    private static final int SEEK = 0;
    private static final int VALUE = 1;
    private static final int FOLD = 2;
    private static final int PARAMETER = 3;
    private static final int TYPE = 4;

    private static final int LONGEST_TYPE = 256;

    private final RuleSet rules;
    private final NameSet names;
    private final Secret secret;
    private final HeaderValueScanner values;
    private final ParameterScanner query;
    private final ParameterScanner form;
    private final AddressPassword password;
    private final Escapes escapes = new Escapes();

    private int state;
    /** What the header says of its value. */
    private long rule;
    /** The header's name as far as it was read. */
    private int node;
    /** Whether a blank stands behind the name; only a colon may follow. */
    private boolean blank;
    /** Whether the line has no byte yet. */
    private boolean emptyLine;
    /** What the last lines said of the body behind them; null for nothing. */
    private byte[] contentType;

    private byte[] type;
    private int typeLength;
    private boolean bodyFollows;

    LineSearch(RuleSet rules, Secret secret, HeaderValueScanner values) {
        this.rules = rules;
        names = rules.headers;
        this.secret = secret;
        this.values = values;
        password = new AddressPassword(rules, RuleKind.ADDRESS, Spelling.PERCENT, secret);
        query = new ParameterScanner(rules, RuleKind.QUERY, password, secret);
        form = new ParameterScanner(rules, RuleKind.FORM, password, secret);
    }

    /**
     * Begins at a line's first byte.
     *
     * @param knownType the Content-Type of the request whose lines these are, or null
     */
    void begin(byte[] knownType) {
        contentType = knownType;
        bodyFollows = false;
        state = SEEK;
        emptyLine = true;
        password.begin();
        escapes.begin();
        beginName();
    }

    /** Goes on in a header's value, or behind a line of it. */
    void goOn(long headerRule, boolean inLine) {
        rule = headerRule;
        if ((rule & HeaderRules.SEARCHED) != 0) {
            state = inLine ? VALUE : FOLD;
            emptyLine = !inLine;
        }
    }

    /** Whether a body begins here whose type is told, and that may be searched where it is framed. */
    boolean bodyFollows() {
        return bodyFollows;
    }

    /** Reads on, at most to where a body follows, and returns the index after the last byte read. */
    int scan(ByteBuf bytes, int from, int to, long base) {
        int i = from;
        while (i < to && !bodyFollows) {
            byte b = bytes.getByte(i);
            switch (state) {
                case SEEK:
                    seek(base + i, b);
                    i++;
                    break;
                case VALUE:
                    i = values.scan(bytes, i, to, base);
                    if (i < to) {
                        values.end();
                        state = FOLD;
                        emptyLine = true;
                        i++;
                    }
                    break;
                case FOLD:
                    if (b == ' ' || b == '\t') {
                        values.beginContinuation(rule);
                        state = VALUE;
                    } else {
                        beginName();
                        state = SEEK;
                    }
                    break;
                case PARAMETER:
                    if (b == '&' || b == ' ' || b == '\t' || b == '\r' || b == '\n' || b == '#') {
                        secret.close();
                        beginName();
                        state = SEEK;
                    } else {
                        secret.add(base + i, b);
                        i++;
                    }
                    break;
                default:
                    if (b == '\n') {
                        endType();
                        state = SEEK;
                    } else {
                        if (typeLength < LONGEST_TYPE) {
                            type[typeLength++] = b;
                        }
                        i++;
                    }
                    break;
            }
        }
        return i;
    }

    /** Replaces what is open of a value. */
    void end() {
        if (state == VALUE) {
            values.end();
        }
        password.end();
        secret.close();
    }

    private void seek(long offset, byte b) {
        int c = escapes.read(b);
        password.read(offset, b, c, escapes.depth(), escapes.width());
        if (b == '\n') {
            endLine();
            return;
        }
        if (b == '\r') {
            beginName();
            return;
        }
        emptyLine = false;
        if (b == ':') {
            endHeaderName();
        } else if (b == '=') {
            if (query.isMet() || form.isMet()) {
                password.end();
                secret.open(query.isMet() ? RuleKind.QUERY : RuleKind.FORM, Spelling.PERCENT);
                state = PARAMETER;
            }
            beginName();
        } else if (b == ' ' || b == '\t') {
            blank = true;
        } else if (isName(b)) {
            if (blank) {
                beginName();
            }
            node = isHeaderName(b) ? names.next(node, b) : NameSet.START;
            query.name(b);
            form.name(b);
        } else {
            beginName();
        }
    }

    private void endHeaderName() {
        rule = names.bits(node);
        beginName();
        if ((rule & HeaderRules.SEARCHED) != 0) {
            password.end();
            values.begin(rule);
            state = VALUE;
        } else if ((rule & HeaderRules.CONTENT_TYPE) != 0) {
            password.end();
            if (type == null) {
                type = new byte[LONGEST_TYPE];
            }
            typeLength = 0;
            state = TYPE;
        }
    }

    private void endType() {
        int from = 0;
        while (from < typeLength && (type[from] == ' ' || type[from] == '\t')) {
            from++;
        }
        contentType = Arrays.copyOfRange(type, from, typeLength);
    }

    private void endLine() {
        if (emptyLine) {
            bodyFollows = contentType != null && Bodies.maySearch(rules, contentType);
            contentType = null;
        }
        emptyLine = true;
        beginName();
    }

    private void beginName() {
        blank = false;
        node = NameSet.START;
        query.beginName();
        form.beginName();
    }

    /** Whether a byte may stand in a name; a percent-encoded one too. */
    private static boolean isName(byte b) {
        return isHeaderName(b) || b == '%' || b == '[' || b == ']' || b == '+';
    }

    private static boolean isHeaderName(byte b) {
        return (b | 0x20) >= 'a' && (b | 0x20) <= 'z' || b >= '0' && b <= '9' || b == '-' || b == '_' || b == '.';
    }
}
