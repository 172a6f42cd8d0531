package dev.lockstep.replayer.comparison;

import dev.lockstep.measurement.AnswerComparison;
import dev.lockstep.measurement.AnswerComparison.Part;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** How one target differs in the answers to one kind of request. */
final class KindDifference {
    final RequestKind kind;
    private final Map<String, PartDifference> parts = new LinkedHashMap<>();
    long compared;
    /** Requests that differ in what the baseline does not vary. */
    private long surely;
    /** Requests that differ in noisy parts that count, and in no others that do. */
    private long noisyOnly;

    KindDifference(RequestKind kind) {
        this.kind = kind;
    }

    /** The part, which is from now on one in which the target differs. */
    PartDifference differing(String part) {
        return parts.computeIfAbsent(part, name -> new PartDifference(kind, name));
    }

    /** A part in which the target differs. */
    PartDifference part(String part) {
        return parts.get(part);
    }

    Collection<PartDifference> parts() {
        return parts.values();
    }

    /** Counts a request that differs in parts that count. */
    void count(List<String> differing, boolean sure) {
        if (sure) {
            surely++;
        } else {
            noisyOnly++;
            differing.forEach(part -> parts.get(part).noisyOnly++);
        }
    }

    /** How many requests differ; of those that noise may explain, the ones beyond what it does explain. */
    long different() {
        long beyond = parts.values().stream()
                .mapToLong(part -> part.beyondExplained(compared))
                .max()
                .orElse(0);
        return surely + Math.min(noisyOnly, beyond);
    }

    /** Tells whether there is something to tell: a difference, or noise of the baseline. */
    boolean isWorthTelling() {
        return !parts.isEmpty() || !kind.noisyParts().isEmpty();
    }

    AnswerComparison.Kind toKind() {
        List<Part> told = new ArrayList<>();
        parts.values().forEach(part -> told.add(part.toPart()));
        for (String part : kind.noisyParts()) {
            if (!parts.containsKey(part)) {
                told.add(Part.of(part, 0, kind.noise(part), false, null));
            }
        }
        told.sort(Comparator.comparing(Part::counted)
                .thenComparingLong(Part::differed)
                .thenComparingLong(Part::noise)
                .reversed());
        return AnswerComparison.Kind.of(kind.name, compared, different(), kind.pairs(), told);
    }
}
