package dev.lockstep.redaction;

import java.util.StringJoiner;
import java.util.concurrent.atomic.LongAdder;

/** How many values were replaced, by the kind of rule, and what could not be searched. Any thread. */
public final class RedactionCounts {
    private final LongAdder[] replaced = new LongAdder[RuleKind.values().length];
    private final LongAdder unsearchedBodies = new LongAdder();
    private final LongAdder unsearchedConnections = new LongAdder();
    private final LongAdder unsearchedKeptBytes = new LongAdder();
    private final LongAdder unsearchedLeftOutBytes = new LongAdder();
    private final LongAdder unruledConnections = new LongAdder();
    private final LongAdder overwrittenBytes = new LongAdder();

    RedactionCounts() {
        for (int i = 0; i < replaced.length; i++) {
            replaced[i] = new LongAdder();
        }
    }

    public long total() {
        long total = 0;
        for (LongAdder adder : replaced) {
            total += adder.sum();
        }
        return total;
    }

    /** The bodies that were kept as they are because they are compressed or of a type that has no rules. */
    public long unsearchedBodies() {
        return unsearchedBodies.sum();
    }

    /** The connections with bytes that belong to no request of a known protocol, so that they cannot be searched. */
    public long unsearchedConnections() {
        return unsearchedConnections.sum();
    }

    /** The bytes of these that were handed on, searched for headers and parameters only. */
    public long unsearchedKeptBytes() {
        return unsearchedKeptBytes.sum();
    }

    /** The bytes of these that were left out. */
    public long unsearchedLeftOutBytes() {
        return unsearchedLeftOutBytes.sum();
    }

    /** The Thrift connections of which no field was searched, because no rule names one. */
    public long unruledConnections() {
        return unruledConnections.sum();
    }

    /** The bytes overwritten because nothing said what they are, as behind missing bytes. */
    public long overwrittenBytes() {
        return overwrittenBytes.sum();
    }

    /** What was replaced and what was not searched in one line, such as "3 headers, 2 cookies replaced". */
    public String summary() {
        StringJoiner kinds = new StringJoiner(", ");
        for (RuleKind kind : RuleKind.values()) {
            if (of(kind) != 0) {
                kinds.add(count(of(kind), kind.text));
            }
        }
        StringJoiner all = new StringJoiner("; ");
        all.add(kinds.length() == 0 ? "nothing replaced" : kinds + " replaced");
        if (unsearchedBodies() != 0) {
            all.add(unsearchedBodies() + (unsearchedBodies() == 1 ? " body" : " bodies") + " not searched");
        }
        if (unsearchedConnections() != 0) {
            all.add(count(unsearchedConnections(), "connection") + " not searched, "
                    + count(unsearchedLeftOutBytes(), "byte") + " left out, " + unsearchedKeptBytes() + " kept");
        }
        if (unruledConnections() != 0) {
            all.add(count(unruledConnections(), "Thrift connection") + " without rules for fields");
        }
        if (overwrittenBytes() != 0) {
            all.add(count(overwrittenBytes(), "byte") + " overwritten");
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

    void unsearchedKept(long bytes) {
        unsearchedKeptBytes.add(bytes);
    }

    void unsearchedLeftOut(long bytes) {
        unsearchedLeftOutBytes.add(bytes);
    }

    void unruledConnection() {
        unruledConnections.increment();
    }

    void overwritten(long bytes) {
        overwrittenBytes.add(bytes);
    }

    /** How many values a kind of rule replaced. */
    long of(RuleKind kind) {
        return replaced[kind.ordinal()].sum();
    }
}
