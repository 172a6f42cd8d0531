package dev.lockstep.measurement;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.TreeSet;

/**
 * Which part of a run's load one replayer sends, when several replayers share the load. Immutable.
 *
 * <p>A run is split by connection: with {@code n} parts, recorded connection {@code c} (0-based, in the order of the
 * capture) belongs to part {@code c mod n + 1}. All requests of a connection stay together, so their order holds. Where
 * the plan replaces the recorded connections by a number of its own, any of them takes any request, and the same rule
 * goes for the number of the request in the run instead.
 *
 * <p>Every replayer computes the schedule of the whole run and sends its own part of it, so the union of all parts is
 * exactly the run of one replayer. Limits, rates and numbers of connections in a plan are those of the whole run.
 */
public final class Share {
    /** The whole load, sent by one replayer. */
    public static final Share WHOLE = new Share(List.of(1), 1);

    private static final int MOST_PARTS = 10_000;

    private final List<Integer> parts;
    private final int of;

    private Share(List<Integer> parts, int of) {
        this.parts = parts;
        this.of = of;
    }

    /** Returns part {@code part}, from 1, of a load split into {@code of} parts. */
    public static Share part(int part, int of) {
        return of(List.of(part), of);
    }

    private static Share of(Collection<Integer> parts, int of) {
        if (of < 1 || of > MOST_PARTS) {
            throw new IllegalArgumentException("share must have 1 to " + MOST_PARTS + " parts, has " + of);
        }
        TreeSet<Integer> sorted = new TreeSet<>(parts);
        if (sorted.isEmpty() || sorted.size() < parts.size() || sorted.first() < 1 || sorted.last() > of) {
            throw new IllegalArgumentException(
                    "share must name each of its parts once, from 1 to " + of + ", is " + parts);
        }
        return sorted.size() == of ? WHOLE : new Share(Collections.unmodifiableList(new ArrayList<>(sorted)), of);
    }

    /** Returns the parts, from 1, in order; more than one after a {@link #merge}. */
    public List<Integer> parts() {
        return parts;
    }

    /** Returns into how many parts the load is split. */
    public int of() {
        return of;
    }

    /** Says whether this is all of the load. */
    public boolean whole() {
        return of == 1;
    }

    /** Says whether a connection, or a request, belongs to this share, by its number from 0. */
    public boolean includes(long number) {
        return parts.contains((int) (number % of) + 1);
    }

    /** Returns how many of the numbers 0 to {@code total - 1} this share includes. */
    public long countOf(long total) {
        long count = 0;
        for (int part : parts) {
            count += total / of + (part <= total % of ? 1 : 0);
        }
        return count;
    }

    /** Returns both shares as one. Refuses shares that overlap or come from different splits. */
    public Share merge(Share other) {
        if (of != other.of || !Collections.disjoint(parts, other.parts)) {
            throw new IllegalArgumentException(
                    "only different parts of the same split can be merged, found " + this + " and " + other);
        }
        List<Integer> both = new ArrayList<>(parts);
        both.addAll(other.parts);
        return of(both, of);
    }

    ObjectNode toJson() {
        ObjectNode json = JsonFields.object();
        JsonFields.putNumbers(json, "parts", parts);
        json.put("of", of);
        return json;
    }

    static Share fromJson(JsonFields json) {
        List<Integer> parts = json.numbers("parts");
        long of = json.number("of");
        json.refuseUnknown();
        return json.check(() -> of(parts, (int) Math.max(0, Math.min(of, Integer.MAX_VALUE))));
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Share && parts.equals(((Share) other).parts) && of == ((Share) other).of;
    }

    @Override
    public int hashCode() {
        return 31 * parts.hashCode() + of;
    }

    /** Returns for example {@code part 1 of 3}. */
    @Override
    public String toString() {
        if (whole()) {
            return "all";
        }
        String numbers = parts.toString();
        return (parts.size() == 1 ? "part " : "parts ") + numbers.substring(1, numbers.length() - 1) + " of " + of;
    }
}
