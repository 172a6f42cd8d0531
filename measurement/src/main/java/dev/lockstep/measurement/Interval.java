package dev.lockstep.measurement;

import org.HdrHistogram.Histogram;

/**
 * What one target did in one interval of a phase, normally a second: from when to when, how many of each thing
 * happened, and the three times of the requests.
 *
 * <p>Mutable and reused: who measures fills it, hands it to an {@link IntervalSink} and fills it again. A sink copies
 * what it keeps. Not thread-safe.
 */
public final class Interval {
    /** What it is a part of. Only the measured phase counts in the figures of the load. */
    public enum Phase {
        WARM_UP("warmup"),
        MEASURED("measured"),
        /** After the measured phase: the target gets as much as it can answer, to learn what a request costs then. */
        FULL_LOAD("fullLoad");

        private final String key;

        Phase(String key) {
            this.key = key;
        }

        /** The word in files. */
        public String key() {
            return key;
        }
    }

    /** When it began and ended, epoch milliseconds. */
    public long startMs;

    public long endMs;

    /**
     * When it began and ended, nanoseconds from the start of the run's measured phase; of the other phases, from the
     * start of the launch's warm-up.
     */
    public long startNs;

    public long endNs;

    /** Which launch of the target it belongs to, counted from 1. */
    public int launch = 1;

    public Phase phase = Phase.MEASURED;

    /** What the target cost in it; of the run's thread, which fills it in before the interval is handed on. */
    public Costs costs = Costs.NONE;

    /** Requests that awaited their answers when it ended. */
    public long inFlight;

    private final LoadCounts counts = new LoadCounts();
    private Histogram responseTime = LatencyRecorder.newHistogram();
    private Histogram serviceTime = LatencyRecorder.newHistogram();
    private Histogram generatorLag = LatencyRecorder.newHistogram();
    private SlowRequests slowest = new SlowRequests();

    /** Returns what was counted within it, to be filled in. */
    public LoadCounts counts() {
        return counts;
    }

    /** Returns last byte minus intended of the requests answered in it. */
    public Histogram responseTime() {
        return responseTime;
    }

    /** Returns last byte minus written of the requests answered in it. */
    public Histogram serviceTime() {
        return serviceTime;
    }

    /** Returns written minus intended of the requests sent in it. */
    public Histogram generatorLag() {
        return generatorLag;
    }

    /** Returns when the slowest of the requests answered in it were under way; not kept in files. */
    public SlowRequests slowest() {
        return slowest;
    }

    /** Says whether it counts in the figures of the load. */
    public boolean isMeasured() {
        return phase == Phase.MEASURED;
    }

    /** Says whether nothing happened in it. */
    public boolean isEmpty() {
        return counts.isZero()
                && responseTime.getTotalCount() == 0
                && serviceTime.getTotalCount() == 0
                && generatorLag.getTotalCount() == 0;
    }

    /** Takes this histogram in place of its own, which it returns. */
    public Histogram exchangeResponseTime(Histogram full) {
        Histogram mine = responseTime;
        responseTime = full;
        return mine;
    }

    public Histogram exchangeServiceTime(Histogram full) {
        Histogram mine = serviceTime;
        serviceTime = full;
        return mine;
    }

    public Histogram exchangeGeneratorLag(Histogram full) {
        Histogram mine = generatorLag;
        generatorLag = full;
        return mine;
    }

    SlowRequests exchangeSlowest(SlowRequests full) {
        SlowRequests mine = slowest;
        slowest = full;
        return mine;
    }

    /**
     * Empties the three histograms, for the next use.
     *
     * @param slowAboveNs the response time above which a request is then one of the slowest
     */
    public void resetTimes(long slowAboveNs) {
        responseTime.reset();
        serviceTime.reset();
        generatorLag.reset();
        slowest.reset(slowAboveNs);
    }
}
