package dev.lockstep.results;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonInclude.Include;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonValue;
import com.fasterxml.jackson.databind.annotation.JsonDeserialize;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import java.util.OptionalLong;
import org.immutables.value.Value;

/**
 * What the launches of a run say about one metric of one target against the baseline. The ratio is target over
 * baseline: for a metric of which less is better, 0.9 is a gain of 10 %.
 */
@Value.Immutable
@JsonDeserialize(builder = Verdict.Builder.class)
public abstract class Verdict {
    /** What was found. */
    public enum Finding {
        BETTER,
        WORSE,
        /** The difference, if there is one, is within the margin. */
        EQUIVALENT,
        INCONCLUSIVE,
        /** One of the two was not steady, or nobody can tell: what was measured is no answer. */
        NOT_STEADY;

        /** The word in files and on the screen. */
        @JsonValue
        public String key() {
            return name().toLowerCase(Locale.ROOT).replace('_', '-');
        }

        @JsonCreator
        static Finding parse(String key) {
            return Keys.parse(values(), Finding::key, key);
        }
    }

    /** What is asked. */
    public enum Question {
        /** What the service costs once it is warm: what a year costs. */
        STEADY,
        /** What it takes until it is warm. */
        WARMING,
        /** What a start costs. */
        COLD;

        /** The word in files and on the screen. */
        @JsonValue
        public String key() {
            return name().toLowerCase(Locale.ROOT);
        }

        @JsonCreator
        static Question parse(String key) {
            return Keys.parse(values(), Question::key, key);
        }
    }

    /** An interval of ratios. */
    @Value.Immutable
    @JsonDeserialize(builder = ImmutableInterval.Builder.class)
    public abstract static class Interval {
        public static Interval of(double low, double high) {
            return ImmutableInterval.builder().low(low).high(high).build();
        }

        /** Lower end. */
        public abstract double low();

        /** Upper end. */
        public abstract double high();

        /** Whether a ratio is no further from 1 than this one, of equal targets, is: between its ends, or one and 1. */
        public boolean reaches(double ratio) {
            return Math.min(1, low()) <= ratio && ratio <= Math.max(1, high());
        }
    }

    /** What the ratio of a metric shows where there is no difference. */
    @Value.Immutable
    @JsonDeserialize(builder = ImmutableNoiseFloor.Builder.class)
    abstract static class NoiseFloor {
        /** Of which metric. */
        abstract String metric();

        /** The least ratio. */
        abstract double low();

        /** The greatest ratio. */
        abstract double high();
    }

    public static Builder builder(String metric, String target, String baseline) {
        return new Builder(metric).metric(metric).target(target).baseline(baseline);
    }

    /** What is compared; see docs/comparing.md. */
    public abstract String metric();

    /** Which question it answers. */
    @Value.Default
    public Question question() {
        return Question.STEADY;
    }

    /** The target. */
    public abstract String target();

    /** What it is compared with. */
    public abstract String baseline();

    /**
     * Target over baseline; absent without a pair of launches that gave both, and where only the target has any. 0
     * where only the baseline has.
     */
    public abstract OptionalDouble ratio();

    /** Of errors and collections that are few: how many the target had; 0 of both where neither has any of a metric. */
    public abstract OptionalLong count();

    /** How many the baseline had. */
    public abstract OptionalLong baselineCount();

    /**
     * Of the interval that decides: 95 % for the primary metric, wider for the others so that all hold together. Absent
     * with one launch, or where infinite.
     */
    abstract OptionalDouble low();

    /** Of the same interval; absent where nothing bounds the ratio. */
    abstract OptionalDouble high();

    /** The level of the same interval: 0.95, or more where others are judged beside it or it was looked at before. */
    public abstract OptionalDouble level();

    /**
     * The interval of this ratio alone, as if no other stood beside it; {@code fleetCost} rests on that of its metric.
     * Absent with one launch.
     */
    @Nullable
    public abstract Interval interval95();

    /** Its level: 0.95, or more where the run is looked at more than once; files of version 0.1.0 do not say. */
    public abstract OptionalDouble interval95Level();

    /** What was found. */
    @Value.Default
    @JsonProperty(value = "verdict", required = true)
    public Finding finding() {
        return Finding.INCONCLUSIVE;
    }

    /** Pairs of launches it rests on. */
    @JsonProperty(required = true)
    @Value.Default
    public int launches() {
        return 0;
    }

    /** Launches that were begun and could be a pair. */
    public abstract OptionalInt ofLaunches();

    /** In how many of them the target died; absent for 0. */
    @JsonInclude(Include.NON_DEFAULT)
    @Value.Default
    public int died() {
        return 0;
    }

    /** In how many of them the baseline died; absent for 0. */
    @JsonInclude(Include.NON_DEFAULT)
    @Value.Default
    public int baselineDied() {
        return 0;
    }

    /** Whether it is the metric that was named before the run. */
    @Value.Default
    public boolean primary() {
        return false;
    }

    /** Whether there were fewer than 6 pairs. */
    @Value.Default
    public boolean indicative() {
        return false;
    }

    /**
     * Why nothing can be said whatever the launches show, for people: the figures are not the targets' own, still
     * change from block to block, or lack a launch in which one did no work.
     */
    public abstract Optional<String> whyNot();

    /** Whether it is about times of requests that were sent in turns; absent for no. */
    @JsonInclude(Include.NON_DEFAULT)
    @Value.Default
    public boolean inTurns() {
        return false;
    }

    /** Returns this one as inconclusive for a reason. */
    public Verdict without(String why) {
        return new Builder(metric())
                .from(this)
                .finding(Finding.INCONCLUSIVE)
                .moreLaunches(OptionalInt.empty())
                .whyNot(why)
                .build();
    }

    /** Returns this one as about requests that were sent in turns. */
    public Verdict markedInTurns() {
        return new Builder(metric()).from(this).inTurns(true).build();
    }

    /** About how many more launches would decide; 100 stands for 100 and more. */
    public abstract OptionalInt moreLaunches();

    /** That nothing differs, adjusted for the level of the interval: below 0.05 that leaves 1 out. */
    public abstract OptionalDouble pValue();

    /** The interval of a two-level bootstrap, which decides nothing. */
    @Nullable
    public abstract Interval bootstrap();

    /** What the ratio shows where there is no difference, as far as that is known. */
    @Nullable
    @JsonProperty("noiseFloor")
    abstract NoiseFloor floor();

    @Value.Check
    void check() {
        if (high().isPresent() && low().isEmpty()) {
            throw new MissingFieldException("low");
        }
    }

    /**
     * The interval that decides, or null with fewer than two pairs of launches: of 95 % for the primary metric, for the
     * others of the higher level at which all of a target hold together in 95 %. Its high end is infinite where nothing
     * bounds it, which in files is a missing one.
     */
    public Interval interval() {
        return low().isPresent() ? Interval.of(low().getAsDouble(), high().orElse(Double.POSITIVE_INFINITY)) : null;
    }

    /** What the ratio shows where there is no difference, or null where that is not known. */
    public Interval noiseFloor() {
        return floor() == null ? null : Interval.of(floor().low(), floor().high());
    }

    public static final class Builder extends ImmutableVerdict.Builder {
        private final String metric;

        /** For Jackson. */
        Builder() {
            this(null);
        }

        private Builder(String metric) {
            this.metric = metric;
        }

        /** @param interval may be null */
        public Builder interval(Interval interval) {
            if (interval == null) {
                return this;
            }
            low(interval.low());
            return Double.isInfinite(interval.high()) ? this : high(interval.high());
        }

        /** @param floor may be null */
        public Builder noiseFloor(Interval floor) {
            return floor == null
                    ? this
                    : floor(ImmutableNoiseFloor.builder()
                            .metric(metric)
                            .low(floor.low())
                            .high(floor.high())
                            .build());
        }
    }
}
