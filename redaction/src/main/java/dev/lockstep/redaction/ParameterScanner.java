package dev.lockstep.redaction;

import dev.lockstep.protocol.ByteSearch;
import io.netty.buffer.ByteBuf;

/**
 * Finds secret values in {@code name=value&name=value}: a query, a form, or the parameters of a path's segment. Runs
 * per byte; used by the thread of its connection.
 *
 * <p>In queries and forms a semicolon separates parameters for some servers and is a part of the value for others: it
 * begins another name, but ends no secret.
 *
 * <p>A name is met if the whole of it, or a part between brackets or dots, is of the set: {@code password},
 * {@code user[password]} and {@code user.password}.
 *
 * <p>An address that is percent-encoded in a value is searched too, and one within that:
 * {@code next=%2Fcb%3Ftoken%3D...%26x%3D1} and {@code %253Ftoken%253D}. An encoded question mark, ampersand, semicolon
 * or number sign begins a name there, and an ampersand or number sign that is encoded as often ends a secret.
 *
 * <p>The password of an address is looked for at the same time, wherever no other secret is open. A value that is JSON
 * is not searched.
 */
final class ParameterScanner extends BodyScanner {
    /** Where the parameters stand, which says where they end. */
    enum Place {
        /** A body. */
        FORM,
        /** Behind a question mark, up to a blank, a line's end or a fragment. */
        QUERY,
        /** Behind a semicolon in a path: up to the segment's end too. */
        PATH
    }

    private static final int NAME = 0;
    private static final int SECRET_VALUE = 1;
    private static final int VALUE = 2;

    private static final long AMPERSANDS = ByteSearch.pattern('&');
    private static final long SEMICOLONS = ByteSearch.pattern(';');
    private static final long LINE_ENDS = ByteSearch.pattern('\n');
    private static final long PERCENTS = ByteSearch.pattern('%');
    private static final long COLONS = ByteSearch.pattern(':');
    private static final long NUMBER_SIGNS = ByteSearch.pattern('#');

    private final NameSet names;
    private final RuleKind kind;
    private final AddressPassword password;
    private final Secret secret;
    private final Escapes escapes = new Escapes();
    private Place place = Place.FORM;
    private int state;
    private int whole;
    private int part;
    private boolean met;
    /** How often the address is percent-encoded in which the name or value stands. */
    private int depth;
    /** Whether nothing but blanks was read of a value that is no secret. */
    private boolean atValue;

    private boolean isUnsearched;

    ParameterScanner(NameSet names, RuleKind kind, AddressPassword password, Secret secret) {
        this.names = names;
        this.kind = kind;
        this.password = password;
        this.secret = secret;
    }

    @Override
    void begin() {
        password.begin();
        begin(Place.FORM);
    }

    /** Begins in an address, of which the password may be open. */
    void begin(Place where) {
        place = where;
        atValue = false;
        isUnsearched = false;
        beginName();
    }

    @Override
    void scan(ByteBuf bytes, int from, int to, long base) {
        read(bytes, from, to, base);
    }

    /**
     * Reads on and returns the index of the byte behind the parameters, or {@code to}. A password may be open there,
     * for which that byte is read too.
     */
    int read(ByteBuf bytes, int from, int to, long base) {
        for (int i = from; i < to; i++) {
            byte b = bytes.getByte(i);
            if (isOfNothing(b)) {
                int next = ByteSearch.findOf(
                        bytes, i, to, AMPERSANDS, SEMICOLONS, LINE_ENDS, PERCENTS, COLONS, NUMBER_SIGNS);
                i = next - 1;
            } else if (endsValue(b)) {
                end();
                beginName();
            } else if (place != Place.FORM && isEnd(b)) {
                if (state == SECRET_VALUE) {
                    secret.close();
                }
                return i;
            } else {
                readPart(base + i, b);
            }
        }
        return to;
    }

    /** Whether a byte is of a body's value that is no secret, and changes nothing. */
    private boolean isOfNothing(byte b) {
        return state == VALUE
                && place == Place.FORM
                && !atValue
                && escapes.isBetween()
                && !password.isReading()
                && b != '&'
                && b != ';'
                && b != '\n'
                && b != '%'
                && b != ':'
                && b != '#';
    }

    private void readPart(long offset, byte b) {
        int c = escapes.read(b);
        int encoded = escapes.depth();
        if (state == SECRET_VALUE) {
            if ((c == '&' || c == '#') && encoded > 0 && encoded <= depth) {
                secret.trimEnd(escapes.width() - 1);
                secret.close();
                beginName(encoded);
            } else {
                secret.add(offset, b);
            }
            return;
        }
        if ((c == '&' || c == ';') && place != Place.PATH && password.isPort(encoded, escapes.width())) {
            password.end();
        }
        password.read(offset, b, c, encoded, escapes.width());
        if (c < 0) {
            return;
        }
        if (state == VALUE && atValue) {
            isUnsearched |= c == '{' || c == '[';
            atValue = c <= ' ' || c == '+';
        }
        if (encoded == 0 ? begins(b) : c == '?' || c == '&' || c == ';' || c == '#') {
            beginName(encoded);
        } else if (state == NAME) {
            if (c == '=' && encoded <= depth) {
                // Behind a plain one stands a value of the parameters themselves, whatever its name has.
                depth = encoded;
                endName();
            } else {
                name(c);
            }
        }
    }

    @Override
    void end() {
        password.end();
        secret.close();
    }

    @Override
    boolean isUnsearched() {
        return isUnsearched;
    }

    /** In a path both separators may be of an address's password. */
    private boolean endsValue(byte b) {
        return place == Place.PATH ? state == SECRET_VALUE && (b == '&' || b == ';') : b == '&';
    }

    /**
     * A semicolon, in text a line's end and an address's number sign, and in an address within a query its question
     * mark, begin a name, but end no secret.
     */
    private boolean begins(byte b) {
        return b == ';' || b == '&' || (place == Place.FORM ? b == '\n' || b == '#' : place == Place.QUERY && b == '?');
    }

    private boolean isEnd(byte b) {
        // A control character is no end: a server that takes one reads on.
        return b == ' '
                || b == '\t'
                || b == '\r'
                || b == '\n'
                || b == '#'
                || place == Place.PATH && (b == '/' || b == '?');
    }

    /** Begins a name, for a caller that looks for names itself. */
    void beginName() {
        beginName(0);
    }

    private void beginName(int encoded) {
        state = NAME;
        whole = NameSet.START;
        part = NameSet.START;
        met = false;
        depth = encoded;
        escapes.begin();
    }

    /** Takes the next byte of a name, for a caller that looks for names itself. */
    void name(byte b) {
        int c = escapes.read(b);
        if (c >= 0) {
            name(c);
        }
    }

    private void name(int c) {
        step(c == '+' && escapes.depth() == 0 ? (byte) ' ' : (byte) c);
    }

    private void step(byte b) {
        whole = names.next(whole, b);
        if (b == '[' || b == ']' || b == '.') {
            met |= names.bits(part) != 0;
            part = NameSet.START;
        } else {
            part = names.next(part, b);
        }
    }

    /** Whether the name that was read is met. */
    boolean isMet() {
        return met || names.bits(whole) != 0 || names.bits(part) != 0;
    }

    private void endName() {
        if (isMet()) {
            password.end();
            state = SECRET_VALUE;
            secret.open(kind, Spelling.PERCENT);
        } else {
            state = VALUE;
            atValue = true;
        }
    }
}
