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
 * <p>An address that is percent-encoded in a value is searched too, once: {@code next=%2Fcb%3Ftoken%3D...%26x%3D1}. An
 * encoded question mark, ampersand, semicolon or number sign begins a name there, and an encoded ampersand or number
 * sign ends a secret.
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

    /** The bytes of an escape but the last: what is a part of a value until that is read. */
    private static final int ESCAPE_BEGUN = 2;

    private final NameSet names;
    private final RuleKind kind;
    private final Secret secret;
    private Place place = Place.FORM;
    private int state;
    private int whole;
    private int part;
    private boolean met;
    /** Whether the name or value stands in an address that is percent-encoded. */
    private boolean encoded;
    /** Hex digits of a percent-encoded byte still to come, and those seen. */
    private int digits;

    private int code;

    ParameterScanner(NameSet names, RuleKind kind, Secret secret) {
        this.names = names;
        this.kind = kind;
        this.secret = secret;
    }

    @Override
    void begin() {
        begin(Place.FORM);
    }

    void begin(Place where) {
        place = where;
        beginName();
    }

    @Override
    void scan(ByteBuf bytes, int from, int to, long base) {
        read(bytes, from, to, base);
    }

    /** Reads on and returns the index of the byte behind the parameters, or {@code to}. */
    int read(ByteBuf bytes, int from, int to, long base) {
        for (int i = from; i < to; i++) {
            byte b = bytes.getByte(i);
            if (state == VALUE && place == Place.FORM && digits == 0 && b != '&' && b != ';' && b != '\n' && b != '%') {
                i = ByteSearch.findOf(bytes, i, to, AMPERSANDS, SEMICOLONS, LINE_ENDS, PERCENTS) - 1;
            } else if (b == '&' || b == ';' && (state != SECRET_VALUE || place == Place.PATH)) {
                secret.close();
                beginName();
            } else if (state != SECRET_VALUE && begins(b)) {
                beginName();
            } else if (place != Place.FORM && isEnd(b)) {
                secret.close();
                return i;
            } else {
                readPart(base + i, b);
            }
        }
        return to;
    }

    private void readPart(long offset, byte b) {
        int meant = unescaped(b);
        if (state == SECRET_VALUE) {
            if (encoded && (meant == '&' || meant == '#')) {
                secret.trimEnd(ESCAPE_BEGUN);
                secret.close();
                beginEncodedName();
            } else {
                secret.add(offset, b);
            }
        } else if (meant == '?' || meant == '&' || meant == ';' || meant == '#') {
            beginEncodedName();
        } else if (state == NAME) {
            if (b == '=' || encoded && meant == '=') {
                // Behind a plain one stands a value of the parameters themselves, whatever its name has.
                encoded &= b != '=';
                endName();
            } else {
                name(b, meant);
            }
        }
    }

    @Override
    void end() {
        secret.close();
    }

    /** In text a line's end, and in an address within a query its question mark, begin a name, but end no secret. */
    private boolean begins(byte b) {
        return place == Place.FORM ? b == '\n' : place == Place.QUERY && b == '?';
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
        state = NAME;
        whole = NameSet.START;
        part = NameSet.START;
        met = false;
        encoded = false;
        digits = 0;
    }

    private void beginEncodedName() {
        beginName();
        encoded = true;
    }

    /** Takes the next byte of a name. */
    void name(byte b) {
        name(b, unescaped(b));
    }

    private void name(byte b, int meant) {
        if (meant >= 0) {
            step((byte) meant);
        } else if (digits == 0) {
            step(b == '+' ? (byte) ' ' : b);
        }
    }

    /** Returns the character, 0 to 255, whose escape this byte ends, or -1. */
    private int unescaped(byte b) {
        if (b == '%') {
            digits = 2;
            code = 0;
            return -1;
        }
        if (digits == 0) {
            return -1;
        }
        int digit = Hex.digit(b);
        if (digit < 0) {
            digits = 0;
            return -1;
        }
        code = code << 4 | digit;
        return --digits == 0 ? code : -1;
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
        digits = 0;
        if (isMet()) {
            state = SECRET_VALUE;
            secret.open(kind, Spelling.PERCENT);
        } else {
            state = VALUE;
        }
    }
}
