package dev.lockstep.measurement;

/**
 * Takes what a run measures, interval by interval, as it comes; so that nobody has to hold a run's intervals in memory.
 */
public interface IntervalSink {
    /**
     * Takes one interval of one target. Called on the run's thread, for each target in order of time.
     *
     * @param interval filled again after the call
     */
    void interval(String target, Interval interval);

    /** Keeps nothing. */
    IntervalSink NONE = (target, interval) -> {};
}
