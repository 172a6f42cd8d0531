package dev.lockstep.replayer.comparison;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/** What the baseline does by itself with one kind of request: which outcomes it gives, and which parts vary. */
final class RequestKind {
    final String name;
    private final Set<Integer> outcomes = new HashSet<>();
    private final Map<String, Long> noise = new HashMap<>();
    private long pairs;
    /** Whose noise it is judged by: its own, or that of all others where none was learned of it. */
    private RequestKind reference = this;

    RequestKind(String name) {
        this.name = name;
    }

    /** Takes note of an answer; 0 where there was none. */
    void hear(int outcome) {
        if (outcome != 0) {
            outcomes.add(outcome);
        }
    }

    /** Takes note of two answers of the baseline to one request, which differ in these parts. */
    void pair(Iterable<String> differing) {
        pairs++;
        differing.forEach(part -> noise.merge(part, 1L, Long::sum));
    }

    void add(RequestKind other) {
        outcomes.addAll(other.outcomes);
        other.noise.forEach((part, count) -> noise.merge(part, count, Long::sum));
        pairs += other.pairs;
    }

    /** Judges this kind by the noise of another where none was learned of its own. */
    void judgeBy(RequestKind other) {
        if (pairs == 0 && other.pairs > 0) {
            reference = other;
        }
    }

    RequestKind reference() {
        return reference;
    }

    /** How many pairs of the baseline's answers were looked at. */
    long pairs() {
        return pairs;
    }

    /** In how many of the pairs this part differed. */
    long noise(String part) {
        return noise.getOrDefault(part, 0L);
    }

    /** The parts that varied, in order of their names. */
    Set<String> noisyParts() {
        return new TreeSet<>(noise.keySet());
    }

    /** Tells whether the baseline gave this outcome to this kind of request, or to that which it is judged by. */
    boolean isHeardOf(int outcome) {
        return reference.outcomes.contains(outcome);
    }
}
