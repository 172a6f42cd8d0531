package dev.lockstep.results;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonInclude.Include;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.annotation.JsonDeserialize;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.lockstep.measurement.MeasurementException;
import dev.lockstep.measurement.SelfReport;
import dev.lockstep.measurement.Skew;
import dev.lockstep.results.json.Json;
import dev.lockstep.results.json.JsonFault;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.stream.Collectors;
import org.immutables.value.Value;

/**
 * The result of a run, which is the document {@code run.json}: what was planned, where it ran, whether it is valid, and
 * what every target did. The fields are described in {@code docs/fields.md}.
 *
 * <p>Design note: a plan is read strictly and a result leniently. A field that a reader does not know would change a
 * run but only adds to a result, and results are kept for years and read by newer and older versions.
 */
@Value.Immutable
@JsonDeserialize(builder = RunResult.Builder.class)
public abstract class RunResult {
    private static final int VERSION = 1;

    /** Starts the result of a run of this plan. */
    public static Builder builder(RunPlan plan) {
        return new Builder().plan(plan);
    }

    private Builder toBuilder() {
        return new Builder().from(this);
    }

    /** Of this format: 1. It changes when a field changes its meaning. */
    @Value.Derived
    int version() {
        return VERSION;
    }

    /** {@code INVALID} if Lockstep itself did something wrong, so that the figures are not to be trusted. */
    @Value.Derived
    public RunStatus status() {
        return statusReasons().isEmpty() ? RunStatus.VALID : RunStatus.INVALID;
    }

    /** Why the run is invalid, a line each; empty for a valid one. */
    public abstract List<String> statusReasons();

    /**
     * Those of them for which latencies and rates are not to be trusted, but what CPU and memory cost is: Lockstep
     * itself was late.
     */
    @JsonInclude(Include.NON_EMPTY)
    public abstract List<String> latenessReasons();

    /** Returns the others: where there is one, no figure of the run is to be trusted. */
    public List<String> reasonsBesideLateness() {
        return statusReasons().stream()
                .filter(reason -> !latenessReasons().contains(reason))
                .collect(Collectors.toList());
    }

    /** ISO 8601 with offset. */
    public abstract OffsetDateTime startedAt();

    /** Likewise. */
    public abstract OffsetDateTime finishedAt();

    /** Whether the user ended the run before its time. */
    @Value.Default
    public boolean interrupted() {
        return false;
    }

    /**
     * How many launches of all targets came to their end; only of a run of several that was interrupted, was ended
     * after a launch as asked, or goes on while it is inconclusive.
     */
    public abstract OptionalInt launchesDone();

    /** Returns how many launches came to their end, or would have but for the deaths of targets. */
    public int launchesThatCount() {
        return launchesDone().orElse(plan().launches());
    }

    /** What was replayed. */
    @Value.Derived
    CaptureReference capture() {
        return plan().capture();
    }

    /** The run directory that it was written to, as the run named it; absent in one of version 0.1.0. */
    public abstract Optional<String> directory();

    /** In the order of the plan. */
    public abstract List<TargetResult> targets();

    /** How far apart requests were sent to targets that ran together; absent where none did in an open loop. */
    public abstract Optional<Skew> skew();

    /** What the replayer itself did while it measured. */
    public abstract Optional<SelfReport> self();

    /**
     * What the launches say of each metric of each target against the baseline, the primary metric first; in words:
     * docs/comparing.md.
     */
    @JsonInclude(Include.NON_EMPTY)
    public abstract List<Verdict> verdicts();

    /** That of the primary metric. */
    @Value.Derived
    Optional<Verdict.NoiseFloor> noiseFloor() {
        return verdicts().stream()
                .filter(verdict -> verdict.primary() && verdict.floor() != null)
                .map(Verdict::floor)
                .findFirst();
    }

    /** The conditions of {@code --assert}, in the order given. */
    @JsonInclude(Include.NON_EMPTY)
    public abstract List<AssertionResult> assertions();

    /** What the CPU of the targets is worth; only with {@code --cost}. */
    public abstract Optional<FleetCost> fleetCost();

    /** Where the targets' CPU time goes, method by method; only with {@code --profile}, see docs/profiling.md. */
    @JsonProperty("profile")
    public abstract Optional<HotMethods> hotMethods();

    /** Leaks and drifts of a soak run, target by target; see docs/soak.md. */
    @JsonInclude(Include.NON_EMPTY)
    public abstract List<Drift> trends();

    /** What a reader of the figures must know, a line each. */
    public abstract List<String> notes();

    /** The contents of {@code plan.json}. */
    public abstract RunPlan plan();

    /** Where the run ran. */
    public abstract Environment environment();

    @Value.Check
    void check() {
        List<String> planned = plan().targets().stream().map(TargetPlan::name).collect(Collectors.toList());
        List<String> found = targets().stream().map(TargetResult::name).collect(Collectors.toList());
        if (!planned.equals(found)) {
            throw new IllegalArgumentException(
                    "targets must be those of the plan in its order, " + planned + ", are " + found);
        }
    }

    /** The result of the target that the others are compared with. */
    public TargetResult baseline() {
        return target(plan().baseline()).orElseThrow();
    }

    /** Returns the result of the target of this name. */
    public Optional<TargetResult> target(String name) {
        return targets().stream().filter(target -> target.name().equals(name)).findFirst();
    }

    public RunResult withAssertions(List<AssertionResult> outcomes) {
        return toBuilder().assertions(outcomes).build();
    }

    public RunResult withFleetCost(FleetCost cost) {
        return toBuilder().fleetCost(cost).build();
    }

    public RunResult withHotMethods(HotMethods found) {
        return toBuilder().hotMethods(found).build();
    }

    public RunResult withTrends(List<Drift> found) {
        return toBuilder().trends(found).build();
    }

    public RunResult withVerdicts(List<Verdict> found) {
        return toBuilder().verdicts(found).build();
    }

    /** Returns this result with one more note. */
    public RunResult withNote(String line) {
        return toBuilder().note(line).build();
    }

    /** Returns this result as an invalid one, for this reason beside those it has. */
    public RunResult withInvalid(String reason) {
        return toBuilder().invalid(reason).build();
    }

    /** Returns this result with the last intervals of a target that ended by itself. */
    public RunResult withLastMinute(String target, List<IntervalFigures> intervals) {
        return toBuilder()
                .targets(targets().stream()
                        .map(each -> each.name().equals(target) ? each.withLastMinute(intervals) : each)
                        .collect(Collectors.toList()))
                .build();
    }

    /** Returns this result with other results for its targets, in the same order, and another skew or none. */
    public RunResult with(List<TargetResult> replaced, Optional<Skew> replacedSkew) {
        return toBuilder().targets(replaced).skew(replacedSkew).build();
    }

    /**
     * Returns the result of this run, which was killed or could not write its own.
     *
     * @param doubts why its times are invalid beside what was known before, a line each
     */
    public RunResult killed(
            OffsetDateTime at, List<TargetResult> measured, List<String> doubts, List<String> furtherNotes) {
        Set<String> allNotes = new LinkedHashSet<>(notes());
        allNotes.addAll(furtherNotes);
        Builder builder =
                toBuilder().finishedAt(at).interrupted(true).targets(measured).notes(new ArrayList<>(allNotes));
        doubts.forEach(builder::late);
        if (plan().launches() > 1) {
            // The last one that began is the one in which it was killed.
            measured.stream()
                    .mapToInt(target -> target.launches().size())
                    .filter(begun -> begun > 0)
                    .max()
                    .ifPresent(begun -> builder.launchesDone(begun - 1));
        }
        return builder.build();
    }

    /** Returns the document {@code run.json}. */
    public String toJson() {
        return Json.print(this);
    }

    /**
     * Returns the result of a document {@code run.json}, without histograms;
     * {@link dev.lockstep.results.directory.RunDirectoryReader} reads them too.
     */
    public static RunResult fromJson(String json) {
        return fromJson("run.json", json);
    }

    /** @param document what to call it in messages: a path, or "run.json" */
    public static RunResult fromJson(String document, String json) {
        ObjectNode root = Json.parse(document, json);
        Json.checkVersion(document, "", root, VERSION);
        if (root.path("plan").isObject()) {
            RunPlan.takeConstants(document, "plan.", (ObjectNode) root.path("plan"));
        }
        JsonNode status = root.path("status");
        if (!status.asText().equals(RunStatus.VALID.name()) && !status.asText().equals(RunStatus.INVALID.name())) {
            throw new MeasurementException(
                    document + ": status: expected VALID or INVALID, found " + JsonFault.describe(status));
        }
        RunResult result = Json.read(document, root, RunResult.class);
        if (!result.status().name().equals(status.asText())) {
            throw new MeasurementException(
                    document + ": statusReasons: expected some exactly when status is INVALID, found status "
                            + status.asText() + " and " + result.statusReasons().size() + " reasons");
        }
        return result;
    }

    /**
     * {@link #build} throws IllegalArgumentException when a part is missing or the targets are not those of the plan.
     */
    public static final class Builder extends ImmutableRunResult.Builder {
        Builder() {}

        /** Makes the run invalid for this reason, a line for people. */
        public Builder invalid(String reason) {
            return statusReason(reason);
        }

        /** Makes its latencies and rates invalid for this reason, a line for people. */
        public Builder late(String reason) {
            return statusReason(reason).latenessReason(reason);
        }
    }
}
