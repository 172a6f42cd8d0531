package dev.lockstep.redaction;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.StringJoiner;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;

/** How many values were replaced, by the kind of rule, and what could not be searched. Any thread. */
public final class RedactionCounts {
    /** No more types of bodies are told apart, since clients choose them. */
    private static final int MOST_TYPES = 100;

    private static final int MOST_TOLD_TYPES = 8;
    private static final String OTHERS = "of other types";

    private final LongAdder[] replaced = new LongAdder[RuleKind.values().length];
    private final LongAdder unsearchedBodies = new LongAdder();
    private final Map<String, LongAdder> unsearchedTypes = new ConcurrentHashMap<>();
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

    /** These bodies by what they are, the most frequent first, such as "2 image/png, 1 compressed text/css". */
    public String unsearchedTypes() {
        Map<String, Long> types = new TreeMap<>();
        unsearchedTypes.forEach((type, bodies) -> types.put(type, bodies.sum()));
        Long others = types.remove(OTHERS);
        long untold = others == null ? 0 : others;
        List<String> byCount = new ArrayList<>(types.keySet());
        byCount.sort(Comparator.comparing(types::get, Comparator.reverseOrder()));
        StringJoiner told = new StringJoiner(", ");
        for (int i = 0; i < byCount.size(); i++) {
            String type = byCount.get(i);
            if (i < MOST_TOLD_TYPES) {
                told.add(types.get(type) + " " + type);
            } else {
                untold += types.get(type);
            }
        }
        if (untold > 0) {
            told.add(untold + " " + OTHERS);
        }
        return told.toString();
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

    /** @param what the body is, for people */
    void unsearchedBody(String what) {
        unsearchedBodies.increment();
        boolean isTold = unsearchedTypes.containsKey(what) || unsearchedTypes.size() < MOST_TYPES;
        LongAdder bodies = unsearchedTypes.computeIfAbsent(isTold ? what : OTHERS, type -> new LongAdder());
        bodies.increment();
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
