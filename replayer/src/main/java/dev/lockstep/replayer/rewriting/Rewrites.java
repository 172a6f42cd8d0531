package dev.lockstep.replayer.rewriting;

import dev.lockstep.capture.Capture;
import dev.lockstep.capture.OpaquePieces;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.regex.PatternSyntaxException;

/**
 * What is changed in recorded HTTP/1 requests before they are sent, in the order in which it is done: tokens, the path,
 * header fields, the host. Immutable; any thread.
 *
 * <p>Expressions see a character for each byte (ISO 8859-1); what a user writes in other characters stands for its
 * bytes in UTF-8. {@code ^} and {@code $} match at line ends.
 */
public final class Rewrites {
    /** Sets or removes all fields of a name. */
    static final class Header {
        final int rule;
        final String name;
        /** Empty: the fields are removed. Null: it is that of the token. */
        private final String value;

        private final LiveToken token;

        Header(int rule, String name, String value, LiveToken token) {
            this.rule = rule;
            this.name = name;
            this.value = value;
            this.token = token;
        }

        String value() {
            return token == null ? value : token.credentials();
        }
    }

    /** Changes the request target. */
    static final class Path {
        final int rule;
        final Pattern expression;
        final String replacement;

        Path(int rule, Pattern expression, String replacement) {
            this.rule = rule;
            this.expression = expression;
            this.replacement = replacement;
        }
    }

    /** Puts what answers said into later requests of the same session. */
    static final class Token {
        final int rule;
        final Pattern inRequests;
        final Pattern inAnswers;

        Token(int rule, Pattern inRequests, Pattern inAnswers) {
            this.rule = rule;
            this.inRequests = inRequests;
            this.inAnswers = inAnswers;
        }
    }

    private static final Pattern NAME = Pattern.compile("[!#$%&'*+.^_`|~0-9A-Za-z-]+");
    private static final Pattern SECRET = Pattern.compile("(?i).*(auth|cookie|token|key|secret|passw|pwd|session|jwt"
            + "|assertion|oidc|dpop|credential|signature).*");
    private static final Pattern HOST = Pattern.compile("[!-~]+");

    final List<Token> tokens;
    final List<Path> paths;
    final List<Header> headers;
    /** The login that is renewed while requests are sent, or null. */
    final LiveToken login;
    /** The rule that sets the host, or -1. */
    final int hostRule;
    /** The host to be set, or null for each target's own. */
    final String host;

    private final List<String> options;

    private Rewrites(Builder builder) {
        tokens = List.copyOf(builder.tokens);
        paths = List.copyOf(builder.paths);
        headers = List.copyOf(builder.headers);
        login = builder.login;
        hostRule = builder.hostRule;
        host = builder.host;
        options = List.copyOf(builder.options);
    }

    public static Builder builder() {
        return new Builder();
    }

    /** The rules as the options that ask for them, in the order given; secrets are left out. */
    public List<String> options() {
        return options;
    }

    /** Whether all fields of a name are set or removed. */
    boolean setsHeader(String name) {
        return header(name).isPresent();
    }

    /** Returns what all fields of a name are set to, empty where they are removed; absent where they stay. */
    Optional<String> header(String name) {
        return headers.stream()
                .filter(header -> header.name.equalsIgnoreCase(name))
                .reduce((first, last) -> last)
                .map(Header::value);
    }

    /**
     * Checks that a capture holds HTTP/1 and nothing else that would be sent.
     *
     * @param pooled whether requests alone are sent, and no other bytes
     * @throws IllegalArgumentException where it holds more, in one line
     */
    public void check(Capture capture, boolean pooled) {
        for (int connection = 0; connection < capture.connectionCount(); connection++) {
            if (capture.protocol(connection).isThrift() && capture.requestCount(connection) > 0) {
                throw notHttp1(capture, connection);
            }
        }
        OpaquePieces pieces = capture.opaque();
        for (long piece = 0; !pooled && piece < pieces.count(); piece++) {
            if (capture.requestCount(pieces.connection(piece)) == 0 && !pieces.isByHole(piece)) {
                throw notHttp1(capture, pieces.connection(piece));
            }
        }
    }

    private IllegalArgumentException notHttp1(Capture capture, int connection) {
        return new IllegalArgumentException(
                options.get(0).split(" ")[0] + ": expected HTTP/1 requests, which alone can be"
                        + " rewritten, found " + capture.protocol(connection).label() + " in " + capture.path()
                        + "; keep the others with: replay filter --protocol http/1 " + capture.path() + " -o http.bin");
    }

    /** Collects rules. Each method throws IllegalArgumentException in one line, the option named, for a wrong one. */
    public static final class Builder {
        private final List<Token> tokens = new ArrayList<>();
        private final List<Path> paths = new ArrayList<>();
        private final List<Header> headers = new ArrayList<>();
        private final List<String> options = new ArrayList<>();
        private LiveToken login;
        private int hostRule = -1;
        private String host;

        private Builder() {}

        /** Sets all fields of a name to one with this value, {@code Name: value}; removes them for {@code Name:}. */
        public Builder header(String field) {
            int colon = field.indexOf(':');
            String name = colon < 0 ? "" : field.substring(0, colon).trim();
            if (!NAME.matcher(name).matches()) {
                throw new IllegalArgumentException(
                        "--set-header: expected 'Name: value', or 'Name:' to remove it, found '" + field + "'");
            }
            String value = field.substring(colon + 1).trim();
            if (value.chars().anyMatch(c -> c < ' ' && c != '\t' || c == 0x7F)) {
                throw new IllegalArgumentException(
                        "--set-header: expected a value on one line, found control characters in that of " + name);
            }
            String lower = name.toLowerCase(Locale.ROOT);
            if (lower.equals("content-length") || lower.equals("transfer-encoding")) {
                throw new IllegalArgumentException("--set-header: " + name
                        + " says where the request ends and is kept right by Lockstep; leave it out");
            }
            headers.add(new Header(options.size(), name, bytes(value), null));
            String shown = value.isEmpty() ? "" : SECRET.matcher(name).matches() ? " ***" : " " + value;
            options.add("--set-header '" + name + ":" + shown + "'");
            return this;
        }

        /** Sets Authorization to a token that is renewed while requests are sent. */
        public Builder login(LiveToken token) {
            login = token;
            headers.add(new Header(options.size(), "Authorization", null, token));
            options.add("--token-command ***");
            return this;
        }

        /** Sets the Host field, and the host in targets that have one, to this or, for null, to each target's own. */
        public Builder host(String host) {
            if (host != null && (!HOST.matcher(host).matches() || host.indexOf('/') >= 0)) {
                throw new IllegalArgumentException(
                        "--rewrite-host: expected a host, with its port where it matters, found '" + host + "'");
            }
            this.host = host;
            hostRule = options.size();
            options.add("--rewrite-host" + (host == null ? "" : " " + host));
            return this;
        }

        /** Replaces what an expression finds in request targets: {@code REGEX=>REPLACEMENT}, with $1 for groups. */
        public Builder path(String rule) {
            int arrow = rule.indexOf("=>");
            if (arrow <= 0) {
                throw new IllegalArgumentException(
                        "--rewrite-path: expected REGEX=>REPLACEMENT such as '^/v1/=>/v2/', found '" + rule + "'");
            }
            Pattern expression = compile("--rewrite-path", rule.substring(0, arrow));
            String replacement = bytes(rule.substring(arrow + 2));
            if (replacement.chars().anyMatch(c -> c <= ' ' || c == 0x7F)) {
                throw new IllegalArgumentException(
                        "--rewrite-path: expected a replacement without blanks and control characters, found '" + rule
                                + "'");
            }
            checkGroups(rule, expression, replacement);
            paths.add(new Path(options.size(), expression, replacement));
            options.add("--rewrite-path '" + rule + "'");
            return this;
        }

        private static void checkGroups(String rule, Pattern expression, String replacement) {
            try {
                // Group by group, since a match that sets them all cannot be made up.
                int groups = expression.matcher("").groupCount();
                StringBuilder nested = new StringBuilder();
                for (int i = 0; i < groups; i++) {
                    nested.append("()");
                }
                String numbered = replacement.replaceAll("\\$\\{[A-Za-z][A-Za-z0-9]*}", "");
                Pattern.compile(nested.toString()).matcher("").replaceAll(numbered);
            } catch (IllegalArgumentException | IndexOutOfBoundsException e) {
                throw new IllegalArgumentException("--rewrite-path: expected $1 and so on only for groups of the"
                        + " expression, and \\$ for the sign itself, found '" + rule + "'");
            }
        }

        /**
         * Replaces group 1 of an expression in requests by what group 1 found in an earlier answer of the session: one
         * expression for both, or {@code REQUEST<=ANSWER}.
         */
        public Builder token(String rule) {
            int arrow = rule.indexOf("<=");
            while (arrow >= 2 && rule.startsWith("(?", arrow - 2)) {
                arrow = rule.indexOf("<=", arrow + 2); // a look-behind
            }
            String request = arrow < 0 ? rule : rule.substring(0, arrow).trim();
            String answer = arrow < 0 ? rule : rule.substring(arrow + 2).trim();
            tokens.add(new Token(options.size(), withGroup(request), withGroup(answer)));
            options.add("--token '" + rule + "'");
            return this;
        }

        private static Pattern withGroup(String expression) {
            Pattern compiled = compile("--token", expression);
            if (compiled.matcher("").groupCount() < 1) {
                throw new IllegalArgumentException(
                        "--token: expected an expression with a group for the value, such as 'sid=(\\w+)', found '"
                                + expression + "'");
            }
            return compiled;
        }

        private static Pattern compile(String option, String expression) {
            try {
                return Pattern.compile(bytes(expression), Pattern.MULTILINE);
            } catch (PatternSyntaxException e) {
                throw new IllegalArgumentException(
                        option + ": '" + expression + "' is no regular expression: " + e.getDescription());
            }
        }

        /** A character for each byte of the text in UTF-8. */
        private static String bytes(String text) {
            return new String(text.getBytes(StandardCharsets.UTF_8), StandardCharsets.ISO_8859_1);
        }

        /** Returns the rules, or null where there are none. */
        public Rewrites build() {
            return options.isEmpty() ? null : new Rewrites(this);
        }
    }
}
