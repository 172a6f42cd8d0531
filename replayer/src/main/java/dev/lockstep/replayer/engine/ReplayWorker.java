package dev.lockstep.replayer.engine;

import dev.lockstep.capture.Protocol;
import dev.lockstep.measurement.ErrorKind;
import dev.lockstep.measurement.Interval;
import dev.lockstep.measurement.LoadCounts;
import dev.lockstep.measurement.LoadResult;
import dev.lockstep.measurement.Quantities;
import dev.lockstep.measurement.StreamDigest;
import dev.lockstep.replayer.ReplayConfig;
import dev.lockstep.replayer.comparison.AnswerLog;
import dev.lockstep.replayer.meters.SendTimes;
import dev.lockstep.replayer.requests.Endpoints;
import dev.lockstep.replayer.requests.RequestSource;
import dev.lockstep.replayer.requests.SentStream;
import dev.lockstep.replayer.rewriting.Rewriter;
import dev.lockstep.replayer.schedule.ArrivalSchedule;
import dev.lockstep.replayer.schedule.RecordedSchedule;
import dev.lockstep.replayer.tls.TargetTls;
import io.netty.channel.EventLoop;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/**
 * Replays to one target, phase by phase and round by round. Runs on one event loop, which the workers of other targets
 * may share, so nothing here may wait; a few methods allow any thread.
 */
public final class ReplayWorker {
    /** In which share of a heating, but for its beginning, something may be sent; the rest is rests. */
    public static final double SENDING_SHARE = HeatingRhythm.SENDING_SHARE;

    private static final long NEVER = Long.MAX_VALUE;
    /** What is measured waits for answers as long as the user says, what is not no longer than the usual time-out. */
    private static final long LONGEST_HEATING_DRAIN_NS = TimeUnit.SECONDS.toNanos(20);
    /** After the first time-out of all connections, a second one could be chance. */
    private static final int TIMEOUTS_OF_SILENCE = 3;

    private final ReplayConfig config;
    private final Target target;
    private final Phase phase;
    /** Null in a closed loop, as the next one. */
    private final ArrivalSchedule measuredSchedule;

    private final ArrivalSchedule warmUpSchedule;
    private final Dispatcher runDispatcher;
    /** Null where a request may wait for its answer without a limit. */
    private final SilenceWatch silence;
    /** Of what is sent as fast as answers come, before or after what is measured; null else. */
    private HeatingRhythm heating;
    /**
     * By when the last request of the measured phase is due, on the phase's clock; {@link #NEVER} in other phases and
     * where a time ends it.
     */
    private long lastDueNs = NEVER;
    /** The run's, except in a learning pass. */
    private Dispatcher dispatcher;
    /** What takes the answers of the measured phase that are to be compared, or null. */
    private AnswerLog measuredAnswers;

    /** When this was polled last. */
    private long polledNs;
    /** All that had come by then is read; what came later may wait in the sockets, where this side stood still. */
    private long readNs;

    private CompletableFuture<Void> roundDone;
    private Runnable halfAnswered = () -> {};
    /** How many requests were in flight when the round last sent. */
    private int inFlightSending;

    /**
     * Made on any thread; used on the loop from then on.
     *
     * @param endpoints of the capture's requests
     * @param tls how TLS is spoken to the target, or null without it
     */
    public ReplayWorker(
            ReplayConfig config, Endpoints endpoints, InetSocketAddress address, TargetTls tls, EventLoop loop) {
        this.config = config;
        target = new Target(config, endpoints, address, tls, loop);
        phase = target.phase();
        if (config.connections() > 0) {
            measuredSchedule = pooled(ArrivalSchedule.of(config.pace(), config.capture(), config.speed()));
            warmUpSchedule = pooled(ArrivalSchedule.ofWarmUp(config.pace(), config.capture(), config.speed()));
            runDispatcher = new ConnectionPool(
                    target,
                    config.pooledProtocol(),
                    config.connections(),
                    config.pace().think().toNanos(),
                    null);
        } else {
            RecordedSchedule recorded = RecordedSchedule.withOpaque(config.capture(), config.speed());
            measuredSchedule = recorded;
            warmUpSchedule = recorded;
            runDispatcher = new RecordedConnections(target, config.capture(), recorded);
        }
        dispatcher = runDispatcher;
        silence = config.timeoutNs() > NEVER / TIMEOUTS_OF_SILENCE
                ? null
                // A client that thinks is not waiting.
                : new SilenceWatch(Math.max(config.leastSilenceNs(), TIMEOUTS_OF_SILENCE * config.timeoutNs())
                        + config.pace().think().toNanos());
    }

    /** A pool leaves recorded upgrade probes out, which must take nothing of a rate. Recorded times stay. */
    private ArrivalSchedule pooled(ArrivalSchedule schedule) {
        if (schedule == null
                || schedule instanceof RecordedSchedule
                || config.pooledProtocol() != Protocol.THRIFT_TTWITTER) {
            return schedule;
        }
        RequestSource source = target.source();
        boolean isAllProbes = source.upgradeProbesBefore(source.requestCount()) == source.requestCount();
        return isAllProbes ? schedule : schedule.without(source::upgradeProbesBefore);
    }

    // ---- phases ---------------------------------------------------------------------------------------------------

    /**
     * Begins a phase: resets the counters and opens the connections that must stand before its first request.
     *
     * @param measured whether its times and counts are kept
     * @param requests how many requests it has at most
     * @param endNs when it ends at the latest, on the phase's clock
     */
    public void startPhase(boolean measured, long requests, long endNs) {
        begin(measured ? measuredSchedule : warmUpSchedule, requests, endNs, measured, false);
        lastDueNs = measured && requests != NEVER && endNs == NEVER ? lastDueNs(requests) : NEVER;
    }

    private long lastDueNs(long requests) {
        if (measuredSchedule == null) {
            return 0;
        }
        // What comes between and after the requests of a pass is sent too, and needs no answers.
        return measuredSchedule instanceof RecordedSchedule
                ? ((RecordedSchedule) measuredSchedule)
                        .passStartNs(1
                                + Math.max(0, requests - 1)
                                        / Math.max(1, config.capture().requestCount()))
                : measuredSchedule.notAfterNs(requests - 1);
    }

    private void begin(ArrivalSchedule schedule, long requests, long endNs, boolean measured, boolean early) {
        lastDueNs = NEVER;
        phase.begin(schedule, requests, endNs, early, config.timeoutNs());
        if (target.isStopping() && target.mayConnect()) {
            // Stopped, not given up: nothing of a later phase is owed.
            phase.cut(System.nanoTime());
        }
        target.meter().startPhase(schedule != null);
        target.writer().startPhase(measured);
        target.answers().compareInto(measured ? measuredAnswers : null);
        dispatcher.startPhase();
    }

    /** Notes when requests are sent, from now on. */
    public void noteSendTimes(SendTimes sendTimes) {
        target.meter().noteSendTimes(sendTimes);
    }

    /**
     * Has this told, on the loop and maybe more than once, when a round of a closed loop sends no more and half of what
     * was in flight is answered: what waits longer is the slowest.
     */
    public void whenHalfIsAnswered(Runnable told) {
        halfAnswered = told;
    }

    /** Has the answers of the measured phase noted here. */
    public void compareInto(AnswerLog log) {
        measuredAnswers = log;
    }

    /**
     * Begins a phase that is not measured and sends the first requests of the capture as fast as answers come: over the
     * pool where the run has one, else over the recorded connections in their order. {@link #endLearning} ends it.
     *
     * @param answers takes the answers; null where they are thrown away
     * @param speed of the recorded connections
     * @param endNs when it ends at the latest; it ends before that when all are sent and answered
     */
    public void startLearning(AnswerLog answers, long requests, double speed, long endNs) {
        if (config.connections() > 0) {
            begin(null, requests, endNs, false, true);
        } else {
            RecordedSchedule recorded = RecordedSchedule.withOpaque(config.capture(), speed);
            dispatcher = new RecordedConnections(target, config.capture(), recorded);
            begin(recorded, requests, endNs, false, true);
        }
        target.answers().compareInto(answers);
    }

    /** Ends the learning pass and goes back to the connections of the run. */
    public void endLearning() {
        endPhase();
        target.answers().compareInto(null);
        dispatcher = runDispatcher;
    }

    /**
     * Begins a phase that is not measured and sends the capture's requests over and over, as fast as answers come over
     * this many connections of its own, until {@link #endSending}. {@link #endHeating} ends it.
     *
     * @param endNs when it ends at the latest, on the phase's clock
     */
    public void startHeating(int connections, long endNs) {
        heating = new HeatingRhythm(System.nanoTime());
        dispatcher = new ConnectionPool(target, config.pooledProtocol(), connections, 0, heating);
        begin(null, NEVER, endNs, false, false);
    }

    /** Has a heating leave the processor to the target's JIT for more than half of the time, or no longer. */
    public void letCompile(boolean compiling) {
        if (heating != null) {
            heating.compiling(compiling);
        }
    }

    /** Closes the connections of the heating and goes back to those of the run. */
    public void endHeating() {
        endPhase();
        heating = null;
        dispatcher.shutDown();
        dispatcher = runDispatcher;
    }

    /**
     * Sends nothing more in this round, which ends when all answers are there, or after the time that they may take; of
     * a round that was stopped, as it was told then.
     */
    public void endSending() {
        if (phase.isSending()) {
            awaitAnswers(longestDrainNs());
        }
    }

    /** Sends no more in this round. The time counts from now, since this very turn may have sent the last request. */
    private void awaitAnswers(long forNs) {
        phase.drain(System.nanoTime(), forNs);
    }

    private long longestDrainNs() {
        return heating != null ? Math.min(config.timeoutNs(), LONGEST_HEATING_DRAIN_NS) : config.timeoutNs();
    }

    public boolean isReady() {
        return dispatcher.isReady();
    }

    /**
     * Ends the phase, also one that was stopped: connections that the next one cannot use are closed, unsent requests
     * counted.
     */
    public void endPhase() {
        phase.endRound(System.nanoTime());
        target.meter().leaveRound();
        dispatcher.endPhase();
    }

    // ---- rounds ---------------------------------------------------------------------------------------------------

    /**
     * Starts a round of the phase.
     *
     * @param index the round's number from 0
     * @param rounds how many rounds the phase has
     * @param startNs when the round starts, on the monotonic clock
     * @return completed when all of the round is sent and answered, or given up
     */
    public CompletableFuture<Void> startRound(int index, int rounds, long startNs) {
        roundDone = new CompletableFuture<>();
        target.meter().startInterval(startNs);
        if (target.isStopping()) {
            roundDone.complete(null);
            return roundDone;
        }
        target.synchroniseClocks();
        polledNs = System.nanoTime();
        readNs = polledNs;
        phase.startRound(index, rounds, startNs);
        if (silence != null) {
            silence.restart(target.meter().heard(), startNs);
        }
        target.meter().startRound(startNs);
        dispatcher.resume();
        return roundDone;
    }

    /**
     * Sends one request if one is due, and sees to time-outs and to the round's end; called at least once at each turn
     * of the loop.
     *
     * @param read whether the sockets were read since the last call
     * @return nanoseconds until more is due, 0 where more may be due now
     */
    long poll(boolean read) {
        if (phase.isIdle()) {
            return NEVER;
        }
        try {
            readNs = read ? polledNs : readNs;
            polledNs = System.nanoTime();
            return turn(polledNs);
        } catch (Throwable e) {
            // An Error too: thrown on, it would make Netty end the loop, and the round would never end.
            target.fail(e);
            endRound(System.nanoTime());
            return NEVER;
        }
    }

    private long turn(long nowNs) {
        target.meter().publish();
        long waitNs = expire(nowNs);
        if (!phase.isDraining()) {
            long startsInNs = phase.roundStartedNs() - nowNs;
            if (startsInNs > 0) {
                return startsInNs;
            }
            long nextInNs = dispatcher.poll(nowNs);
            inFlightSending = target.meter().inFlight();
            waitNs = Math.min(waitNs, nextInNs);
            boolean allSent = !dispatcher.hasMore() && dispatcher.overdue(nowNs) == 0;
            if (allSent && phase.endsWhenSent()) {
                awaitAnswers(config.timeoutNs());
            } else if (phase.roundHasEnd()) {
                waitNs = Math.min(waitNs, drainAtEnd(nowNs, allSent, nextInNs));
            } else if (silence != null && lastDueNs != NEVER && !dispatcher.awaitsOnlyEnds()) {
                waitNs = Math.min(waitNs, giveUpSilent(nowNs));
            }
        }
        if (phase.isDraining()) {
            long leftNs = Math.max(0, phase.drainLeftNs(nowNs));
            int inFlight = target.meter().inFlight();
            if (phase.schedule() == null && 2 * inFlight <= inFlightSending) {
                halfAnswered.run();
            }
            if (inFlight == 0 || phase.drainLeftNs(readNs) <= 0) {
                endRound(nowNs);
                return NEVER;
            }
            waitNs = Math.min(waitNs, leftNs);
        }
        return waitNs;
    }

    /** Gives a target up that has been silent for too long since the last request was due; returns ns until then. */
    private long giveUpSilent(long nowNs) {
        long leftNs = silence.leftNs(target.meter().heard(), phase.originNs() + lastDueNs, nowNs);
        if (leftNs > 0) {
            return leftNs;
        }
        target.notes()
                .add("given up: it answered nothing for " + Quantities.duration(silence.mostNs())
                        + (measuredSchedule == null ? "" : " when all requests were due")
                        + "; the requests left count as not sent");
        target.giveUp();
        return 0;
    }

    /** Drains a round at its end, or when its overtime is over; returns nanoseconds until then. */
    private long drainAtEnd(long nowNs, boolean allSent, long nextInNs) {
        long leftNs = phase.roundLeftNs(nowNs);
        if (leftNs > 0) {
            return leftNs;
        }
        long overtimeLeftNs = phase.overtimeLeftNs(nowNs);
        boolean caughtUp = phase.runsOn() ? nextInNs > 0 && isCaughtUp(nowNs, nowNs + leftNs) : allSent;
        if (caughtUp || phase.schedule() == null || overtimeLeftNs < 0) {
            phase.stopClock(nowNs);
            awaitAnswers(longestDrainNs());
            return NEVER;
        }
        return overtimeLeftNs + 1;
    }

    /** Tells whether nothing is overdue and all that was sent by the round's planned end is answered. */
    private boolean isCaughtUp(long nowNs, long plannedNs) {
        ReplayConnection oldest = target.expiring().oldest();
        return dispatcher.overdue(nowNs) == 0 && (oldest == null || oldest.oldestWrittenNs() - plannedNs > 0);
    }

    /**
     * Fails the connections whose oldest request waits too long, once what came in time is read; returns nanoseconds
     * until the next one would.
     */
    private long expire(long nowNs) {
        long timeoutNs = config.timeoutNs();
        if (timeoutNs == NEVER) {
            return NEVER;
        }
        ReplayConnection oldest;
        while ((oldest = target.expiring().oldest()) != null) {
            long untilNs = oldest.oldestWrittenNs() + timeoutNs;
            if (untilNs - readNs > 0) {
                return Math.max(0, untilNs - nowNs);
            }
            oldest.expire(readNs, timeoutNs);
        }
        return NEVER;
    }

    private void endRound(long nowNs) {
        if (phase.isIdle()) {
            return;
        }
        phase.endRound(nowNs);
        target.meter()
                .endRound(
                        nowNs,
                        target.isStopping()
                                ? nowNs
                                : phase.measuredToNs(target.meter().lastAnswerNs()));
        giveUpWaitingInVain();
        roundDone.complete(null);
    }

    /**
     * Gives a target up whose turns were long waits for answers that did not come: each of them may take the time
     * allowed for an answer, which adds up to hours. One that answers slowly goes on, however long its turns are.
     */
    private void giveUpWaitingInVain() {
        if (silence == null || target.isStopping() || phase.aheadNs() <= silence.mostNs()) {
            return;
        }
        LoadCounts counts = target.meter().counts();
        // Those that were lost with one that waited too long got none either.
        long inVain = counts.errors(ErrorKind.READ_TIMEOUT)
                + counts.errors(ErrorKind.PREMATURE_CLOSE)
                + counts.unanswered
                + target.meter().inFlight();
        if (2 * inVain > counts.sent) {
            target.notes()
                    .add("given up: its turns waited for answers more than " + Quantities.duration(silence.mostNs())
                            + " in all, and more than half of its requests got none; the turns left were not run");
            target.giveUp();
        }
    }

    /** Ends the round early and lets no later one begin; answers are awaited for this long. */
    public void stop(long drainNs) {
        target.stop(drainNs);
    }

    /** Gives the target up because its process died: what it still owes fails with it. */
    public void abort() {
        target.meter().died();
        target.giveUp();
    }

    void shutDown() {
        target.giveUp();
        endRound(System.nanoTime());
        dispatcher.shutDown();
        target.connector().release();
    }

    // ---- what came of it ------------------------------------------------------------------------------------------

    /**
     * Ends an interval and begins the next.
     *
     * @param into with empty histograms
     * @param last whether it is the last one of its round
     */
    public void takeInterval(Interval into, boolean last) {
        target.synchroniseClocks();
        target.meter().takeInterval(into, last);
    }

    /**
     * Begins the result of a measured phase, after its {@link #endPhase}: all but what the intervals hold.
     *
     * @param startedNs when the measured phase of the run started, on the monotonic clock
     */
    public LoadResult.Builder result(long startedNs) {
        return target.meter().result(startedNs).timeoutNs(config.timeoutNs());
    }

    /** Returns the digest of what was sent, after {@link #endPhase} of a measured phase; any thread. */
    public StreamDigest finishDigest() {
        SentStream sentStream = sentStream();
        return sentStream == null
                ? StreamDigest.absent("they were rewritten, as asked for: "
                        + String.join(" ", config.rewrites().orElseThrow().options()))
                : sentStream.finish();
    }

    /** What digests the bytes that are sent, or null; any thread. */
    public SentStream sentStream() {
        return target.writer().sentStream();
    }

    /** How many requests of the phase were answered; any thread, a moment old. */
    public long answeredSoFar() {
        return target.meter().answeredSoFar();
    }

    /** What went wrong in our own code, or null; any thread, after a round. */
    public Throwable failure() {
        return target.failure();
    }

    /** Which limit of this process was met, or null; any thread, after a round. */
    public String ownLimit() {
        return target.connector().ownLimit();
    }

    /** What a reader of the target's figures must know, a line each; any thread, after the last round. */
    public List<String> notes() {
        List<String> notes = new ArrayList<>(target.notes().lines());
        if (target.connector().tlsProblem() != null) {
            notes.add("TLS failed: " + target.connector().tlsProblem());
        }
        if (rewriter() != null) {
            rewriter().loginNote().ifPresent(notes::add);
        }
        return notes;
    }

    /** What changes requests, or null. */
    public Rewriter rewriter() {
        return target.writer().rewriter();
    }
}
