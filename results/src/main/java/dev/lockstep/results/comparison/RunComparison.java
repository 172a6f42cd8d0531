package dev.lockstep.results.comparison;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonInclude.Include;
import com.fasterxml.jackson.databind.annotation.JsonDeserialize;
import dev.lockstep.results.json.Json;
import java.util.List;
import org.immutables.value.Value;

/** Runs of different days beside each other: what they had in common, what differs, and what that says of targets. */
@Value.Immutable
@JsonDeserialize(builder = RunComparison.Builder.class)
public abstract class RunComparison {
    public static Builder builder() {
        return new Builder();
    }

    /** Of this format: 1. */
    @Value.Derived
    int version() {
        return 1;
    }

    /** The baseline first. */
    public abstract List<ComparedRun> runs();

    /** By what the captures differ; empty where all runs had the same requests. */
    @JsonInclude(Include.NON_EMPTY)
    public abstract List<Fact> captures();

    /** What the plans say that figures depend on, where it differs. */
    @JsonInclude(Include.NON_EMPTY)
    public abstract List<Fact> plans();

    /** The machines and Lockstep's versions. */
    public abstract List<Fact> machines();

    /** The targets that two runs or more have, in the order of the baseline. */
    public abstract List<TargetFacts> targets();

    /** The metric that decides. */
    public abstract String primaryMetric();

    /** Up to which share a difference counts as none. */
    public abstract double margin();

    /** Run by run, target by target, the primary metric first. */
    public abstract List<RunVerdict> verdicts();

    /** What a reader must know, a line each. */
    public abstract List<String> notes();

    /** Returns the runs that are judged. */
    public List<ComparedRun> judged() {
        return runs().subList(1, runs().size());
    }

    /** Returns what it comes to. */
    public Outcome outcome() {
        return Outcome.of(verdicts());
    }

    public String toJson() {
        return Json.print(this);
    }

    public static final class Builder extends ImmutableRunComparison.Builder {
        Builder() {}
    }
}
