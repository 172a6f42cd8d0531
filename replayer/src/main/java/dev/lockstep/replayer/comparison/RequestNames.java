package dev.lockstep.replayer.comparison;

import dev.lockstep.capture.Capture;
import dev.lockstep.protocol.RequestFacts;
import dev.lockstep.replayer.requests.RecordedRequests;
import java.util.regex.Pattern;

/**
 * Says what a recorded request asks for, in words that hold no secrets: the method and the path, or the Thrift
 * function. One thread; after a run.
 */
final class RequestNames {
    private static final int LONGEST_NAME = 120;
    /** Segments from this length on that hold a digit name one thing, or are a token. */
    private static final int LONG_SEGMENT = 16;

    private static final Pattern UUID =
            Pattern.compile("[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}");
    private static final Pattern HEX = Pattern.compile("(?=.*[0-9])[0-9a-fA-F]{8,}");
    private static final Pattern VERSION = Pattern.compile("[vV][0-9]{1,2}(\\.[0-9]{1,2})?");
    private static final Pattern NUMBER = Pattern.compile("[0-9]+");

    private final Capture capture;
    private final RecordedRequests requests;

    RequestNames(Capture capture) {
        this.capture = capture;
        requests = new RecordedRequests(capture);
    }

    /** Returns the kind of a request, such as {@code GET /users/N}: numbers and long ids are folded. */
    String kind(long request) {
        return name(request, true);
    }

    /**
     * Returns the name of one request, such as {@code GET /users/17?sort=***}: long ids may be secrets, and are folded.
     */
    String name(long request) {
        return name(request, false);
    }

    private String name(long request, boolean kind) {
        RequestFacts facts = requests.facts(request);
        String label = capture.protocol(capture.connection(request)).label();
        if (facts.method() == null) {
            return label + " request";
        }
        StringBuilder name = new StringBuilder(printable(facts.method()));
        if (facts.path() != null) {
            name.append(' ').append(path(facts.path(), kind));
            int query = facts.target().indexOf('?');
            if (!kind && query >= 0) {
                name.append('?').append(query(facts.target().substring(query + 1)));
            }
        }
        if (facts.thrift() != null && facts.path() != null) {
            name.append(' ').append(printable(facts.thrift().name()));
        }
        return name.length() <= LONGEST_NAME ? name.toString() : name.substring(0, LONGEST_NAME - 3) + "...";
    }

    /**
     * The path without parameters behind a semicolon; a segment that may be a secret, or names one thing, is folded.
     */
    static String path(String path, boolean numbers) {
        String[] segments = path.split("/", -1);
        for (int i = 0; i < segments.length; i++) {
            segments[i] = segment(segments[i], numbers);
        }
        return String.join("/", segments);
    }

    private static String segment(String segment, boolean numbers) {
        int semicolon = segment.indexOf(';');
        String plain = printable(semicolon < 0 ? segment : segment.substring(0, semicolon));
        if (UUID.matcher(plain).matches()
                || HEX.matcher(plain).matches() && !NUMBER.matcher(plain).matches()) {
            return "ID";
        }
        if (NUMBER.matcher(plain).matches() && plain.length() < LONG_SEGMENT) {
            return numbers ? "N" : plain;
        }
        if (plain.length() >= LONG_SEGMENT && plain.chars().anyMatch(c -> c >= '0' && c <= '9')) {
            return "ID";
        }
        return numbers && !VERSION.matcher(plain).matches()
                ? NUMBER.matcher(plain).replaceAll("N")
                : plain;
    }

    /** Returns the names of a query's parameters with their values masked. */
    static String query(String query) {
        int fragment = query.indexOf('#');
        StringBuilder masked = new StringBuilder();
        for (String parameter : (fragment < 0 ? query : query.substring(0, fragment)).split("&")) {
            int equals = parameter.indexOf('=');
            masked.append(masked.length() == 0 ? "" : "&");
            // A parameter without a name may be a value.
            masked.append(equals < 0 ? "***" : printable(parameter.substring(0, equals)) + "=***");
        }
        return masked.toString();
    }

    private static String printable(String text) {
        return text.replaceAll("[^!-~]", "?");
    }
}
