package dev.lockstep.replayer;

/** When the measured phase of a run started, on both clocks. Immutable. */
final class RunClock {
    private final long startNs;
    private final long startMs;

    /**
     * @param startNs by the monotonic clock
     * @param startMs the same instant, epoch milliseconds
     */
    RunClock(long startNs, long startMs) {
        this.startNs = startNs;
        this.startMs = startMs;
    }

    long startNs() {
        return startNs;
    }

    /** Returns a time of the monotonic clock as nanoseconds since the start, 0 for one before. */
    long sinceStartNs(long ns) {
        return Math.max(0, ns - startNs);
    }

    /** Returns a time since the start as epoch milliseconds. */
    long epochMs(long sinceStartNs) {
        return startMs + sinceStartNs / 1_000_000;
    }
}
