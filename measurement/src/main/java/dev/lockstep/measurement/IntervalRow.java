package dev.lockstep.measurement;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Map;
import org.HdrHistogram.Histogram;

/**
 * One line of {@code intervals.jsonl}: a JSON object with what one target did in one interval. The fields have the names
 * that they have in {@code run.json}; those that are always there are zero where nothing happened, the others are missing.
 */
final class IntervalRow {
    static final String WARM_UP = "warmup";
    private static final int CLASSES = 10;

    private IntervalRow() {}

    /** Returns the line, without its end. */
    static String of(String target, Interval interval) {
        LoadCounts counts = interval.counts();
        ObjectNode json = JsonFields.object();
        json.put("target", target);
        json.put("launch", interval.launch);
        if (interval.warmup) {
            json.put("phase", WARM_UP);
        }
        json.put("startMs", interval.startMs);
        json.put("endMs", interval.endMs);
        json.put("startNs", interval.startNs);
        json.put("endNs", interval.endNs);
        json.put("sent", counts.sent);
        json.put("completed", counts.completed);
        json.put("inFlight", interval.inFlight);
        json.put("deferred", counts.deferred);
        json.put("connections", counts.connections);
        putSome(json, "oneway", counts.oneway);
        putSome(json, "strayAnswers", counts.strayAnswers);
        ObjectNode errors = json.putObject("errors");
        counts.errorsByKind().forEach((kind, count) -> errors.put(kind.key(), count));
        ObjectNode classes = json.putObject("statusClasses");
        for (int hundreds = 0; hundreds < CLASSES; hundreds++) {
            putSome(classes, hundreds + "xx", counts.statusClass(hundreds));
        }
        json.put("bytesSent", counts.bytesSent);
        putSome(json, "opaqueBytesSent", counts.opaqueBytesSent);
        json.put("bytesReceived", counts.bytesReceived);
        json.put("bodyBytesReceived", counts.bodyBytesReceived);
        Histogram times = interval.responseTime();
        if (times.getTotalCount() > 0) {
            ObjectNode figures = json.putObject("responseTimeNs");
            figures.put("p50", times.getValueAtPercentile(50));
            figures.put("p99", times.getValueAtPercentile(99));
            figures.put("max", times.getMaxValue());
            figures.put("count", times.getTotalCount());
        }
        interval.costs.putInto(json);
        return json.toString();
    }

    private static void putSome(ObjectNode json, String field, long count) {
        if (count != 0) {
            json.put(field, count);
        }
    }

    static boolean isWarmup(JsonFields json) {
        return WARM_UP.equals(json.textOrNull("phase"));
    }

    /** Fills an interval with the row's times and counts; an answer's status is known by its class only. */
    static void read(JsonFields json, Interval interval) {
        interval.launch = json.smallNumberOrAbsent("launch").orElse(1);
        interval.warmup = isWarmup(json);
        interval.startMs = json.number("startMs");
        interval.endMs = json.number("endMs");
        interval.startNs = json.number("startNs");
        interval.endNs = json.number("endNs");
        interval.inFlight = json.number("inFlight");
        interval.costs = Costs.fromJson(json);
        LoadCounts counts = interval.counts();
        counts.set(new LoadCounts());
        counts.sent = json.number("sent");
        counts.completed = json.number("completed");
        counts.deferred = json.number("deferred");
        counts.connections = json.number("connections");
        counts.oneway = json.numberOrAbsent("oneway").orElse(0);
        counts.strayAnswers = json.numberOrAbsent("strayAnswers").orElse(0);
        counts.bytesSent = json.number("bytesSent");
        counts.opaqueBytesSent = json.numberOrAbsent("opaqueBytesSent").orElse(0);
        counts.bytesReceived = json.number("bytesReceived");
        counts.bodyBytesReceived = json.number("bodyBytesReceived");
        for (Map.Entry<String, Long> error : json.counts("errors").entrySet()) {
            counts.error(json.check(() -> ErrorKind.parse(error.getKey())), error.getValue());
        }
        Map<String, Long> classes = json.counts("statusClasses");
        for (int hundreds = 0; hundreds < CLASSES; hundreds++) {
            counts.status(hundreds * 100, classes.getOrDefault(hundreds + "xx", 0L));
        }
    }
}
