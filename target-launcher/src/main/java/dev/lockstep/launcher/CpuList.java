package dev.lockstep.launcher;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;

/**
 * A set of processors, in the kernel's notation ("0-2,5"). Immutable; safe to use from any thread.
 *
 * <p>The notation is that of cpuset(7), "List format".
 */
public final class CpuList {
    /** The kernel's own upper bound for x86-64 (NR_CPUS); protects against a typing error filling the memory. */
    private static final int MAX_CPU = 8191;

    private final BitSet cpus;

    private CpuList(BitSet cpus) {
        this.cpus = cpus;
    }

    /** Returns the set of these processors. */
    public static CpuList of(int... cpus) {
        BitSet set = new BitSet();
        for (int cpu : cpus) {
            set.set(cpu);
        }
        return new CpuList(set);
    }

    /**
     * Reads the kernel's list notation; an empty text is the empty set.
     *
     * @throws IllegalArgumentException for anything else
     */
    public static CpuList parse(String text) {
        BitSet set = new BitSet();
        String trimmed = text.trim();
        if (trimmed.isEmpty()) {
            return new CpuList(set);
        }
        for (String part : trimmed.split(",", -1)) {
            int dash = part.indexOf('-');
            int first = number(dash < 0 ? part : part.substring(0, dash), text);
            int last = dash < 0 ? first : number(part.substring(dash + 1), text);
            if (last < first) {
                throw new IllegalArgumentException(
                        "processors '" + text + "': in '" + part + "' the end lies before the start");
            }
            set.set(first, last + 1);
        }
        return new CpuList(set);
    }

    private static int number(String digits, String whole) {
        if (!digits.matches("[0-9]{1,4}") || Integer.parseInt(digits) > MAX_CPU) {
            throw new IllegalArgumentException("processors '" + whole
                    + "': expected numbers and ranges such as 0-2,5 up to " + MAX_CPU + ", found '" + digits + "'");
        }
        return Integer.parseInt(digits);
    }

    public int size() {
        return cpus.cardinality();
    }

    public boolean isEmpty() {
        return cpus.isEmpty();
    }

    public boolean contains(int cpu) {
        return cpus.get(cpu);
    }

    /** Returns the processors in rising order. */
    public List<Integer> toList() {
        List<Integer> list = new ArrayList<>();
        cpus.stream().forEach(list::add);
        return list;
    }

    /** Returns what is in this set or in the other. */
    public CpuList plus(CpuList other) {
        BitSet set = (BitSet) cpus.clone();
        set.or(other.cpus);
        return new CpuList(set);
    }

    /** Returns what is in this set and not in the other. */
    public CpuList minus(CpuList other) {
        BitSet set = (BitSet) cpus.clone();
        set.andNot(other.cpus);
        return new CpuList(set);
    }

    /** Returns what is in both. */
    public CpuList and(CpuList other) {
        BitSet set = (BitSet) cpus.clone();
        set.and(other.cpus);
        return new CpuList(set);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof CpuList && ((CpuList) other).cpus.equals(cpus);
    }

    @Override
    public int hashCode() {
        return cpus.hashCode();
    }

    /** Returns the kernel's notation, ranges joined. */
    @Override
    public String toString() {
        StringBuilder text = new StringBuilder();
        for (int first = cpus.nextSetBit(0); first >= 0; ) {
            int last = cpus.nextClearBit(first) - 1;
            text.append(text.length() == 0 ? "" : ",").append(first);
            if (last > first) {
                text.append('-').append(last);
            }
            first = cpus.nextSetBit(last + 1);
        }
        return text.toString();
    }
}
