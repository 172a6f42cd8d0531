package dev.lockstep.replayer;

import dev.lockstep.capture.Protocol;
import dev.lockstep.measurement.ErrorKind;
import dev.lockstep.measurement.Interval;
import dev.lockstep.measurement.LatencyRecorder;
import dev.lockstep.measurement.LoadCounts;
import dev.lockstep.measurement.LoadResult;
import dev.lockstep.measurement.StreamDigest;
import dev.lockstep.protocol.HttpResponseFramer;
import io.netty.bootstrap.Bootstrap;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoop;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;

/**
 * Replays to one target: owns its connections, schedule and counters. Everything runs on one event loop, which the
 * workers of other targets may share, but for what is said to be safe elsewhere; so nothing here may wait.
 *
 * <p>The schedule runs on a clock of the phase, which stands still between rounds: {@link #originNs()} is what has to be
 * added to a phase time to get the monotonic clock's, and is set anew at the start of each round.
 */
final class ReplayWorker {
    private enum Stage {
        /** Between rounds. */
        IDLE,
        SENDING,
        /** Nothing more is sent; answers are awaited. */
        DRAINING
    }

    /** Beyond these, notes say nothing new: a target may put a number of its own into each. */
    private static final int MAX_NOTES = 20;

    private static final long MIN_CATCH_UP_NS = 1_000_000_000;

    private final ReplayConfig config;
    private final EventLoop loop;
    private final Bootstrap bootstrap;
    private final InetSocketAddress address;
    private final TargetTls tls;
    private final RequestSource source;
    /** Null in a closed loop, as the two that follow. */
    private final ArrivalSchedule measuredSchedule;

    private final ArrivalSchedule warmUpSchedule;
    private ArrivalSchedule schedule;
    private final Dispatcher runDispatcher;
    /** That of the run, but while it is learned which answers vary. */
    private Dispatcher dispatcher;

    private final ReceiveBuffer received = new ReceiveBuffer();
    private final HttpResponseFramer.LastHead lastHead = new HttpResponseFramer.LastHead();
    private final LatencyRecorder latency = new LatencyRecorder();
    /** Where the skew between targets is measured; else null. */
    private SendTimes sendTimes;

    private final OutageWatch outages = new OutageWatch();

    private LoadCounts counts = new LoadCounts();
    private Histogram ownLag = LatencyRecorder.newHistogram();
    /** Null until the first value of the phase, as the next one. */
    private Histogram opaqueFirstByte;

    private Histogram opaqueLastByte;
    private volatile SentStream sentStream;
    /** Takes the answers of this phase that are to be compared; null where none are. */
    private AnswerLog answerLog;
    /** What takes those of the measured phase. */
    private AnswerLog measuredAnswers;

    private long phaseRequests;
    private long phaseEndNs;
    private long phaseLengthNs;

    private Stage stage = Stage.IDLE;
    private CompletableFuture<Void> roundDone;
    private long originNs;
    private long roundStartedNs;
    private long roundRequests;
    private long roundEndNs;
    private long drainUntilNs;
    private long lastAnswerNs;
    private long intervalStartNs;
    private long roundFinishedNs;
    private long measuredNs;

    private int inFlight;
    private boolean stopping;
    private boolean aborted;
    private volatile Throwable failure;
    private volatile String ownLimit;
    private volatile String tlsProblem;
    private volatile List<String> notes = List.of();

    private ReplayConnection oldest;
    private ReplayConnection newest;

    private volatile long answeredSoFar;

    /**
     * Made on any thread; used on the loop from then on.
     *
     * @param tls how TLS is spoken to the target, or null without it
     */
    ReplayWorker(ReplayConfig config, InetSocketAddress address, TargetTls tls, EventLoop loop) {
        this.config = config;
        this.address = address;
        this.tls = tls;
        this.loop = loop;
        source = new RequestSource(config.capture(), config.rewrites(), hostField(address, tls != null));
        if (config.connections() > 0) {
            measuredSchedule = ArrivalSchedule.of(config.pace(), config.capture(), config.speed());
            warmUpSchedule = ArrivalSchedule.ofWarmUp(config.pace(), config.capture(), config.speed());
            runDispatcher = new ConnectionPool(
                    this,
                    config.connections(),
                    config.pooledProtocol(),
                    config.pace().think().toNanos());
        } else {
            RecordedSchedule recorded = RecordedSchedule.withOpaque(config.capture(), config.speed());
            measuredSchedule = recorded;
            warmUpSchedule = recorded;
            runDispatcher = new RecordedConnections(this, config.capture(), recorded);
        }
        schedule = measuredSchedule;
        dispatcher = runDispatcher;
        long connectMs = Math.max(1, TimeUnit.NANOSECONDS.toMillis(config.timeoutNs()));
        bootstrap = new Bootstrap()
                .group(loop)
                .channel(config.transport().socketChannel())
                .option(ChannelOption.TCP_NODELAY, true)
                .option(ChannelOption.RCVBUF_ALLOCATOR, received)
                .option(ChannelOption.CONNECT_TIMEOUT_MILLIS, (int) Math.min(Integer.MAX_VALUE, connectMs))
                .remoteAddress(address);
    }

    /** Returns the host as a client says it in a request: the port where it is not that of the scheme. */
    private static String hostField(InetSocketAddress address, boolean tls) {
        String host = address.getHostString();
        String bracketed = host.indexOf(':') >= 0 ? "[" + host + "]" : host;
        return address.getPort() == (tls ? 443 : 80) ? bracketed : bracketed + ":" + address.getPort();
    }

    // ---- the phase and its rounds -------------------------------------------------------------------------------

    /**
     * Begins a phase: resets the counters and opens the connections that must stand before its first request.
     *
     * @param measured whether its times and counts are kept
     * @param requests how many requests it has at most
     * @param endNs when it ends at the latest, on the phase's clock
     */
    void startPhase(boolean measured, long requests, long endNs) {
        begin(measured ? measuredSchedule : warmUpSchedule, requests, endNs, measured);
    }

    private void begin(ArrivalSchedule phaseSchedule, long requests, long endNs, boolean measured) {
        phaseRequests = requests;
        phaseEndNs = endNs;
        schedule = phaseSchedule;
        phaseLengthNs = lengthOfPhaseNs();
        counts = new LoadCounts();
        ownLag = LatencyRecorder.newHistogram();
        outages.startPhase();
        latency.take(new Interval());
        opaqueFirstByte = null;
        opaqueLastByte = null;
        answeredSoFar = 0;
        measuredNs = 0;
        roundEndNs = 0;
        roundRequests = 0;
        Rewriter rewriter = source.rewriter();
        if (rewriter != null) {
            rewriter.startPhase();
        }
        sentStream =
                measured && rewriter == null ? new SentStream(config.capture().requestCount()) : null;
        answerLog = measured ? measuredAnswers : null;
        dispatcher.startPhase();
    }

    /** Notes from now on when requests are sent. */
    void noteSendTimes(SendTimes sendTimes) {
        this.sendTimes = sendTimes;
    }

    /**
     * Begins a phase that is not measured and sends the first requests of the capture as fast as answers come: over the
     * pool where the run has one, else over the recorded connections in their order. {@link #endLearning} ends it.
     *
     * @param answers takes the answers; null where they are thrown away
     * @param speed of the recorded connections
     */
    void startLearning(AnswerLog answers, long requests, double speed, long endNs) {
        if (config.connections() > 0) {
            begin(null, requests, endNs, false);
        } else {
            RecordedSchedule recorded = RecordedSchedule.withOpaque(config.capture(), speed);
            dispatcher = new RecordedConnections(this, config.capture(), recorded);
            begin(recorded, requests, endNs, false);
        }
        answerLog = answers;
    }

    /** Ends that phase, and goes back to the connections of the run. */
    void endLearning() {
        endPhase();
        answerLog = null;
        dispatcher = runDispatcher;
    }

    boolean isReady() {
        return dispatcher.isReady();
    }

    /**
     * Starts a round of the phase.
     *
     * @param index the round's number from 0
     * @param rounds how many rounds the phase has
     * @param startNs when the round starts, on the monotonic clock
     * @return completed when all of the round is sent and answered, or given up
     */
    CompletableFuture<Void> startRound(int index, int rounds, long startNs) {
        roundDone = new CompletableFuture<>();
        intervalStartNs = startNs;
        if (aborted || stopping) {
            roundDone.complete(null);
            return roundDone;
        }
        boolean lastRound = index == rounds - 1;
        long lengthNs = phaseLengthNs;
        long fromNs = lengthNs == Long.MAX_VALUE ? 0 : share(lengthNs, index, rounds);
        roundEndNs = lastRound ? phaseEndNs : share(lengthNs, index + 1, rounds);
        roundRequests = schedule == null ? share(phaseRequests, index + 1, rounds) : phaseRequests;
        originNs = startNs - fromNs;
        roundStartedNs = startNs;
        lastAnswerNs = startNs;
        stage = Stage.SENDING;
        dispatcher.resume();
        return roundDone;
    }

    /** When the phase ends on its own clock, or {@link Long#MAX_VALUE} where only the count of a closed loop ends it. */
    private long lengthOfPhaseNs() {
        if (schedule == null || phaseRequests == Long.MAX_VALUE) {
            return phaseEndNs;
        }
        return Math.min(phaseEndNs, schedule.intendedNs(Math.max(0, phaseRequests - 1)) + 1);
    }

    private static long share(long total, int part, int parts) {
        return total == Long.MAX_VALUE ? total : total / parts * part + total % parts * part / parts;
    }

    /** Ends the phase, also one that was stopped: connections that the next one cannot use are closed, unsent requests counted. */
    void endPhase() {
        stage = Stage.IDLE;
        counts.unsent += dispatcher.endPhase();
    }

    /** Ends the round early and lets no later one begin; answers are awaited for this long. */
    void stop(long drainNs) {
        stopping = true;
        long nowNs = System.nanoTime();
        if (!aborted) {
            // What was to come later is not owed any more; a target that died owes all of it.
            long reachedNs = stage == Stage.IDLE ? roundEndNs : Math.max(0, nowNs - originNs);
            phaseEndNs = Math.min(phaseEndNs, reachedNs);
            phaseRequests = schedule == null ? Math.min(phaseRequests, roundRequests) : phaseRequests;
        }
        if (stage != Stage.IDLE) {
            drain(nowNs, Math.min(drainNs, config.timeoutNs()));
        }
    }

    /** Gives the target up, for example because its process died. */
    void abort() {
        aborted = true;
        stop(0);
    }

    void shutDown() {
        aborted = true;
        stop(0);
        finishRound(System.nanoTime());
        dispatcher.shutDown();
        received.release();
    }

    /**
     * Sends one request if one is due, and sees to time-outs and to the round's end; called at least once at each turn of
     * the loop.
     *
     * @return nanoseconds until more is due, 0 where more may be due now
     */
    long poll() {
        if (stage == Stage.IDLE) {
            return Long.MAX_VALUE;
        }
        try {
            return turn(System.nanoTime());
        } catch (Throwable e) {
            // An Error too: were it thrown on, Netty would end the loop, and nobody would end the round.
            fail(e);
            finishRound(System.nanoTime());
            return Long.MAX_VALUE;
        }
    }

    private long turn(long nowNs) {
        answeredSoFar = counts.completed;
        long waitNs = expire(nowNs);
        if (stage != Stage.DRAINING) {
            if (nowNs - roundStartedNs < 0) {
                return roundStartedNs - nowNs;
            }
            waitNs = Math.min(waitNs, dispatcher.poll(nowNs));
            boolean allSent = !dispatcher.hasMore() && dispatcher.overdue(nowNs) == 0;
            if (roundEndNs == Long.MAX_VALUE) {
                if (allSent) {
                    drain(nowNs, config.timeoutNs());
                }
            } else {
                long leftNs = originNs + roundEndNs - nowNs;
                if (leftNs > 0) {
                    waitNs = Math.min(waitNs, leftNs);
                } else if (allSent || schedule == null || -leftNs > catchUpNs()) {
                    drain(nowNs, config.timeoutNs());
                } else {
                    waitNs = Math.min(waitNs, catchUpNs() + leftNs + 1);
                }
            }
        }
        if (stage == Stage.DRAINING) {
            if (inFlight == 0 || nowNs - drainUntilNs >= 0) {
                finishRound(nowNs);
                return Long.MAX_VALUE;
            }
            waitNs = Math.min(waitNs, drainUntilNs - nowNs);
        }
        return waitNs;
    }

    /** Fails the connections whose oldest request waits too long; returns nanoseconds until the next one would. */
    private long expire(long nowNs) {
        if (config.timeoutNs() == Long.MAX_VALUE) {
            return Long.MAX_VALUE;
        }
        while (oldest != null) {
            long leftNs = oldest.oldestWrittenNs() + config.timeoutNs() - nowNs;
            if (leftNs > 0) {
                return leftNs;
            }
            oldest.expire();
        }
        return Long.MAX_VALUE;
    }

    /** Overdue requests get a tenth of the round's time, at least a second, at most the time-out. */
    private long catchUpNs() {
        long lengthNs = roundEndNs - (roundStartedNs - originNs);
        return Math.min(config.timeoutNs(), Math.max(MIN_CATCH_UP_NS, lengthNs / 10));
    }

    /** Sends no more and awaits answers for this long. Those that are late expire by themselves before. */
    private void drain(long nowNs, long forNs) {
        stage = Stage.DRAINING;
        drainUntilNs = forNs > Long.MAX_VALUE / 2 ? nowNs + Long.MAX_VALUE / 2 : nowNs + forNs;
    }

    private void finishRound(long nowNs) {
        if (stage == Stage.IDLE) {
            return;
        }
        stage = Stage.IDLE;
        roundFinishedNs = nowNs;
        long endNs = lastAnswerNs;
        if (stopping) {
            endNs = nowNs;
        } else if (roundEndNs != Long.MAX_VALUE) {
            endNs = Math.max(endNs, originNs + roundEndNs);
        }
        measuredNs += Math.max(0, endNs - roundStartedNs);
        answeredSoFar = counts.completed;
        roundDone.complete(null);
    }

    // ---- asked by the dispatcher --------------------------------------------------------------------------------

    /** Returns what to add to a time on the phase's clock to get the monotonic clock's. */
    long originNs() {
        return originNs;
    }

    /** Returns the number of the first request that does not belong to this round any more. */
    long roundRequests() {
        return roundRequests;
    }

    /** Returns when the round ends on the phase's clock. */
    long roundEndNs() {
        return roundEndNs;
    }

    /** Returns when the phase ends on its clock, {@link Long#MAX_VALUE} where only the count of its requests ends it. */
    long phaseEndNs() {
        return phaseEndNs;
    }

    /** Tells whether requests may be sent now. */
    boolean isSending() {
        return stage == Stage.SENDING;
    }

    /** Tells whether no round is under way. */
    boolean isIdle() {
        return stage == Stage.IDLE;
    }

    boolean isOnLoop() {
        return loop.inEventLoop();
    }

    void execute(Runnable task) {
        loop.execute(task);
    }

    /** Tells whether connections may be opened; not to a target that was given up. */
    boolean mayConnect() {
        return !aborted;
    }

    RequestSource source() {
        return source;
    }

    /** Returns what the framers of all connections share. */
    HttpResponseFramer.LastHead lastHead() {
        return lastHead;
    }

    /** Leaves recorded upgrade probes out, from the n-th request of the phase on; returns how many. */
    long skipProbes(long n) {
        long skipped = 0;
        while (skipped < config.capture().requestCount() && source.isUpgradeProbe(n + skipped)) {
            SentStream stream = sentStreamFor(n + skipped);
            if (stream != null) {
                stream.missed("recorded upgrade probes are left out in a pool, whose connections send their own");
            }
            skipped++;
        }
        if (skipped > 0) {
            note("the capture's upgrade probes were left out: each connection of the pool sent one of its own");
        }
        return skipped;
    }

    /** Notes once what a reader of the target's figures must know. */
    void note(String line) {
        List<String> before = notes;
        if (before.size() < MAX_NOTES && !before.contains(line)) {
            List<String> after = new ArrayList<>(before);
            after.add(line);
            notes = List.copyOf(after);
        }
    }

    /** Returns what a reader of the target's figures must know, a line each; any thread. */
    List<String> notes() {
        return notes;
    }

    LoadCounts counts() {
        return counts;
    }

    /** Makes what understands the answers on a connection whose requests were recorded in this protocol. */
    AnswerReader newReader(ReplayConnection connection, Protocol protocol) {
        switch (protocol) {
            case HTTP1:
            case WEBSOCKET:
                return new HttpAnswers(this, connection);
            case THRIFT_FRAMED_BINARY:
            case THRIFT_FRAMED_COMPACT:
            case THRIFT_FRAMED_JSON:
            case THRIFT_UNFRAMED_BINARY:
            case THRIFT_UNFRAMED_COMPACT:
            case THRIFT_UNFRAMED_JSON:
            case THRIFT_HEADER:
            case THRIFT_TTWITTER:
                return new ThriftAnswers(this, connection, protocol);
            case THRIFT_MUX:
                return new MuxAnswers(this, connection);
            case HTTP2:
                return new Http2Answers(this, connection);
            default:
                return new OpaqueAnswers(this);
        }
    }

    /** Returns where the n-th request's bytes are noted, or null. */
    SentStream sentStreamFor(long n) {
        SentStream stream = sentStream;
        return stream != null && stream.covers(n) ? stream : null;
    }

    /** Returns what takes the answers that are to be compared, or null where none are. */
    AnswerLog answerLog() {
        return answerLog;
    }

    /** Has the answers of the measured phase noted here. */
    void compareInto(AnswerLog log) {
        measuredAnswers = log;
    }

    /** Counts a request that got no connection. */
    void notSent(long n, ErrorKind kind) {
        if (stage == Stage.IDLE) {
            return;
        }
        lastAnswerNs = System.nanoTime();
        counts.sent++;
        counts.error(kind);
        if (answerLog != null) {
            answerLog.failed(n, kind);
        }
        outages.failed(1, lastAnswerNs);
        SentStream stream = sentStreamFor(n);
        if (stream != null) {
            stream.missed("request " + n + " got no connection: " + kind.key());
        }
    }

    /** Returns the phase's schedule, null in a closed loop. */
    ArrivalSchedule schedule() {
        return schedule;
    }

    /** Returns when the last answer was read. */
    long lastAnswerNs() {
        return lastAnswerNs;
    }

    /** Returns how long an answer may take. */
    long timeoutNs() {
        return config.timeoutNs();
    }

    /** Returns how many requests the phase's schedule holds up to the phase's end. */
    long requestsScheduled() {
        if (phaseEndNs == Long.MAX_VALUE) {
            return phaseRequests;
        }
        return schedule == null ? 0 : schedule.countBefore(phaseEndNs, phaseRequests);
    }

    /** Runs a task on the loop when the time is over that an answer may take; never where there is no such limit. */
    void afterTimeout(Runnable task) {
        if (config.timeoutNs() != Long.MAX_VALUE) {
            after(config.timeoutNs(), task);
        }
    }

    /** Runs a task on the loop after this time. */
    void after(long delayNs, Runnable task) {
        loop.schedule(task, delayNs, TimeUnit.NANOSECONDS);
    }

    // ---- told by the connections --------------------------------------------------------------------------------

    ChannelFuture connect(ChannelHandler handler) {
        return bootstrap.clone().handler(handler).connect();
    }

    /** Returns TLS for a new channel that carries this protocol, or null where none is spoken to the target. */
    TlsLink newTlsLink(Protocol protocol) {
        return tls == null ? null : tls.newLink(address, protocol, config.timeoutNs());
    }

    /** Notes why TLS failed, the first time. */
    void tlsFailed(String problem) {
        if (tlsProblem == null) {
            tlsProblem = problem;
        }
    }

    /** Notes that a connection is open. */
    void opened() {
        counts.connections++;
        outages.opened();
    }

    /** Notes that a connection is no longer open; its failed requests were told before. */
    void closed() {
        outages.closed();
    }

    /** Notes that a connection could not be opened; between rounds it is tried again and nothing has failed yet. */
    void connectFailed(ErrorKind kind) {
        if (stage != Stage.IDLE) {
            outages.connectFailed(kind, System.nanoTime());
        }
    }

    /** Counts a request whose bytes are being handed over. */
    void sending(boolean deferred) {
        inFlight++;
        counts.sent++;
        if (deferred) {
            counts.deferred++;
        }
    }

    /**
     * Records when a request was written. A deferred one is late through the target and tells nothing of us; one that is
     * none of the capture's table has no number by which the targets could be compared.
     */
    void written(long n, long intendedNs, long writtenNs, boolean deferred) {
        latency.sent(intendedNs, writtenNs);
        if (sendTimes != null && n != ReplayConnection.NOT_IN_TABLE) {
            sendTimes.sent(n, writtenNs);
        }
        if (schedule != null && !deferred) {
            ownLag.recordValue(Math.max(0, writtenNs - intendedNs));
        }
    }

    /** Records how late this side was before a request found no free connection. */
    void lateBefore(long ns) {
        ownLag.recordValue(ns);
    }

    void answered(long intendedNs, long writtenNs, long lastByteNs, int status, long bodyBytes) {
        inFlight--;
        latency.answered(intendedNs, writtenNs, lastByteNs);
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

    /** Counts a TApplicationException by its type; the failed request is counted in {@link #failed}. */
    void thriftException(int type) {
        if (stage != Stage.IDLE) {
            counts.thriftException(type);
        }
    }

    /** Counts a request that gets no answer and was written. */
    void completedOneway() {
        inFlight--;
        counts.completed++;
        counts.oneway++;
        lastAnswerNs = System.nanoTime();
    }

    /** Counts a request whose answer came before its last byte was sent, so that it has no times. */
    void answeredEarly(int status, long bodyBytes) {
        counts.sent++;
        counts.completed++;
        counts.status(status);
        counts.bodyBytesReceived += bodyBytes;
        lastAnswerNs = System.nanoTime();
    }

    /** Counts a request that failed before its last byte was sent. */
    void failedEarly(ErrorKind kind) {
        counts.sent++;
        counts.error(kind);
        lastAnswerNs = System.nanoTime();
    }

    /** Counts a request that is sent by its meaning, and not byte for byte. */
    void sendingSemantic(long n) {
        counts.semanticRequests++;
        SentStream stream = sentStreamFor(n);
        if (stream != null) {
            stream.missed("ThriftMux is replayed by its meaning, with a handshake of its own, not byte for byte");
        }
    }

    /** Records how long after a burst of opaque bytes the target's first byte came. */
    void opaqueFirstByte(long ns) {
        if (opaqueFirstByte == null) {
            opaqueFirstByte = new Histogram(3);
        }
        opaqueFirstByte.recordValue(Math.max(0, ns));
        lastAnswerNs = System.nanoTime();
    }

    /** Records how long after a burst of opaque bytes the target's last byte before the next one came. */
    void opaqueLastByte(long ns) {
        if (opaqueLastByte == null) {
            opaqueLastByte = new Histogram(3);
        }
        opaqueLastByte.recordValue(Math.max(0, ns));
    }

    /** Notes that the socket had not taken all bytes of a request when its connection broke. */
    void cut(long n, ErrorKind kind) {
        SentStream stream = sentStreamFor(n);
        if (stream != null) {
            stream.missed("the connection of request " + n + " broke while it was being written: " + kind.key());
        }
    }

    /** Counts a request whose answer says that it failed. */
    void answeredWith(ErrorKind kind, long nowNs) {
        failed(kind, 1);
        if (outages.isTroubled()) {
            outages.answered(nowNs);
        }
    }

    /** Counts requests that failed with their connection. */
    void lost(ErrorKind kind, int requests) {
        failed(kind, requests);
        if (stage != Stage.IDLE) {
            outages.failed(requests, lastAnswerNs);
        }
    }

    private void failed(ErrorKind kind, int requests) {
        inFlight -= requests;
        if (stage == Stage.IDLE) {
            counts.unanswered += requests;
            return;
        }
        for (int i = 0; i < requests; i++) {
            counts.error(kind);
        }
        lastAnswerNs = System.nanoTime();
    }

    /** Counts bytes that came where no request was waiting. */
    void excessBytes() {
        counts.strayAnswers++;
    }

    /** Puts a connection with an unanswered request into the list of those that may expire. */
    void awaiting(ReplayConnection connection) {
        if (connection.listed) {
            return;
        }
        connection.listed = true;
        // Nearly always the newest; a pipelined request that moves up may be older than the last few.
        ReplayConnection before = newest;
        while (before != null && before.oldestWrittenNs() - connection.oldestWrittenNs() > 0) {
            before = before.earlier;
        }
        connection.earlier = before;
        connection.later = before == null ? oldest : before.later;
        if (connection.earlier == null) {
            oldest = connection;
        } else {
            connection.earlier.later = connection;
        }
        if (connection.later == null) {
            newest = connection;
        } else {
            connection.later.earlier = connection;
        }
    }

    /** Takes a connection out of that list. */
    void noLongerAwaiting(ReplayConnection connection) {
        if (!connection.listed) {
            return;
        }
        connection.listed = false;
        if (connection.earlier == null) {
            oldest = connection.later;
        } else {
            connection.earlier.later = connection.later;
        }
        if (connection.later == null) {
            newest = connection.earlier;
        } else {
            connection.later.earlier = connection.earlier;
        }
        connection.earlier = null;
        connection.later = null;
    }

    /** Gives the run up because our own code failed. */
    ErrorKind unexpected(Throwable cause) {
        fail(cause);
        abort();
        return ErrorKind.WRITE_FAILED;
    }

    private void fail(Throwable cause) {
        if (failure == null) {
            failure = cause;
        }
        aborted = true;
        stopping = true;
    }

    /** Notes that this process, and not the target, kept a connection from being opened. */
    void ownLimit(String reason) {
        if (ownLimit == null) {
            ownLimit = reason;
        }
    }

    // ---- for the result -----------------------------------------------------------------------------------------

    /**
     * Ends an interval and begins the next: hands over its times, all counts so far, and when it began and ended on the
     * monotonic clock. Only references and counts move here, so that the schedule is not held up.
     *
     * @param into with empty histograms
     */
    void takeInterval(Interval into) {
        // Who takes the last one of a round may have frozen the target first, which is none of its time.
        boolean last = stage == Stage.IDLE && roundFinishedNs - intervalStartNs > 0;
        long endNs = last ? roundFinishedNs : System.nanoTime();
        latency.take(into);
        into.counts().set(counts);
        // What was given up between rounds has no answer either.
        into.inFlight = inFlight + counts.unanswered;
        into.startNs = intervalStartNs;
        into.endNs = Math.max(intervalStartNs, endNs);
        intervalStartNs = into.endNs;
    }

    /**
     * Begins the result of a measured phase, after its {@link #endPhase} and on the loop as well; all but what the
     * intervals hold.
     *
     * @param startedNs when the measured phase of the run started, on the monotonic clock
     */
    LoadResult.Builder result(long startedNs) {
        LoadResult.Builder result = LoadResult.builder()
                .measuredNs(measuredNs)
                .ownLag(ownLag.copy())
                .outages(outages.outages(startedNs), outages.leftOut());
        if (opaqueFirstByte != null && opaqueLastByte != null) {
            result.opaqueTimes(opaqueFirstByte.copy(), opaqueLastByte.copy());
        }
        return result;
    }

    // ---- read by other threads ----------------------------------------------------------------------------------

    /** Returns how many requests were answered in this phase; any thread. */
    long answeredSoFar() {
        return answeredSoFar;
    }

    /** Returns what went wrong in our own code, or null; any thread, after a round. */
    Throwable failure() {
        return failure;
    }

    /** Returns which limit of this process was met, or null; any thread, after a round. */
    String ownLimit() {
        return ownLimit;
    }

    /** Returns why TLS to the target failed first, or null; any thread. */
    String tlsProblem() {
        return tlsProblem;
    }

    SentStream sentStream() {
        return sentStream;
    }

    /** Returns the digest of what was sent, after {@link #endPhase} of a measured phase. */
    StreamDigest finishDigest() {
        return sentStream == null
                ? StreamDigest.absent("they were rewritten, as asked for: "
                        + String.join(" ", config.rewrites().options()))
                : sentStream.finish();
    }
}
