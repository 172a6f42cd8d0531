package dev.lockstep.replayer.engine;

import dev.lockstep.measurement.ErrorKind;
import dev.lockstep.measurement.Quantities;
import dev.lockstep.replayer.ReplayConfig;
import dev.lockstep.replayer.answers.TargetAnswers;
import dev.lockstep.replayer.comparison.AnswerLog;
import dev.lockstep.replayer.meters.LoadMeter;
import dev.lockstep.replayer.meters.Notes;
import dev.lockstep.replayer.requests.Endpoints;
import dev.lockstep.replayer.requests.RequestSource;
import dev.lockstep.replayer.rewriting.Deadlines;
import dev.lockstep.replayer.rewriting.Rewriter;
import dev.lockstep.replayer.rewriting.Rewrites;
import dev.lockstep.replayer.tls.TargetTls;
import io.netty.channel.EventLoop;
import java.net.InetSocketAddress;
import java.util.concurrent.TimeUnit;

/**
 * What all connections to one target share: what is sent, where to, and where it is noted what becomes of it. Event
 * loop only, except where a method allows any thread.
 */
final class Target {
    private final EventLoop loop;
    private final long timeoutNs;
    private final Connector connector;
    private final RequestSource source;
    private final LoadMeter meter;
    private final Notes notes = new Notes();
    /** What moves the requests' deadlines, or null. */
    private final Deadlines deadlines;

    private final RequestWriter writer;
    private final TargetAnswers answers;
    private final ExpiryQueue expiring = new ExpiryQueue();
    private final Phase phase = new Phase();

    private boolean stopping;
    private boolean givenUp;
    private volatile Throwable failure;

    /**
     * Made on any thread.
     *
     * @param endpoints of the capture's requests
     * @param tls how TLS is spoken to the target, or null without it
     */
    Target(ReplayConfig config, Endpoints endpoints, InetSocketAddress address, TargetTls tls, EventLoop loop) {
        this.loop = loop;
        timeoutNs = config.timeoutNs();
        connector = new Connector(config, address, tls, loop);
        source = new RequestSource(config.capture(), endpoints);
        meter = new LoadMeter(endpoints.names());
        Rewrites rewrites = config.rewrites().orElse(null);
        Rewriter rewriter =
                rewrites == null ? null : new Rewriter(rewrites, config.capture(), source, connector.hostField());
        deadlines = config.movesDeadlines() ? Deadlines.of(config.capture(), source, endpoints, rewrites) : null;
        if (config.movesDeadlines() && config.connections() == 0 && endpoints.streamsWithDeadlines() > 0) {
            notes.add(Quantities.count(endpoints.streamsWithDeadlines(), "HTTP/2 request")
                    + " carried a deadline of Finagle's: sent as recorded, expired; the target may refuse them");
        }
        writer = new RequestWriter(source, rewriter, deadlines, meter);
        answers = new TargetAnswers(source, rewriter, deadlines, meter, notes, loop, timeoutNs);
    }

    /** Where the target is reached; any thread. */
    Connector connector() {
        return connector;
    }

    RequestSource source() {
        return source;
    }

    /** What writes the requests; any thread may ask for what it has digested. */
    RequestWriter writer() {
        return writer;
    }

    /** Reads the wall clock for what is sent from now on, where anything sent depends on it. */
    void synchroniseClocks() {
        if (deadlines != null) {
            deadlines.synchronise();
        }
    }

    LoadMeter meter() {
        return meter;
    }

    /** What a reader of the target's figures must know; any thread. */
    Notes notes() {
        return notes;
    }

    TargetAnswers answers() {
        return answers;
    }

    /** The connections that await an answer. */
    ExpiryQueue expiring() {
        return expiring;
    }

    Phase phase() {
        return phase;
    }

    // ---- the loop -------------------------------------------------------------------------------------------------

    boolean isOnLoop() {
        return loop.inEventLoop();
    }

    void execute(Runnable task) {
        loop.execute(task);
    }

    void after(long delayNs, Runnable task) {
        loop.schedule(task, delayNs, TimeUnit.NANOSECONDS);
    }

    /** Runs a task when the time is over that an answer may take; never where there is no such limit. */
    void afterTimeout(Runnable task) {
        if (timeoutNs != Long.MAX_VALUE) {
            after(timeoutNs, task);
        }
    }

    // ---- requests that go no usual way ------------------------------------------------------------------------------

    /** Counts a request that got no connection. */
    void notSent(long n, ErrorKind kind) {
        if (!meter.notSent(source.endpoint(n), kind)) {
            return;
        }
        AnswerLog log = answers.log();
        if (log != null) {
            log.failed(n, kind);
        }
        if (writer.isDigested(n)) {
            writer.missed("request " + n + " got no connection: " + kind.key());
        }
    }

    /** Counts the n-th request of the phase, which was due and never sent. */
    void unsent(long n) {
        meter.unsent(source.endpoint(n), 1);
    }

    /**
     * Counts requests that were due and never sent: so many, from the n-th of the phase on.
     *
     * @param skipsProbes whether those among them do not count that {@link #skipProbes} leaves out
     */
    void unsent(long n, long requests, boolean skipsProbes) {
        long[] byEndpoint = skipsProbes ? source.countWithoutProbes(n, requests) : source.countByEndpoint(n, requests);
        for (int endpoint = 0; endpoint < byEndpoint.length; endpoint++) {
            meter.unsent(endpoint, byEndpoint[endpoint]);
        }
    }

    /** Leaves recorded upgrade probes out, from the n-th request of the phase on; returns how many. */
    long skipProbes(long n) {
        long skipped = 0;
        while (skipped < source.requestCount() && source.isUpgradeProbe(n + skipped)) {
            if (writer.isDigested(n + skipped)) {
                writer.missed("recorded upgrade probes are left out in a pool, whose connections send their own");
            }
            skipped++;
        }
        if (skipped > 0) {
            notes.add("the capture's upgrade probes were left out: each connection of the pool sent one of its own");
        }
        return skipped;
    }

    // ---- its end --------------------------------------------------------------------------------------------------

    /** Ends the round early and lets no later one begin; answers are awaited for this long. */
    void stop(long drainNs) {
        stopping = true;
        long nowNs = System.nanoTime();
        if (!givenUp) {
            // What was to come later is not owed any more; a target that died owes all of it.
            phase.cut(nowNs);
        }
        if (!phase.isIdle()) {
            phase.drain(nowNs, Math.min(drainNs, timeoutNs));
        }
    }

    /** Ends the round at once and opens no more connections. */
    void giveUp() {
        givenUp = true;
        stop(0);
    }

    /** Gives the target up because our own code failed. */
    void fail(Throwable cause) {
        if (failure == null) {
            failure = cause;
        }
        giveUp();
    }

    boolean isStopping() {
        return stopping;
    }

    /** Tells whether connections may be opened; not to a target that was given up. */
    boolean mayConnect() {
        return !givenUp;
    }

    /** What went wrong in our own code, or null; any thread, after a round. */
    Throwable failure() {
        return failure;
    }
}
