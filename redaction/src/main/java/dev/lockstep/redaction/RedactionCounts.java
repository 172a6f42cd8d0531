package dev.lockstep.redaction;

import java.util.StringJoiner;
import java.util.concurrent.atomic.LongAdder;

/** How many values were replaced, by the kind of rule, and what could not be searched. Any thread. */
public final class RedactionCounts {
    private final LongAdder[] replaced = new LongAdder[RuleKind.values().length];
    private final LongAdder unsearchedBodies = new LongAdder();
    private final LongAdder unsearchedConnections = new LongAdder();
    private final LongAdder overwrittenBytes = new LongAdder();

    RedactionCounts() {
        for (int i = 0; i < replaced.length; i++) {
            replaced[i] = new LongAdder();
        }
    }

    /** Returns the values replaced in HTTP/1 headers other than cookies. */
    public long headers() {
        return of(RuleKind.HEADER);
    }

    /** Returns the values replaced in HTTP/1 cookies. */
    public long cookies() {
        return of(RuleKind.COOKIE);
    }

    /** Returns the values replaced in request targets. */
    public long query() {
        return of(RuleKind.QUERY);
    }

    /** Returns the values replaced in JSON bodies. */
    public long json() {
        return of(RuleKind.JSON);
    }

    /** Returns the values replaced in forms, urlencoded or multipart. */
    public long form() {
        return of(RuleKind.FORM);
    }

    /** Returns the values replaced in Thrift messages. */
    public long thrift() {
        return of(RuleKind.THRIFT);
    }

    /** Returns the values replaced in header blocks of HTTP/2. */
    public long http2() {
        return of(RuleKind.HTTP2);
    }

    /** Returns all values replaced. */
    public long total() {
        long total = 0;
        for (LongAdder adder : replaced) {
            total += adder.sum();
        }
        return total;
    }

    /** Returns the bodies that were kept as they are because they are compressed or of a type that has no rules. */
    public long unsearchedBodies() {
        return unsearchedBodies.sum();
    }

    /** Returns the connections of which some bytes were kept as they are because their protocol has no rules. */
    public long unsearchedConnections() {
        return unsearchedConnections.sum();
    }

    /** Returns the bytes overwritten because, behind missing bytes, nothing said what they are. */
    public long overwrittenBytes() {
        return overwrittenBytes.sum();
    }

    /** Returns what was replaced and what was not searched in one line, such as "3 headers, 2 cookies replaced". */
    public String summary() {
        StringJoiner kinds = new StringJoiner(", ");
        for (RuleKind kind : RuleKind.values()) {
            if (of(kind) != 0) {
                kinds.add(count(of(kind), kind.text()));
            }
        }
        StringJoiner all = new StringJoiner("; ");
        all.add(kinds.length() == 0 ? "nothing replaced" : kinds + " replaced");
        if (unsearchedBodies() != 0) {
            all.add(unsearchedBodies() + (unsearchedBodies() == 1 ? " body" : " bodies") + " not searched");
        }
        if (unsearchedConnections() != 0) {
            all.add(count(unsearchedConnections(), "connection") + " not searched");
        }
        if (overwrittenBytes() != 0) {
            all.add(count(overwrittenBytes(), "byte") + " behind gaps overwritten");
        }
        return all.toString();
    }

    private static String count(long count, String noun) {
        return count + " " + noun + (count == 1 ? "" : "s");
    }

    @Override
    public String toString() {
        return summary();
    }

    void replaced(RuleKind kind) {
        replaced[kind.ordinal()].increment();
    }

    void unsearchedBody() {
        unsearchedBodies.increment();
    }

    void unsearchedConnection() {
        unsearchedConnections.increment();
    }

    void overwritten(long bytes) {
        overwrittenBytes.add(bytes);
    }

    private long of(RuleKind kind) {
        return replaced[kind.ordinal()].sum();
    }
}
