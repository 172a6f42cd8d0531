package dev.lockstep.inspection;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Counts by name in bounded memory, about 10 MB at most. Exact for up to 32,768 different names; beyond, the frequent
 * ones stay and {@link #tooLowBy()} says how much their counts may lack. For one thread.
 *
 * <p>The algorithm of Misra and Gries ("Finding repeated elements", 1982), half of the names at a time: when there is
 * no room, the median of all counts is taken from each, and those that have nothing left go. A count lacks at most the
 * sum of these medians, and a name with more than that is never lost.
 */
final class NameCounts {
    static final int MAX_NAMES = 1 << 15;
    private static final int MAX_LENGTH = 300;

    private final Map<String, Count> counts = new HashMap<>();
    private long tooLowBy;

    private static final class Count {
        private long count;
        /** The one that all were an instance of, or null where there were several. */
        private String instance;

        private Count(String instance) {
            this.instance = instance;
        }
    }

    /** Counts a name, unless it is null. */
    void add(String name) {
        add(name, name, 1);
    }

    /** Counts a name several times, unless it is null. */
    void add(String name, long times) {
        add(name, name, times);
    }

    /** Counts a name that stands for others, unless it is null; {@code instance} is the one that it stands for here. */
    void add(String name, String instance, long times) {
        if (name == null || times == 0) {
            return;
        }
        String key = shortened(name);
        Count count = counts.get(key);
        if (count == null) {
            if (counts.size() == MAX_NAMES) {
                forgetRare();
            }
            count = new Count(shortened(instance));
            counts.put(key, count);
        } else if (count.instance != null && !count.instance.equals(shortened(instance))) {
            count.instance = null;
        }
        count.count += times;
    }

    private static String shortened(String name) {
        return name.length() > MAX_LENGTH ? name.substring(0, MAX_LENGTH) + "..." : name;
    }

    private void forgetRare() {
        long[] sorted = counts.values().stream()
                .mapToLong(count -> count.count)
                .sorted()
                .toArray();
        long median = sorted[sorted.length / 2];
        tooLowBy += median;
        counts.values().removeIf(count -> (count.count -= median) <= 0);
    }

    /** How many different names are counted now. */
    int size() {
        return counts.size();
    }

    /** By how much a count may be too low; 0 where all are exact. */
    long tooLowBy() {
        return tooLowBy;
    }

    /** The most frequent names, the most frequent first and equal ones by name; one with one instance as that. */
    Map<String, Long> top(int most) {
        List<Map.Entry<String, Count>> entries = new ArrayList<>(counts.entrySet());
        entries.sort(Comparator.<Map.Entry<String, Count>>comparingLong(entry -> -entry.getValue().count)
                .thenComparing(Map.Entry.comparingByKey()));
        Map<String, Long> top = new LinkedHashMap<>();
        for (Map.Entry<String, Count> entry : entries.subList(0, Math.min(most, entries.size()))) {
            Count count = entry.getValue();
            top.merge(count.instance == null ? entry.getKey() : count.instance, count.count, Long::sum);
        }
        return top;
    }
}
