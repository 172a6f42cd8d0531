package dev.lockstep.inspection;

import dev.lockstep.capture.RecordedStatus;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.IntFunction;

/** How often the recorded server answered in which way, where the capture says so. For one thread. */
final class AnswerCounts {
    private final long[] counts = new long[RecordedStatus.MAX + 1];
    private long known;

    /** @param status {@link RecordedStatus} */
    void add(int status) {
        if (status != RecordedStatus.UNKNOWN) {
            counts[status]++;
            known++;
        }
    }

    /** Returns how many answers are known. */
    long known() {
        return known;
    }

    /** Returns the answers by status code, or {@code reply} and {@code exception} of Thrift, in order of the codes. */
    Map<String, Long> byStatus() {
        return by(AnswerCounts::name);
    }

    /** Returns the answers by class, {@code 2xx} and so on, or as {@link #byStatus} those of Thrift. */
    Map<String, Long> classes() {
        return by(status -> RecordedStatus.isHttp(status) ? status / 100 + "xx" : name(status));
    }

    private Map<String, Long> by(IntFunction<String> key) {
        Map<String, Long> by = new LinkedHashMap<>();
        for (int status = 0; status <= RecordedStatus.MAX; status++) {
            if (counts[status] > 0) {
                by.merge(key.apply(status), counts[status], Long::sum);
            }
        }
        return by;
    }

    private static String name(int status) {
        switch (status) {
            case RecordedStatus.THRIFT_REPLY:
                return "reply";
            case RecordedStatus.THRIFT_EXCEPTION:
                return "exception";
            default:
                return String.valueOf(status);
        }
    }
}
