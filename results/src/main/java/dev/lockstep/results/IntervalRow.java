package dev.lockstep.results;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonInclude.Include;
import com.fasterxml.jackson.annotation.JsonUnwrapped;
import com.fasterxml.jackson.databind.annotation.JsonDeserialize;
import dev.lockstep.measurement.Costs;
import dev.lockstep.measurement.ErrorKind;
import dev.lockstep.measurement.Interval;
import dev.lockstep.measurement.LoadCounts;
import dev.lockstep.results.json.Json;
import java.util.Map;
import java.util.Optional;
import org.HdrHistogram.Histogram;
import org.immutables.value.Value;

/**
 * One line of {@code intervals.jsonl}: what one target did in one interval. The fields have the names that they have in
 * {@code run.json}; those that are always there are zero where nothing happened, the others are missing.
 */
@Value.Immutable
@JsonDeserialize(builder = ImmutableIntervalRow.Builder.class)
public abstract class IntervalRow {
    private static final int CLASSES = 10;

    /** Response times of the answers of an interval. */
    @Value.Immutable
    @JsonDeserialize(builder = ImmutableRowTimes.Builder.class)
    abstract static class RowTimes {
        /** Median, in ns. */
        abstract long p50();

        /** 99th percentile, in ns. */
        abstract long p99();

        /** Highest, in ns. */
        abstract long max();

        /** Answers. */
        abstract long count();
    }

    /** Returns the line of an interval that has just ended. */
    public static IntervalRow of(String target, Interval interval) {
        LoadCounts counts = interval.counts();
        ImmutableIntervalRow.Builder row = ImmutableIntervalRow.builder()
                .target(target)
                .launch(interval.launch)
                .phase(interval.isMeasured() ? null : interval.phase.key())
                .startMs(interval.startMs)
                .endMs(interval.endMs)
                .startNs(interval.startNs)
                .endNs(interval.endNs)
                .sent(counts.sent)
                .completed(counts.completed)
                .inFlight(interval.inFlight)
                .deferred(counts.deferred)
                .connections(counts.connections)
                .oneway(counts.oneway)
                .strayAnswers(counts.strayAnswers)
                .bytesSent(counts.bytesSent)
                .opaqueBytesSent(counts.opaqueBytesSent)
                .bytesReceived(counts.bytesReceived)
                .bodyBytesReceived(counts.bodyBytesReceived)
                .costs(interval.costs);
        counts.errorsByKind().forEach((kind, count) -> row.error(kind.key(), count));
        for (int hundreds = 0; hundreds < CLASSES; hundreds++) {
            long answers = counts.statusClass(hundreds);
            if (answers > 0) {
                row.statusClass(hundreds + "xx", answers);
            }
        }
        Histogram times = interval.responseTime();
        if (times.getTotalCount() > 0) {
            row.responseTimeNs(ImmutableRowTimes.builder()
                    .p50(times.getValueAtPercentile(50))
                    .p99(times.getValueAtPercentile(99))
                    .max(times.getMaxValue())
                    .count(times.getTotalCount())
                    .build());
        }
        return row.build();
    }

    /** Its name. */
    public abstract String target();

    /** Which launch, counted from 1. */
    @Value.Default
    int launch() {
        return 1;
    }

    /** {@code warmup} or {@code fullLoad}; absent in the measured phase. */
    abstract Optional<String> phase();

    /** When it began, in epoch milliseconds. */
    abstract long startMs();

    /** When it ended, likewise. */
    abstract long endMs();

    /**
     * When it began, from the start of the measured phase as in {@code outages}; in others from that of the warm-up.
     */
    abstract long startNs();

    /** When it ended, likewise. */
    abstract long endNs();

    abstract long sent();

    abstract long completed();

    /** Requests that awaited answers at its end. */
    abstract long inFlight();

    abstract long deferred();

    abstract long connections();

    @JsonInclude(Include.NON_DEFAULT)
    @Value.Default
    long oneway() {
        return 0;
    }

    @JsonInclude(Include.NON_DEFAULT)
    @Value.Default
    long strayAnswers() {
        return 0;
    }

    abstract Map<String, Long> errors();

    /** Answers by class of status: {@code {"2xx": 12}}. */
    abstract Map<String, Long> statusClasses();

    abstract long bytesSent();

    @JsonInclude(Include.NON_DEFAULT)
    @Value.Default
    long opaqueBytesSent() {
        return 0;
    }

    abstract long bytesReceived();

    abstract long bodyBytesReceived();

    /** Of its answers; absent without any. */
    abstract Optional<RowTimes> responseTimeNs();

    @JsonUnwrapped
    @Value.Derived
    PerRequest perRequest() {
        return PerRequest.of(costs(), completed() - statusClasses().getOrDefault(IntervalFigures.SERVER_ERRORS, 0L));
    }

    @JsonUnwrapped
    @Value.Default
    Costs costs() {
        return Costs.NONE;
    }

    /** Returns its fields as texts, each by its name, with a dot for one within another; without those it has not. */
    public Map<String, String> cells() {
        return Json.flat(this);
    }

    /** Returns what its target did in the interval. */
    public IntervalFigures figures() {
        return ImmutableIntervalFigures.builder()
                .launch(launch())
                .phaseKey(phase())
                .startMs(startMs())
                .startNs(startNs())
                .endNs(endNs())
                .sent(sent())
                .completed(completed())
                .inFlight(inFlight())
                .errorsByKind(errors())
                .statusClasses(statusClasses())
                .times(responseTimeNs().map(times -> ImmutableTimes.builder()
                        .p50(times.p50())
                        .p99(times.p99())
                        .build()))
                .costs(costs())
                .build();
    }

    /** Fills an interval with these times and counts; an answer's status is known by its class only. */
    public void fill(Interval interval) {
        interval.launch = launch();
        interval.phase = IntervalFigures.phaseOf(phase());
        interval.startMs = startMs();
        interval.endMs = endMs();
        interval.startNs = startNs();
        interval.endNs = endNs();
        interval.inFlight = inFlight();
        interval.costs = costs();
        LoadCounts counts = interval.counts();
        counts.set(new LoadCounts());
        counts.sent = sent();
        counts.completed = completed();
        counts.deferred = deferred();
        counts.connections = connections();
        counts.oneway = oneway();
        counts.strayAnswers = strayAnswers();
        counts.bytesSent = bytesSent();
        counts.opaqueBytesSent = opaqueBytesSent();
        counts.bytesReceived = bytesReceived();
        counts.bodyBytesReceived = bodyBytesReceived();
        errors().forEach((kind, count) -> counts.error(ErrorKind.parse(kind), count));
        for (int hundreds = 0; hundreds < CLASSES; hundreds++) {
            counts.status(hundreds * 100, statusClasses().getOrDefault(hundreds + "xx", 0L));
        }
    }

    @Value.Check
    void check() {
        errors().keySet().forEach(ErrorKind::parse);
        IntervalFigures.phaseOf(phase());
    }
}
