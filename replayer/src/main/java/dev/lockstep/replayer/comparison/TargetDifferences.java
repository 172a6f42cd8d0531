package dev.lockstep.replayer.comparison;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.commons.statistics.inference.AlternativeHypothesis;
import org.apache.commons.statistics.inference.FisherExactTest;

/** In what one target's answers differ from the baseline's, and which of these differences count. Immutable. */
final class TargetDifferences {
    /** The level of the tests of all noisy parts together. */
    static final double LEVEL = 0.01;

    private final RequestKinds kinds;
    private final AnswerLog theirs;
    private final AnswerLog mine;
    private final Map<RequestKind, KindDifference> byKind = new LinkedHashMap<>();

    /**
     * @param theirs the baseline's answers
     * @param mine the target's
     */
    TargetDifferences(RequestKinds kinds, AnswerLog theirs, AnswerLog mine) {
        this.kinds = kinds;
        this.theirs = theirs;
        this.mine = mine;
        find();
        decide();
        count();
    }

    private void find() {
        List<String> parts = new ArrayList<>();
        for (int i = 0; i < kinds.requests(); i++) {
            if (AnswerParts.areKnown(theirs, mine, i)) {
                KindDifference kind = byKind.computeIfAbsent(kinds.of(i), KindDifference::new);
                kind.compared++;
                AnswerParts.differing(theirs, mine, i, parts);
                for (String part : parts) {
                    note(kind.differing(part), theirs.outcome(i), mine.outcome(i));
                }
            }
        }
    }

    private static void note(PartDifference difference, int theirs, int mine) {
        if (theirs == mine) {
            difference.differed++;
        } else {
            difference.differs(mine, AnswerLog.describe(mine) + " instead of " + AnswerLog.describe(theirs));
        }
    }

    /** Decides which parts count, the noisy ones by the procedure of Holm. */
    private void decide() {
        List<PartDifference> noisy = new ArrayList<>();
        for (KindDifference kind : byKind.values()) {
            for (PartDifference part : kind.parts()) {
                if (part.isNoisy()) {
                    RequestKind reference = kind.kind.reference();
                    part.pValue = pValue(part.differed, kind.compared, reference.noise(part.part), reference.pairs());
                    noisy.add(part);
                } else {
                    part.beyondNoise = true;
                }
            }
        }
        noisy.sort(Comparator.comparingDouble(part -> part.pValue));
        for (int i = 0; i < noisy.size() && noisy.get(i).pValue <= LEVEL / (noisy.size() - i); i++) {
            noisy.get(i).beyondNoise = true;
        }
    }

    /** Returns how likely noise alone makes the target differ in so many of the compared requests, or in more. */
    private static double pValue(long differed, long compared, long noisy, long pairs) {
        int[][] table = {
            {Math.toIntExact(differed), Math.toIntExact(compared - differed)},
            {Math.toIntExact(noisy), Math.toIntExact(pairs - noisy)}
        };
        return FisherExactTest.withDefaults()
                .with(AlternativeHypothesis.GREATER_THAN)
                .test(table)
                .getPValue();
    }

    private void count() {
        List<String> parts = new ArrayList<>();
        for (int i = 0; i < kinds.requests(); i++) {
            if (counted(i, parts)) {
                of(i).count(parts, isSure(i, parts));
            }
        }
    }

    /** Of how many pairs of answers the noise was learned. */
    long noisePairs() {
        return kinds.pairs();
    }

    Collection<KindDifference> kinds() {
        return byKind.values();
    }

    /** The difference of a request's kind; null where nothing of that kind was compared. */
    KindDifference of(int request) {
        return byKind.get(kinds.of(request));
    }

    /** Finds the parts in which a request differs and that count; returns whether there are any. */
    boolean counted(int request, List<String> parts) {
        parts.clear();
        if (AnswerParts.areKnown(theirs, mine, request)) {
            AnswerParts.differing(theirs, mine, request, parts);
            parts.removeIf(part -> !of(request).part(part).beyondNoise && !isUnheardOf(request));
        }
        return !parts.isEmpty();
    }

    /** Tells whether a request differs in something that the baseline does not vary. */
    boolean isSure(int request, List<String> parts) {
        for (String part : parts) {
            if (!of(request).part(part).isNoisy()) {
                return true;
            }
        }
        return isUnheardOf(request);
    }

    private boolean isUnheardOf(int request) {
        return !kinds.of(request).isHeardOf(mine.outcome(request));
    }

    /** How many requests were answered on both sides with contents that were not digested on one. */
    long withoutContents() {
        long count = 0;
        for (int i = 0; i < kinds.requests(); i++) {
            if (AnswerParts.areKnown(theirs, mine, i)
                    && mine.outcome(i) < AnswerLog.FAILED
                    && theirs.outcome(i) < AnswerLog.FAILED
                    && !(mine.isWhole(i) && theirs.isWhole(i))) {
                count++;
            }
        }
        return count;
    }
}
