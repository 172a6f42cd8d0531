package dev.lockstep.results.comparison;

import dev.lockstep.results.Verdict.Finding;
import java.util.List;

/** What a comparison comes to as a whole, by the metrics that decide: the first of these that holds. */
public enum Outcome {
    /** A run is worse. */
    REGRESSION("REGRESSION"),
    /** None is worse, and one is INVALID for such a metric. */
    INVALID("INVALID"),
    /** Neither, and not everything is known to be better or equivalent; or nothing was compared. */
    NOT_DECIDED("NOT DECIDED"),
    /** All is better or equivalent. */
    NO_REGRESSION("NO REGRESSION");

    private final String label;

    Outcome(String label) {
        this.label = label;
    }

    static Outcome of(List<RunVerdict> verdicts) {
        if (verdicts.stream().anyMatch(RunVerdict::regression)) {
            return REGRESSION;
        }
        if (verdicts.stream().anyMatch(verdict -> verdict.decides() && verdict.invalid())) {
            return INVALID;
        }
        boolean decided = verdicts.stream().anyMatch(RunVerdict::decides)
                && verdicts.stream()
                        .filter(RunVerdict::decides)
                        .map(RunVerdict::finding)
                        .allMatch(finding -> finding == Finding.BETTER || finding == Finding.EQUIVALENT);
        return decided ? NO_REGRESSION : NOT_DECIDED;
    }

    /** Returns the words for people. */
    public String label() {
        return label;
    }
}
