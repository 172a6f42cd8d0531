package dev.lockstep.measurement;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Map;
import java.util.OptionalLong;

/**
 * The figures of one interval of one target, of its warm-up or of its measured phase, as a line of {@code
 * intervals.jsonl} has them. Immutable.
 */
public final class IntervalFigures {
    private final int launch;
    private final boolean warmup;
    private final long startMs;
    private final long startNs;
    private final long endNs;
    private final long sent;
    private final long completed;
    private final long inFlight;
    private final Map<String, Long> errors;
    private final OptionalLong p50Ns;
    private final OptionalLong p99Ns;
    private final OptionalLong maxNs;
    private final Costs costs;

    IntervalFigures(JsonFields row) {
        launch = row.smallNumberOrAbsent("launch").orElse(1);
        warmup = IntervalRow.isWarmup(row);
        startMs = row.number("startMs");
        startNs = row.number("startNs");
        endNs = row.number("endNs");
        sent = row.number("sent");
        completed = row.number("completed");
        inFlight = row.number("inFlight");
        errors = row.counts("errors");
        JsonFields times = row.objectOrNull("responseTimeNs");
        p50Ns = times == null ? OptionalLong.empty() : times.numberOrAbsent("p50");
        p99Ns = times == null ? OptionalLong.empty() : times.numberOrAbsent("p99");
        maxNs = times == null ? OptionalLong.empty() : times.numberOrAbsent("max");
        costs = Costs.fromJson(row);
    }

    /** Returns which launch of the target it belongs to, counted from 1. */
    public int launch() {
        return launch;
    }

    /** Tells whether it is of the warm-up of its launch; else it is of the measured phase. */
    public boolean isWarmup() {
        return warmup;
    }

    /** Returns when it began, epoch milliseconds; in this all intervals of a run compare. */
    public long startMs() {
        return startMs;
    }

    /** Returns when it began, from the start of the measured phase; of a warm-up, from the start of that. */
    public long startNs() {
        return startNs;
    }

    /** Returns when it ended, likewise. */
    public long endNs() {
        return endNs;
    }

    public long sent() {
        return sent;
    }

    public long completed() {
        return completed;
    }

    /** Returns how many requests failed, of all kinds together. */
    public long errors() {
        return errors.values().stream().mapToLong(Long::longValue).sum();
    }

    /** Returns how many requests awaited their answers when it ended. */
    public long inFlight() {
        return inFlight;
    }

    /** Returns the median of the response time; absent where nothing was answered, as the next two. */
    public OptionalLong p50Ns() {
        return p50Ns;
    }

    public OptionalLong p99Ns() {
        return p99Ns;
    }

    public OptionalLong maxNs() {
        return maxNs;
    }

    /** Returns what the target cost in it. */
    public Costs costs() {
        return costs;
    }

    /** Returns the fields of the line that it was read from, as far as it knows them. */
    ObjectNode toJson() {
        ObjectNode json = JsonFields.object();
        json.put("launch", launch);
        if (warmup) {
            json.put("phase", IntervalRow.WARM_UP);
        }
        json.put("startMs", startMs);
        json.put("startNs", startNs);
        json.put("endNs", endNs);
        json.put("sent", sent);
        json.put("completed", completed);
        json.put("inFlight", inFlight);
        ObjectNode kinds = json.putObject("errors");
        errors.forEach(kinds::put);
        if (p50Ns.isPresent()) {
            ObjectNode times = json.putObject("responseTimeNs");
            JsonFields.put(times, "p50", p50Ns);
            JsonFields.put(times, "p99", p99Ns);
            JsonFields.put(times, "max", maxNs);
        }
        costs.putInto(json);
        return json;
    }
}
