package dev.lockstep.measurement;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.List;

/** What one rewrite did to the requests sent to one target in its measured phase. Immutable. */
public final class RewriteCount {
    private final String rule;
    private final long requests;
    private final long answers;
    private final long asRecorded;

    /**
     * @param rule the option that asked for it, as in {@link RunPlan#rewrites}
     * @param requests how many requests it changed
     * @param answers in how many answers it found a value, where it looks for one
     * @param asRecorded how many requests it would have changed if an answer had brought a value before them
     */
    public RewriteCount(String rule, long requests, long answers, long asRecorded) {
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
     * Returns the counts of the same rules, in the same order, of two parts of a run as one. Where only one part has some,
     * they are its.
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

    ObjectNode toJson() {
        ObjectNode json = JsonFields.object();
        json.put("rule", rule);
        json.put("requests", requests);
        if (answers > 0) {
            json.put("answers", answers);
        }
        if (asRecorded > 0) {
            json.put("asRecorded", asRecorded);
        }
        return json;
    }

    static RewriteCount fromJson(JsonFields json) {
        return new RewriteCount(
                json.text("rule"),
                json.number("requests"),
                json.has("answers") ? json.number("answers") : 0,
                json.has("asRecorded") ? json.number("asRecorded") : 0);
    }
}
