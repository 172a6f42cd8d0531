package dev.lockstep.replayer;

import dev.lockstep.capture.Protocol;
import dev.lockstep.measurement.ErrorKind;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;

/**
 * Sends the capture's requests in order over a fixed number of keep-alive connections: in an open loop each at its time
 * over a connection that is free, in a closed loop each as soon as a connection is free and has paused. Runs per request on the event
 * loop.
 *
 * <p>A request that finds no free connection keeps its intended time and goes out with the next free one: its waiting is
 * the target's doing and part of its response time.
 */
final class ConnectionPool implements Dispatcher {
    /** As many attempts at a time as the smallest usual listen backlog can take. */
    private static final int CONNECTING_AT_ONCE = 100;

    private final ReplayWorker worker;
    /** How long a connection of a closed loop pauses between an answer and its next request. */
    private final long thinkNs;
    /** That of the phase; null in a closed loop. */
    private ArrivalSchedule schedule;

    private final List<ReplayConnection> connections = new ArrayList<>();
    /** Those that are free, and some that were lost meanwhile: these are passed over when their turn comes. */
    private final ArrayDeque<ReplayConnection> idle;

    private final ArrayDeque<ReplayConnection> toConnect;
    /**
     * Connections that pause, in the order in which their pauses end, since all pauses are equally long. One that is lost
     * and opened again meanwhile goes on pausing.
     */
    private final ArrayDeque<ReplayConnection> thinking = new ArrayDeque<>();
    /** Connections that are open, or being opened; a request may wait for one of them. */
    private int usable;

    private int connecting;
    /** Connections of which no attempt to connect has ended in this phase. */
    private int settling;

    /** Why the last connection is not there that could not be opened, or is not opened again for a while. */
    private ErrorKind missingBy;

    private long next;
    private long nextDueNs;
    private boolean starved;
    /** When the shortage of connections began that goes on, or ended last, and until when requests fell due in it. */
    private long starvedFromNs;

    private long starvedUntilNs;

    /** Whether recorded upgrade probes are left out, since each connection sends one of its own when it is opened. */
    private final boolean skipsProbes;

    ConnectionPool(ReplayWorker worker, int size, Protocol protocol, long thinkNs) {
        this.worker = worker;
        this.thinkNs = thinkNs;
        skipsProbes = protocol == Protocol.THRIFT_TTWITTER;
        idle = new ArrayDeque<>(size);
        toConnect = new ArrayDeque<>(size);
        for (int i = 0; i < size; i++) {
            connections.add(new ReplayConnection(worker, this, protocol));
        }
    }

    @Override
    public void startPhase() {
        schedule = worker.schedule();
        next = -1;
        advance();
        starved = false;
        starvedFromNs = Long.MIN_VALUE;
        starvedUntilNs = Long.MIN_VALUE;
        settling = 0;
        for (ReplayConnection connection : connections) {
            connection.fruitless = 0;
            connection.settled = connection.state() == ReplayConnection.State.OPEN;
            if (!connection.settled) {
                settling++;
            }
            enqueue(connection);
        }
        connectMore();
    }

    private void settled(ReplayConnection connection) {
        if (!connection.settled) {
            connection.settled = true;
            settling--;
        }
    }

    /** Puts a connection that is closed into the queue of those to open, once. */
    private void enqueue(ReplayConnection connection) {
        if (connection.state() == ReplayConnection.State.CLOSED && !connection.queued) {
            connection.queued = true;
            toConnect.add(connection);
        }
    }

    @Override
    public boolean isReady() {
        return settling == 0 || !worker.mayConnect();
    }

    private void connectMore() {
        while (connecting < CONNECTING_AT_ONCE && !toConnect.isEmpty() && worker.mayConnect()) {
            ReplayConnection connection = toConnect.remove();
            connection.queued = false;
            connecting++;
            usable++;
            connection.connect();
        }
    }

    @Override
    public long poll(long nowNs) {
        if (!hasMore()) {
            return Long.MAX_VALUE;
        }
        long dueNs = schedule == null ? ReplayConnection.WHEN_WRITTEN : worker.originNs() + nextDueNs;
        if (dueNs > nowNs) {
            return dueNs - nowNs;
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

    /** Returns the connection that has been free for longest, or null. */
    private ReplayConnection takeIdle() {
        ReplayConnection connection;
        do {
            connection = idle.poll();
            if (connection == null) {
                return null;
            }
            connection.waits = false;
        } while (connection.state() != ReplayConnection.State.OPEN);
        return connection;
    }

    private void send(ReplayConnection connection, long dueNs) {
        // What became due while no connection was free is late through the target, not through us; but for the time
        // before that, in which connections were free and nothing was sent.
        boolean deferred = schedule != null && dueNs <= starvedUntilNs;
        if (deferred && dueNs < starvedFromNs) {
            worker.lateBefore(starvedFromNs - dueNs);
        }
        connection.send(next, dueNs, deferred);
        advance();
    }

    private void advance() {
        next++;
        if (skipsProbes) {
            next += worker.skipProbes(next);
        }
        if (schedule != null) {
            nextDueNs = schedule.intendedNs(next);
        }
    }

    /** With no connection in sight the request fails for the reason for which there is none. */
    private long withoutConnection(long dueNs, long nowNs) {
        if (schedule != null && usable == 0 && toConnect.isEmpty() && missingBy != null) {
            worker.notSent(next, missingBy);
            advance();
            return 0;
        }
        if (!starved) {
            starved = true;
            // What fell due in the last shortage and is not sent yet says that it has not ended.
            if (dueNs > starvedUntilNs) {
                starvedFromNs = nowNs;
            }
        }
        return thinking.isEmpty() ? Long.MAX_VALUE : thinking.peek().thinksUntilNs - nowNs;
    }

    private void wakeThinking(long nowNs) {
        while (!thinking.isEmpty() && thinking.peek().thinksUntilNs <= nowNs) {
            idle.add(thinking.remove());
        }
    }

    @Override
    public long overdue(long nowNs) {
        return hasMore() && schedule != null && worker.originNs() + nextDueNs <= nowNs ? 1 : 0;
    }

    @Override
    public boolean hasMore() {
        return next < worker.roundRequests() && (schedule == null || nextDueNs < worker.roundEndNs());
    }

    @Override
    public void resume() {
        // What is overdue goes out at the next turn of the loop, like all else.
    }

    @Override
    public void connected(ReplayConnection connection) {
        connecting--;
        settled(connection);
        connectMore();
        if (!connection.waits) {
            connection.waits = true;
            idle.add(connection);
        }
    }

    @Override
    public void writable(ReplayConnection connection) {
        // It carries one request at a time, which waits in its own buffer.
    }

    @Override
    public void answered(ReplayConnection connection, boolean reusable) {
        if (!reusable) {
            return;
        }
        if (thinkNs > 0) {
            connection.thinksUntilNs = worker.lastAnswerNs() + thinkNs;
            connection.waits = true;
            thinking.add(connection);
        } else if (schedule == null && worker.isSending() && hasMore()) {
            // The flush follows when the loop has read all there is.
            connection.send(next, ReplayConnection.WHEN_WRITTEN, false);
            advance();
        } else {
            connection.waits = true;
            idle.add(connection);
        }
    }

    @Override
    public void closed(ReplayConnection connection, ErrorKind connectError) {
        usable--;
        if (connectError == null) {
            reopen(connection, connection.closedBy(), false);
            return;
        }
        connecting--;
        settled(connection);
        if (schedule == null && worker.isSending() && hasMore()) {
            // As in hey, the connection's next request is the one that fails.
            worker.notSent(next, connectError);
            advance();
        }
        reopen(connection, connectError, true);
    }

    /** Opens a connection again, at once or after a while; requests that are due without any fail for this reason. */
    private void reopen(ReplayConnection connection, ErrorKind reason, boolean failed) {
        long nowNs = System.nanoTime();
        long waitNs = connection.nextAttemptNs(failed, nowNs) - nowNs;
        if (waitNs > 0) {
            missingBy = reason;
            worker.after(waitNs, () -> {
                enqueue(connection);
                connectMore();
            });
        } else {
            enqueue(connection);
        }
        connectMore();
    }

    @Override
    public long endPhase() {
        long unsent = worker.requestsScheduled() - next;
        next = Long.MAX_VALUE;
        wakeThinking(Long.MAX_VALUE);
        for (ReplayConnection connection : connections) {
            if (connection.inFlight() > 0) {
                // A late answer must not meet a request of the next phase.
                connection.close(ErrorKind.READ_TIMEOUT);
            }
        }
        return Math.max(0, unsent);
    }

    @Override
    public void shutDown() {
        next = Long.MAX_VALUE;
        toConnect.clear();
        for (ReplayConnection connection : connections) {
            connection.close(ErrorKind.PREMATURE_CLOSE);
        }
    }
}
