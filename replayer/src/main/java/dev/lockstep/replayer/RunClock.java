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

    /** A time of the monotonic clock in nanoseconds since the start, 0 before it. */
    long sinceStartNs(long ns) {
        return Math.max(0, ns - startNs);
    }

    /** A time since the start in epoch milliseconds. */
    long epochMs(long sinceStartNs) {
        return startMs + sinceStartNs / 1_000_000;
    }
}
