package dev.lockstep.redaction;

import io.netty.buffer.ByteBuf;
import java.util.regex.Pattern;

/** Chooses how a body is searched. Used by the thread of its connection; keeps one scanner of each type used. */
final class Bodies {
    private static final Pattern TYPE = Pattern.compile("[\\w!#$&^.+-]{1,64}/[\\w!#$&^.+-]{1,64}");

    private final RuleSet rules;
    private final Secret secret;
    private final Window window;
    private final RedactionCounts counts;
    private JsonScanner json;
    private EnvelopeScanner envelopes;
    private ParameterScanner form;
    private MultipartScanner multipart;
    private ThriftBody thrift;
    private Sniffer sniffer;
    /** The type of the body that was begun last, and whether it is compressed. */
    private String type;

    private boolean isEncoded;

    Bodies(RuleSet rules, Secret secret, Window window, RedactionCounts counts) {
        this.rules = rules;
        this.secret = secret;
        this.window = window;
        this.counts = counts;
    }

    /**
     * Returns a scanner that has begun.
     *
     * @param contentType the header's value, or null where there is none
     * @param encoded whether the body is compressed
     */
    BodyScanner scanner(byte[] contentType, boolean encoded) {
        type = contentType == null ? "" : ContentType.type(contentType);
        isEncoded = encoded;
        if (encoded) {
            return new Unsearched();
        }
        BodyScanner scanner;
        if (type.equals("multipart/form-data")) {
            if (multipart == null) {
                multipart = new MultipartScanner(rules, secret, this, counts);
            }
            if (!multipart.boundary(contentType)) {
                return new Unsearched();
            }
            scanner = multipart;
        } else if (isThrift(type)) {
            if (rules.thrift.isEmpty()) {
                return new Unsearched();
            }
            if (thrift == null) {
                thrift = new ThriftBody(rules, secret, window, counts);
            }
            scanner = thrift;
        } else if (isEnvelopes(type)) {
            if (envelopes == null) {
                envelopes = new EnvelopeScanner(json(), this::countUnsearched);
            }
            scanner = envelopes;
        } else {
            if (sniffer == null) {
                sniffer = new Sniffer(this, this::countUnsearched);
            }
            sniffer.expect(isJson(type), isText(type));
            scanner = sniffer;
        }
        scanner.begin();
        return scanner;
    }

    /** Whether a body of a type may be searched for fields: any may turn out to be JSON. */
    static boolean maySearch(RuleSet rules, byte[] contentType) {
        return !isThrift(ContentType.type(contentType)) || !rules.thrift.isEmpty();
    }

    static boolean isJson(String type) {
        return type.equals("application/json")
                || type.endsWith("+json")
                || type.endsWith("/json")
                || type.endsWith("/x-json")
                || type.endsWith("/x-ndjson")
                || type.endsWith("json-seq");
    }

    /** Whether a body of this type, or of none that is told, may hold anything that is text, or is a form. */
    static boolean isText(String type) {
        return type.isEmpty() || type.startsWith("text/") || type.equals("application/x-www-form-urlencoded");
    }

    /** Whether a body is JSON's messages as gRPC and Connect send them, each behind its length. */
    private static boolean isEnvelopes(String type) {
        return type.equals("application/connect+json") || type.startsWith("application/grpc") && type.endsWith("+json");
    }

    private static boolean isThrift(String type) {
        return type.equals("application/x-thrift") || type.startsWith("application/vnd.apache.thrift.");
    }

    ParameterScanner form() {
        if (form == null) {
            form = new ParameterScanner(
                    rules,
                    RuleKind.FORM,
                    new AddressPassword(rules, RuleKind.ADDRESS, Spelling.PERCENT, secret),
                    secret);
        }
        return form;
    }

    JsonScanner json() {
        if (json == null) {
            json = new JsonScanner(rules, secret);
        }
        return json;
    }

    private void countUnsearched() {
        String what = type.isEmpty()
                ? "without Content-Type"
                : TYPE.matcher(type).matches() ? type : "with malformed Content-Type";
        counts.unsearchedBody(isEncoded ? "compressed " + what : what);
    }

    /** Counts a body of which there is at least one byte. */
    private final class Unsearched extends BodyScanner {
        private boolean counted;

        @Override
        void begin() {}

        @Override
        void scan(ByteBuf bytes, int from, int to, long base) {
            if (!counted && from < to) {
                counted = true;
                countUnsearched();
            }
        }

        @Override
        void end() {}
    }
}
