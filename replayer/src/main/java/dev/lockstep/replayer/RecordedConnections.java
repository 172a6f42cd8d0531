package dev.lockstep.replayer;

import dev.lockstep.capture.Capture;
import dev.lockstep.measurement.ErrorKind;
import java.util.Arrays;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.PriorityQueue;
import java.util.Set;

/**
 * Keeps the recorded connections: each becomes one connection to the target, opened and closed in the recorded order and
 * at the recorded times, with the same requests in the same order. Runs per request on the event loop.
 *
 * <p>A request goes out at its time, but not before the one ahead of it on its connection was answered, as its client
 * would have waited too; only requests that were recorded in one piece, that is pipelined, go out in one piece. A
 * connection that the target closes early is opened again when its next request is due. Recorded connections without a
 * complete request are left out.
 */
final class RecordedConnections implements Dispatcher {
    /** One recorded connection in one pass. */
    static final class Slot {
        final int recorded;
        final ReplayConnection connection;
        final long closeNs;
        /** Requests, by number in the phase, that are due and wait for the connection or for an answer. */
        final LongQueue waiting = new LongQueue(1);

        long requestsLeft;
        long lastRecordedNs = -1;

        Slot(int recorded, ReplayConnection connection, long requests, long closeNs) {
            this.recorded = recorded;
            this.connection = connection;
            this.requestsLeft = requests;
            this.closeNs = closeNs;
        }
    }

    private final ReplayWorker worker;
    private final Capture capture;
    private final RecordedSchedule schedule;
    /** The latest pass's connections by their recorded number; null before they are opened. */
    private final Slot[] current;
    /** All that are not done, those of an earlier pass included that a slow target has not finished. */
    private final Set<Slot> live = new LinkedHashSet<>();
    /** Connections whose requests are all answered and that stay open until their recorded close. */
    private final PriorityQueue<Slot> closing = new PriorityQueue<>(Comparator.comparingLong(slot -> slot.closeNs));

    private long nextOpenPass;
    private int nextOpen;
    private long nextOpenNs;
    private long next;
    private long nextDueNs;
    private long waiting;
    private int connecting;
    private boolean ended = true;

    RecordedConnections(ReplayWorker worker, Capture capture, RecordedSchedule schedule) {
        this.worker = worker;
        this.capture = capture;
        this.schedule = schedule;
        current = new Slot[capture.connectionCount()];
    }

    @Override
    public void startPhase() {
        ended = false;
        next = 0;
        nextDueNs = schedule.intendedNs(0);
        waiting = 0;
        nextOpenPass = 0;
        nextOpen = -1;
        advanceOpen();
        // Those that were open before the first request are opened before the clock starts.
        while (nextOpenNs <= 0) {
            open();
        }
    }

    @Override
    public boolean isReady() {
        return connecting == 0 || !worker.mayConnect();
    }

    private void advanceOpen() {
        do {
            nextOpen++;
            if (nextOpen == current.length) {
                nextOpen = 0;
                nextOpenPass++;
            }
        } while (capture.requestCount(nextOpen) == 0);
        nextOpenNs = schedule.passStartNs(nextOpenPass) + Math.max(0, schedule.scaled(capture.openedNs(nextOpen)));
    }

    private void open() {
        long closeNs = schedule.passStartNs(nextOpenPass) + schedule.scaled(capture.closedNs(nextOpen));
        ReplayConnection connection =
                new ReplayConnection(worker, this, worker.source().answersOf(nextOpen));
        Slot slot = new Slot(nextOpen, connection, capture.requestCount(nextOpen), closeNs);
        connection.slot = slot;
        current[nextOpen] = slot;
        live.add(slot);
        connecting++;
        connection.connect();
        advanceOpen();
    }

    @Override
    public long poll(long nowNs) {
        if (ended) {
            return Long.MAX_VALUE;
        }
        long phaseNs = nowNs - worker.originNs();
        while (!closing.isEmpty() && closing.peek().closeNs <= phaseNs) {
            closing.remove().connection.close(ErrorKind.PREMATURE_CLOSE);
        }
        long wakeNs = closing.isEmpty() ? Long.MAX_VALUE : closing.peek().closeNs;
        if (!hasMore()) {
            return wakeNs == Long.MAX_VALUE ? wakeNs : wakeNs - phaseNs;
        }
        boolean opens = nextOpenNs <= nextDueNs;
        long dueNs = opens ? nextOpenNs : nextDueNs;
        if (dueNs > phaseNs) {
            return Math.min(dueNs, wakeNs) - phaseNs;
        }
        if (opens) {
            open();
        } else {
            dispatch();
        }
        return 0;
    }

    private void dispatch() {
        long request = worker.source().request(next);
        Slot slot = current[capture.connection(request)];
        ReplayConnection connection = slot.connection;
        long dueNs = nextDueNs;
        boolean free = connection.state() == ReplayConnection.State.OPEN
                && slot.waiting.isEmpty()
                && (connection.inFlight() == 0 || capture.timeNs(request) == slot.lastRecordedNs);
        if (free) {
            send(slot, next, false);
            advance();
            // What was pipelined goes out in one piece, as it came.
            while (hasMore() && nextDueNs == dueNs && isPipelined(slot)) {
                send(slot, next, false);
                advance();
            }
            connection.flush();
        } else {
            slot.waiting.add(next);
            waiting++;
            reopen(slot);
            advance();
        }
    }

    private boolean isPipelined(Slot slot) {
        long request = worker.source().request(next);
        return capture.connection(request) == slot.recorded && capture.timeNs(request) == slot.lastRecordedNs;
    }

    private void advance() {
        next++;
        nextDueNs = schedule.intendedNs(next);
    }

    private void send(Slot slot, long n, boolean deferred) {
        slot.lastRecordedNs = capture.timeNs(worker.source().request(n));
        slot.connection.send(n, worker.originNs() + schedule.intendedNs(n), deferred);
    }

    private void reopen(Slot slot) {
        if (slot.connection.state() == ReplayConnection.State.CLOSED && worker.mayConnect()) {
            connecting++;
            slot.connection.connect();
        }
    }

    /** Sends what waits for this connection: one request, and those that were pipelined behind it. */
    private void sendWaiting(Slot slot) {
        if (slot.waiting.isEmpty() || !worker.isSending()) {
            return;
        }
        do {
            waiting--;
            send(slot, slot.waiting.remove(), true);
        } while (!slot.waiting.isEmpty()
                && capture.timeNs(worker.source().request(slot.waiting.get(0))) == slot.lastRecordedNs);
        slot.connection.flush();
    }

    @Override
    public long overdue(long nowNs) {
        return waiting;
    }

    @Override
    public boolean hasMore() {
        return next < worker.roundRequests() && nextDueNs < worker.roundEndNs();
    }

    @Override
    public void resume() {
        if (waiting > 0) {
            for (Slot slot : live) {
                if (slot.connection.state() == ReplayConnection.State.OPEN && slot.connection.inFlight() == 0) {
                    sendWaiting(slot);
                } else {
                    reopen(slot);
                }
            }
        }
    }

    @Override
    public void connected(ReplayConnection connection) {
        connecting--;
        if (ended) {
            connection.close(ErrorKind.PREMATURE_CLOSE);
        } else {
            sendWaiting(connection.slot);
        }
    }

    @Override
    public void answered(ReplayConnection connection, boolean reusable) {
        Slot slot = connection.slot;
        slot.requestsLeft--;
        if (slot.requestsLeft == 0) {
            closing.add(slot);
        } else if (reusable && connection.inFlight() == 0) {
            sendWaiting(slot);
        }
    }

    @Override
    public void closed(ReplayConnection connection, int failed, ErrorKind connectError) {
        Slot slot = connection.slot;
        slot.requestsLeft -= failed;
        if (connectError != null) {
            connecting--;
            // Between rounds nothing fails: the next one tries again.
            while (!worker.isIdle() && !slot.waiting.isEmpty()) {
                waiting--;
                worker.notSent(slot.waiting.remove(), connectError);
                slot.requestsLeft--;
            }
        }
        if (ended) {
            return;
        }
        if (slot.requestsLeft == 0) {
            live.remove(slot);
        } else if (!worker.isIdle() && !slot.waiting.isEmpty()) {
            reopen(slot);
        }
    }

    @Override
    public long endPhase() {
        long unsent = waiting + Math.max(0, worker.requestsScheduled() - next);
        while (!closing.isEmpty()) {
            closing.remove().connection.close(ErrorKind.PREMATURE_CLOSE);
        }
        ended = true;
        live.forEach(slot -> slot.connection.close(ErrorKind.PREMATURE_CLOSE));
        live.clear();
        Arrays.fill(current, null);
        waiting = 0;
        return unsent;
    }

    @Override
    public void shutDown() {
        endPhase();
    }
}
