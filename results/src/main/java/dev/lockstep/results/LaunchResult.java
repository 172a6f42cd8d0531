package dev.lockstep.results;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonInclude.Include;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonUnwrapped;
import com.fasterxml.jackson.databind.annotation.JsonDeserialize;
import dev.lockstep.measurement.Costs;
import dev.lockstep.measurement.LoadCounts;
import dev.lockstep.measurement.LoadResult;
import dev.lockstep.measurement.Percentiles;
import dev.lockstep.results.json.Json;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import org.immutables.value.Value;

/**
 * What one launch of a target's JVM gave: the unit of replication of a comparison. What was not measured is absent. The
 * figures have the names and units that they have for the whole target in {@link TargetResult}.
 */
@Value.Immutable
@JsonDeserialize(builder = LaunchResult.Builder.class)
public abstract class LaunchResult {
    /** What the load of a launch gave; all of it is there or none. */
    @Value.Immutable
    @JsonDeserialize(builder = ImmutableFigures.Builder.class)
    abstract static class Figures {
        abstract long completed();

        /** Requests without a good answer, of all kinds. */
        @JsonProperty(value = "failed", required = true)
        abstract long errors();

        /** Completed ones with a status of 5xx. */
        @JsonInclude(Include.NON_DEFAULT)
        @Value.Default
        long serverErrors() {
            return 0;
        }

        /** Of its requests those in flight at its end; absent for none. */
        @JsonInclude(Include.NON_DEFAULT)
        @Value.Default
        long unanswered() {
            return 0;
        }

        /** Due before its end and not sent; absent for none. */
        @JsonInclude(Include.NON_DEFAULT)
        @Value.Default
        long unsent() {
            return 0;
        }

        abstract long measuredNs();

        @Value.Derived
        OptionalDouble throughputPerSec() {
            return LoadCounts.perSec(completed(), measuredNs());
        }

        @JsonProperty(value = "responseTimeNs", required = true)
        abstract Percentiles responseTime();

        @JsonProperty(value = "serviceTimeNs", required = true)
        abstract Percentiles serviceTime();

        static final class Reader extends Json.Group<Figures> {
            Reader() {
                super(Figures.class, "completed");
            }
        }
    }

    /**
     * @param launch counted from 1
     * @param position in which the target was started among the targets of this launch, counted from 1
     */
    public static Builder builder(int launch, int position) {
        return new Builder().launch(launch).position(position);
    }

    /** Returns this launch with what was measured of it later. */
    public LaunchResult measured(LoadResult load, Costs found) {
        return new Builder().from(this).load(load).costs(found).build();
    }

    /** Which launch it was, counted from 1. */
    public abstract int launch();

    /** As which of the targets it was started in this launch, counted from 1. */
    public abstract int position();

    /** The processors it had, as read back from the kernel. */
    public abstract Optional<String> cpus();

    /** Absent where it never was ready. */
    public abstract Optional<Startup> startup();

    /** Whether it was steady, and after what; absent without load, and where it died before it was steady. */
    public abstract Optional<Warmup> warmup();

    /** What it did in its first minute; absent where it did not live so long, or took longer to start. */
    public abstract Optional<FirstMinute> firstMinute();

    /** What it did under full load; absent where it got none. */
    public abstract Optional<FullLoad> fullLoad();

    @Nullable
    @JsonUnwrapped
    @JsonDeserialize(using = Figures.Reader.class)
    abstract Figures figures();

    /** What it cost while it was measured for each request. */
    @Value.Derived
    @JsonUnwrapped
    public PerRequest perRequest() {
        return PerRequest.of(costs(), successful());
    }

    /** What it cost while it was measured. */
    @Value.Default
    @JsonUnwrapped
    public Costs costs() {
        return Costs.NONE;
    }

    /** How it ended, if it did so before Lockstep stopped it. */
    public abstract Optional<TargetExit> exit();

    /** What a reader of its figures must know, a line each. */
    @JsonInclude(Include.NON_EMPTY)
    public abstract List<String> notes();

    /** Whether it got measured load; without, all figures of the load are absent or 0. */
    public boolean isMeasured() {
        return figures() != null;
    }

    public long completed() {
        return figures() == null ? 0 : figures().completed();
    }

    /** How many requests got no good answer, of all kinds together. */
    public long errors() {
        return figures() == null ? 0 : figures().errors();
    }

    /** How many of the completed requests were answered with a status of 5xx. */
    public long serverErrors() {
        return figures() == null ? 0 : figures().serverErrors();
    }

    /** How many requests were answered, and not with a status of 5xx. */
    public long successful() {
        return completed() - serverErrors();
    }

    /** How many requests were due: answered, failed, in flight at the end or never sent. */
    public long due() {
        return figures() == null
                ? 0
                : completed() + errors() + figures().unanswered() + figures().unsent();
    }

    /** How many of them got no good answer, or one with a status of 5xx. */
    public long failed() {
        return due() - successful();
    }

    /** How long it was under measured load. */
    public long measuredNs() {
        return figures() == null ? 0 : figures().measuredNs();
    }

    /** Last byte minus intended. */
    public Optional<Percentiles> responseTime() {
        return Optional.ofNullable(figures()).map(Figures::responseTime);
    }

    /** Last byte minus written. */
    public Optional<Percentiles> serviceTime() {
        return Optional.ofNullable(figures()).map(Figures::serviceTime);
    }

    /** All but the two numbers may be left out. */
    public static final class Builder extends ImmutableLaunchResult.Builder {
        Builder() {}

        /** Takes counts and times from what the replayer measured. */
        public Builder load(LoadResult load) {
            return figures(ImmutableFigures.builder()
                    .completed(load.counts().completed)
                    .errors(load.counts().errors())
                    .serverErrors(load.counts().serverErrors())
                    .unanswered(load.counts().unanswered)
                    .unsent(load.counts().unsent)
                    .measuredNs(load.measuredNs())
                    .responseTime(load.responseTimes())
                    .serviceTime(load.serviceTimes())
                    .build());
        }
    }
}
