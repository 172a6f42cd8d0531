package dev.lockstep.redaction;

import dev.lockstep.protocol.ByteSearch;
import io.netty.buffer.ByteBuf;

/**
 * Finds secret values in {@code name=value&name=value}: a query, a form, the parameters of a path's segment, or of an
 * address in a string of JSON. Runs per byte; used by the thread of its connection.
 *
 * <p>In queries and forms a semicolon separates parameters for some servers and is a part of the value for others: it
 * begins another name, but ends no secret. In text any word may be a name, with blanks before its equals sign.
 *
 * <p>A name is met if the whole of it, or a part between brackets, dots, colons or dollar signs, is of the set:
 * {@code password}, {@code user[password]}, {@code user.password} and {@code form:password}.
 *
 * <p>An address that is percent-encoded in a value is searched too, and one within that:
 * {@code next=%2Fcb%3Ftoken%3D...%26x%3D1} and {@code %253Ftoken%253D}. An encoded question mark, ampersand, semicolon
 * or number sign begins a name there, and an ampersand or number sign that is encoded as often ends a secret.
 *
 * <p>The password of an address is looked for at the same time, wherever no other secret is open.
 *
 * <p>A value that is JSON, however it is percent-encoded, is searched as such, but in a path: its strings and secrets
 * are read by a {@link JsonScanner} alone, what stands between them as ever, too. It is JSON as long as what stands
 * between its strings may stand there; a body that has another value counts as not searched. Strings may hold addresses
 * and JSON again; how deep has a bound.
 */
final class ParameterScanner extends BodyScanner {
    /** Where the parameters stand, which says where they end. */
    enum Place {
        /** A body. */
        FORM,
        /** Behind a question mark, up to a blank, a line's end or a fragment. */
        QUERY,
        /** In a path, behind a semicolon or what is encoded of an address: up to the segment's end too. */
        PATH,
        /**
         * Between the quotes of JSON, at their beginning and behind a separator, up to a blank, a quote or an angle
         * bracket, as in text. But behind a semicolon that is of no address, as in {@code Server=db;Password=...}, all
         * may be of the value.
         */
        STRING
    }

    /** So many documents of JSON are searched, each in a string of the one before. */
    private static final int DEEPEST = 3;

    /** What is longer in a string of JSON is no name, such as an image in Base64 behind a semicolon. */
    private static final int LONGEST_NAME = 256;

    private static final String BEHIND_BRACKET = "{[]\"-0123456789tfn";
    private static final String BEHIND_STRING = ",:]}";

    private static final int NAME = 0;
    private static final int SECRET_VALUE = 1;
    private static final int VALUE = 2;

    private static final long AMPERSANDS = ByteSearch.pattern('&');
    private static final long SEMICOLONS = ByteSearch.pattern(';');
    private static final long LINE_ENDS = ByteSearch.pattern('\n');
    private static final long PERCENTS = ByteSearch.pattern('%');
    private static final long COLONS = ByteSearch.pattern(':');
    private static final long NUMBER_SIGNS = ByteSearch.pattern('#');
    private static final long QUESTION_MARKS = ByteSearch.pattern('?');
    private static final long BLANKS = ByteSearch.pattern(' ');

    private final RuleSet rules;
    private final NameSet names;
    private final RuleKind kind;
    /** How the strings are written of JSON that is a value. */
    private final Spelling jsonStrings;

    private final int nesting;
    private final AddressPassword password;
    private final Secret secret;
    private final Escapes escapes = new Escapes();
    private Place place = Place.FORM;
    private int state;
    private int whole;
    private int part;
    private boolean met;
    private int nameLength;
    /** Whether a blank was read last in text, behind which a name's equals sign may stand, or another word. */
    private boolean behindBlank;
    /** Whether a word stands before the name. */
    private boolean behindWord;
    /** How often the address is percent-encoded in which the name or value stands. */
    private int depth;
    /** Whether nothing but blanks was read of a value that is no secret. */
    private boolean atValue;
    /** Whether a question mark or number sign stands before, and no blank, quote or angle bracket between. */
    private boolean inAddress;
    /**
     * Whether the name stands in text behind an address or a word, so that its value ends at a blank or a line's end,
     * in a string of JSON at a separator, too.
     */
    private boolean inText;
    /** Whether a secret in text has blanks: one stands before its equals sign, or it may be JSON. */
    private boolean hasBlanks;
    /** The quote with which a secret in text begins, 0 for none, -1 where nothing was read of it. */
    private int quote;
    /** Whether what that quote began has not ended. */
    private boolean isQuoted;
    /** Whether a backslash stands before, so that a quote does not end it. */
    private boolean isEscaped;
    /** Whether the name is the first in its string of JSON. */
    private boolean isFirst;

    /** Reads a value that is JSON; null before the first. */
    private JsonScanner json;

    private boolean inJson;
    /** What was read last of the JSON, but blanks and what stands within quotes. */
    private int previous;

    private boolean isUnsearched;

    ParameterScanner(RuleSet rules, RuleKind kind, AddressPassword password, Secret secret) {
        this(rules, kind, Spelling.PERCENT_JSON_STRING, password, secret, 0);
    }

    /**
     * Creates a scanner of parameters within JSON.
     *
     * @param kind as what a parameter counts; of a form the names are the form's, else the query's
     * @param jsonStrings how the strings are written of JSON that is a value
     * @param nesting in how many documents they stand
     */
    ParameterScanner(
            RuleSet rules, RuleKind kind, Spelling jsonStrings, AddressPassword password, Secret secret, int nesting) {
        this.rules = rules;
        names = kind == RuleKind.FORM ? rules.form : rules.query;
        this.kind = kind;
        this.jsonStrings = jsonStrings;
        this.password = password;
        this.secret = secret;
        this.nesting = nesting;
    }

    @Override
    void begin() {
        password.begin();
        begin(Place.FORM);
    }

    /** Begins in an address, of which the password may be open. */
    void begin(Place where) {
        place = where;
        inJson = false;
        isUnsearched = false;
        inAddress = false;
        beginName();
        // A query need not have a name.
        atValue = where == Place.QUERY;
    }

    /** Begins in a path, behind a separator that is encoded so often. */
    void beginEncoded(int c, int encoded) {
        begin(Place.PATH);
        beginName(c, encoded);
    }

    /** Begins in a string of JSON, behind its quote. */
    void beginString() {
        begin(Place.STRING);
        isFirst = true;
        atValue = true;
    }

    /**
     * Takes notice that what was read last, a plus, may be a blank, which ends an address but no secret.
     *
     * @param endsUser whether it is encoded less often than the colon behind an address's scheme, so that it is no part
     *     of a user's name
     */
    void blank(boolean endsUser) {
        inAddress = false;
        if (endsUser && !password.isOpen()) {
            password.begin();
        }
        if (inJson) {
            json.blank(endsUser);
        }
    }

    boolean isInSecret() {
        return inJson && json.isInSecret();
    }

    /** Whether the next character of a string of JSON changes nothing, unless it is one of {@code :?#&;%}. */
    boolean isIdle() {
        return state == VALUE && !atValue && !inAddress && !inJson && escapes.isBetween() && !password.isReading();
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
                        bytes,
                        i,
                        to,
                        AMPERSANDS,
                        SEMICOLONS,
                        LINE_ENDS,
                        PERCENTS,
                        COLONS,
                        NUMBER_SIGNS,
                        QUESTION_MARKS,
                        BLANKS);
                i = next - 1;
            } else if (endsValue(b)) {
                end();
                beginName();
            } else if (place != Place.FORM && isEnd(b)) {
                if (state == SECRET_VALUE) {
                    secret.close();
                }
                endJson();
                return i;
            } else {
                read(base + i, b, b & 0xff, 0, 1);
            }
        }
        return to;
    }

    /** Whether a byte is of a body's value that is no secret, and changes nothing. */
    private boolean isOfNothing(byte b) {
        return state == VALUE
                && place == Place.FORM
                && !atValue
                && !inJson
                && escapes.isBetween()
                && !password.isReading()
                && b != '&'
                && b != ';'
                && b != '\n'
                && b != '%'
                && b != ':'
                && b != '#'
                && b != '?'
                && b != ' ';
    }

    /**
     * Reads a byte of what is written in some other way.
     *
     * @param outer the character, 0 to 255, that the byte ends there, or -1 in the middle of one
     * @param outerDepth how often that is percent-encoded there
     * @param outerWidth how many bytes it takes there
     */
    void read(long offset, byte b, int outer, int outerDepth, int outerWidth) {
        int c = outer;
        int encoded = outerDepth;
        int width = outerWidth;
        if (outer >= 0 && outerDepth == 0) {
            c = escapes.read(outer, outerWidth);
            encoded = escapes.depth();
            width = escapes.width();
        } else if (outer >= 0) {
            escapes.begin();
        }
        if (state == SECRET_VALUE) {
            readSecret(offset, b, c, encoded, width);
            return;
        }
        if (inJson && json.isOpen()) {
            readJson(offset, b, c, encoded, width);
        } else {
            readPart(offset, b, c, encoded, width);
        }
    }

    /** Reads on in a string or a secret of JSON. */
    private void readJson(long offset, byte b, int c, int encoded, int width) {
        if (endsNested(c, encoded)) {
            endAt(offset, b, c, encoded, width);
            beginName(c, encoded);
            return;
        }
        readDocument(offset, b, c, encoded, width);
        if (inJson && place == Place.FORM && c == '\n' && encoded == 0 && json.endsAtLine()) {
            endJsonAtLine();
        }
        if (state != SECRET_VALUE && !json.isOpen()) {
            previous = c;
            readName(c, encoded);
        }
    }

    /**
     * Ends JSON within a string, since none goes over a line's end, but text that only begins like JSON does. Where
     * what is secret in the string would end, nobody knows then: all that follows is secret, too.
     */
    private void endJsonAtLine() {
        boolean isSecret = secret.isOpen() || json.isInSecret();
        if (!secret.isOpen() || json.isBehindSecretString()) {
            endJson();
        }
        if (!isSecret) {
            return;
        }
        if (secret.isOpen()) {
            secret.spelling(Spelling.PERCENT);
        } else {
            secret.open(kind, Spelling.PERCENT);
        }
        inJson = false;
        isUnsearched = true;
        inText = false;
        state = SECRET_VALUE;
    }

    private void readDocument(long offset, byte b, int c, int encoded, int width) {
        json.read(offset, b, c, encoded, width);
        inJson = !json.isDone();
        // Another document may follow.
        atValue = !inJson;
    }

    private void readSecret(long offset, byte b, int c, int encoded, int width) {
        if (!endsNested(c, encoded) && !(inText && endsAddress(c, encoded) && !isOfSecret(c))) {
            readQuote(c);
            secret.add(offset, b);
            return;
        }
        secret.trimEnd(width - 1);
        secret.close();
        state = VALUE;
        readName(c, encoded);
    }

    /** Whether a character is a blank in text that does not end its secret. */
    private boolean isOfSecret(int c) {
        return (c == ' ' || c == '\t') && place == Place.FORM && (hasBlanks || isQuoted);
    }

    private void readQuote(int c) {
        if (c < 0) {
            return;
        }
        if (quote < 0) {
            quote = c == '"' || c == '\'' ? c : 0;
            isQuoted = quote != 0;
            isEscaped = false;
            // What may be JSON has blanks.
            hasBlanks |= c == '{' || c == '[';
        } else {
            // What stands behind a quote but no blank is of the secret: it was none of its end.
            isQuoted = quote != 0 && (c != quote || isEscaped);
            isEscaped = c == '\\' && !isEscaped;
        }
    }

    private void readPart(long offset, byte b, int c, int encoded, int width) {
        if ((c == '&' || c == ';') && place != Place.PATH && password.isPort(encoded, width)) {
            password.end();
        }
        password.read(offset, b, c, encoded, width);
        if (c < 0) {
            return;
        }
        if (atValue) {
            atValue = isBlank(c) || isOfMark(c);
            if ((c == '{' || c == '[') && nesting < DEEPEST && place != Place.PATH && !secret.isOpen()) {
                beginJson(c);
                json.read(offset, b, c, encoded, width);
            }
        } else if (inJson) {
            readBetween(offset, b, c, encoded, width);
        }
        readName(c, encoded);
    }

    private void readName(int c, int encoded) {
        if (encoded == 0 ? begins(c) : c == '?' || c == '&' || c == ';' || c == '#') {
            if (endsNested(c, encoded)) {
                endJson();
            }
            beginName(c, encoded);
        } else if (!inJson && place == Place.STRING && endsAddress(c, encoded)) {
            inAddress = false;
            // Before a name it may stand, as in "Server=db; Password=...".
            if (state != NAME || whole != NameSet.START) {
                state = VALUE;
                depth = 0;
            }
        } else if (state == NAME) {
            if (c == '=' && encoded <= depth) {
                // Behind a plain one stands a value of the parameters themselves, whatever its name has.
                depth = encoded;
                hasBlanks = behindBlank;
                // Of a part of a name behind words, all may be of the value.
                inText |= behindWord && names.bits(whole) != 0;
                endName();
            } else if (place == Place.FORM && encoded == 0 && (c == ' ' || c == '\t')) {
                behindBlank = true;
            } else if (c != '+' || encoded > 0 || whole != NameSet.START) {
                // A plus may be a blank before a name, as above.
                name(c);
            }
        } else if (place == Place.FORM && encoded == 0 && c == ' ' && !inJson) {
            // JSON may stand behind it as before.
            boolean isAtValue = atValue;
            beginName();
            inText = true;
            atValue = isAtValue;
        }
    }

    private void beginJson(int c) {
        if (json == null) {
            RuleKind fields = kind == RuleKind.HTTP2 ? kind : RuleKind.JSON;
            json = new JsonScanner(rules, fields, jsonStrings, password, secret, nesting + 1);
        }
        json.begin();
        inJson = true;
        previous = c;
    }

    /** Reads what stands between the strings of JSON, as far as it is JSON. */
    private void readBetween(long offset, byte b, int c, int encoded, int width) {
        if (isBlank(c) || mayFollow(c)) {
            previous = isBlank(c) ? previous : c;
            readDocument(offset, b, c, encoded, width);
        } else {
            inJson = false;
            isUnsearched = true;
        }
    }

    /** Whether JSON may have a character that is no blank behind the one before it. */
    private boolean mayFollow(int c) {
        switch (previous) {
            case '{':
                return c == '"' || c == '}';
            case '[':
                return BEHIND_BRACKET.indexOf(c) >= 0;
            case '"':
                return BEHIND_STRING.indexOf(c) >= 0;
            case ',':
            case ':':
                return true;
            default:
                return c != '"';
        }
    }

    private static boolean isBlank(int c) {
        return c <= ' ' || c == '+';
    }

    /** Whether a byte is one of a byte order mark. */
    private static boolean isOfMark(int c) {
        return c == 0xEF || c == 0xBB || c == 0xBF;
    }

    /** Ends JSON that has no end of its own, so that it is not known what follows. */
    private void endJson() {
        if (inJson) {
            inJson = false;
            isUnsearched = true;
            json.end();
        }
    }

    @Override
    void end() {
        endJson();
        password.end();
        secret.close();
    }

    /** Ends at a character's last byte, which is not read yet. */
    void endAt(long offset, byte b, int c, int encoded, int width) {
        if (password.isOpen()) {
            password.read(offset, b, c, encoded, width);
        } else if (secret.isOpen() && !isBehindSecretString()) {
            secret.trimEnd(width - 1);
        }
        end();
    }

    /** Whether the open secret has no bytes of what stands behind it. */
    boolean isBehindSecretString() {
        return inJson && json.isBehindSecretString();
    }

    @Override
    boolean isUnsearched() {
        return isUnsearched;
    }

    /** Whether a separator ends a value that stands in an address within a value, or in a string of JSON. */
    private boolean endsNested(int c, int encoded) {
        return (c == '&' || c == '#') && encoded <= depth && (encoded > 0 || place == Place.STRING && inText);
    }

    /** Whether a character ends an address in text. */
    private boolean endsAddress(int c, int encoded) {
        return encoded == 0 && (JsonScanner.isSpace(c) || place == Place.STRING && (c == '"' || c == '<' || c == '>'));
    }

    /** In a path both separators may be of an address's password. */
    private boolean endsValue(byte b) {
        return place == Place.PATH ? state == SECRET_VALUE && (b == '&' || b == ';') : b == '&';
    }

    /**
     * A semicolon, in text a line's end, and of an address within a value its question mark and number sign, begin a
     * name, but end no secret, unless that is of an address in text.
     */
    private boolean begins(int c) {
        switch (place) {
            case FORM:
                return c == ';' || c == '&' || c == '\n' || c == '#' || c == '?';
            case QUERY:
                return c == ';' || c == '&' || c == '?';
            case STRING:
                return c == ';' || c == '&' || c == '#' || c == '?';
            default:
                return c == ';' || c == '&';
        }
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
        beginWord();
        depth = 0;
        atValue = false;
        inText = false;
        behindWord = false;
        isFirst = false;
        escapes.begin();
    }

    private void beginWord() {
        whole = NameSet.START;
        part = NameSet.START;
        met = false;
        nameLength = 0;
        behindBlank = false;
    }

    /** Begins a name behind a separator. */
    private void beginName(int c, int encoded) {
        beginName();
        depth = encoded;
        boolean beginsAddress = c == '?' || c == '#';
        inAddress |= beginsAddress;
        inText = place == Place.STRING ? c != ';' || inAddress : place == Place.FORM && encoded == 0 && beginsAddress;
    }

    /** Takes the next byte of a name, for a caller that looks for names itself. */
    void name(byte b) {
        int c = escapes.read(b);
        if (c >= 0) {
            name(c);
        }
    }

    /** Takes a blank behind a name in text, for a caller that read it. */
    void blankBehindName() {
        behindBlank = true;
    }

    private void name(int c) {
        if (behindBlank) {
            behindWord |= nameLength > 0;
            beginWord();
        }
        step(c == '+' && escapes.depth() == 0 ? (byte) ' ' : (byte) c);
        nameLength++;
        if (whole == NameSet.DEAD && (isFirst || place == Place.STRING && nameLength > LONGEST_NAME && !met)) {
            state = VALUE;
        }
    }

    /** Whether a byte stands between the parts of a name; colons and dollar signs do so in pages of JSF and ASP.NET. */
    static boolean endsPart(byte b) {
        return b == '[' || b == ']' || b == '.' || b == ':' || b == '$';
    }

    private void step(byte b) {
        whole = names.next(whole, b);
        if (endsPart(b)) {
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
            inJson = false;
            inText |= isFirst;
            quote = -1;
            isQuoted = false;
            state = SECRET_VALUE;
            secret.open(kind, Spelling.PERCENT);
        } else {
            state = VALUE;
            atValue = true;
        }
    }
}
