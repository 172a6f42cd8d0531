package dev.lockstep.exporter;

import dev.lockstep.measurement.IntervalSink;
import dev.lockstep.results.Drift;
import java.util.List;

/**
 * Where the metrics of a run go while it goes on. Intervals are taken on the run's thread, addresses and trends on one
 * other. Closed by whoever launched it.
 */
public interface Exporter extends IntervalSink, AutoCloseable {
    /**
     * Takes the address of a target, which one that Lockstep starts has anew in each launch. Before that nobody knows
     * it, and there is nothing to describe.
     *
     * @param address {@code HOST:PORT}
     */
    void ready(String target, String address);

    /** Takes what is known of leaks and drifts of all targets, in place of what was known before. */
    void trends(List<Drift> drifts);

    @Override
    void close();
}
