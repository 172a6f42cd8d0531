package dev.lockstep.conversion;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** Collects findings by reason, in the order in which they first came. For one thread. */
public final class Findings {
    private static final int PLACES = 3;

    private final Map<String, Long> counts = new LinkedHashMap<>();
    private final Map<String, List<String>> places = new LinkedHashMap<>();

    /** Counts one more; {@code place} may be null. */
    public void add(String reason, String place) {
        add(reason, place, 1);
    }

    /** Counts several, or none, at one place, which may be null. */
    public void add(String reason, String place, long count) {
        if (count == 0) {
            return;
        }
        counts.merge(reason, count, Long::sum);
        List<String> known = places.computeIfAbsent(reason, unused -> new ArrayList<>());
        if (place != null && known.size() < PLACES) {
            known.add(place);
        }
    }

    /** The findings so far, as immutable values. */
    public List<Finding> list() {
        List<Finding> list = new ArrayList<>();
        counts.forEach((reason, count) -> list.add(ImmutableFinding.of(reason, count, places.get(reason))));
        return Collections.unmodifiableList(list);
    }

    /** A clause with what was found, to follow a problem; empty where nothing was. */
    public static String because(Findings... found) {
        String lines = Arrays.stream(found)
                .flatMap(findings -> findings.list().stream())
                .map(Finding::line)
                .collect(Collectors.joining("; "));
        return lines.isEmpty() ? "" : "; " + lines;
    }
}
