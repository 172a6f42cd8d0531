package dev.lockstep.replayer;

import dev.lockstep.measurement.Costs;
import dev.lockstep.measurement.Interval;
import dev.lockstep.measurement.IntervalSink;
import dev.lockstep.measurement.LatencyRecorder;
import dev.lockstep.measurement.LoadCounts;
import dev.lockstep.measurement.LoadResult;
import dev.lockstep.measurement.RewriteCount;
import dev.lockstep.measurement.StreamDigest;
import dev.lockstep.replayer.engine.ReplayWorker;
import dev.lockstep.replayer.meters.LoopUse;
import dev.lockstep.replayer.rewriting.Rewriter;
import io.netty.channel.EventLoop;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import org.HdrHistogram.Histogram;

/**
 * One launch of a target of a {@link Replayer}: how far its replay is and what came of it. Made by
 * {@link Replayer#addTarget}, closed by {@link Replayer#finish} or with the replayer.
 */
public final class TargetReplay {
    /** Requests above this percentile of the measured phase so far are noted as the slowest. */
    private static final double SLOW_PERCENTILE = 99.5;

    private final String name;
    private final InetSocketAddress address;
    private final EventLoop loop;
    private final LoopUse loopUse;
    private final ReplayWorker worker;
    private final Interval interval = new Interval();
    /** What the intervals of the measured phase add up to. */
    private final LoadCounts before = new LoadCounts();
    /** The same of a phase that is not measured. */
    private final LoadCounts beforeUnmeasured = new LoadCounts();

    private final Histogram responseTime = LatencyRecorder.newHistogram();
    private final Histogram serviceTime = LatencyRecorder.newHistogram();
    private final Histogram generatorLag = LatencyRecorder.newHistogram();
    private LoadResult result;
    private List<RewriteCount> rewrites = List.of();
    /** What was not rewritten in the measured phase, a line each. */
    private List<String> rewriteNotes = List.of();
    /** In rounds of one kind, how long its loop was busy, and how long they took. */
    private long loopBusyNs;

    private long roundsNs;
    private boolean counting;

    /** @param launch which launch of the target it is, counted from 1 */
    TargetReplay(
            String name, int launch, InetSocketAddress address, ReplayWorker worker, EventLoop loop, LoopUse loopUse) {
        this.name = name;
        this.address = address;
        this.loop = loop;
        this.loopUse = loopUse;
        this.worker = worker;
        interval.launch = launch;
        worker.whenHalfIsAnswered(() -> stopCounting(System.nanoTime()));
    }

    public String name() {
        return name;
    }

    public InetSocketAddress address() {
        return address;
    }

    /** How many requests of the phase were answered; any thread, a moment old. */
    public long answeredSoFar() {
        return worker.answeredSoFar();
    }

    /**
     * Gives the target up because its process died: ends its rounds at once, and all that it still owes counts as
     * failed. Any thread.
     */
    public void abort() {
        loop.execute(worker::abort);
    }

    /**
     * Returns what was measured, after the last round.
     *
     * @throws IllegalStateException before {@link Replayer#endMeasured}
     */
    public LoadResult result() {
        if (result == null) {
            throw new IllegalStateException("the measured phase of " + name + " is not finished");
        }
        return result;
    }

    /** What a reader of the result must know, a line each; after {@link Replayer#endMeasured}. */
    public List<String> notes() {
        List<String> notes = new ArrayList<>(worker.notes());
        notes.addAll(rewriteNotes);
        return notes;
    }

    /** What each rewrite did in the measured phase, in their order; after {@link Replayer#endMeasured}. */
    public List<RewriteCount> rewrites() {
        return rewrites;
    }

    ReplayWorker worker() {
        return worker;
    }

    EventLoop loop() {
        return loop;
    }

    /** Begins a round of measured or full load that starts then, for {@link #takeLoopUtilisation}; on the loop. */
    void startCounting(long startNs) {
        counting = true;
        loopBusyNs -= loopUse.busyNs();
        roundsNs -= startNs;
    }

    /**
     * Ends it, unless that has happened: a closed loop that awaits the slowest answers has nothing to do, however busy
     * it was before.
     */
    void stopCounting(long nowNs) {
        if (counting) {
            counting = false;
            loopBusyNs += loopUse.busyNs();
            roundsNs += nowNs;
        }
    }

    /**
     * Returns the share of the rounds since the last call in which its event loop was busy, 0 to 1; of a closed loop
     * without the ends of rounds, in which it awaits the slowest answers.
     */
    double takeLoopUtilisation() {
        double share = roundsNs <= 0 ? 0 : Math.max(0, Math.min(1, (double) loopBusyNs / roundsNs));
        loopBusyNs = 0;
        roundsNs = 0;
        return share;
    }

    /** Returns how many requests were completed in the phase that is not measured and came last. */
    long completedUnmeasured() {
        return beforeUnmeasured.completed;
    }

    /**
     * Says of which phase the intervals that follow are. On the run's thread.
     *
     * @param begins whether the phase begins with them
     */
    void handOn(Interval.Phase phase, boolean begins) {
        interval.phase = phase;
        if (begins) {
            beforeUnmeasured.set(new LoadCounts());
        }
    }

    /** Returns the interval to be filled on the loop, with empty histograms; then comes {@link #interval}. */
    Interval emptyInterval() {
        // The threshold for the next interval comes from the answers so far.
        boolean known = responseTime.getTotalCount() > 0;
        interval.resetTimes(known ? responseTime.getValueAtPercentile(SLOW_PERCENTILE) : 0);
        return interval;
    }

    /**
     * Adds the filled interval to the totals, if it is of the measured phase, and hands it on. On the run's thread.
     *
     * @param evenIfEmpty whether an interval in which nothing happened is handed on
     */
    void interval(RunClock clock, IntervalSink sink, boolean evenIfEmpty) {
        LoadCounts counts = interval.counts();
        LoadCounts soFar = interval.isMeasured() ? before : beforeUnmeasured;
        counts.subtract(soFar);
        soFar.add(counts);
        // These are known at the end only.
        counts.unanswered = 0;
        counts.unsent = 0;
        if (!evenIfEmpty && interval.isEmpty()) {
            return;
        }
        if (interval.isMeasured()) {
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
        Rewriter rewriter = worker.rewriter();
        rewrites = rewriter == null ? List.of() : rewriter.counts();
        // Later phases count anew.
        rewriteNotes = rewriter == null ? List.of() : rewriter.notes();
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
