package dev.lockstep.measurement;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Arrays;
import java.util.Collections;
import java.util.OptionalDouble;
import java.util.OptionalLong;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * What a target had cost up to a moment, or between two moments: a value for each {@link Cost} that could be read, and
 * what each garbage collector did. Immutable. What could not be read is absent, never zero.
 */
public final class Costs {
    private static final long ABSENT = Long.MIN_VALUE;
    /** Absent, but counted from the start on, so that it was 0 when a later moment has a value. */
    private static final long AWAITED = Long.MIN_VALUE + 1;

    /** Nothing is known. */
    public static final Costs NONE = new Builder().build();

    private final long[] values;
    private final SortedMap<String, GcCosts> collectors;

    private Costs(long[] values, SortedMap<String, GcCosts> collectors) {
        this.values = values;
        this.collectors = Collections.unmodifiableSortedMap(collectors);
    }

    public static Builder builder() {
        return new Builder();
    }

    /** Returns these with another value for one quantity. */
    public Costs with(Cost cost, long value) {
        long[] changed = values.clone();
        changed[cost.ordinal()] = value;
        return new Costs(changed, collectors);
    }

    /** Returns these with so much more time in which a collector stopped the application; where none is known, as they are. */
    public Costs withLongerPauses(String collector, long ns) {
        SortedMap<String, GcCosts> longer = new TreeMap<>(collectors);
        longer.merge(collector, new GcCosts(0, ns), GcCosts::plus);
        return new Costs(withMore(Cost.GC_PAUSE, ns), longer);
    }

    /** Returns these with so much more time in which safepoints stopped the application; where none is known, as they are. */
    public Costs withLongerSafepoints(long ns) {
        return new Costs(withMore(Cost.SAFEPOINT, ns), collectors);
    }

    private long[] withMore(Cost cost, long ns) {
        long[] changed = values.clone();
        changed[cost.ordinal()] += isKnown(changed[cost.ordinal()]) ? ns : 0;
        return changed;
    }

    /** Returns the value of one quantity. */
    public OptionalLong get(Cost cost) {
        long value = values[cost.ordinal()];
        return isKnown(value) ? OptionalLong.of(value) : OptionalLong.empty();
    }

    private static boolean isKnown(long value) {
        return value != ABSENT && value != AWAITED;
    }

    /** Returns a total per successful request; absent where the total is, and where none succeeded. */
    OptionalDouble perRequest(Cost cost, long successful) {
        OptionalLong total = get(cost);
        return total.isEmpty() || successful <= 0
                ? OptionalDouble.empty()
                : OptionalDouble.of((double) total.getAsLong() / successful);
    }

    /** Returns what each collector did, by its name; empty where that is not known. */
    public SortedMap<String, GcCosts> collectors() {
        return collectors;
    }

    public boolean isEmpty() {
        return collectors.isEmpty() && Arrays.stream(values).noneMatch(Costs::isKnown);
    }

    /**
     * Returns what it cost since an earlier moment of the same process; levels stay as they are. A total that is absent
     * in one of both is absent in the difference, but one that was still {@link Builder#awaited awaited} had been 0.
     */
    public Costs since(Costs earlier) {
        long[] differences = values.clone();
        for (Cost cost : Cost.values()) {
            int i = cost.ordinal();
            if (cost.isTotal() && earlier.values[i] == ABSENT) {
                differences[i] = ABSENT;
            } else if (cost.isTotal() && isKnown(differences[i]) && isKnown(earlier.values[i])) {
                // Parts of a reading are made one after the other, so a difference of two sums can be off by that much.
                differences[i] = Math.max(0, differences[i] - earlier.values[i]);
            }
        }
        SortedMap<String, GcCosts> changes = new TreeMap<>();
        collectors.forEach((name, costs) -> changes.put(name, costs.minus(earlier.collectors.get(name))));
        return new Costs(differences, changes);
    }

    /** Returns these, with the totals of an earlier moment in place of those that are absent, as of a process that has ended. */
    public Costs orTotalsOf(Costs earlier) {
        long[] completed = values.clone();
        for (Cost cost : Cost.values()) {
            int i = cost.ordinal();
            if (cost.isTotal() && completed[i] == ABSENT) {
                completed[i] = earlier.values[i];
            }
        }
        return new Costs(completed, collectors.isEmpty() ? earlier.collectors : collectors);
    }

    /** Returns these without what only the log of collections tells, because it turned out not to tell it. */
    public Costs withoutCollections() {
        long[] known = values.clone();
        for (Cost cost : new Cost[] {Cost.GC_CYCLES, Cost.GC_PAUSE, Cost.SAFEPOINT, Cost.ALLOCATED}) {
            known[cost.ordinal()] = ABSENT;
        }
        return new Costs(known, new TreeMap<>());
    }

    /** Returns these, which nothing will follow: what is still awaited is absent for good. */
    public Costs concluded() {
        return new Costs(
                Arrays.stream(values)
                        .map(value -> value == AWAITED ? ABSENT : value)
                        .toArray(),
                collectors);
    }

    /**
     * Returns both together, where this is of one time and the other of a later one: totals add up, levels are the later
     * ones, peaks the higher. A total that is absent in one of both is absent in the sum; one that was awaited is not.
     */
    public Costs plus(Costs later) {
        long[] sums = values.clone();
        for (Cost cost : Cost.values()) {
            int i = cost.ordinal();
            if (cost.isTotal()) {
                sums[i] = sum(sums[i], later.values[i]);
            } else if (cost == Cost.PEAK_RSS || cost == Cost.MEMORY_PEAK) {
                sums[i] = Math.max(sums[i], later.values[i]);
            } else if (later.values[i] != ABSENT) {
                sums[i] = later.values[i];
            }
        }
        SortedMap<String, GcCosts> both = new TreeMap<>(collectors);
        later.collectors.forEach((name, costs) -> both.merge(name, costs, GcCosts::plus));
        return new Costs(sums, both);
    }

    private static long sum(long total, long later) {
        if (total == ABSENT || later == ABSENT) {
            return ABSENT;
        }
        return total == AWAITED ? later : later == AWAITED ? total : total + later;
    }

    /** As {@link #putInto(ObjectNode)}, before that the costs of each of so many successful requests. */
    void putInto(ObjectNode json, long successful) {
        JsonFields.put(json, "userCpuNsPerRequest", perRequest(Cost.USER_CPU, successful));
        JsonFields.put(json, "systemCpuNsPerRequest", perRequest(Cost.SYSTEM_CPU, successful));
        JsonFields.put(json, "allocatedBytesPerRequest", perRequest(Cost.ALLOCATED, successful));
        putInto(json);
    }

    /** Adds a field for each value that there is, and {@code collectors} where there are some. */
    void putInto(ObjectNode json) {
        for (Cost cost : Cost.values()) {
            JsonFields.put(json, cost.key(), get(cost));
        }
        if (!collectors.isEmpty()) {
            ObjectNode each = json.putObject("collectors");
            collectors.forEach((name, costs) -> {
                ObjectNode collector = each.putObject(name);
                JsonFields.put(collector, "cycles", costs.cycles());
                collector.put("pauseNs", costs.pauseNs());
            });
        }
    }

    /** Reads what {@link #putInto(ObjectNode)} wrote. */
    static Costs fromJson(JsonFields json) {
        Builder costs = new Builder();
        for (Cost cost : Cost.values()) {
            json.numberOrAbsent(cost.key()).ifPresent(value -> costs.set(cost, value));
        }
        JsonFields collectors = json.objectOrNull("collectors");
        if (collectors != null) {
            for (String name : collectors.names()) {
                JsonFields collector = collectors.object(name);
                long pauseNs = collector.number("pauseNs");
                OptionalLong cycles = collector.numberOrAbsent("cycles");
                costs.collector(
                        name,
                        cycles.isPresent() ? new GcCosts(cycles.getAsLong(), pauseNs) : GcCosts.ofPauses(pauseNs));
            }
        }
        return costs.build();
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Costs
                && Arrays.equals(((Costs) other).values, values)
                && ((Costs) other).collectors.equals(collectors);
    }

    @Override
    public int hashCode() {
        return 31 * Arrays.hashCode(values) + collectors.hashCode();
    }

    /** Collects values; those not set are absent. */
    public static final class Builder {
        private final long[] values = new long[Cost.values().length];
        private final SortedMap<String, GcCosts> collectors = new TreeMap<>();

        private Builder() {
            Arrays.fill(values, ABSENT);
        }

        public Builder set(Cost cost, long value) {
            values[cost.ordinal()] = value;
            return this;
        }

        /**
         * Says that a total is counted from the process's start on, but what tells it has said nothing of it yet: it is
         * absent, and was 0 as soon as a later moment has a value.
         */
        public Builder awaited(Cost cost) {
            return set(cost, AWAITED);
        }

        public Builder collector(String name, GcCosts costs) {
            collectors.put(name, costs);
            return this;
        }

        public Costs build() {
            return new Costs(values.clone(), new TreeMap<>(collectors));
        }
    }
}
