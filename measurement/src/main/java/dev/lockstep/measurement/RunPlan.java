package dev.lockstep.measurement;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Set;

/**
 * Everything that is decided about a run before it starts: what is replayed, to which targets, at which pace and for how
 * long. Immutable and checked when built, so that nothing checks it again.
 *
 * <p>A plan is a document: {@link #toJson} and {@link #fromJson} carry it to another replayer or machine, and
 * {@link #split} makes one for each of several replayers that share the load. The fields are described in
 * {@code docs/results.md}.
 */
public final class RunPlan {
    private static final int VERSION = 1;

    private final CaptureReference capture;
    private final List<TargetPlan> targets;
    private final String baseline;
    private final Pace pace;
    private final double speed;
    private final OptionalInt connections;
    private final OptionalLong maxRequests;
    private final Duration duration;
    private final Duration timeout;
    private final Duration warmup;
    private final Duration maxLag;
    private final TargetSchedule schedule;
    private final OptionalInt rounds;
    private final int launches;
    private final String primaryMetric;
    private final String sameAsBaseline;
    private final double margin;
    private final List<Integer> replayerCores;
    private final Share share;
    private final boolean soak;
    private final boolean compare;
    private final boolean allowWrites;
    private final List<String> rewrites;
    private final Duration profileDuration;

    private RunPlan(Builder builder) {
        this.capture = builder.capture;
        this.targets = List.copyOf(builder.targets);
        this.baseline =
                builder.baseline != null ? builder.baseline : targets.get(0).name();
        this.pace = builder.pace;
        this.speed = builder.speed;
        this.connections = builder.connections;
        this.maxRequests = builder.maxRequests;
        this.duration = builder.duration;
        this.timeout = builder.timeout;
        this.warmup = builder.warmup;
        this.maxLag = builder.maxLag;
        this.schedule = builder.schedule;
        this.rounds = builder.rounds;
        this.launches = builder.launches;
        this.primaryMetric = builder.primaryMetric;
        this.sameAsBaseline = builder.sameAsBaseline;
        this.margin = builder.margin;
        this.replayerCores = List.copyOf(builder.replayerCores);
        this.share = builder.share;
        this.soak = builder.soak;
        this.compare = builder.compare;
        this.allowWrites = builder.allowWrites;
        this.rewrites = List.copyOf(builder.rewrites);
        this.profileDuration = builder.profileDuration;
    }

    public static Builder builder() {
        return new Builder();
    }

    /** Returns a builder with all fields of this plan. */
    public Builder toBuilder() {
        Builder builder = new Builder();
        builder.capture = capture;
        builder.targets = new ArrayList<>(targets);
        builder.baseline = baseline;
        builder.pace = pace;
        builder.speed = speed;
        builder.connections = connections;
        builder.maxRequests = maxRequests;
        builder.duration = duration;
        builder.timeout = timeout;
        builder.warmup = warmup;
        builder.maxLag = maxLag;
        builder.schedule = schedule;
        builder.rounds = rounds;
        builder.launches = launches;
        builder.primaryMetric = primaryMetric;
        builder.sameAsBaseline = sameAsBaseline;
        builder.margin = margin;
        builder.replayerCores = replayerCores;
        builder.share = share;
        builder.soak = soak;
        builder.compare = compare;
        builder.allowWrites = allowWrites;
        builder.rewrites = new ArrayList<>(rewrites);
        builder.profileDuration = profileDuration;
        return builder;
    }

    public CaptureReference capture() {
        return capture;
    }

    /** Returns the targets in the order of the result. */
    public List<TargetPlan> targets() {
        return targets;
    }

    /** Returns the name of the target that the others are compared with. */
    public String baseline() {
        return baseline;
    }

    public Pace pace() {
        return pace;
    }

    /** Returns by how much the recorded times are compressed: 2 replays an hour in half an hour. */
    public double speed() {
        return speed;
    }

    /** Returns how many connections carry the load of one target; absent means those of the capture. */
    public OptionalInt connections() {
        return connections;
    }

    /** Returns after how many requests per target the run ends, passes over the capture repeating as needed. */
    public OptionalLong maxRequests() {
        return maxRequests;
    }

    /** Returns after which measured time the run ends, passes repeating as needed; absent means one pass. */
    public Optional<Duration> duration() {
        return Optional.ofNullable(duration);
    }

    /** Returns how long an answer may take; absent means without end. */
    public Optional<Duration> timeout() {
        return Optional.ofNullable(timeout);
    }

    /** Returns how long each target gets load that is not measured, zero for not at all. */
    public Duration warmup() {
        return warmup;
    }

    /**
     * Returns how late the replayer itself may send, at the 99th percentile, before the run is invalid; absent means that
     * any lag is accepted.
     */
    public Optional<Duration> maxLag() {
        return Optional.ofNullable(maxLag);
    }

    public TargetSchedule schedule() {
        return schedule;
    }

    /** Returns how many turns each target has; present exactly when the schedule alternates. */
    public OptionalInt rounds() {
        return rounds;
    }

    /** Returns how often each target is launched afresh. */
    public int launches() {
        return launches;
    }

    /** Returns the metric that was declared before the run as the one that decides, by its name. */
    public String primaryMetric() {
        return primaryMetric;
    }

    /**
     * Returns the target that is the baseline once more, so that what differs between the two is noise; absent where there
     * is none.
     */
    public Optional<String> sameAsBaseline() {
        return Optional.ofNullable(sameAsBaseline);
    }

    /** Returns up to which share a difference counts as none: 0.01 is 1 %. */
    public double margin() {
        return margin;
    }

    /** Returns the cores of the replayer; empty where they are not restricted. */
    public List<Integer> replayerCores() {
        return replayerCores;
    }

    /** Returns which part of the load this plan is for. */
    public Share share() {
        return share;
    }

    /** Says whether it is a long run that is watched for leaks. */
    public boolean soak() {
        return soak;
    }

    /** Says whether the answers of the targets are compared with the baseline's. */
    public boolean compare() {
        return compare;
    }

    /** Says whether requests that may change something are sent to targets that Lockstep did not start elsewhere. */
    public boolean allowWrites() {
        return allowWrites;
    }

    /** Returns what is changed in the recorded requests, as options that say so; empty where their bytes are sent. */
    public List<String> rewrites() {
        return rewrites;
    }

    /** Returns how long each target is profiled in a pass after the run; absent where none is. */
    public Optional<Duration> profileDuration() {
        return Optional.ofNullable(profileDuration);
    }

    /** Returns one plan for each of several replayers; together they send what this plan, which must be whole, says. */
    public List<RunPlan> split(int parts) {
        if (!share.whole()) {
            throw new IllegalArgumentException("only a whole plan can be split, this one is " + share);
        }
        List<RunPlan> plans = new ArrayList<>();
        for (int part = 1; part <= parts; part++) {
            plans.add(toBuilder().share(Share.part(part, parts)).build());
        }
        return plans;
    }

    /** Returns the plan as a JSON document. */
    public String toJson() {
        return JsonFields.print(json());
    }

    ObjectNode json() {
        ObjectNode json = JsonFields.object();
        json.put("version", VERSION);
        json.set("capture", capture.toJson());
        var array = json.putArray("targets");
        targets.forEach(target -> array.add(target.toJson()));
        json.put("baseline", baseline);
        json.put("pace", pace.toString());
        json.put("speed", speed);
        JsonFields.put(json, "connections", connections);
        JsonFields.put(json, "maxRequests", maxRequests);
        putDuration(json, "durationNs", duration);
        putDuration(json, "timeoutNs", timeout);
        putDuration(json, "warmupNs", warmup);
        putDuration(json, "maxLagNs", maxLag);
        json.put("schedule", schedule.key());
        JsonFields.put(json, "rounds", rounds);
        json.put("launches", launches);
        json.put("primaryMetric", primaryMetric);
        JsonFields.put(json, "sameAsBaseline", sameAsBaseline);
        json.put("margin", margin);
        if (!replayerCores.isEmpty()) {
            JsonFields.putNumbers(json, "replayerCores", replayerCores);
        }
        json.set("share", share.toJson());
        if (soak) {
            json.put("soak", true);
        }
        if (compare) {
            json.put("compare", true);
        }
        if (allowWrites) {
            json.put("allowWrites", true);
        }
        if (!rewrites.isEmpty()) {
            JsonFields.put(json, "rewrites", rewrites);
        }
        putDuration(json, "profileDurationNs", profileDuration);
        return json;
    }

    private static void putDuration(ObjectNode json, String field, Duration duration) {
        if (duration != null) {
            json.put(field, duration.toNanos());
        }
    }

    /** Returns the plan of a JSON document; refuses a field that it does not know with {@link MeasurementException}. */
    public static RunPlan fromJson(String json) {
        return fromJson(JsonFields.parse("plan", json));
    }

    static RunPlan fromJson(JsonFields json) {
        long version = json.number("version");
        json.check(() -> {
            if (version != VERSION) {
                throw new IllegalArgumentException("version: expected " + VERSION + ", found " + version
                        + "; read it with the Lockstep that wrote it");
            }
            return null;
        });
        Builder builder = new Builder();
        JsonFields capture = json.object("capture");
        builder.capture = CaptureReference.fromJson(capture);
        capture.refuseUnknown();
        json.objects("targets").forEach(target -> builder.target(TargetPlan.fromJson(target)));
        builder.baseline = json.textOrNull("baseline");
        builder.pace = json.parsed("pace", Pace::parse);
        builder.speed = json.has("speed") ? json.decimal("speed") : builder.speed;
        builder.connections = json.smallNumberOrAbsent("connections");
        builder.maxRequests = json.numberOrAbsent("maxRequests");
        builder.duration = duration(json, "durationNs");
        builder.timeout = duration(json, "timeoutNs");
        builder.warmup = json.has("warmupNs") ? duration(json, "warmupNs") : builder.warmup;
        builder.maxLag = duration(json, "maxLagNs");
        builder.schedule = json.has("schedule") ? json.parsed("schedule", TargetSchedule::parse) : builder.schedule;
        builder.rounds = json.smallNumberOrAbsent("rounds");
        builder.launches = json.smallNumberOrAbsent("launches").orElse(builder.launches);
        builder.primaryMetric = json.has("primaryMetric") ? json.text("primaryMetric") : builder.primaryMetric;
        builder.sameAsBaseline = json.textOrNull("sameAsBaseline");
        builder.margin = json.has("margin") ? json.decimal("margin") : builder.margin;
        builder.replayerCores = json.numbers("replayerCores");
        JsonFields share = json.objectOrNull("share");
        builder.share = share == null ? builder.share : Share.fromJson(share);
        builder.soak = json.flag("soak");
        builder.compare = json.has("compare") && json.flag("compare");
        builder.allowWrites = json.has("allowWrites") && json.flag("allowWrites");
        builder.rewrites = new ArrayList<>(json.texts("rewrites"));
        builder.profileDuration = duration(json, "profileDurationNs");
        json.refuseUnknown();
        return json.check(builder::build);
    }

    private static Duration duration(JsonFields json, String field) {
        OptionalLong ns = json.numberOrAbsent(field);
        return ns.isPresent() ? Duration.ofNanos(ns.getAsLong()) : null;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof RunPlan && json().equals(((RunPlan) other).json());
    }

    @Override
    public int hashCode() {
        return 31 * capture.hashCode() + targets.hashCode();
    }

    /** Collects the fields; {@link #build} checks them all. */
    public static final class Builder {
        private CaptureReference capture;
        private List<TargetPlan> targets = new ArrayList<>();
        private String baseline;
        private Pace pace = Pace.RECORDED;
        private double speed = 1;
        private OptionalInt connections = OptionalInt.empty();
        private OptionalLong maxRequests = OptionalLong.empty();
        private Duration duration;
        private Duration timeout;
        private Duration warmup = Duration.ZERO;
        private Duration maxLag;
        private TargetSchedule schedule = TargetSchedule.TOGETHER;
        private OptionalInt rounds = OptionalInt.empty();
        private int launches = 1;
        private String primaryMetric = "userCpuPerRequest";
        private String sameAsBaseline;
        private double margin = 0.01;
        private List<Integer> replayerCores = List.of();
        private Share share = Share.WHOLE;
        private boolean soak;
        private boolean compare;
        private boolean allowWrites;
        private List<String> rewrites = new ArrayList<>();
        private Duration profileDuration;

        private Builder() {}

        public Builder capture(CaptureReference capture) {
            this.capture = capture;
            return this;
        }

        /** Adds a target after those added before. */
        public Builder target(TargetPlan target) {
            targets.add(target);
            return this;
        }

        /** Names the target to compare with; the first one unless this is called. */
        public Builder baseline(String name) {
            this.baseline = name;
            return this;
        }

        public Builder pace(Pace pace) {
            this.pace = pace;
            return this;
        }

        public Builder speed(double factor) {
            this.speed = factor;
            return this;
        }

        public Builder connections(int connections) {
            this.connections = OptionalInt.of(connections);
            return this;
        }

        public Builder maxRequests(long requests) {
            this.maxRequests = OptionalLong.of(requests);
            return this;
        }

        public Builder duration(Duration duration) {
            this.duration = duration;
            return this;
        }

        public Builder timeout(Duration timeout) {
            this.timeout = timeout;
            return this;
        }

        public Builder warmup(Duration warmup) {
            this.warmup = warmup;
            return this;
        }

        public Builder maxLag(Duration maxLag) {
            this.maxLag = maxLag;
            return this;
        }

        /** Watches the run for leaks; not done unless this is called. */
        public Builder soak(boolean soak) {
            this.soak = soak;
            return this;
        }

        /** Compares the answers of the targets; not done unless this is called. */
        public Builder compare(boolean compare) {
            this.compare = compare;
            return this;
        }

        /** Accepts that requests which may change something go to targets elsewhere; refused unless this is called. */
        public Builder allowWrites(boolean allowWrites) {
            this.allowWrites = allowWrites;
            return this;
        }

        /** Adds a change to the recorded requests, as the option that says so. */
        public Builder rewrite(String option) {
            rewrites.add(option);
            return this;
        }

        /** Profiles each target for so long in a pass after the run; not done unless this is called. */
        public Builder profileDuration(Duration duration) {
            this.profileDuration = duration;
            return this;
        }

        /** Loads all targets at the same time; so it is unless {@link #alternate} is called. */
        public Builder together() {
            this.schedule = TargetSchedule.TOGETHER;
            this.rounds = OptionalInt.empty();
            return this;
        }

        /** Gives each target this many turns, one after the other, the others frozen. */
        public Builder alternate(int rounds) {
            this.schedule = TargetSchedule.ALTERNATE;
            this.rounds = OptionalInt.of(rounds);
            return this;
        }

        /** Starts each target afresh this often; once unless this is called. */
        public Builder launches(int launches) {
            this.launches = launches;
            return this;
        }

        /** Declares the metric that decides; {@code userCpuPerRequest} unless this is called. */
        public Builder primaryMetric(String name) {
            this.primaryMetric = name;
            return this;
        }

        /** Names the target that is the baseline once more; none unless this is called. */
        public Builder sameAsBaseline(String name) {
            this.sameAsBaseline = name;
            return this;
        }

        /** Sets up to which share a difference counts as none; 0.01 unless this is called. */
        public Builder margin(double share) {
            this.margin = share;
            return this;
        }

        public Builder replayerCores(List<Integer> cores) {
            this.replayerCores = new ArrayList<>(cores);
            return this;
        }

        public Builder share(Share share) {
            this.share = share;
            return this;
        }

        /** Throws IllegalArgumentException with the field, the rule and the value. */
        public RunPlan build() {
            if (capture == null) {
                throw new IllegalArgumentException("capture must be given");
            }
            checkTargets();
            Rules.positive("speed", speed);
            if (speed != 1 && !pace.equals(Pace.RECORDED)) {
                throw new IllegalArgumentException(
                        "speed must be 1 unless the pace is recorded, is " + speed + " at pace " + pace);
            }
            connections.ifPresent(count -> Rules.atLeast("connections", 1, count));
            maxRequests.ifPresent(count -> Rules.atLeast("maxRequests", 1, count));
            checkTimes();
            Rules.cores("replayerCores", replayerCores);
            return new RunPlan(this);
        }

        private void checkTargets() {
            Set<String> names = new HashSet<>();
            for (TargetPlan target : targets) {
                if (!names.add(target.name())) {
                    throw new IllegalArgumentException("target names must differ, found twice: " + target.name()
                            + "; name one of them, as in tuned=" + target.name());
                }
            }
            if (names.isEmpty()) {
                throw new IllegalArgumentException("targets must have at least one");
            }
            for (String name : names) {
                for (int launch = 2; launch <= launches; launch++) {
                    if (names.contains(name + "." + launch)) {
                        throw new IllegalArgumentException(
                                "target names must not be another's with the number of a launch,"
                                        + " whose log file it names, found " + name + " and " + name + "." + launch
                                        + " with launches " + launches);
                    }
                }
            }
            if (sameAsBaseline != null && !names.contains(sameAsBaseline)) {
                throw new IllegalArgumentException(
                        "sameAsBaseline must be one of the targets " + targets + ", is " + Rules.quote(sameAsBaseline));
            }
            if (baseline != null && !names.contains(baseline)) {
                throw new IllegalArgumentException(
                        "baseline must be one of the targets " + targets + ", is " + Rules.quote(baseline));
            }
        }

        private void checkTimes() {
            if (duration != null) {
                Rules.positive("duration", duration);
            }
            if (timeout != null) {
                Rules.positive("timeout", timeout);
            }
            if (!warmup.isZero()) {
                Rules.positive("warmup", warmup);
            }
            if (maxLag != null) {
                Rules.positive("maxLag", maxLag);
            }
            if (profileDuration != null) {
                Rules.positive("profileDuration", profileDuration);
            }
            if ((schedule == TargetSchedule.ALTERNATE) != rounds.isPresent()) {
                throw new IllegalArgumentException("rounds must be given exactly when the schedule is alternate, is "
                        + (rounds.isPresent() ? rounds.getAsInt() : "absent"));
            }
            Rules.atLeast("launches", 1, launches);
            if (soak && launches > 1) {
                throw new IllegalArgumentException(
                        "a soak run launches each target once, so --soak does not go with launches " + launches);
            }
            Rules.positive("margin", margin);
            rounds.ifPresent(count -> Rules.atLeast("rounds", 1, count));
        }
    }
}
