package dev.lockstep.measurement;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonInclude.Include;
import com.fasterxml.jackson.annotation.JsonProperty;
import java.util.ArrayList;
import java.util.List;

/** What one rewrite did to the requests sent to one target in its measured phase. Immutable. */
public final class RewriteCount {
    @JsonProperty
    private final String rule;

    @JsonProperty
    private final long requests;

    @JsonProperty
    @JsonInclude(Include.NON_DEFAULT)
    private final long answers;

    @JsonProperty
    @JsonInclude(Include.NON_DEFAULT)
    private final long asRecorded;

    /**
     * @param rule the option that asked for it, as the plan of the run has it
     * @param requests how many requests it changed
     * @param answers in how many answers it found a value, where it looks for one
     * @param asRecorded how many requests it would have changed if an answer had brought a value before them
     */
    @JsonCreator
    public RewriteCount(
            @JsonProperty(value = "rule", required = true) String rule,
            @JsonProperty(value = "requests", required = true) long requests,
            @JsonProperty("answers") long answers,
            @JsonProperty("asRecorded") long asRecorded) {
        this.rule = rule;
        this.requests = requests;
        this.answers = answers;
        this.asRecorded = asRecorded;
    }

    public String rule() {
        return rule;
    }

    /** Returns how many requests it changed. */
    public long requests() {
        return requests;
    }

    /** Returns in how many answers it found a value for later requests. */
    public long answers() {
        return answers;
    }

    /** Returns how many requests went out with a recorded value, since no answer had brought another one yet. */
    public long asRecorded() {
        return asRecorded;
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
        return new RewriteCount(
                rule, requests + other.requests, answers + other.answers, asRecorded + other.asRecorded);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof RewriteCount && toString().equals(other.toString());
    }

    @Override
    public int hashCode() {
        return toString().hashCode();
    }

    @Override
    public String toString() {
        return rule + ": " + requests + " requests, " + answers + " answers, " + asRecorded + " as recorded";
    }
}
