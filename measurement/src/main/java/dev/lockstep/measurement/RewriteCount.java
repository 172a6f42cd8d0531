package dev.lockstep.measurement;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonInclude.Include;
import com.fasterxml.jackson.databind.annotation.JsonDeserialize;
import java.util.ArrayList;
import java.util.List;
import org.immutables.value.Value;

/** What one rewrite did to the requests sent to one target in its measured phase. Immutable. */
@Value.Immutable
@JsonDeserialize(builder = ImmutableRewriteCount.Builder.class)
public abstract class RewriteCount {
    public static RewriteCount of(String rule, long requests, long answers, long asRecorded) {
        return ImmutableRewriteCount.of(rule, requests, answers, asRecorded);
    }

    /** Returns the option that asked for it, as the plan of the run has it. */
    public abstract String rule();

    /** Returns how many requests it changed. */
    public abstract long requests();

    /** Returns in how many answers it found a value for later requests. */
    @JsonInclude(Include.NON_DEFAULT)
    @Value.Default
    public long answers() {
        return 0;
    }

    /** Returns how many requests went out with a recorded value, since no answer had brought another one yet. */
    @JsonInclude(Include.NON_DEFAULT)
    @Value.Default
    public long asRecorded() {
        return 0;
    }

    /**
     * Returns the counts of the same rules, in the same order, of two parts of a run as one. Where only one part has
     * some, they are its.
     */
    public static List<RewriteCount> sum(List<RewriteCount> mine, List<RewriteCount> others) {
        if (mine.size() != others.size()) {
            return mine.isEmpty() ? others : mine;
        }
        List<RewriteCount> sums = new ArrayList<>();
        for (int i = 0; i < mine.size(); i++) {
            sums.add(mine.get(i).plus(others.get(i)));
        }
        return sums;
    }

    /** Returns both together, of the same rule. */
    RewriteCount plus(RewriteCount other) {
        return of(
                rule(), requests() + other.requests(), answers() + other.answers(), asRecorded() + other.asRecorded());
    }
}
