package dev.lockstep.replayer;

import dev.lockstep.measurement.Costs;
import dev.lockstep.measurement.Interval;
import dev.lockstep.measurement.IntervalSink;
import dev.lockstep.measurement.LatencyRecorder;
import dev.lockstep.measurement.LoadCounts;
import dev.lockstep.measurement.LoadResult;
import dev.lockstep.measurement.RewriteCount;
import dev.lockstep.measurement.StreamDigest;
import io.netty.channel.EventLoop;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import org.HdrHistogram.Histogram;

/**
 * One launch of a target of a {@link Replayer}: how far its replay is and what came of it. Made by {@link
 * Replayer#addTarget}, closed by {@link Replayer#finish} or with the replayer.
 */
public final class TargetReplay {
    /** Of all answers of the measured phase so far; the requests above it are noted as the slowest. */
    private static final double SLOW_PERCENTILE = 99.5;

    private final String name;
    private final InetSocketAddress address;
    private final EventLoop loop;
    private final ReplayWorker worker;
    private final Interval interval = new Interval();
    /** What the intervals of the measured phase add up to. */
    private final LoadCounts before = new LoadCounts();
    /** The same of the warm-up. */
    private final LoadCounts warmUpBefore = new LoadCounts();

    private final Histogram responseTime = LatencyRecorder.newHistogram();
    private final Histogram serviceTime = LatencyRecorder.newHistogram();
    private final Histogram generatorLag = LatencyRecorder.newHistogram();
    private LoadResult result;

    /** @param launch which launch of the target it is, counted from 1 */
    TargetReplay(String name, int launch, InetSocketAddress address, ReplayWorker worker, EventLoop loop) {
        this.name = name;
        this.address = address;
        this.loop = loop;
        this.worker = worker;
        interval.launch = launch;
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
        if (worker.source().rewriter() != null) {
            notes.addAll(worker.source().rewriter().notes());
        }
        return notes;
    }

    /** Returns what each rewrite did, in their order; after the last round. */
    public List<RewriteCount> rewrites() {
        Rewriter rewriter = worker.source().rewriter();
        return rewriter == null ? List.of() : rewriter.counts();
    }

    ReplayWorker worker() {
        return worker;
    }

    EventLoop loop() {
        return loop;
    }

    /** Says whether the intervals that follow are of a warm-up. On the run's thread. */
    void handOnWarmUp(boolean warmup) {
        interval.warmup = warmup;
        warmUpBefore.set(new LoadCounts());
    }

    /** Returns the interval to be filled on the loop, with empty histograms; then comes {@link #interval}. */
    Interval emptyInterval() {
        // The slowest requests of the next interval go into it, of which nothing is known yet.
        boolean known = responseTime.getTotalCount() > 0;
        interval.resetTimes(known ? responseTime.getValueAtPercentile(SLOW_PERCENTILE) : 0);
        return interval;
    }

    /**
     * Adds the filled interval to the totals, unless it is of a warm-up, and hands it on. On the run's thread.
     *
     * @param evenIfEmpty whether an interval in which nothing happened is handed on
     */
    void interval(RunClock clock, IntervalSink sink, boolean evenIfEmpty) {
        LoadCounts counts = interval.counts();
        LoadCounts soFar = interval.warmup ? warmUpBefore : before;
        counts.subtract(soFar);
        soFar.add(counts);
        // They are known at the end, and are in none of the intervals.
        counts.unanswered = 0;
        counts.unsent = 0;
        if (!evenIfEmpty && interval.isEmpty()) {
            return;
        }
        if (!interval.warmup) {
            responseTime.add(interval.responseTime());
            serviceTime.add(interval.serviceTime());
            generatorLag.add(interval.generatorLag());
        }
        interval.costs = Costs.NONE;
        interval.startNs = clock.sinceStartNs(interval.startNs);
        interval.endNs = clock.sinceStartNs(interval.endNs);
        interval.startMs = clock.epochMs(interval.startNs);
        interval.endMs = clock.epochMs(interval.endNs);
        sink.interval(name, interval);
    }

    /**
     * Makes the result, whose counts are those of the intervals to the last.
     *
     * @param measured begun by the worker, or null for a target that was never measured
     */
    void finish(LoadResult.Builder measured) {
        result = measured == null
                ? LoadResult.builder()
                        .streamDigest(StreamDigest.absent("the measured phase did not begin"))
                        .build()
                : measured.counts(before)
                        .responseTime(responseTime)
                        .serviceTime(serviceTime)
                        .generatorLag(generatorLag)
                        .streamDigest(worker.finishDigest())
                        .build();
    }
}
