package dev.lockstep.measurement;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.OffsetDateTime;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;

/**
 * The result of a run, which is the document {@code run.json}: what was planned, where it ran, whether it is valid, and
 * what every target did. Immutable. The fields are described in {@code docs/results.md}.
 *
 * <p>Design note: a plan is read strictly and a result leniently. A field that a reader does not know would change a run
 * but only adds to a result, and results are kept for years and read by newer and older versions.
 */
public final class RunResult {
    private static final int VERSION = 1;

    private final RunPlan plan;
    private final List<String> statusReasons;
    private final OffsetDateTime startedAt;
    private final OffsetDateTime finishedAt;
    private final boolean interrupted;
    private final OptionalInt launchesDone;
    private final List<TargetResult> targets;
    private final List<Environment> environments;
    private final List<String> notes;
    private final Skew skew;
    private final SelfReport self;
    private final List<Verdict> verdicts;
    private final List<AssertionResult> assertions;
    private final FleetCost fleetCost;
    private final HotMethods hotMethods;
    private final List<Drift> trends;

    private RunResult(Builder builder) {
        this.plan = builder.plan;
        this.statusReasons = List.copyOf(builder.statusReasons);
        this.startedAt = builder.startedAt;
        this.finishedAt = builder.finishedAt;
        this.interrupted = builder.interrupted;
        this.launchesDone = builder.launchesDone;
        this.targets = List.copyOf(builder.targets);
        this.environments = List.copyOf(builder.environments);
        this.notes = List.copyOf(builder.notes);
        this.skew = builder.skew;
        this.self = builder.self;
        this.verdicts = List.copyOf(builder.verdicts);
        this.assertions = List.copyOf(builder.assertions);
        this.fleetCost = builder.fleetCost;
        this.hotMethods = builder.hotMethods;
        this.trends = List.copyOf(builder.trends);
    }

    /** Starts the result of a run of this plan. */
    public static Builder builder(RunPlan plan) {
        return new Builder(plan);
    }

    public RunPlan plan() {
        return plan;
    }

    public RunStatus status() {
        return statusReasons.isEmpty() ? RunStatus.VALID : RunStatus.INVALID;
    }

    /** Returns why the run is invalid, a line each; empty for a valid one. */
    public List<String> statusReasons() {
        return statusReasons;
    }

    public OffsetDateTime startedAt() {
        return startedAt;
    }

    public OffsetDateTime finishedAt() {
        return finishedAt;
    }

    /** Says whether the user ended the run before its time. */
    public boolean interrupted() {
        return interrupted;
    }

    /** Returns how many launches of all targets came to their end; only of a run of several that was interrupted. */
    public OptionalInt launchesDone() {
        return launchesDone;
    }

    /** Returns the targets in the order of the plan. */
    public List<TargetResult> targets() {
        return targets;
    }

    /** Returns the result of the target that the others are compared with. */
    public TargetResult baseline() {
        return targets.stream()
                .filter(target -> target.name().equals(plan.baseline()))
                .findFirst()
                .orElseThrow();
    }

    /** Returns where the run ran; of a merged result, where its first part did. */
    public Environment environment() {
        return environments.get(0);
    }

    /** Returns where each part of the run ran, one for a run that was not merged. */
    public List<Environment> environments() {
        return environments;
    }

    /** Returns what a reader of the figures must know, a line each. */
    public List<String> notes() {
        return notes;
    }

    /** Returns how far apart requests were sent to targets that ran together; absent where none did in an open loop. */
    public Optional<Skew> skew() {
        return Optional.ofNullable(skew);
    }

    /** Returns what the replayer itself did; absent in a merged result, whose parts have replayers of their own. */
    public Optional<SelfReport> self() {
        return Optional.ofNullable(self);
    }

    /** Returns what the launches say of each metric of each target against the baseline, primary metric first. */
    public List<Verdict> verdicts() {
        return verdicts;
    }

    /** Returns which conditions of {@code --assert} held, in the order given; empty where there were none. */
    public List<AssertionResult> assertions() {
        return assertions;
    }

    /** Returns what the targets' CPU is worth; absent where that was not asked for. */
    public Optional<FleetCost> fleetCost() {
        return Optional.ofNullable(fleetCost);
    }

    /** Returns this result with these outcomes of conditions. */
    public RunResult withAssertions(List<AssertionResult> outcomes) {
        Builder builder = toBuilder();
        builder.assertions = outcomes;
        return builder.build();
    }

    /** Returns this result with what the targets' CPU is worth. */
    public RunResult withFleetCost(FleetCost cost) {
        Builder builder = toBuilder();
        builder.fleetCost = cost;
        return builder.build();
    }

    /** Returns where the targets' CPU time goes, method by method; absent where they were not profiled. */
    public Optional<HotMethods> hotMethods() {
        return Optional.ofNullable(hotMethods);
    }

    /** Returns this result with what a profile of its targets found. */
    public RunResult withHotMethods(HotMethods found) {
        Builder builder = toBuilder();
        builder.hotMethods = found;
        return builder.build();
    }

    /** Returns what a soak run shows of leaks and drifts, target by target; empty for other runs and for short ones. */
    public List<Drift> trends() {
        return trends;
    }

    /** Returns this result with these trends. */
    public RunResult withTrends(List<Drift> found) {
        Builder builder = toBuilder();
        builder.trends = found;
        return builder.build();
    }

    /** Returns this result with these verdicts. */
    public RunResult withVerdicts(List<Verdict> found) {
        Builder builder = toBuilder();
        builder.verdicts = found;
        return builder.build();
    }

    /**
     * Returns the results of two parts of the same run as one, with the same counts and histograms as if one replayer
     * had sent both parts. Neither is changed. Both need their histograms.
     *
     * <p>Throws IllegalArgumentException for results of different plans or of overlapping parts.
     */
    public RunResult merge(RunResult other) {
        Share share = plan.share().merge(other.plan.share());
        RunPlan merged = plan.toBuilder().share(share).build();
        RunPlan theirs = other.plan.toBuilder()
                .capture(plan.capture())
                .replayerCores(plan.replayerCores())
                .share(share)
                .build();
        if (!plan.capture().sameContents(other.plan.capture()) || !merged.equals(theirs)) {
            throw new IllegalArgumentException(
                    "only parts of one run can be merged: the two plans differ in more than share, path and cores");
        }
        Builder builder = new Builder(merged);
        builder.statusReasons = union(statusReasons, other.statusReasons);
        builder.startedAt = startedAt.isBefore(other.startedAt) ? startedAt : other.startedAt;
        builder.finishedAt = finishedAt.isAfter(other.finishedAt) ? finishedAt : other.finishedAt;
        builder.interrupted = interrupted || other.interrupted;
        for (int i = 0; i < targets.size(); i++) {
            builder.target(targets.get(i).merge(other.targets.get(i)));
        }
        builder.environments.addAll(environments);
        builder.environments.addAll(other.environments);
        builder.notes = union(notes, other.notes);
        builder.skew = skew == null || other.skew == null ? null : skew.merge(other.skew);
        // No profile: samples under parts of the load cannot be added; each part's own run.json keeps its own.
        return builder.build();
    }

    private static List<String> union(List<String> mine, List<String> theirs) {
        Set<String> both = new LinkedHashSet<>(mine);
        both.addAll(theirs);
        return new ArrayList<>(both);
    }

    /** Returns this result with other results for its targets, in the same order, and another skew or none. */
    RunResult with(List<TargetResult> replaced, Skew replacedSkew) {
        Builder builder = toBuilder();
        builder.targets = replaced;
        builder.skew = replacedSkew;
        return builder.build();
    }

    /**
     * Returns the result of this run, which was killed.
     *
     * @param doubts why it is invalid, a line each; none for a valid one
     */
    RunResult killed(OffsetDateTime at, List<TargetResult> measured, List<String> doubts, List<String> furtherNotes) {
        Builder builder = toBuilder();
        builder.statusReasons = doubts;
        builder.finishedAt = at;
        builder.interrupted = true;
        if (plan.launches() > 1) {
            // The last one that began is the one in which it was killed.
            measured.stream()
                    .mapToInt(target -> target.launches().size())
                    .filter(begun -> begun > 0)
                    .max()
                    .ifPresent(begun -> builder.launchesDone(begun - 1));
        }
        builder.targets = measured;
        builder.notes = union(notes, furtherNotes);
        return builder.build();
    }

    /** Returns this result with one more note. */
    public RunResult withNote(String line) {
        Builder builder = toBuilder();
        builder.notes = new ArrayList<>(notes);
        builder.notes.add(line);
        return builder.build();
    }

    /** Returns this result as an invalid one, for this reason beside those it has. */
    public RunResult withInvalid(String reason) {
        Builder builder = toBuilder();
        builder.statusReasons = new ArrayList<>(statusReasons);
        builder.statusReasons.add(reason);
        return builder.build();
    }

    /** Returns this result with the last intervals of a target that ended by itself. */
    public RunResult withLastMinute(String target, List<IntervalFigures> intervals) {
        Builder builder = toBuilder();
        builder.targets = new ArrayList<>();
        for (TargetResult each : targets) {
            builder.targets.add(each.name().equals(target) ? each.withLastMinute(intervals) : each);
        }
        return builder.build();
    }

    private Builder toBuilder() {
        Builder builder = new Builder(plan);
        builder.statusReasons = statusReasons;
        builder.startedAt = startedAt;
        builder.finishedAt = finishedAt;
        builder.interrupted = interrupted;
        builder.launchesDone = launchesDone;
        builder.targets = targets;
        builder.environments = environments;
        builder.notes = notes;
        builder.skew = skew;
        builder.self = self;
        builder.verdicts = verdicts;
        builder.assertions = assertions;
        builder.fleetCost = fleetCost;
        builder.hotMethods = hotMethods;
        builder.trends = trends;
        return builder;
    }

    /** Returns the document {@code run.json}. */
    public String toJson() {
        ObjectNode json = JsonFields.object();
        json.put("version", VERSION);
        json.put("status", status().name());
        JsonFields.put(json, "statusReasons", statusReasons);
        json.put("startedAt", DateTimeFormatter.ISO_OFFSET_DATE_TIME.format(startedAt));
        json.put("finishedAt", DateTimeFormatter.ISO_OFFSET_DATE_TIME.format(finishedAt));
        json.put("interrupted", interrupted);
        JsonFields.put(json, "launchesDone", launchesDone);
        json.set("capture", plan.capture().toJson());
        var array = json.putArray("targets");
        targets.forEach(target -> array.add(target.toJson()));
        JsonFields.put(json, "skew", skew, Skew::toJson);
        JsonFields.put(json, "self", self, SelfReport::toJson);
        JsonFields.putEach(json, "verdicts", verdicts, Verdict::toJson);
        verdicts.stream()
                .filter(verdict -> verdict.primary() && verdict.noiseFloor() != null)
                .findFirst()
                .ifPresent(verdict -> json.set("noiseFloor", verdict.noiseFloorJson()));
        JsonFields.putEach(json, "assertions", assertions, AssertionResult::toJson);
        JsonFields.put(json, "fleetCost", fleetCost, FleetCost::toJson);
        JsonFields.put(json, "profile", hotMethods, HotMethods::toJson);
        JsonFields.putEach(json, "trends", trends, Drift::toJson);
        JsonFields.put(json, "notes", notes);
        json.set("plan", plan.json());
        json.set("environment", environments.get(0).toJson());
        if (environments.size() > 1) {
            var further = json.putArray("furtherEnvironments");
            environments.stream().skip(1).forEach(environment -> further.add(environment.toJson()));
        }
        return JsonFields.print(json);
    }

    /**
     * Returns the result of a document {@code run.json}, without histograms; {@link RunDirectoryReader} reads them too.
     */
    public static RunResult fromJson(String json) {
        return fromJson(JsonFields.parse("run.json", json));
    }

    static RunResult fromJson(JsonFields json) {
        long version = json.number("version");
        json.check(() -> {
            if (version != VERSION) {
                throw new IllegalArgumentException("version: expected " + VERSION + ", found " + version
                        + "; read it with the Lockstep that wrote it");
            }
            return null;
        });
        Builder builder = new Builder(RunPlan.fromJson(json.object("plan")));
        RunStatus status = json.parsed("status", RunResult::parseStatus);
        builder.statusReasons = json.texts("statusReasons");
        builder.startedAt = json.parsed("startedAt", RunResult::parseTime);
        builder.finishedAt = json.parsed("finishedAt", RunResult::parseTime);
        builder.interrupted = json.flag("interrupted");
        builder.launchesDone = json.smallNumberOrAbsent("launchesDone");
        json.objects("targets").forEach(target -> builder.target(TargetResult.fromJson(target)));
        builder.environments.add(Environment.fromJson(json.object("environment")));
        json.objects("furtherEnvironments")
                .forEach(environment -> builder.environments.add(Environment.fromJson(environment)));
        builder.notes = json.texts("notes");
        json.objects("verdicts").forEach(verdict -> builder.verdicts.add(Verdict.fromJson(verdict)));
        json.objects("assertions").forEach(assertion -> builder.assertions.add(AssertionResult.fromJson(assertion)));
        builder.fleetCost = json.objectOrNull("fleetCost", FleetCost::fromJson);
        builder.hotMethods = json.objectOrNull("profile", HotMethods::fromJson);
        json.objects("trends").forEach(trend -> builder.trends.add(Drift.fromJson(trend)));
        builder.skew = json.objectOrNull("skew", Skew::fromJson);
        builder.self = json.objectOrNull("self", SelfReport::fromJson);
        RunResult result = json.check(builder::build);
        return json.check(() -> {
            if (result.status() != status) {
                throw new IllegalArgumentException(
                        "statusReasons: expected some exactly when status is INVALID, found status " + status + " and "
                                + result.statusReasons.size() + " reasons");
            }
            return result;
        });
    }

    private static RunStatus parseStatus(String text) {
        for (RunStatus status : RunStatus.values()) {
            if (status.name().equals(text)) {
                return status;
            }
        }
        throw new IllegalArgumentException("expected VALID or INVALID, found " + Rules.quote(text));
    }

    private static OffsetDateTime parseTime(String text) {
        try {
            return OffsetDateTime.parse(text);
        } catch (DateTimeParseException e) {
            throw new IllegalArgumentException(
                    "expected a time like 2026-11-21T07:42:00+01:00, found " + Rules.quote(text), e);
        }
    }

    /** Collects the fields; {@link #build} checks them. */
    public static final class Builder {
        private final RunPlan plan;
        private List<String> statusReasons = new ArrayList<>();
        private OffsetDateTime startedAt;
        private OffsetDateTime finishedAt;
        private boolean interrupted;
        private OptionalInt launchesDone = OptionalInt.empty();
        private List<TargetResult> targets = new ArrayList<>();
        private List<Environment> environments = new ArrayList<>();
        private List<String> notes = new ArrayList<>();
        private Skew skew;
        private SelfReport self;
        private List<Verdict> verdicts = new ArrayList<>();
        private List<AssertionResult> assertions = new ArrayList<>();
        private FleetCost fleetCost;
        private HotMethods hotMethods;
        private List<Drift> trends = new ArrayList<>();

        private Builder(RunPlan plan) {
            this.plan = plan;
        }

        /** Makes the run invalid for this reason, a line for people. */
        public Builder invalid(String reason) {
            statusReasons.add(reason);
            return this;
        }

        public Builder startedAt(OffsetDateTime startedAt) {
            this.startedAt = startedAt;
            return this;
        }

        public Builder finishedAt(OffsetDateTime finishedAt) {
            this.finishedAt = finishedAt;
            return this;
        }

        public Builder interrupted(boolean interrupted) {
            this.interrupted = interrupted;
            return this;
        }

        /** Of an interrupted run of several launches: how many came to their end. */
        public Builder launchesDone(int launches) {
            this.launchesDone = OptionalInt.of(launches);
            return this;
        }

        /** Adds a target's result; in the order of the plan. */
        public Builder target(TargetResult target) {
            targets.add(target);
            return this;
        }

        public Builder environment(Environment environment) {
            environments.add(environment);
            return this;
        }

        public Builder note(String line) {
            notes.add(line);
            return this;
        }

        /** How far apart requests were sent to targets that ran together. */
        public Builder skew(Skew skew) {
            this.skew = skew;
            return this;
        }

        /** What the replayer itself did while it measured. */
        public Builder self(SelfReport self) {
            this.self = self;
            return this;
        }

        /** Throws IllegalArgumentException when a part is missing or the targets are not those of the plan. */
        public RunResult build() {
            if (startedAt == null || finishedAt == null) {
                throw new IllegalArgumentException("startedAt and finishedAt must be given");
            }
            if (environments.isEmpty()) {
                throw new IllegalArgumentException("environment must be given");
            }
            List<String> planned = new ArrayList<>();
            plan.targets().forEach(target -> planned.add(target.name()));
            List<String> found = new ArrayList<>();
            targets.forEach(target -> found.add(target.name()));
            if (!planned.equals(found)) {
                throw new IllegalArgumentException(
                        "targets must be those of the plan in its order, " + planned + ", are " + found);
            }
            return new RunResult(this);
        }
    }
}
