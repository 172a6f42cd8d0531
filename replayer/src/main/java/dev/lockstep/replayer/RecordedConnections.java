package dev.lockstep.replayer;

import dev.lockstep.capture.Capture;
import dev.lockstep.capture.OpaquePieces;
import dev.lockstep.capture.Protocol;
import dev.lockstep.measurement.ErrorKind;
import java.util.Arrays;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.PriorityQueue;
import java.util.Set;

/**
 * Keeps the recorded connections: each becomes one connection to the target, opened and closed in the recorded order and
 * at the recorded times, on which the same bytes go out in the same order. Runs per request on the event loop.
 *
 * <p>A request goes out at its time, but not before those ahead of it on its connection were answered, as its client
 * waited too; only what was recorded as pipelined does not wait, nor what goes over mux, whose requests are independent of
 * each other. Bytes outside requests go out at their times, and wait for the answers of requests before them.
 *
 * <p>A connection that the target closes early is opened again when its next request is due, where its requests stand
 * alone. A stream of which the server has lost the beginning cannot be taken up again: the rest of such a connection is
 * counted as failed.
 *
 * <p>Design note: a capture does not say when answers came. So a client's end of its side goes out after the answers of
 * its requests; and a connection with bytes outside requests, of which nobody knows when they are answered, is ended with
 * a FIN at its recorded time and read on until the target ends it too.
 */
final class RecordedConnections implements Dispatcher {
    /** As many attempts at a time, before the start, as the smallest usual listen backlog can take. */
    private static final int CONNECTING_AT_ONCE = 100;

    /** How long a target may take to end a connection that we ended. */
    private static final long LINGER_NS = 1_000_000_000;

    private static final long LOOK_AGAIN_NS = 1_000_000;

    private static final long NEVER = Long.MAX_VALUE;

    /** One recorded connection in one pass. */
    static final class Slot {
        final int recorded;
        final long pass;
        final ReplayConnection connection;
        /** Whether it can go on with its next request on a new channel. */
        final boolean resumable;
        /** Whether bytes outside requests are sent on it. */
        final boolean opaque;
        /** Whether its requests wait for none of each other's answers. */
        final boolean concurrent;
        /** What is due and waits: requests by their number in the phase, pieces by the complement of theirs. */
        final LongQueue waiting = new LongQueue(1);

        /** Requests neither answered nor failed. */
        long requestsLeft;
        /** Bytes outside requests neither sent nor given up. */
        long opaqueLeft;
        /** Requests that have been due in this pass. */
        long requestsDue;
        /** Requests sent and not answered. */
        int unanswered;
        /** Whether something was sent. */
        boolean used;
        /** Why the rest of it cannot be sent, or null. */
        ErrorKind brokenBy;
        /** Why the last attempt to connect brought nothing, or null; there is none before the retry's time. */
        ErrorKind connectError;

        long retryNs;
        /** When it is ended, on the phase's clock; it stands in a queue of those to be ended. */
        long endNs;

        /** Whether its phase has ended. */
        boolean isOver;

        boolean outputEnded;

        Slot(
                int recorded,
                long pass,
                ReplayConnection connection,
                boolean resumable,
                boolean opaque,
                boolean concurrent) {
            this.recorded = recorded;
            this.pass = pass;
            this.connection = connection;
            this.resumable = resumable;
            this.opaque = opaque;
            this.concurrent = concurrent;
        }

        boolean isDone() {
            return requestsLeft == 0 && opaqueLeft == 0;
        }
    }

    private final ReplayWorker worker;
    private final Capture capture;
    private final OpaquePieces opaque;
    private final RecordedSchedule schedule;
    private final long requests;
    private final boolean sendsOpaque;
    /** The latest pass's connections by their recorded number; null before they are opened. */
    private final Slot[] current;
    /** All that are not done, those of an earlier pass included that a slow target has not finished. */
    private final Set<Slot> live = new LinkedHashSet<>();
    /** Connections whose requests are all answered and that stay open until their recorded end. */
    private final PriorityQueue<Slot> closing = new PriorityQueue<>(Comparator.comparingLong(slot -> slot.endNs));
    /** The same for those with bytes outside requests; the run waits for them, since answers may still come. */
    private final PriorityQueue<Slot> lingering = new PriorityQueue<>(Comparator.comparingLong(slot -> slot.endNs));

    private long nextOpenPass;
    private int nextOpen;
    private long nextOpenNs;
    private long next;
    private long nextDueNs;
    private long piecePass;
    private long nextPiece;
    private long nextPieceNs;
    private long waiting;
    private long waitingPieces;
    private int connecting;
    private boolean ended = true;

    RecordedConnections(ReplayWorker worker, Capture capture, RecordedSchedule schedule) {
        this.worker = worker;
        this.capture = capture;
        this.schedule = schedule;
        opaque = capture.opaque();
        requests = capture.requestCount();
        current = new Slot[capture.connectionCount()];
        boolean sends = false;
        for (int connection = 0; connection < current.length && !sends; connection++) {
            sends = sendsOpaque(capture, connection);
        }
        sendsOpaque = sends;
    }

    /** Tells whether bytes outside requests are sent on a connection; its reader says by itself what mux has to say. */
    private static boolean sendsOpaque(Capture capture, int connection) {
        return capture.opaqueBytes(connection) > 0 && capture.protocol(connection) != Protocol.THRIFT_MUX;
    }

    /** Tells whether a recorded connection becomes one: not where it carried nothing that can be sent. */
    static boolean isReplayed(Capture capture, int connection) {
        return capture.requestCount(connection) > 0 || sendsOpaque(capture, connection);
    }

    /** Returns how many connections a run opens at most at the same time to a target that is as fast as the recorded one. */
    static int mostOpen(ReplayConfig config) {
        Capture capture = config.capture();
        RecordedSchedule schedule = RecordedSchedule.withOpaque(capture, config.speed());
        long endNs = config.durationNs();
        if (config.requestLimit() != NEVER) {
            long limit = config.requestLimit();
            long requests = capture.requestCount();
            // Of whole passes, bytes outside requests behind the last request are sent, too.
            boolean wholePasses = requests == 0 || limit % requests == 0;
            long passes = requests == 0 ? 1 : limit / requests;
            endNs = Math.min(endNs, wholePasses ? schedule.passStartNs(passes) - 1 : schedule.intendedNs(limit - 1));
        }
        // The end of a pass and the beginning of the next overlap.
        int overlapping = capture.requestCount() > 0 && endNs >= schedule.passStartNs(1) ? 2 : 1;
        long[] opened = new long[capture.connectionCount() * overlapping];
        long[] closed = new long[opened.length];
        int count = 0;
        for (int i = 0; i < opened.length; i++) {
            int connection = i % capture.connectionCount();
            long startNs = schedule.passStartNs(i / capture.connectionCount());
            long openedNs = startNs + Math.max(0, schedule.scaled(capture.openedNs(connection)));
            if (isReplayed(capture, connection) && openedNs <= endNs) {
                opened[count] = openedNs;
                closed[count++] = Math.max(openedNs, startNs + schedule.scaled(capture.closedNs(connection)));
            }
        }
        Arrays.sort(opened, 0, count);
        Arrays.sort(closed, 0, count);
        int most = 0;
        int gone = 0;
        for (int i = 0; i < count; i++) {
            while (closed[gone] < opened[i]) {
                gone++;
            }
            most = Math.max(most, i + 1 - gone);
        }
        return most;
    }

    private static boolean requestsStandAlone(Protocol protocol) {
        switch (protocol) {
            case HTTP1:
                return true;
            case THRIFT_ZLIB:
                // compressed over the whole stream
                return false;
            default:
                return protocol.isThrift();
        }
    }

    @Override
    public void startPhase() {
        ended = false;
        next = 0;
        nextDueNs = requests == 0 ? NEVER : schedule.intendedNs(0);
        waiting = 0;
        waitingPieces = 0;
        piecePass = 0;
        nextPiece = -1;
        nextPieceNs = NEVER;
        if (sendsOpaque) {
            advancePiece();
        }
        nextOpenPass = 0;
        nextOpen = -1;
        advanceOpen();
        openEarly();
    }

    /** Opens those that were open before the first request, before the clock starts. */
    private void openEarly() {
        while (nextOpenNs <= 0 && connecting < CONNECTING_AT_ONCE && worker.mayConnect()) {
            open();
        }
    }

    @Override
    public boolean isReady() {
        return connecting == 0 && nextOpenNs > 0 || !worker.mayConnect();
    }

    private void advanceOpen() {
        do {
            nextOpen++;
            if (nextOpen == current.length) {
                nextOpen = 0;
                nextOpenPass++;
            }
        } while (!isReplayed(capture, nextOpen));
        nextOpenNs = schedule.passStartNs(nextOpenPass) + Math.max(0, schedule.scaled(capture.openedNs(nextOpen)));
    }

    private void open() {
        Protocol protocol = capture.protocol(nextOpen);
        boolean opaqueToo = sendsOpaque(capture, nextOpen);
        ReplayConnection connection =
                new ReplayConnection(worker, this, worker.source().answersOf(nextOpen));
        Slot slot = new Slot(
                nextOpen,
                nextOpenPass,
                connection,
                requestsStandAlone(protocol) && !opaqueToo,
                opaqueToo,
                protocol == Protocol.THRIFT_MUX);
        slot.requestsLeft = capture.requestCount(nextOpen);
        slot.opaqueLeft = opaqueToo ? capture.opaqueBytes(nextOpen) : 0;
        connection.slot = slot;
        current[nextOpen] = slot;
        live.add(slot);
        connect(slot);
        advanceOpen();
    }

    private void connect(Slot slot) {
        if (slot.connection.state() == ReplayConnection.State.CLOSED && worker.mayConnect()) {
            connecting++;
            slot.connection.connect();
        }
    }

    // ---- what is due ----------------------------------------------------------------------------------------------

    @Override
    public long poll(long nowNs) {
        if (ended) {
            return NEVER;
        }
        long phaseNs = nowNs - worker.originNs();
        endDue(phaseNs);
        boolean isPiece = isPieceNext();
        if (!isPiece && !hasMoreRequests()) {
            long wakeNs = nextEndNs();
            return wakeNs == NEVER ? NEVER : wakeNs - phaseNs;
        }
        long dueNs = isPiece ? nextPieceNs : nextDueNs;
        boolean opens = nextOpenNs <= dueNs;
        if (opens) {
            dueNs = nextOpenNs;
        }
        if (dueNs > phaseNs) {
            return Math.min(dueNs, nextEndNs()) - phaseNs;
        }
        if (opens) {
            open();
        } else if (isPiece) {
            dispatchPiece(nowNs);
        } else {
            dispatch(nowNs);
        }
        return 0;
    }

    @Override
    public boolean hasMore() {
        return hasMoreRequests() || hasMorePieces();
    }

    private boolean hasMoreRequests() {
        return requests > 0 && next < worker.roundRequests() && nextDueNs < worker.roundEndNs();
    }

    private boolean hasMorePieces() {
        return nextPieceNs < worker.roundEndNs() && isPieceBeforeRequest(worker.roundRequests());
    }

    /** Tells whether the next piece is due before the next request. */
    private boolean isPieceNext() {
        return hasMorePieces() && (!hasMoreRequests() || isPieceBeforeRequest(next));
    }

    /** Tells whether the next piece was sent before the n-th request of the phase. */
    private boolean isPieceBeforeRequest(long n) {
        if (n == Long.MAX_VALUE) {
            return true;
        }
        if (requests == 0) {
            return piecePass == 0;
        }
        long pass = n / requests;
        if (piecePass != pass) {
            return piecePass < pass;
        }
        long request = n % requests;
        if (n == worker.roundRequests() && request == 0) {
            return false;
        }
        long pieceNs = opaque.timeNs(nextPiece);
        long requestNs = capture.timeNs(request);
        if (pieceNs != requestNs) {
            return pieceNs < requestNs;
        }
        // At one instant: a piece is not ahead of its own connection's requests, and then not behind any other piece.
        Slot slot = current[opaque.connection(nextPiece)];
        long due = slot == null || slot.pass != piecePass ? 0 : slot.requestsDue;
        return opaque.requestsBefore(nextPiece) <= due;
    }

    private void advance() {
        next++;
        nextDueNs = schedule.intendedNs(next);
    }

    private void advancePiece() {
        do {
            nextPiece++;
            if (nextPiece == opaque.count()) {
                nextPiece = 0;
                piecePass++;
            }
        } while (opaque.isByHole(nextPiece) || !sendsOpaque(capture, opaque.connection(nextPiece)));
        nextPieceNs = pieceNs(piecePass, nextPiece);
    }

    /** Returns when a piece is due, on the phase's clock. */
    private long pieceNs(long pass, long piece) {
        return schedule.passStartNs(pass) + schedule.scaled(opaque.timeNs(piece));
    }

    private void dispatch(long nowNs) {
        long n = next;
        long dueNs = nextDueNs;
        long request = worker.source().request(n);
        Slot slot = current[capture.connection(request)];
        slot.requestsDue++;
        advance();
        if (slot.brokenBy != null) {
            fail(slot, n, slot.brokenBy);
            dropIfDone(slot);
        } else if (isFree(slot) && mayFollow(slot, request)) {
            send(slot, n, false);
            // What was pipelined and came at one time goes out in one piece.
            while (nextDueNs == dueNs && isNextPipelinedOn(slot) && isFree(slot)) {
                slot.requestsDue++;
                send(slot, next, false);
                advance();
            }
            slot.connection.flush();
        } else {
            waiting++;
            hold(slot, n, nowNs);
        }
    }

    private boolean isNextPipelinedOn(Slot slot) {
        if (!hasMoreRequests() || isPieceNext()) {
            return false;
        }
        long request = worker.source().request(next);
        return capture.connection(request) == slot.recorded && capture.isPipelined(request);
    }

    private void dispatchPiece(long nowNs) {
        long piece = nextPiece;
        Slot slot = current[opaque.connection(piece)];
        advancePiece();
        if (slot.brokenBy != null) {
            giveUp(slot, piece);
            dropIfDone(slot);
        } else if (isFree(slot) && slot.unanswered == 0) {
            sendPiece(slot, piece, false);
        } else {
            waitingPieces++;
            hold(slot, ~piece, nowNs);
        }
    }

    /** Tells whether what is due now could be sent now, as far as it need not wait for an answer. */
    private static boolean isFree(Slot slot) {
        return slot.connection.state() == ReplayConnection.State.OPEN
                && slot.waiting.isEmpty()
                && slot.connection.isWritable();
    }

    private boolean mayFollow(Slot slot, long request) {
        return slot.unanswered == 0 || slot.concurrent || capture.isPipelined(request);
    }

    /** Keeps what is due until the connection is free for it, or fails it where there is none. */
    private void hold(Slot slot, long entry, long nowNs) {
        slot.waiting.add(entry);
        if (slot.connection.state() == ReplayConnection.State.CLOSED) {
            reopen(slot, nowNs);
        }
    }

    /** Opens a connection again for what waits, or fails that where it is too early. */
    private void reopen(Slot slot, long nowNs) {
        if (slot.connectError != null && nowNs - slot.retryNs < 0) {
            failWaiting(slot, slot.connectError);
        } else {
            connect(slot);
        }
    }

    private void send(Slot slot, long n, boolean deferred) {
        slot.used = true;
        slot.unanswered++;
        slot.connection.send(n, worker.originNs() + schedule.intendedNs(n), deferred);
    }

    private void sendPiece(Slot slot, long piece, boolean deferred) {
        slot.used = true;
        slot.opaqueLeft -= opaque.length(piece);
        if (!slot.connection.sendOpaque(piece, worker.originNs() + pieceNs(slot.pass, piece), deferred)) {
            worker.counts().opaqueBytesUnsent += opaque.length(piece);
        }
        endLaterIfDone(slot);
    }

    /** Sends what waits for this connection, up to what has to wait for an answer. */
    private void sendWaiting(Slot slot) {
        if (slot.waiting.isEmpty() || !worker.isSending()) {
            return;
        }
        ReplayConnection connection = slot.connection;
        boolean unflushed = false;
        while (!slot.waiting.isEmpty()
                && connection.state() == ReplayConnection.State.OPEN
                && connection.isWritable()) {
            long entry = slot.waiting.get(0);
            if (entry >= 0) {
                if (!mayFollow(slot, worker.source().request(entry))) {
                    break;
                }
                slot.waiting.remove();
                waiting--;
                send(slot, entry, true);
                unflushed = true;
            } else if (slot.unanswered == 0) {
                slot.waiting.remove();
                waitingPieces--;
                sendPiece(slot, ~entry, true);
            } else {
                break;
            }
        }
        if (unflushed && connection.state() == ReplayConnection.State.OPEN) {
            connection.flush();
        }
    }

    // ---- what cannot be sent --------------------------------------------------------------------------------------

    private void fail(Slot slot, long n, ErrorKind kind) {
        worker.notSent(n, kind);
        slot.requestsLeft--;
    }

    private void giveUp(Slot slot, long piece) {
        worker.counts().opaqueBytesUnsent += opaque.length(piece);
        slot.opaqueLeft -= opaque.length(piece);
    }

    /** Fails what waits, since there is no connection. A stream of which a part is missing is then broken for good. */
    private void failWaiting(Slot slot, ErrorKind kind) {
        if (!slot.resumable && !slot.waiting.isEmpty()) {
            slot.brokenBy = kind;
        }
        while (!slot.waiting.isEmpty()) {
            long entry = slot.waiting.remove();
            if (entry >= 0) {
                waiting--;
                fail(slot, entry, kind);
            } else {
                waitingPieces--;
                giveUp(slot, ~entry);
            }
        }
        dropIfDone(slot);
    }

    private void dropIfDone(Slot slot) {
        if (slot.isDone() && slot.connection.state() == ReplayConnection.State.CLOSED) {
            live.remove(slot);
        }
    }

    // ---- ends -----------------------------------------------------------------------------------------------------

    /** Has a connection, on which there is nothing left to send or to be answered, ended at its recorded time. */
    private void endLaterIfDone(Slot slot) {
        if (slot.isDone() && slot.connection.state() == ReplayConnection.State.OPEN) {
            long halfClosedNs = capture.halfClosedNs(slot.recorded);
            long recordedNs = halfClosedNs >= 0 ? halfClosedNs : capture.closedNs(slot.recorded);
            slot.endNs = schedule.passStartNs(slot.pass) + schedule.scaled(recordedNs);
            (slot.opaque ? lingering : closing).add(slot);
        }
    }

    private long nextEndNs() {
        long closeNs = closing.isEmpty() ? NEVER : closing.peek().endNs;
        long lingerNs = lingering.isEmpty() ? NEVER : lingering.peek().endNs;
        return Math.min(closeNs, lingerNs);
    }

    private void endDue(long phaseNs) {
        while (!closing.isEmpty() && closing.peek().endNs <= phaseNs) {
            closing.remove().connection.close(ErrorKind.PREMATURE_CLOSE);
        }
        while (!lingering.isEmpty() && lingering.peek().endNs <= phaseNs) {
            endOpaque(lingering.remove(), phaseNs);
        }
    }

    private void endOpaque(Slot slot, long phaseNs) {
        ReplayConnection connection = slot.connection;
        if (connection.inFlight() > 0) {
            // Requests within the stream await their answers.
            slot.endNs = phaseNs + LOOK_AGAIN_NS;
            lingering.add(slot);
        } else if (slot.outputEnded) {
            connection.close(ErrorKind.PREMATURE_CLOSE);
        } else {
            // Not closed at once: a socket that is closed with bytes unread resets, and the target may lose ours.
            slot.outputEnded = true;
            long closeNs = schedule.passStartNs(slot.pass) + schedule.scaled(capture.closedNs(slot.recorded));
            slot.endNs = Math.max(closeNs, phaseNs) + LINGER_NS;
            lingering.add(slot);
            connection.endOutput();
        }
    }

    // ---- told by the connections and the worker -------------------------------------------------------------------

    @Override
    public long overdue(long nowNs) {
        boolean lingers = !lingering.isEmpty() && lingering.peek().endNs < worker.roundEndNs();
        return waiting + waitingPieces + (lingers ? 1 : 0);
    }

    @Override
    public void resume() {
        if (waiting + waitingPieces > 0) {
            for (Slot slot : live.toArray(new Slot[0])) {
                if (slot.brokenBy != null) {
                    failWaiting(slot, slot.brokenBy);
                } else if (slot.connection.state() == ReplayConnection.State.OPEN) {
                    sendWaiting(slot);
                } else if (!slot.waiting.isEmpty()) {
                    connect(slot);
                }
            }
        }
    }

    @Override
    public void connected(ReplayConnection connection) {
        connecting--;
        if (connection.slot.isOver) {
            connection.close(ErrorKind.PREMATURE_CLOSE);
        } else {
            connection.slot.connectError = null;
            sendWaiting(connection.slot);
            openEarly();
        }
    }

    @Override
    public void writable(ReplayConnection connection) {
        if (!connection.slot.isOver) {
            sendWaiting(connection.slot);
        }
    }

    @Override
    public void answered(ReplayConnection connection, boolean reusable) {
        Slot slot = connection.slot;
        slot.unanswered--;
        slot.requestsLeft--;
        if (!reusable) {
            // It is closed next.
            return;
        }
        if (slot.isDone()) {
            endLaterIfDone(slot);
        } else {
            sendWaiting(slot);
        }
    }

    @Override
    public void closed(ReplayConnection connection, ErrorKind connectError) {
        Slot slot = connection.slot;
        slot.requestsLeft -= slot.unanswered;
        slot.unanswered = 0;
        lingering.remove(slot);
        long nowNs = System.nanoTime();
        slot.connectError = connectError != null ? connectError : connection.closedBy();
        slot.retryNs = connection.nextAttemptNs(connectError != null, nowNs);
        if (connectError != null) {
            connecting--;
        } else if (slot.used && !slot.resumable && !slot.isDone()) {
            slot.brokenBy = connection.closedBy();
        }
        if (slot.isOver) {
            return;
        }
        // Between rounds nothing fails: the next one tries again.
        if (!worker.isIdle()) {
            ErrorKind kind = slot.brokenBy != null ? slot.brokenBy : connectError;
            if (kind != null) {
                failWaiting(slot, kind);
            } else if (!slot.waiting.isEmpty() && worker.isSending()) {
                reopen(slot, nowNs);
            }
        }
        dropIfDone(slot);
        if (connectError != null) {
            openEarly();
        }
    }

    @Override
    public long endPhase() {
        ended = true;
        long unsent = waiting + (requests == 0 ? 0 : Math.max(0, worker.requestsScheduled() - next));
        if (sendsOpaque) {
            worker.counts().opaqueBytesUnsent += opaqueUnsent();
        }
        while (!closing.isEmpty() || !lingering.isEmpty()) {
            boolean closes =
                    lingering.isEmpty() || !closing.isEmpty() && closing.peek().endNs <= lingering.peek().endNs;
            Slot slot = (closes ? closing : lingering).remove();
            slot.isOver = true;
            slot.connection.close(ErrorKind.PREMATURE_CLOSE);
        }
        for (Slot slot : live) {
            slot.isOver = true;
            slot.waiting.clear();
            slot.connection.close(ErrorKind.PREMATURE_CLOSE);
        }
        live.clear();
        Arrays.fill(current, null);
        waiting = 0;
        waitingPieces = 0;
        return unsent;
    }

    /** Returns the bytes outside requests that were due before the phase's end and are not sent. */
    private long opaqueUnsent() {
        long bytes = 0;
        for (Slot slot : live) {
            for (int i = 0; i < slot.waiting.size(); i++) {
                bytes += slot.waiting.get(i) < 0 ? opaque.length(~slot.waiting.get(i)) : 0;
            }
        }
        while (nextPieceNs < worker.phaseEndNs() && isPieceBeforeRequest(worker.roundRequests())) {
            bytes += opaque.length(nextPiece);
            advancePiece();
        }
        return bytes;
    }

    @Override
    public void shutDown() {
        endPhase();
    }
}
