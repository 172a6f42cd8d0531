package dev.lockstep.inspection;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Counts requests by a name, in bounded memory: once there are many different names, further new ones are counted
 * together. For one thread.
 */
final class NameCounts {
    private static final int MAX_NAMES = 200_000;
    private static final int MAX_LENGTH = 300;

    private final Map<String, Long> counts = new HashMap<>();
    private long others;

    void add(String name) {
        add(name, 1);
    }

    void add(String name, long count) {
        String key = name.length() > MAX_LENGTH ? name.substring(0, MAX_LENGTH) + "..." : name;
        Long known = counts.get(key);
        if (known == null && counts.size() >= MAX_NAMES) {
            others += count;
        } else {
            counts.put(key, known == null ? count : known + count);
        }
    }

    /** Returns how many different names were counted by name. */
    int size() {
        return counts.size();
    }

    /** Returns how many were counted without their name. */
    long others() {
        return others;
    }

    /** Returns the most frequent names, the most frequent first and equal ones by name. */
    Map<String, Long> top(int most) {
        List<Map.Entry<String, Long>> entries = new ArrayList<>(counts.entrySet());
        entries.sort(Map.Entry.<String, Long>comparingByValue(Comparator.reverseOrder())
                .thenComparing(Map.Entry.comparingByKey()));
        Map<String, Long> top = new LinkedHashMap<>();
        for (Map.Entry<String, Long> entry : entries.subList(0, Math.min(most, entries.size()))) {
            top.put(entry.getKey(), entry.getValue());
        }
        return top;
    }
}
