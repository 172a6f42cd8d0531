package dev.lockstep.inspection;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Counts requests by a name, in bounded memory: once there are many different names, further new ones are not counted.
 * For one thread.
 */
final class NameCounts {
    private static final int MAX_NAMES = 200_000;
    private static final int MAX_LENGTH = 300;

    private final Map<String, Long> counts = new HashMap<>();

    /** Counts a name, unless it is null. */
    void add(String name) {
        if (name == null) {
            return;
        }
        String key = name.length() > MAX_LENGTH ? name.substring(0, MAX_LENGTH) + "..." : name;
        if (counts.size() < MAX_NAMES || counts.containsKey(key)) {
            counts.merge(key, 1L, Long::sum);
        }
    }

    /** How many different names were counted. */
    int size() {
        return counts.size();
    }

    /** The most frequent names, the most frequent first and equal ones by name. */
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
