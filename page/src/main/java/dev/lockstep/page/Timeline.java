package dev.lockstep.page;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.lockstep.results.IntervalFigures;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Supplier;

/** What the targets of a run did over time, as plots over time draw it. Used by one thread. */
final class Timeline {
    private final Map<String, Stretches> byTarget = new LinkedHashMap<>();

    /** @param empty makes what holds one target's */
    Timeline(List<String> targets, Supplier<Stretches> empty) {
        targets.forEach(target -> byTarget.put(target, empty.get()));
    }

    /** Takes the next interval of a target. */
    void add(String target, IntervalFigures figures) {
        byTarget.get(target).add(figures);
    }

    /** Returns what there is of each target, in the order of the targets. */
    List<Stretches> all() {
        return List.copyOf(byTarget.values());
    }

    /** Returns what 0 s are, in epoch milliseconds; 0 before the first interval. */
    long fromMs() {
        return isEmpty()
                ? 0
                : byTarget.values().stream().mapToLong(Stretches::firstMs).min().getAsLong();
    }

    private boolean isEmpty() {
        return byTarget.values().stream().allMatch(stretches -> stretches.size() == 0);
    }

    private double seconds() {
        return isEmpty() ? 0 : (toMs() - fromMs()) / 1e3;
    }

    private long toMs() {
        return byTarget.values().stream().mapToLong(Stretches::lastMs).max().getAsLong();
    }

    /** Says whether something happened while the targets were under load, in epoch milliseconds. */
    boolean isWithin(long atMs) {
        return !isEmpty() && atMs >= fromMs() && atMs <= toMs();
    }

    /** Returns what the plots have in common: where in time the warm-ups and launches lie. */
    ObjectNode frame() {
        long fromMs = fromMs();
        ObjectNode frame = JsonNodeFactory.instance.objectNode();
        frame.putArray("range").add(0).add(Math.max(1, seconds()));
        ArrayNode warmUps = frame.putArray("warmUps");
        byTarget.values().stream()
                .flatMap(stretches -> stretches.ranges(fromMs, true).stream())
                .sorted(Comparator.comparingDouble((double[] range) -> range[0]))
                .forEach(range -> warmUps.addArray().add(range[0]).add(range[1]));
        ArrayNode launches = frame.putArray("stretches");
        // A target may lack a launch in which it was not ready.
        Map<Integer, double[]> byNumber = new TreeMap<>();
        byTarget.values().stream()
                .flatMap(stretches -> stretches.ranges(fromMs, false).stream())
                .forEach(range -> byNumber.merge((int) range[2], range, Timeline::both));
        byNumber.forEach((number, range) ->
                launches.addArray().add(range[0]).add(range[1]).add(number));
        return frame;
    }

    private static double[] both(double[] one, double[] other) {
        return new double[] {Math.min(one[0], other[0]), Math.max(one[1], other[1])};
    }

    /** Returns the columns of each target. */
    ArrayNode series() {
        ArrayNode series = JsonNodeFactory.instance.arrayNode();
        all().forEach(stretches -> series.add(stretches.columns(fromMs())));
        return series;
    }
}
