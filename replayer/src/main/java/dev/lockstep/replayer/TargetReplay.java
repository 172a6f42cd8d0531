package dev.lockstep.replayer;

import dev.lockstep.measurement.LoadCounts;
import dev.lockstep.measurement.LoadResult;
import dev.lockstep.measurement.StreamDigest;
import io.netty.channel.EventLoop;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import org.HdrHistogram.Histogram;

/**
 * One target of a {@link Replayer}: how far its replay is and what came of it. Made by {@link Replayer#addTarget}, closed
 * with the replayer.
 */
public final class TargetReplay {
    private final String name;
    private final InetSocketAddress address;
    private final EventLoop loop;
    private final ReplayWorker worker;
    private final List<LoadResult.Interval> intervals = new ArrayList<>();
    private LoadResult result;

    TargetReplay(String name, InetSocketAddress address, ReplayWorker worker, EventLoop loop) {
        this.name = name;
        this.address = address;
        this.loop = loop;
        this.worker = worker;
    }

    /** Returns the name given to the replayer. */
    public String name() {
        return name;
    }

    /** Returns where the requests go. */
    public InetSocketAddress address() {
        return address;
    }

    /** Returns how many requests were answered in the phase that runs; any thread, a moment old. */
    public long answeredSoFar() {
        return worker.answeredSoFar();
    }

    /** Gives the target up, for example because its process died: ends its rounds at once. Any thread. */
    public void abort() {
        loop.execute(worker::abort);
    }

    /**
     * Returns what was measured, after the last round.
     *
     * @throws IllegalStateException before {@link Replayer#finish}
     */
    public LoadResult result() {
        if (result == null) {
            throw new IllegalStateException("the measured phase of " + name + " is not finished");
        }
        return result;
    }

    /** Returns what a reader of the result must know, a line each. */
    public List<String> notes() {
        List<String> notes = new ArrayList<>(worker.notes());
        if (worker.tlsProblem() != null) {
            notes.add("TLS failed: " + worker.tlsProblem());
        }
        return notes;
    }

    ReplayWorker worker() {
        return worker;
    }

    EventLoop loop() {
        return loop;
    }

    /** Leaves the time since the last interval out, for example that of another target's round. */
    void skipInterval() {
        worker.skipInterval();
    }

    /** Takes the interval since the last call; one thread, not the loop's. */
    void takeInterval() {
        LoadResult.Interval interval = worker.takeInterval();
        if (interval.responseTime().getTotalCount() > 0
                || interval.generatorLag().getTotalCount() > 0) {
            intervals.add(interval);
        }
    }

    void finish(boolean begun) {
        result = begun
                ? worker.result(intervals)
                : new LoadResult(
                        new LoadCounts(),
                        0,
                        new Histogram(3),
                        intervals,
                        StreamDigest.absent("the measured phase did not begin"));
    }
}
