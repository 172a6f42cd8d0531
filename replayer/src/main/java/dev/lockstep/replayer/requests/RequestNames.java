package dev.lockstep.replayer.requests;

import dev.lockstep.capture.Capture;
import dev.lockstep.capture.Protocol;
import dev.lockstep.protocol.PathTemplate;
import dev.lockstep.protocol.RequestFacts;

/**
 * Says what a recorded request asks for, in words that hold no secrets and no control characters: the method and the
 * path, or the Thrift function. One thread.
 */
public final class RequestNames {
    private static final int LONGEST_NAME = 120;

    private final Capture capture;
    private final RecordedRequests requests;

    public RequestNames(Capture capture) {
        this.capture = capture;
        requests = new RecordedRequests(capture);
    }

    /** Returns the kind of a request, such as {@code GET /users/N} or {@code Users.get}: numbers and ids are folded. */
    public String kind(long request) {
        return kind(protocol(request), requests.facts(request));
    }

    static String kind(Protocol protocol, RequestFacts facts) {
        return name(protocol, facts, true);
    }

    /**
     * Returns the name of one request, such as {@code GET /users/17?sort=***}: long ids may be secrets, and are folded.
     */
    public String name(long request) {
        return name(protocol(request), requests.facts(request), false);
    }

    private Protocol protocol(long request) {
        return capture.protocol(capture.connection(request));
    }

    private static String name(Protocol protocol, RequestFacts facts, boolean kind) {
        if (facts.method() == null) {
            return protocol.label() + " request";
        }
        StringBuilder name = new StringBuilder();
        if (facts.thrift() == null || facts.path() != null) {
            name.append(printable(facts.method()));
        }
        if (facts.path() != null) {
            String path = kind ? PathTemplate.of(facts.path()) : PathTemplate.withNumbers(facts.path());
            name.append(' ').append(printable(path));
            int query = facts.target().indexOf('?');
            if (!kind && query >= 0) {
                name.append('?').append(query(facts.target().substring(query + 1)));
            }
        }
        if (facts.thrift() != null) {
            // A multiplexed service stands before a colon.
            name.append(name.length() == 0 ? "" : " ")
                    .append(printable(facts.thrift().name().replace(':', '.')));
        }
        return name.length() <= LONGEST_NAME ? name.toString() : name.substring(0, LONGEST_NAME - 3) + "...";
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
        return text.chars().allMatch(RequestNames::isPrintable) ? text : text.replaceAll("[^!-~]", "?");
    }

    private static boolean isPrintable(int c) {
        return c >= '!' && c <= '~';
    }
}
