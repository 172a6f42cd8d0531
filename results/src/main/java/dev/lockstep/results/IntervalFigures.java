package dev.lockstep.results;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonInclude.Include;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonUnwrapped;
import com.fasterxml.jackson.databind.annotation.JsonDeserialize;
import dev.lockstep.measurement.Costs;
import dev.lockstep.measurement.ErrorKind;
import dev.lockstep.measurement.Interval;
import dev.lockstep.measurement.Rules;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Function;
import org.immutables.value.Value;

/** The figures of one interval of one target, as a line of {@code intervals.jsonl} has them. */
@Value.Immutable
@JsonDeserialize(builder = ImmutableIntervalFigures.Builder.class)
public abstract class IntervalFigures {
    static final String SERVER_ERRORS = "5xx";
    /** A turn is longer, and so is what is left of a second in most. */
    private static final long SHORTEST_NS = 50_000_000;
    /** Between two intervals of one turn there is none, and between two turns a longer one. */
    private static final long GAP_NS = 1_000_000;

    /** Response times of the answers of an interval. */
    @Value.Immutable
    @JsonDeserialize(builder = ImmutableTimes.Builder.class)
    abstract static class Times {
        abstract OptionalLong p50();

        abstract OptionalLong p99();
    }

    /** Returns the figures of an interval that has just ended. */
    public static IntervalFigures of(Interval interval) {
        return IntervalRow.of("", interval).figures();
    }

    /** Which launch of the target it belongs to, counted from 1. */
    @Value.Default
    public int launch() {
        return 1;
    }

    @JsonProperty("phase")
    abstract Optional<String> phaseKey();

    /** When it began, epoch milliseconds; in this all intervals of a run compare. */
    public abstract long startMs();

    /** When it began, from the start of the measured phase; of other phases, from that of the warm-up. */
    public abstract long startNs();

    /** When it ended, likewise. */
    public abstract long endNs();

    public abstract long sent();

    public abstract long completed();

    /** How many requests awaited their answers when it ended. */
    public abstract long inFlight();

    @JsonProperty("errors")
    abstract Map<String, Long> errorsByKind();

    /** Answers by class of status: {@code {"2xx": 12}}; empty where nothing was answered with one. */
    @JsonInclude(Include.NON_EMPTY)
    abstract Map<String, Long> statusClasses();

    @JsonProperty("responseTimeNs")
    abstract Optional<Times> times();

    /** What the target cost in it. */
    @Value.Default
    @JsonUnwrapped
    public Costs costs() {
        return Costs.NONE;
    }

    /**
     * Whether it is what was left of a turn, or of a phase, behind an interval: a moment, of whose few requests no rate
     * can be made.
     *
     * @param before the one before it of the same target; null for none
     */
    public boolean isRestOf(IntervalFigures before) {
        return before != null
                && launch() == before.launch()
                && phase() == before.phase()
                && endNs() - startNs() < SHORTEST_NS
                && before.endNs() - before.startNs() >= SHORTEST_NS
                && startNs() - before.endNs() < GAP_NS;
    }

    /** What it is a part of. */
    public Interval.Phase phase() {
        return phaseOf(phaseKey());
    }

    /** @throws IllegalArgumentException where there is none of this word */
    static Interval.Phase phaseOf(Optional<String> key) {
        return key.map(word -> Keys.find(Interval.Phase.values(), Interval.Phase::key, word)
                        .orElseThrow(() -> new IllegalArgumentException("phase: expected "
                                + Keys.all(Interval.Phase.values(), Interval.Phase::key) + ", found "
                                + Rules.quote(word))))
                .orElse(Interval.Phase.MEASURED);
    }

    @Value.Check
    void check() {
        phase();
    }

    /** How many were answered, and not with a 5xx. */
    public long successful() {
        return completed() - serverErrors();
    }

    /** How many failed, or were answered with a 5xx. */
    public long failed() {
        return errors() + serverErrors();
    }

    private long serverErrors() {
        return statusClasses().getOrDefault(SERVER_ERRORS, 0L);
    }

    /** How many requests failed, of all kinds together; a 5xx is an answer. */
    public long errors() {
        return errorsByKind().values().stream().mapToLong(Long::longValue).sum();
    }

    /** How many failed in this way. */
    public long errors(ErrorKind kind) {
        return errorsByKind().getOrDefault(kind.key(), 0L);
    }

    /** The median of the response time; absent where nothing was answered, as the next two. */
    public OptionalLong p50Ns() {
        return time(Times::p50);
    }

    public OptionalLong p99Ns() {
        return time(Times::p99);
    }

    private OptionalLong time(Function<Times, OptionalLong> which) {
        return times().map(which).orElse(OptionalLong.empty());
    }
}
