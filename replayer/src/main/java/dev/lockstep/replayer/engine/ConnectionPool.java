package dev.lockstep.replayer.engine;

import dev.lockstep.capture.Protocol;
import dev.lockstep.measurement.ErrorKind;
import dev.lockstep.replayer.answers.AnsweredConnection;
import dev.lockstep.replayer.schedule.ArrivalSchedule;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;

/**
 * Sends the capture's requests in order over a fixed number of keep-alive connections: in an open loop each at its time
 * over a connection that is free, in a closed loop each as soon as a connection is free and has paused. Runs per
 * request on the event loop.
 *
 * <p>A request that finds no free connection keeps its intended time and goes out with the next free one: its waiting
 * is the target's doing and part of its response time.
 */
final class ConnectionPool implements Dispatcher {
    /** As many attempts at a time as the smallest usual listen backlog can take. */
    private static final int CONNECTING_AT_ONCE = 100;

    private static final long NEVER = Long.MAX_VALUE;

    /** One connection of the pool, and where in the pool it stands. */
    private final class Pooled implements ConnectionOwner {
        private final ReplayConnection connection;
        /** Whether it is in the queue of connections to open. */
        private boolean queued;
        /** Whether an attempt to connect has ended in this phase. */
        private boolean settled;
        /** Whether it stands in the queue of those that are free or that pause; it may have been lost there. */
        private boolean waits;
        /** Until when it pauses. */
        private long thinksUntilNs;

        Pooled(Protocol protocol) {
            connection = new ReplayConnection(target, this, protocol, AnsweredConnection.POOLED);
        }

        void startPhase() {
            connection.backOff.reset();
            settled = connection.isOpen();
            if (!settled) {
                settling++;
            }
            enqueue();
        }

        private void settle() {
            if (!settled) {
                settled = true;
                settling--;
            }
        }

        /** Puts the connection into the queue of those to open, once, if it is closed. */
        private void enqueue() {
            if (connection.isClosed() && !queued) {
                queued = true;
                toConnect.add(this);
            }
        }

        void connect() {
            queued = false;
            connecting++;
            usable++;
            connection.connect();
        }

        @Override
        public void connected() {
            connecting--;
            settle();
            connectMore();
            if (!waits) {
                waits = true;
                idle.add(this);
            }
        }

        @Override
        public void writable() {
            // It carries one request at a time, which waits in its own buffer.
        }

        @Override
        public void answered(boolean reusable) {
            if (!reusable) {
                if (thinkNs > 0) {
                    // The pause is the client's, whoever ends the connection.
                    think();
                }
                return;
            }
            long nowNs = target.meter().lastAnswerNs();
            if (rhythm != null && rhythm.renews(nowNs)) {
                connection.close(ErrorKind.PREMATURE_CLOSE);
            } else if (thinkNs > 0) {
                think();
            } else if (sendsAsAnswered(nowNs) && restLeftNs(nowNs) == 0) {
                // The flush follows when the loop has read all there is.
                connection.send(next, InFlightRequests.WHEN_WRITTEN, false);
                advance();
            } else {
                waits = true;
                idle.add(this);
            }
        }

        /**
         * Whether this is a closed loop with something to send, in a turn: one that was prepared may still be to start.
         */
        private boolean sendsAsAnswered(long nowNs) {
            return schedule == null && phase.isSending() && phase.roundStartedNs() - nowNs <= 0 && hasMore();
        }

        /** Pauses after an answer, or after a request that failed with its connection. */
        private void think() {
            thinksUntilNs = target.meter().lastAnswerNs() + thinkNs;
            waits = true;
            thinking.add(this);
        }

        @Override
        public void closed(ErrorKind connectError) {
            usable--;
            if (connectError == null) {
                if (thinkNs > 0 && !waits) {
                    // Its request failed, which its client sees as it sees an answer.
                    think();
                }
                reopen(connection.closedBy(), false);
                return;
            }
            connecting--;
            settle();
            if (sendsAsAnswered(System.nanoTime())) {
                // As in hey, the connection's next request is the one that fails.
                target.notSent(next, connectError);
                advance();
            }
            reopen(connectError, true);
        }

        /** Opens the connection again, at once or after a while; what is due without any fails for this reason. */
        private void reopen(ErrorKind reason, boolean failed) {
            long nowNs = System.nanoTime();
            long waitNs = connection.backOff.nextAttemptNs(failed, nowNs) - nowNs;
            if (waitNs > 0) {
                missingBy = reason;
                target.after(waitNs, () -> {
                    enqueue();
                    connectMore();
                });
            } else {
                enqueue();
            }
            connectMore();
        }
    }

    private final Target target;
    private final Phase phase;
    private final long thinkNs;
    /** That of a heating, or null. */
    private final HeatingRhythm rhythm;
    /** Whether recorded upgrade probes are left out, since each connection sends one of its own when it is opened. */
    private final boolean skipsProbes;
    /** That of the phase; null in a closed loop. */
    private ArrivalSchedule schedule;

    private final List<Pooled> connections = new ArrayList<>();
    /** Those that are free, and some that were lost meanwhile, which are passed over in their turn. */
    private final ArrayDeque<Pooled> idle;

    private final ArrayDeque<Pooled> toConnect;
    /**
     * Connections that pause, in the order in which their pauses end, since all pauses are equally long. One that is
     * lost and opened again meanwhile goes on pausing.
     */
    private final ArrayDeque<Pooled> thinking = new ArrayDeque<>();
    /** Connections that are open, or being opened; a request may wait for one of them. */
    private int usable;

    private int connecting;
    /** Connections whose first attempt to connect in this phase has not ended. */
    private int settling;
    /** Why the last connection is missing that could not be opened, or is not opened again for a while. */
    private ErrorKind missingBy;

    private long next;
    private long nextDueNs;
    private boolean starved;
    /** When the shortage of connections began that goes on, or ended last, and until when requests fell due in it. */
    private long starvedFromNs;

    private long starvedUntilNs;

    private boolean ended;

    /**
     * @param protocol of all its requests
     * @param thinkNs how long a connection of a closed loop pauses between an answer and its next request
     * @param rhythm of a heating, which is a closed loop; null for all else
     */
    ConnectionPool(Target target, Protocol protocol, int size, long thinkNs, HeatingRhythm rhythm) {
        this.target = target;
        this.thinkNs = thinkNs;
        this.rhythm = rhythm;
        phase = target.phase();
        skipsProbes = protocol == Protocol.THRIFT_TTWITTER;
        idle = new ArrayDeque<>(size);
        toConnect = new ArrayDeque<>(size);
        for (int i = 0; i < size; i++) {
            connections.add(new Pooled(protocol));
        }
    }

    @Override
    public void startPhase() {
        schedule = phase.schedule();
        next = -1;
        advance();
        starved = false;
        starvedFromNs = Long.MIN_VALUE;
        starvedUntilNs = Long.MIN_VALUE;
        settling = 0;
        connections.forEach(Pooled::startPhase);
        connectMore();
    }

    @Override
    public boolean isReady() {
        return settling == 0 || !target.mayConnect();
    }

    private void connectMore() {
        while (connecting < CONNECTING_AT_ONCE && !toConnect.isEmpty() && target.mayConnect() && !ended) {
            toConnect.remove().connect();
        }
    }

    @Override
    public long poll(long nowNs) {
        if (!hasMore()) {
            return NEVER;
        }
        long dueNs = schedule == null ? InFlightRequests.WHEN_WRITTEN : phase.dueNs(nextDueNs);
        if (dueNs > nowNs) {
            return dueNs - nowNs;
        }
        long restNs = restLeftNs(nowNs);
        if (restNs > 0) {
            return restNs;
        }
        if (!thinking.isEmpty()) {
            wakeThinking(nowNs);
        }
        ReplayConnection connection = takeIdle();
        if (connection == null) {
            return withoutConnection(dueNs, nowNs);
        }
        if (starved) {
            starved = false;
            starvedUntilNs = nowNs;
        }
        send(connection, dueNs);
        connection.flush();
        return 0;
    }

    private long restLeftNs(long nowNs) {
        return rhythm == null ? 0 : rhythm.restLeftNs(nowNs);
    }

    /** Returns the connection that has been free for longest, or null. */
    private ReplayConnection takeIdle() {
        Pooled pooled;
        do {
            pooled = idle.poll();
            if (pooled == null) {
                return null;
            }
            pooled.waits = false;
        } while (!pooled.connection.isOpen());
        return pooled.connection;
    }

    private void send(ReplayConnection connection, long dueNs) {
        // What became due while no connection was free is late through the target; the time before that, in which
        // connections were free, is our own doing.
        boolean deferred = schedule != null && dueNs <= starvedUntilNs;
        if (deferred && dueNs < starvedFromNs) {
            target.meter().lateBefore(starvedFromNs - dueNs);
        }
        connection.send(next, dueNs, deferred);
        advance();
    }

    private void advance() {
        next++;
        if (skipsProbes) {
            next += target.skipProbes(next);
        }
        if (schedule != null) {
            nextDueNs = schedule.intendedNs(next);
        }
    }

    /** With no connection in sight the request fails for the reason for which there is none. */
    private long withoutConnection(long dueNs, long nowNs) {
        if (schedule != null && usable == 0 && toConnect.isEmpty() && missingBy != null) {
            target.notSent(next, missingBy);
            advance();
            return 0;
        }
        if (!starved) {
            starved = true;
            // A request that fell due in the last shortage and is not sent shows that it goes on.
            if (dueNs > starvedUntilNs) {
                starvedFromNs = nowNs;
            }
        }
        return thinking.isEmpty() ? NEVER : thinking.peek().thinksUntilNs - nowNs;
    }

    private void wakeThinking(long nowNs) {
        while (!thinking.isEmpty() && thinking.peek().thinksUntilNs <= nowNs) {
            idle.add(thinking.remove());
        }
    }

    @Override
    public long overdue(long nowNs) {
        return hasMore() && schedule != null && phase.dueNs(nextDueNs) <= nowNs ? 1 : 0;
    }

    @Override
    public boolean hasMore() {
        return next < phase.roundRequests() && (schedule == null || nextDueNs < phase.roundEndNs());
    }

    @Override
    public void resume() {
        if (schedule != null && nextDueNs < phase.roundFromNs()) {
            // What the round before left over is late through the target, and the times of its shortage are not those
            // of this round.
            starvedFromNs = Long.MIN_VALUE;
            starvedUntilNs = phase.roundStartedNs();
        }
        // Pauses stand still with the target; else all would be over at once when it goes on.
        thinking.forEach(pooled -> pooled.thinksUntilNs += phase.restedNs());
    }

    @Override
    public void endPhase() {
        target.unsent(next, phase.requestsScheduled() - next, skipsProbes);
        next = NEVER;
        for (Pooled pooled : connections) {
            if (pooled.connection.inFlight() > 0) {
                // A late answer must not meet a request of the next phase.
                pooled.connection.close(ErrorKind.READ_TIMEOUT);
            }
        }
        wakeThinking(NEVER);
    }

    @Override
    public void shutDown() {
        ended = true;
        next = NEVER;
        toConnect.clear();
        connections.forEach(pooled -> pooled.connection.close(ErrorKind.PREMATURE_CLOSE));
    }
}
