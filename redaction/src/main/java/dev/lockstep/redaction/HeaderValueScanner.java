package dev.lockstep.redaction;

import dev.lockstep.protocol.ByteSearch;
import io.netty.buffer.ByteBuf;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * Finds the secrets in the value of one header. Runs per byte of such a value; used by the thread of its connection.
 */
final class HeaderValueScanner {
    private static final int BEFORE = 0;
    private static final int WHOLE = 1;
    private static final int COOKIE_NAME = 2;
    private static final int COOKIE_VALUE = 3;
    private static final int ATTRIBUTES = 4;
    private static final int PATH = 5;
    private static final int PARAMETERS = 6;
    private static final int PROTOCOL = 7;

    private static final long QUESTION_MARKS = ByteSearch.pattern('?');
    private static final long SEMICOLONS = ByteSearch.pattern(';');
    private static final long LINE_FEEDS = ByteSearch.pattern('\n');
    private static final long PERCENTS = ByteSearch.pattern('%');
    private static final long COLONS = ByteSearch.pattern(':');
    private static final long NUMBER_SIGNS = ByteSearch.pattern('#');

    private static final int LONGEST_SCHEME = 24;

    // IANA's registry of HTTP authentication schemes, then those in wide use beside it. Those that NameSet takes for
    // one, such as scram-sha-1, are one here too.
    private static final NameSet SCHEMES = schemes("basic bearer concealed digest dpop gnap hoba mutual negotiate "
            + "oauth privatetoken scram-sha-1 scram-sha-256 vapid apikey aws aws4-hmac-sha256 "
            + "aws4-ecdsa-p256-sha256 goog4-rsa-sha256 googlelogin hawk hmac jwt key kerberos ntlm sharedkey "
            + "sharedkeylite signature token wsse");

    /** What stands before a token in the protocols of a WebSocket, as another element of the list. */
    private static final NameSet TOKEN_NAMES =
            schemes("access_token id_token auth_token token authorization auth bearer jwt apikey");

    /** What Kubernetes and wstunnel have before it, in the same element. */
    private static final byte[][] TOKEN_PREFIXES = {
        "base64url.bearer.authorization.k8s.io.".getBytes(StandardCharsets.US_ASCII),
        "authorization.bearer.".getBytes(StandardCharsets.US_ASCII)
    };

    /** A protocol's name is shorter. */
    private static final int SHORTEST_TOKEN = 40;

    private final Secret secret;
    /** Looks for the password of an address in its path, and in the parameters behind that. */
    private final AddressPassword password;

    private final Escapes escapes = new Escapes();
    private final ParameterScanner parameters;
    private final RuleKind kind;
    private final RuleKind cookieKind;
    private long rule;
    private int state;
    /** Whether the element of the list of protocols before this one names a token. */
    private boolean behindName;

    /**
     * Creates a scanner of which everything counts as one kind, or as headers and cookies where {@code kind} is null.
     */
    HeaderValueScanner(RuleSet rules, Secret secret, RuleKind kind) {
        this.secret = secret;
        this.kind = kind == null ? RuleKind.HEADER : kind;
        cookieKind = kind == null ? RuleKind.COOKIE : kind;
        password = new AddressPassword(rules, kind == null ? RuleKind.ADDRESS : kind, Spelling.PERCENT, secret);
        parameters = new ParameterScanner(rules, kind == null ? RuleKind.QUERY : kind, password, secret);
    }

    private static NameSet schemes(String names) {
        NameSet.Builder builder = NameSet.builder();
        for (String name : names.split(" ")) {
            builder.add(name, 1);
        }
        return builder.build();
    }

    /**
     * Begins a line that continues a value. Where in the value the line before ended is not known, so all of this one
     * is replaced, but a scheme.
     */
    void beginContinuation(long rules) {
        begin((rules & HeaderRules.CREDENTIALS) != 0 ? rules : HeaderRules.SECRET);
    }

    /** Begins a value. */
    void begin(long rules) {
        rule = rules;
        state = BEFORE;
        behindName = false;
        password.begin();
        escapes.begin();
    }

    /** Reads on, up to a line feed or {@code to}; returns the index of that. */
    int scan(ByteBuf bytes, int from, int to, long base) {
        for (int i = from; i < to; i++) {
            byte b = bytes.getByte(i);
            if (b == '\n') {
                return i;
            }
            switch (state) {
                case BEFORE:
                    if (b != ' ' && b != '\t') {
                        start();
                        i--;
                    }
                    break;
                case WHOLE:
                    int line = ByteSearch.find(bytes, i, to, LINE_FEEDS);
                    secret.add(base + i, bytes, i, line);
                    i = line - 1;
                    break;
                case COOKIE_NAME:
                    if (b == '=') {
                        secret.abandon();
                        secret.open(cookieKind, Spelling.PLAIN);
                        state = COOKIE_VALUE;
                    } else if (b == ';') {
                        endCookie();
                    } else if (secret.isOpen() || b != ' ' && b != '\t') {
                        if (!secret.isOpen()) {
                            secret.open(cookieKind, Spelling.PLAIN);
                        }
                        secret.add(base + i, b);
                    }
                    break;
                case COOKIE_VALUE:
                    int end = ByteSearch.findOf(
                            bytes,
                            i,
                            to,
                            SEMICOLONS,
                            LINE_FEEDS,
                            LINE_FEEDS,
                            LINE_FEEDS,
                            LINE_FEEDS,
                            LINE_FEEDS,
                            LINE_FEEDS,
                            LINE_FEEDS);
                    if (end == i) {
                        endCookie();
                    } else {
                        secret.add(base + i, bytes, i, end);
                        i = end - 1;
                    }
                    break;
                case PROTOCOL:
                    if (b == ',') {
                        endProtocol();
                        state = BEFORE;
                    } else {
                        secret.add(base + i, b);
                    }
                    break;
                case PATH:
                    if (password.isReading() || !escapes.isBetween()) {
                        readPath(base + i, b);
                        break;
                    }
                    int plain = ByteSearch.findOf(
                            bytes,
                            i,
                            to,
                            QUESTION_MARKS,
                            SEMICOLONS,
                            LINE_FEEDS,
                            PERCENTS,
                            COLONS,
                            NUMBER_SIGNS,
                            NUMBER_SIGNS,
                            NUMBER_SIGNS);
                    if (plain > i) {
                        i = plain - 1;
                    } else {
                        readPath(base + i, b);
                    }
                    break;
                case PARAMETERS:
                    int behind = parameters.read(bytes, i, to, base);
                    if (behind < to) {
                        state = PATH;
                    }
                    i = behind - 1;
                    break;
                default:
                    break;
            }
        }
        return to;
    }

    private void readPath(long offset, byte b) {
        int c = escapes.read(b);
        password.read(offset, b, c, escapes.depth(), escapes.width());
        if (b == '?' || b == '#') {
            parameters.begin(ParameterScanner.Place.QUERY);
            state = PARAMETERS;
        } else if (b == ';') {
            parameters.begin(ParameterScanner.Place.PATH);
            state = PARAMETERS;
        } else if ((c == '?' || c == '#' || c == ';') && !password.isOpen()) {
            // Of an address that is a part of the path.
            parameters.beginEncoded(c, escapes.depth());
            state = PARAMETERS;
        }
    }

    /** Ends the value, or the line of it. */
    void end() {
        if (state == PARAMETERS) {
            parameters.end();
        }
        password.end();
        if (!secret.isOpen()) {
            return;
        }
        if (state == COOKIE_NAME || state == COOKIE_VALUE) {
            closeCookie();
            return;
        }
        if (state == PROTOCOL) {
            endProtocol();
            return;
        }
        trim();
        if ((rule & HeaderRules.CREDENTIALS) != 0 && state == WHOLE) {
            secret.trimStart(schemeLength());
        }
        secret.close();
    }

    private void start() {
        if ((rule & HeaderRules.COOKIE) != 0 || (rule & HeaderRules.SET_COOKIE) != 0) {
            state = COOKIE_NAME;
        } else if ((rule & (HeaderRules.SECRET | HeaderRules.CREDENTIALS)) != 0) {
            state = WHOLE;
            secret.open(kind, Spelling.PLAIN);
        } else if ((rule & HeaderRules.PROTOCOLS) != 0) {
            state = PROTOCOL;
            secret.open(kind, Spelling.PLAIN);
        } else {
            state = (rule & HeaderRules.ADDRESS) != 0 ? PATH : ATTRIBUTES;
        }
    }

    private void endCookie() {
        closeCookie();
        state = (rule & HeaderRules.SET_COOKIE) != 0 ? ATTRIBUTES : COOKIE_NAME;
    }

    private void closeCookie() {
        trim();
        byte[] raw = secret.raw();
        int length = secret.to() - secret.from();
        if (length >= 2 && raw[secret.from()] == '"' && raw[secret.to() - 1] == '"') {
            secret.trimEnd(1);
            secret.trimStart(1);
        }
        secret.close();
    }

    private void endProtocol() {
        trim();
        byte[] raw = secret.raw();
        int length = secret.to();
        int prefix = tokenPrefix(raw, length);
        boolean name = !secret.isContinued() && TOKEN_NAMES.bitsOf(raw, 0, length) != 0;
        boolean token = !name && (prefix > 0 || behindName || secret.isContinued() || length >= SHORTEST_TOKEN);
        if (length != 0) {
            // An empty element is none.
            behindName = name;
        }
        if (token) {
            secret.trimStart(prefix);
            secret.close();
        } else {
            secret.abandon();
        }
    }

    /** How many bytes stand before the token, 0 where none does. */
    private static int tokenPrefix(byte[] raw, int length) {
        for (byte[] prefix : TOKEN_PREFIXES) {
            if (length > prefix.length && Arrays.equals(raw, 0, prefix.length, prefix, 0, prefix.length)) {
                return prefix.length;
            }
        }
        return 0;
    }

    private void trim() {
        byte[] raw = secret.raw();
        int to = secret.to();
        while (to > secret.from() && (raw[to - 1] == ' ' || raw[to - 1] == '\t' || raw[to - 1] == '\r')) {
            to--;
        }
        secret.trimEnd(secret.to() - to);
    }

    /** How many bytes a known scheme and the spaces behind it take, 0 where there is none. */
    private int schemeLength() {
        if (secret.isContinued()) {
            return 0;
        }
        byte[] raw = secret.raw();
        int to = secret.to();
        int end = 0;
        while (end < to && end <= LONGEST_SCHEME && raw[end] != ' ' && raw[end] != '\t') {
            end++;
        }
        if (end == to || end > LONGEST_SCHEME || SCHEMES.bitsOf(raw, 0, end) == 0) {
            return 0;
        }
        while (end < to && (raw[end] == ' ' || raw[end] == '\t')) {
            end++;
        }
        return end;
    }
}
