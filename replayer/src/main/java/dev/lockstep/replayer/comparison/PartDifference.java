package dev.lockstep.replayer.comparison;

import dev.lockstep.measurement.AnswerComparison.Part;
import java.util.LinkedHashMap;
import java.util.Map;

/** How one target differs in one part of the answers to one kind of request. */
final class PartDifference {
    private final RequestKind kind;
    final String part;
    private final Map<String, Long> details = new LinkedHashMap<>();
    long differed;
    /** Of those, the ones with an outcome that the baseline never gave. */
    private long unheardOf;
    /** Requests in which nothing but noisy parts counts, this one among them. */
    long noisyOnly;

    /** Whether it differs where the baseline never varies, or more often than that explains. */
    boolean beyondNoise;
    /** How likely noise alone makes it differ so often. */
    double pValue;

    PartDifference(RequestKind kind, String part) {
        this.kind = kind;
        this.part = part;
    }

    /** Counts a request, which has also another outcome. */
    void differs(int outcome, String detail) {
        differed++;
        if (!kind.isHeardOf(outcome)) {
            unheardOf++;
        }
        details.merge(detail, 1L, Long::sum);
    }

    /** Tells whether the part varies among the baseline's own answers. */
    boolean isNoisy() {
        return noise() > 0;
    }

    private long noise() {
        return kind.reference().noise(part);
    }

    boolean counts() {
        return beyondNoise || unheardOf > 0;
    }

    /** Of the requests that differ in noisy parts alone, how many noise does not explain; 0 where it explains all. */
    long beyondExplained(long compared) {
        if (!beyondNoise || !isNoisy()) {
            return 0;
        }
        long explained = Math.round((double) noise() / kind.reference().pairs() * compared);
        return Math.max(0, noisyOnly - explained);
    }

    Part toPart() {
        String most = null;
        long count = 0;
        for (Map.Entry<String, Long> detail : details.entrySet()) {
            if (detail.getValue() > count) {
                most = detail.getKey();
                count = detail.getValue();
            }
        }
        // Others may have had another.
        String detail = most != null && count < differed ? Part.MOSTLY + most : most;
        return Part.of(part, differed, kind.noise(part), counts(), detail);
    }
}
