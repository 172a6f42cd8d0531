package dev.lockstep.report;

import static dev.lockstep.report.Figures.printable;

import dev.lockstep.results.RunResult;
import dev.lockstep.results.RunStatus;
import java.util.List;

/**
 * Which figures of an INVALID run are not to be trusted, in words that stand at a table itself: it may be shown without
 * the rest of the report. What Lockstep was late in spoils rates and latencies, not CPU and memory.
 */
final class Distrust {
    /** What stands above the names of a table that is not to be trusted. */
    static final String SIGN = "INVALID";

    private final RunResult result;

    Distrust(RunResult result) {
        this.result = result;
    }

    /**
     * Says whether figures are not to be trusted.
     *
     * @param ofLoad whether rates or latencies are among them
     */
    boolean spoils(boolean ofLoad) {
        return result.status() == RunStatus.INVALID && (ofLoad || !isOnlyLate());
    }

    /** Returns what stands above a table; empty for one of a valid run. */
    String caption(boolean ofLoad) {
        if (result.status() != RunStatus.INVALID) {
            return "";
        }
        if (!isOnlyLate()) {
            return "INVALID: do not trust these figures: " + reasons(ofLoad);
        }
        return ofLoad
                ? "INVALID: do not trust these rates and latencies: " + reasons(true)
                : "Of an INVALID run: Lockstep was late, so rates and latencies are not to be trusted; trust these";
    }

    private boolean isOnlyLate() {
        return result.reasonsBesideLateness().isEmpty();
    }

    /** Returns the first reason that matters here, and how many more there are. */
    private String reasons(boolean ofLoad) {
        List<String> reasons = ofLoad ? result.statusReasons() : result.reasonsBesideLateness();
        return printable(reasons.get(0)) + (reasons.size() > 1 ? ", and " + (reasons.size() - 1) + " more" : "");
    }
}
