package dev.lockstep.results.comparison;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonInclude.Include;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.databind.annotation.JsonDeserialize;
import dev.lockstep.results.Verdict.Finding;
import dev.lockstep.results.Verdict.Interval;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalLong;
import org.immutables.value.Value;

/**
 * What a run says of one metric of a target against an earlier run, or against the runs before it. The ratio is this
 * run's over the earlier: for a metric of which less is better, 1.1 is a regression of 10 %.
 */
@Value.Immutable
@JsonDeserialize(builder = RunVerdict.Builder.class)
public abstract class RunVerdict {
    public static Builder builder(String metric, String target, String run) {
        return new Builder().metric(metric).target(target).run(run);
    }

    /** What is compared; see docs/comparing.md. */
    public abstract String metric();

    /** The target in both. */
    public abstract String target();

    /** The directory of the run that is judged. */
    public abstract String run();

    /** The directory of the run that it is judged against; absent where that are several. */
    public abstract Optional<String> baseline();

    /** How many runs it is judged against. */
    @Value.Default
    public int baselineRuns() {
        return 1;
    }

    /** Whether it is the metric that decides. */
    @Value.Default
    public boolean primary() {
        return false;
    }

    /** Whether the exit code says so where it is worse. */
    @Value.Default
    public boolean decides() {
        return false;
    }

    /**
     * The target whose ratio within each run stands for the day: what is compared is this target over that one. Absent
     * where the values themselves are compared.
     */
    public abstract Optional<String> control();

    /** Whether this target itself is the control of the others, so that what it shows may be the day. */
    @JsonInclude(Include.NON_DEFAULT)
    @Value.Default
    public boolean standsForDay() {
        return false;
    }

    /** The value in this run, over its launches, in ns, bytes, shares or plain numbers. */
    public abstract OptionalDouble value();

    /** The value in the earlier run or runs. */
    public abstract OptionalDouble baselineValue();

    /** Of errors: how many this run had. */
    public abstract OptionalLong count();

    /** How many the earlier run had. */
    public abstract OptionalLong baselineCount();

    /** This run over the earlier; of a target with a control, what is left of it without the day. */
    public abstract OptionalDouble ratio();

    /** Of the interval that decides; absent with one launch each and no earlier run to tell how runs differ. */
    public abstract Optional<Interval> interval();

    /** The level of the interval. */
    public abstract OptionalDouble level();

    /** That nothing differs. */
    public abstract OptionalDouble pValue();

    /** Launches of this run that it rests on. */
    public abstract int launches();

    /** Launches of the earlier run or runs. */
    public abstract int baselineLaunches();

    /** How many earlier runs told how much runs of different days differ; absent where nobody knows. */
    public abstract OptionalLong dayRuns();

    /** By how much they do, beside what their launches explain: a standard deviation of the log. */
    public abstract OptionalDouble dayDeviation();

    /** What was found. */
    @JsonProperty("verdict")
    @Value.Default
    public Finding finding() {
        return Finding.INCONCLUSIVE;
    }

    /** Whether it rests on few launches, or on few earlier runs. */
    @Value.Default
    public boolean indicative() {
        return false;
    }

    /** Whether one of the runs is INVALID for this metric. */
    @JsonInclude(Include.NON_DEFAULT)
    @Value.Default
    public boolean invalid() {
        return false;
    }

    /**
     * Of errors: whether no request was due in this run, as of a build that never got ready, though earlier runs had
     * some.
     */
    @JsonInclude(Include.NON_DEFAULT)
    @Value.Default
    public boolean withoutRequests() {
        return false;
    }

    /** Of errors: whether the target died in this run, and in none of the earlier. */
    @JsonInclude(Include.NON_DEFAULT)
    @Value.Default
    public boolean died() {
        return false;
    }

    /** Why nothing can be said, for people. */
    public abstract Optional<String> whyNot();

    /** Whether it makes the exit code 1. */
    @Value.Derived
    public boolean regression() {
        return decides() && (finding() == Finding.WORSE || withoutRequests());
    }

    /** Returns this one as that of the control. */
    public RunVerdict asControl() {
        return new Builder().from(this).standsForDay(true).build();
    }

    public static final class Builder extends ImmutableRunVerdict.Builder {
        Builder() {}
    }
}
