package dev.lockstep.replayer.meters;

import dev.lockstep.measurement.EndpointLoad;
import dev.lockstep.measurement.ErrorKind;
import dev.lockstep.measurement.Interval;
import dev.lockstep.measurement.LatencyRecorder;
import dev.lockstep.measurement.LoadCounts;
import dev.lockstep.measurement.LoadResult;
import dev.lockstep.replayer.requests.RequestSource;
import java.util.Arrays;
import java.util.List;
import org.HdrHistogram.Histogram;

/**
 * Counts and times what happens to the requests of one target, phase by phase. Runs per request on the event loop; only
 * {@link #answeredSoFar} may come from another thread.
 *
 * <p>Between rounds nothing fails: a request given up then counts as unanswered, and a failed connection for nothing.
 * Only of a target whose process has died all that it still owed fails.
 */
public final class LoadMeter {
    private final List<String> endpointNames;
    private final LatencyRecorder latency = new LatencyRecorder();
    private final OutageWatch outages = new OutageWatch();
    /** Where the skew between targets is measured; else null. */
    private SendTimes sendTimes;

    private LoadCounts counts = new LoadCounts();
    /** Of the phase, by the numbers of the endpoints. */
    private EndpointLoad[] endpoints;

    private Histogram ownLag = LatencyRecorder.newHistogram();
    /** Null until the first value of the phase, as the next one. */
    private Histogram opaqueFirstByte;

    private Histogram opaqueLastByte;

    /** Whether the phase has a schedule, against which this side can be late. */
    private boolean scheduled;

    private boolean betweenRounds = true;
    private boolean died;
    private int inFlight;
    private long lastAnswerNs;
    private long intervalStartNs;
    private long roundStartedNs;
    private long roundFinishedNs;
    private long measuredNs;
    /** How long the rounds of the phase took that have ended. */
    private long ranNs;

    private volatile long answeredSoFar;
    /** Signs of life since the meter was made, see {@link #heard}. */
    private long heard;
    /** Whether a request has waited in vain since the last answer. */
    private boolean waitedInVain;

    /** @param endpointNames of all endpoints that requests can have, in the order of their numbers */
    public LoadMeter(List<String> endpointNames) {
        this.endpointNames = endpointNames;
        endpoints = emptyEndpoints();
    }

    private EndpointLoad[] emptyEndpoints() {
        return endpointNames.stream().map(EndpointLoad::new).toArray(EndpointLoad[]::new);
    }

    // ---- phase and rounds -----------------------------------------------------------------------------------------

    /** @param scheduled whether requests have intended times; not in a closed loop */
    public void startPhase(boolean scheduled) {
        this.scheduled = scheduled;
        counts = new LoadCounts();
        for (EndpointLoad endpoint : endpoints) {
            endpoint.clear();
        }
        ownLag = LatencyRecorder.newHistogram();
        outages.startPhase();
        latency.take(new Interval());
        opaqueFirstByte = null;
        opaqueLastByte = null;
        answeredSoFar = 0;
        measuredNs = 0;
        ranNs = 0;
        waitedInVain = false;
    }

    /** Notes when requests are sent, from now on. */
    public void noteSendTimes(SendTimes times) {
        sendTimes = times;
    }

    /** Begins the first interval of a round, also of one in which nothing will be sent. */
    public void startInterval(long startNs) {
        intervalStartNs = startNs;
    }

    public void startRound(long startNs) {
        betweenRounds = false;
        roundStartedNs = startNs;
        lastAnswerNs = startNs;
    }

    /** @param measuredToNs to when the round counts as measured */
    public void endRound(long nowNs, long measuredToNs) {
        leaveRound();
        roundFinishedNs = nowNs;
        ranNs += Math.max(0, nowNs - roundStartedNs);
        measuredNs += Math.max(0, measuredToNs - roundStartedNs);
        answeredSoFar = counts.completed;
    }

    /** Returns how long the phase has run so far, without the time between its rounds, in which a target is frozen. */
    public long ranNs(long nowNs) {
        return betweenRounds ? ranNs : ranNs + Math.max(0, nowNs - roundStartedNs);
    }

    /** Ends a round of which nothing counts as measured. */
    public void leaveRound() {
        betweenRounds = true;
    }

    /** Lets other threads see how many requests were answered; once a turn of the loop. */
    public void publish() {
        answeredSoFar = counts.completed;
    }

    /** Has what is not sent or not answered from now on count as failed by the target's death. */
    public void died() {
        died = true;
        outages.died();
    }

    /** Counts requests that were due and never sent. */
    public void unsent(int endpoint, long requests) {
        endpoints[endpoint].withoutAnswer(requests);
        if (died) {
            counts.sent += requests;
            counts.error(ErrorKind.TARGET_DIED, requests);
            outages.failed(requests, lastAnswerNs);
        } else {
            counts.unsent += requests;
        }
    }

    // ---- what is sent ---------------------------------------------------------------------------------------------

    /** The counts of the phase so far, which callers may add to. */
    public LoadCounts counts() {
        return counts;
    }

    /** Counts a request whose bytes are being handed over. */
    public void sending(boolean deferred) {
        inFlight++;
        counts.sent++;
        if (deferred) {
            counts.deferred++;
        }
    }

    /**
     * Records when a request was written. A deferred one is late through the target and tells nothing of us; one that
     * is not in the capture's table has no number by which the targets could be compared.
     */
    public void written(long n, long intendedNs, long writtenNs, boolean deferred) {
        latency.sent(intendedNs, writtenNs);
        if (sendTimes != null && n != RequestSource.NOT_IN_TABLE) {
            sendTimes.sent(n, writtenNs);
        }
        if (scheduled && !deferred) {
            ownLag.recordValue(Math.max(0, writtenNs - intendedNs));
        }
    }

    /**
     * Records how late this side was with bytes outside requests, or with a request before that had to wait for the
     * target; 0 where it was in time, or where there is no schedule.
     */
    public void lateBefore(long ns) {
        if (scheduled) {
            ownLag.recordValue(ns);
        }
    }

    /**
     * Counts a request that got no connection.
     *
     * @return whether it counts, which it does not between rounds
     */
    public boolean notSent(int endpoint, ErrorKind kind) {
        if (betweenRounds) {
            return false;
        }
        lastAnswerNs = System.nanoTime();
        withoutAnswer(endpoint, kind);
        counts.sent++;
        counts.error(kind);
        outages.failed(1, lastAnswerNs);
        return true;
    }

    // ---- what is answered -----------------------------------------------------------------------------------------

    private void signOfLife() {
        heard++;
        waitedInVain = false;
    }

    public void answered(int endpoint, long intendedNs, long writtenNs, long lastByteNs, int status, long bodyBytes) {
        signOfLife();
        inFlight--;
        latency.answered(intendedNs, writtenNs, lastByteNs);
        endpoints[endpoint].answered(lastByteNs - intendedNs, status);
        counts.completed++;
        if (status > 0) {
            counts.status(status);
        }
        counts.bodyBytesReceived += bodyBytes;
        lastAnswerNs = lastByteNs;
        if (outages.isTroubled()) {
            outages.answered(lastByteNs);
        }
    }

    /** Counts a request that gets no answer and was written. */
    public void completedOneway(int endpoint) {
        inFlight--;
        endpoints[endpoint].completed(0);
        counts.completed++;
        counts.oneway++;
        lastAnswerNs = System.nanoTime();
        if (!waitedInVain) {
            // The only one of a target that gets no other calls; one that answers none of those may take these too.
            heard++;
        }
    }

    /** Counts a request whose answer came before its last byte was sent, so that it has no times. */
    public void answeredEarly(int endpoint, int status, long bodyBytes) {
        signOfLife();
        endpoints[endpoint].completed(status);
        counts.sent++;
        counts.completed++;
        counts.status(status);
        counts.bodyBytesReceived += bodyBytes;
        lastAnswerNs = System.nanoTime();
    }

    /** Counts a request that failed before its last byte was sent. */
    public void failedEarly(int endpoint, ErrorKind kind) {
        signOfLife();
        withoutAnswer(endpoint, kind);
        counts.sent++;
        counts.error(kind);
        lastAnswerNs = System.nanoTime();
    }

    /** Counts a request whose answer says that it failed. */
    public void answeredWith(int endpoint, ErrorKind kind, long nowNs) {
        signOfLife();
        withoutAnswer(endpoint, kind);
        failed(kind, 1);
        if (outages.isTroubled()) {
            outages.answered(nowNs);
        }
    }

    /** Counts a TApplicationException by its type; the failed request is counted by {@link #answeredWith}. */
    public void thriftException(int type) {
        if (!betweenRounds) {
            counts.thriftException(type);
        }
    }

    /** Counts a request for its endpoint that got no good answer. */
    public void withoutAnswer(int endpoint, ErrorKind kind) {
        if (kind == ErrorKind.READ_TIMEOUT && !betweenRounds) {
            endpoints[endpoint].timedOut();
        } else {
            endpoints[endpoint].withoutAnswer(1);
        }
    }

    /** Counts requests that failed with their connection, each of which was told to {@link #withoutAnswer}. */
    public void lost(ErrorKind kind, int requests) {
        waitedInVain |= kind == ErrorKind.READ_TIMEOUT;
        failed(kind, requests);
        if (!betweenRounds || died) {
            outages.failed(requests, lastAnswerNs);
        }
    }

    private void failed(ErrorKind kind, int requests) {
        inFlight -= requests;
        if (betweenRounds && died) {
            counts.error(ErrorKind.TARGET_DIED, requests);
        } else if (betweenRounds) {
            counts.unanswered += requests;
        } else {
            counts.error(kind, requests);
            lastAnswerNs = System.nanoTime();
        }
    }

    /** Counts bytes that came where no request was waiting. */
    public void excessBytes() {
        counts.strayAnswers++;
    }

    /** Records how long after a burst of opaque bytes the target's first byte came. */
    public void opaqueFirstByte(long ns) {
        if (opaqueFirstByte == null) {
            opaqueFirstByte = new Histogram(LatencyRecorder.SIGNIFICANT_DIGITS);
        }
        opaqueFirstByte.recordValue(Math.max(0, ns));
        lastAnswerNs = System.nanoTime();
    }

    /** Records how long after a burst of opaque bytes the target's last byte before the next burst came. */
    public void opaqueLastByte(long ns) {
        if (opaqueLastByte == null) {
            opaqueLastByte = new Histogram(LatencyRecorder.SIGNIFICANT_DIGITS);
        }
        opaqueLastByte.recordValue(Math.max(0, ns));
    }

    // ---- connections ----------------------------------------------------------------------------------------------

    public void opened() {
        counts.connections++;
        outages.opened();
    }

    /** A connection is no longer open; its failed requests were told before. */
    public void closed() {
        outages.closed();
    }

    public void connectFailed(ErrorKind kind) {
        if (!betweenRounds) {
            outages.connectFailed(kind, System.nanoTime());
        }
    }

    // ---- what came of it ------------------------------------------------------------------------------------------

    public int inFlight() {
        return inFlight;
    }

    /** When the last answer was read, on the monotonic clock. */
    public long lastAnswerNs() {
        return lastAnswerNs;
    }

    /**
     * How many signs of life came so far: answers, those that say that a request failed too, and, as long as no other
     * request waited in vain, requests taken that get none. Event loop only.
     */
    public long heard() {
        return heard;
    }

    /** How many requests of the phase were answered; any thread, a moment old. */
    public long answeredSoFar() {
        return answeredSoFar;
    }

    /**
     * Ends an interval and begins the next: hands over its times, all counts so far, and when it began and ended on the
     * monotonic clock. Only references and counts move here, so that the schedule is not held up.
     *
     * @param into with empty histograms
     * @param last whether it is the last one of its round
     */
    public void takeInterval(Interval into, boolean last) {
        // The last interval of a round ends with the round, since the target may have been frozen since. Where an
        // interval was taken late, it ends there, and the last one is empty.
        long overNs = roundFinishedNs - intervalStartNs;
        boolean endsWithRound = betweenRounds && (last ? overNs >= 0 : overNs > 0);
        long endNs = endsWithRound ? roundFinishedNs : System.nanoTime();
        latency.take(into);
        into.counts().set(counts);
        // What was given up between rounds has no answer either.
        into.inFlight = inFlight + counts.unanswered;
        into.startNs = intervalStartNs;
        into.endNs = Math.max(intervalStartNs, endNs);
        intervalStartNs = into.endNs;
    }

    /**
     * Begins the result of a measured phase after its end: all but what the intervals hold. What comes later counts for
     * no endpoint of this result.
     *
     * @param startedNs when the measured phase of the run started, on the monotonic clock
     */
    public LoadResult.Builder result(long startedNs) {
        LoadResult.Builder result = LoadResult.builder()
                .measuredNs(measuredNs)
                .ownLag(ownLag.copy())
                .endpoints(Arrays.asList(endpoints))
                .outages(outages.outages(startedNs))
                .outagesLeftOut(outages.leftOut());
        endpoints = emptyEndpoints();
        if (opaqueFirstByte != null && opaqueLastByte != null) {
            result.opaqueFirstByte(opaqueFirstByte.copy()).opaqueLastByte(opaqueLastByte.copy());
        }
        return result;
    }
}
