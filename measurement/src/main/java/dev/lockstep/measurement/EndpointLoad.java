package dev.lockstep.measurement;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.HdrHistogram.Histogram;

/**
 * What came of one target's requests of one endpoint: a method with a path template, or a Thrift function. Mutable, not
 * thread-safe: the event loop that owns the target's connections writes one, per request and without allocation;
 * whoever gets it afterwards changes it no more.
 *
 * <p>Response times have two significant digits, which is 1 % at most, where those of all requests have three: that is
 * 31 KB for an endpoint, of which there can be hundreds.
 */
public final class EndpointLoad {
    /** The name under which all endpoints stand that have no figures of their own. */
    public static final String OTHER = "(other)";

    /** How many endpoints have figures of their own, at most. */
    public static final int MOST_NAMED = 200;

    private static final int SIGNIFICANT_DIGITS = 2;
    private static final int SERVER_ERROR = 500;

    private final String name;
    private final Histogram responseTime = LatencyRecorder.newHistogram(SIGNIFICANT_DIGITS);
    private long untimed;
    private long withoutAnswer;
    private long timedOut;
    private long serverErrors;

    public EndpointLoad(String name) {
        this.name = name;
    }

    /** Forgets what was counted. */
    public void clear() {
        responseTime.reset();
        untimed = 0;
        withoutAnswer = 0;
        timedOut = 0;
        serverErrors = 0;
    }

    /** Counts an answer; the status is 0 where the protocol has none. */
    public void answered(long responseNs, int status) {
        responseTime.recordValue(Math.max(0, responseNs));
        if (status >= SERVER_ERROR) {
            serverError(status);
        }
    }

    /** Counts a request that is complete and has no time: one without an answer by design, or answered too early. */
    public void completed(int status) {
        untimed++;
        serverError(status);
    }

    private void serverError(int status) {
        serverErrors += status / 100 == SERVER_ERROR / 100 ? 1 : 0;
    }

    /** Counts requests that got no good answer, or could not be sent. */
    public void withoutAnswer(long requests) {
        withoutAnswer += requests;
    }

    /** Counts a request that got no answer in the time allowed. */
    public void timedOut() {
        withoutAnswer++;
        timedOut++;
    }

    public String name() {
        return name;
    }

    /** Returns how many requests were due. */
    public long count() {
        return responseTime.getTotalCount() + untimed + withoutAnswer;
    }

    /** Returns how many of them failed: without a good answer until the end, or with a status of 5xx. */
    public long errors() {
        return withoutAnswer + serverErrors;
    }

    /**
     * Returns the response times of all its requests, as {@link LoadResult#responseTimes} those of all endpoints.
     *
     * @param timeoutNs after how long those were given up that timed out
     */
    Percentiles responseTimes(long timeoutNs) {
        return Percentiles.of(responseTime, withoutAnswer, timedOut, timeoutNs);
    }

    /** Returns these and later ones together, each name once. */
    static List<EndpointLoad> sum(List<EndpointLoad> earlier, List<EndpointLoad> later) {
        Map<String, EndpointLoad> sums = new LinkedHashMap<>();
        for (List<EndpointLoad> each : List.of(earlier, later)) {
            each.forEach(endpoint ->
                    sums.computeIfAbsent(endpoint.name, EndpointLoad::new).add(endpoint));
        }
        return new ArrayList<>(sums.values());
    }

    private void add(EndpointLoad other) {
        responseTime.add(other.responseTime);
        untimed += other.untimed;
        withoutAnswer += other.withoutAnswer;
        timedOut += other.timedOut;
        serverErrors += other.serverErrors;
    }
}
