package dev.lockstep.results;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonInclude.Include;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.annotation.JsonDeserialize;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.lockstep.measurement.MeasurementException;
import dev.lockstep.measurement.Pace;
import dev.lockstep.measurement.Rules;
import dev.lockstep.results.json.Json;
import dev.lockstep.results.json.JsonFault;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Set;
import java.util.stream.Collectors;
import org.immutables.value.Value;

/**
 * Everything that is decided about a run before it starts: what is replayed, to which targets, at which pace and for
 * how long. Checked when built, so that nothing checks it again. As a document it is {@code plan.json}, whose fields
 * {@code docs/fields.md} describes.
 */
@Value.Immutable
@JsonDeserialize(builder = RunPlan.Builder.class)
public abstract class RunPlan {
    private static final int VERSION = 1;
    /** A launch in one order of the targets and one in the other. */
    private static final int LAUNCHES_BETWEEN_LOOKS = 2;

    private static final JsonNode WHOLE_LOAD = Json.parse("share", "{\"parts\": [1], \"of\": 1}");

    public static Builder builder() {
        return new Builder().pace(Pace.RECORDED);
    }

    public Builder toBuilder() {
        return new Builder().from(this);
    }

    /** Of this format: 1. */
    @Value.Derived
    int version() {
        return VERSION;
    }

    /** What is replayed. */
    @Nullable
    @JsonProperty(required = true)
    public abstract CaptureReference capture();

    /** In the order of the result. */
    public abstract List<TargetPlan> targets();

    /** The name of the target that the others are compared with; of the first one unless another is given. */
    @Value.Default
    public String baseline() {
        return targets().isEmpty() ? "" : targets().get(0).name();
    }

    /** See docs/replaying.md. */
    public abstract Pace pace();

    /**
     * By how much the recorded times are compressed: 2 replays an hour in half an hour. 1 unless the pace is recorded.
     */
    @Value.Default
    public double speed() {
        return 1;
    }

    /** How many connections carry the load of one target; absent means those of the capture. */
    public abstract OptionalInt connections();

    /** After how many requests per target the run ends, passes over the capture repeating as needed. */
    public abstract OptionalLong maxRequests();

    /** After which measured time the run ends, passes repeating as needed; absent means one pass. */
    @JsonProperty("durationNs")
    public abstract Optional<Duration> duration();

    /** How long an answer may take; absent means without end. */
    @JsonProperty("timeoutNs")
    public abstract Optional<Duration> timeout();

    /** How long each target gets load that is not measured; zero for not at all, or where it has a limit instead. */
    @Value.Default
    @JsonProperty("warmupNs")
    public Duration warmup() {
        return Duration.ZERO;
    }

    /** How long at most each target gets load until it is steady; absent where its warm-up takes a fixed time. */
    @JsonProperty("warmupLimitNs")
    public abstract Optional<Duration> warmupLimit();

    /** How fast a target is warmed up until it is steady; present where there is a limit. */
    public abstract Optional<WarmupPace> warmupPace();

    /**
     * How long each target gets full load after its measured phase, in each launch; absent where it gets none. A
     * capture that cannot be sent as fast as targets answer is not sent so.
     */
    @JsonProperty("fullLoadNs")
    public abstract Optional<Duration> fullLoad();

    /** Tells whether targets get load before they are measured. */
    public boolean warmsUp() {
        return warmupLimit().isPresent() || !warmup().isZero();
    }

    /** Own lag at the 99th percentile above which the run is invalid; absent means that any is accepted. */
    @JsonProperty("maxLagNs")
    public abstract Optional<Duration> maxLag();

    /** When the targets get their load; see docs/replaying.md. */
    @Value.Default
    public TargetSchedule schedule() {
        return TargetSchedule.TOGETHER;
    }

    /** How many turns each target has; present exactly when the schedule alternates. */
    public abstract OptionalInt rounds();

    /** How often each target is launched afresh; of a server that runs already, how many blocks of load it gets. */
    @Value.Default
    public int launches() {
        return 1;
    }

    /** Up to how many launches the run makes as long as its verdicts are inconclusive; absent where it does not. */
    public abstract OptionalInt maxLaunches();

    /**
     * What the random order of the targets in each block comes from, where servers run already; absent where launches
     * go in a fixed order.
     */
    public abstract OptionalLong orderSeed();

    /** Whether all targets run already, so that a launch is a block of load. */
    public boolean runsInBlocks() {
        return targets().stream().allMatch(target -> target.address().isPresent());
    }

    /** Returns what is repeated, for people: {@code launch}, or {@code block} of servers that run already. */
    public String unit() {
        return runsInBlocks() ? "block" : "launch";
    }

    /** Returns so many of them, for people: {@code 6 launches}. */
    public String units(int count) {
        return count + " " + unit() + (count == 1 ? "" : runsInBlocks() ? "s" : "es");
    }

    /** Returns some of them by their numbers, for people: {@code launch 3}, {@code launches 1, 2 and 4}. */
    public String numbered(List<Integer> launches) {
        int last = launches.size() - 1;
        if (last == 0) {
            return unit() + " " + launches.get(0);
        }
        return unit() + (runsInBlocks() ? "s " : "es ")
                + launches.subList(0, last).stream().map(String::valueOf).collect(Collectors.joining(", "))
                + " and " + launches.get(last);
    }

    /** Returns how many launches there are at most. */
    public int mostLaunches() {
        return maxLaunches().orElse(launches());
    }

    /** Returns how many launches there are, for people: {@code 6}, or {@code at most 12}. */
    public String launchCount() {
        return (mostLaunches() > launches() ? "at most " : "") + mostLaunches();
    }

    /** Returns after how many launches the verdicts are looked at, to go on while they are inconclusive. */
    public List<Integer> looks() {
        List<Integer> looks = new ArrayList<>();
        for (int launch = launches(); launch < mostLaunches(); launch += LAUNCHES_BETWEEN_LOOKS) {
            looks.add(launch);
        }
        looks.add(mostLaunches());
        return looks;
    }

    /** The name of the metric that was declared before the run as the one that decides. */
    @Value.Default
    public String primaryMetric() {
        return "steadyCpuPerRequest";
    }

    /** With {@code --aa}: the baseline's second instance. What differs between the two is noise. */
    public abstract Optional<String> sameAsBaseline();

    /** Whether a target is the baseline's second instance. */
    public boolean isSameAsBaseline(String target) {
        return sameAsBaseline().filter(target::equals).isPresent();
    }

    /** Up to which share a difference counts as none: 0.01 is 1 %. */
    @Value.Default
    public double margin() {
        return 0.01;
    }

    /** Empty where the replayer's cores are not restricted. */
    @JsonInclude(Include.NON_EMPTY)
    public abstract List<Integer> replayerCores();

    /** Always {@code {"parts": [1], "of": 1}}: the whole load. */
    @Value.Derived
    JsonNode share() {
        return WHOLE_LOAD;
    }

    /** Whether it is a long run that is watched for leaks. */
    @JsonInclude(Include.NON_DEFAULT)
    @Value.Default
    public boolean soak() {
        return false;
    }

    /** Whether the answers of the targets are compared with the baseline's. */
    @JsonInclude(Include.NON_DEFAULT)
    @Value.Default
    public boolean compare() {
        return false;
    }

    /** Whether requests that may change something are sent to targets that Lockstep did not start elsewhere. */
    @JsonInclude(Include.NON_DEFAULT)
    @Value.Default
    public boolean allowWrites() {
        return false;
    }

    /** The rules of docs/rewriting.md, as options say them; empty where the recorded bytes are sent. */
    @JsonInclude(Include.NON_EMPTY)
    public abstract List<String> rewrites();

    /** Whether deadlines that requests of Finagle's carry are sent as recorded, and not moved to the replay's clock. */
    @JsonInclude(Include.NON_DEFAULT)
    @Value.Default
    public boolean keepDeadlines() {
        return false;
    }

    /** How long each target is profiled in a pass after the run; absent where none is. */
    @JsonProperty("profileDurationNs")
    public abstract Optional<Duration> profileDuration();

    /** How much is printed of the result; absent, as in version 0.1.0, for all. */
    public abstract Optional<Output> output();

    /**
     * The words of the command that asks for this run, the program first, without those that say where to write and
     * what to print, and without values that can be secrets; empty where no command asked.
     */
    @JsonInclude(Include.NON_EMPTY)
    public abstract List<String> command();

    public String toJson() {
        return Json.print(this);
    }

    /** Refuses a field that it does not know with {@link MeasurementException}. */
    public static RunPlan fromJson(String json) {
        return fromJson("plan", json);
    }

    /** @param document what to call it in messages: a path, or "plan" */
    public static RunPlan fromJson(String document, String json) {
        ObjectNode plan = Json.parse(document, json);
        takeConstants(document, "", plan);
        return Json.read(document, plan, RunPlan.class);
    }

    /** Checks and removes the fields that have one value. */
    static void takeConstants(String document, String place, ObjectNode plan) {
        Json.checkVersion(document, place, plan, VERSION);
        JsonNode share = plan.remove("share");
        if (share != null && !share.isNull() && !share.equals(WHOLE_LOAD)) {
            throw new MeasurementException(document + ": " + place
                    + "share: expected the whole load, part 1 of 1, found " + JsonFault.describe(share));
        }
    }

    @Value.Check
    void check() {
        if (capture() == null) {
            throw new MissingFieldException("capture");
        }
        checkTargets();
        Rules.positive("speed", speed());
        if (speed() != 1 && !pace().equals(Pace.RECORDED)) {
            throw new IllegalArgumentException(
                    "speed must be 1 unless the pace is recorded, is " + speed() + " at pace " + pace());
        }
        connections().ifPresent(count -> Rules.atLeast("connections", 1, count));
        maxRequests().ifPresent(count -> Rules.atLeast("maxRequests", 1, count));
        checkTimes();
        PlanRules.cores("replayerCores", replayerCores());
    }

    private void checkTargets() {
        Set<String> names = new HashSet<>();
        for (TargetPlan target : targets()) {
            if (!names.add(target.name())) {
                throw new IllegalArgumentException("target names must differ, found twice: " + target.name()
                        + "; name one of them, as in tuned=" + target.name());
            }
        }
        if (names.isEmpty()) {
            throw new IllegalArgumentException("targets must have at least one");
        }
        for (String name : names) {
            for (int launch = 2; launch <= mostLaunches(); launch++) {
                if (names.contains(name + "." + launch)) {
                    throw new IllegalArgumentException("target names must not be another's with the number of a launch,"
                            + " whose log file it names, found " + name + " and " + name + "." + launch
                            + " with launches " + mostLaunches());
                }
            }
        }
        sameAsBaseline().ifPresent(name -> checkTarget("sameAsBaseline", name, names));
        checkTarget("baseline", baseline(), names);
    }

    private void checkTarget(String field, String name, Set<String> names) {
        if (!names.contains(name)) {
            throw new IllegalArgumentException(
                    field + " must be one of the targets " + targets() + ", is " + Rules.quote(name));
        }
    }

    private void checkTimes() {
        duration().ifPresent(time -> Rules.positive("duration", time));
        timeout().ifPresent(time -> Rules.positive("timeout", time));
        if (!warmup().isZero()) {
            Rules.positive("warmup", warmup());
        }
        warmupLimit().ifPresent(time -> Rules.positive("warmupLimit", time));
        if (warmupLimit().isPresent() && !warmup().isZero()) {
            throw new IllegalArgumentException("warmup must be 0 where it has a limit, is " + warmup());
        }
        if (warmupLimit().isPresent() != warmupPace().isPresent()) {
            throw new IllegalArgumentException("warmupPace must be given exactly with a warmupLimit, is "
                    + warmupPace().map(WarmupPace::key).orElse("absent"));
        }
        fullLoad().ifPresent(time -> Rules.positive("fullLoad", time));
        maxLag().ifPresent(time -> Rules.positive("maxLag", time));
        profileDuration().ifPresent(time -> Rules.positive("profileDuration", time));
        if ((schedule() == TargetSchedule.ALTERNATE) != rounds().isPresent()) {
            throw new IllegalArgumentException("rounds must be given exactly when the schedule is alternate, is "
                    + (rounds().isPresent() ? rounds().getAsInt() : "absent"));
        }
        Rules.atLeast("launches", 1, launches());
        maxLaunches().ifPresent(most -> Rules.atLeast("maxLaunches", launches(), most));
        if (soak() && fullLoad().isPresent()) {
            throw new IllegalArgumentException("a soak run ends with what it measured, so fullLoad must be absent, is "
                    + fullLoad().get());
        }
        if (soak() && mostLaunches() > 1) {
            throw new IllegalArgumentException(
                    "a soak run launches each target once, so --soak does not go with launches " + mostLaunches());
        }
        Rules.positive("margin", margin());
        rounds().ifPresent(count -> Rules.atLeast("rounds", 1, count));
    }

    /** {@link #build} throws IllegalArgumentException with the field, the rule and the value. */
    public static final class Builder extends ImmutableRunPlan.Builder implements Json.Strict {
        Builder() {}

        /** Warms each target up until it is steady, for so long at most. */
        public Builder warmupUntilSteady(Duration limit, WarmupPace pace) {
            return warmup(Duration.ZERO).warmupLimit(limit).warmupPace(pace);
        }

        /** Gives each target this many turns, one after the other, the others frozen. */
        public Builder alternate(int rounds) {
            return schedule(TargetSchedule.ALTERNATE).rounds(rounds);
        }
    }
}
