package dev.lockstep.measurement;

import java.util.Arrays;
import java.util.Collections;
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

    /**
     * Returns these with so much more time in which a collector stopped the application; where none is known, as they
     * are.
     */
    public Costs withLongerPauses(String collector, long ns) {
        SortedMap<String, GcCosts> longer = new TreeMap<>(collectors);
        longer.merge(collector, GcCosts.of(0, ns), GcCosts::plus);
        return new Costs(withMore(Cost.GC_PAUSE, ns), longer);
    }

    /**
     * Returns these with so much more time in which safepoints stopped the application; where none is known, as they
     * are.
     */
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

    /** Whether it is known, or will be once it happened. */
    public boolean mayHave(Cost cost) {
        return values[cost.ordinal()] != ABSENT;
    }

    private static boolean isKnown(long value) {
        return value != ABSENT && value != AWAITED;
    }

    /**
     * Returns the CPU time of a target, ns: that of its control group, which the kernel counts exactly, or where there
     * is none the user and system time of its process, whose sum is exact to a tick of the kernel's clock. Of a server
     * that runs already, what its own metrics tell.
     */
    public OptionalLong cpuNs() {
        if (!isCpuOfGroup() && isCpuOfMetrics()) {
            return get(Cost.PROCESS_CPU);
        }
        OptionalLong user = get(Cost.USER_CPU);
        OptionalLong system = get(Cost.SYSTEM_CPU);
        return isCpuOfGroup() || user.isEmpty() || system.isEmpty()
                ? get(Cost.GROUP_CPU)
                : OptionalLong.of(user.getAsLong() + system.getAsLong());
    }

    /** Whether the server's own metrics tell {@link #cpuNs}. */
    public boolean isCpuOfMetrics() {
        return !isCpuOfGroup() && get(Cost.PROCESS_CPU).isPresent();
    }

    /** Whether {@link #cpuNs} is that of a control group. */
    public boolean isCpuOfGroup() {
        return get(Cost.GROUP_CPU).isPresent();
    }

    /**
     * Returns {@code cycles} and {@code pauseNs} of each collector, as {@code {"G1 Young": {"cycles": 12, "pauseNs":
     * 34000000}}}; Zing's have no cycles.
     */
    public SortedMap<String, GcCosts> collectors() {
        return collectors;
    }

    public boolean isEmpty() {
        return collectors.isEmpty() && Arrays.stream(values).noneMatch(Costs::isKnown);
    }

    /**
     * Returns what it cost since an earlier moment of the same process; levels and peaks stay as they are. A total that
     * is absent in one of both is absent in the difference, but one that was still {@link Builder#awaited awaited} had
     * been 0. Allocation that has not grown is awaited.
     */
    public Costs since(Costs earlier) {
        long[] differences = values.clone();
        for (Cost cost : Cost.values()) {
            int i = cost.ordinal();
            if (cost.kind() == Cost.Kind.TOTAL && earlier.values[i] == ABSENT) {
                differences[i] = ABSENT;
            } else if (cost.kind() == Cost.Kind.TOTAL && isKnown(differences[i]) && isKnown(earlier.values[i])) {
                // Parts of a reading are made one after the other, so a difference of two sums can be off by that much.
                differences[i] = Math.max(0, differences[i] - earlier.values[i]);
                // Who runs allocates: what stands still was not read anew. From JDK 25 on Serial and Parallel publish
                // it with each collection only, as the logs of other collectors do.
                differences[i] = cost == Cost.ALLOCATED && differences[i] == 0 ? AWAITED : differences[i];
            }
        }
        SortedMap<String, GcCosts> changes = new TreeMap<>();
        collectors.forEach((name, costs) -> changes.put(name, costs.minus(earlier.collectors.get(name))));
        return new Costs(differences, changes);
    }

    /**
     * Returns these, with the totals of an earlier moment in place of those that are absent where the process has
     * ended. What is absent of one that lives stays so: its old total would be too low.
     */
    public Costs orTotalsOf(Costs earlier) {
        // The switches can be read of every process that lives.
        if (isKnown(values[Cost.VOLUNTARY_SWITCHES.ordinal()])) {
            return this;
        }
        long[] completed = values.clone();
        for (Cost cost : Cost.values()) {
            int i = cost.ordinal();
            if (cost.kind() == Cost.Kind.TOTAL && completed[i] == ABSENT) {
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

    /**
     * Returns these, with a total that is absent taken as {@link Builder#awaited awaited}, as before it was written.
     */
    public Costs awaiting(Cost cost) {
        return values[cost.ordinal()] == ABSENT ? with(cost, AWAITED) : this;
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
     * Returns these of a part of a process's life, of which other parts are known too: what is still awaited did not
     * happen in this one, so that it is 0. But allocation that has not grown although there were collections was not
     * read anew.
     */
    public Costs ofPart() {
        boolean collected = get(Cost.GC_CYCLES).orElse(0) > 0;
        long[] concluded = values.clone();
        for (Cost cost : Cost.values()) {
            int i = cost.ordinal();
            if (concluded[i] == AWAITED) {
                concluded[i] = cost == Cost.ALLOCATED && collected ? ABSENT : 0;
            }
        }
        return new Costs(concluded, collectors);
    }

    /**
     * Returns both together, where this is of one time and the other of a later one: totals add up, levels are the
     * later ones, peaks the higher. A total that is absent in one of both is absent in the sum; one that was awaited is
     * not.
     */
    public Costs plus(Costs later) {
        long[] sums = values.clone();
        for (Cost cost : Cost.values()) {
            int i = cost.ordinal();
            if (cost.kind() == Cost.Kind.TOTAL) {
                sums[i] = sum(sums[i], later.values[i]);
            } else if (cost.kind() == Cost.Kind.PEAK) {
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

    @Override
    public String toString() {
        return Arrays.toString(values) + collectors;
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
