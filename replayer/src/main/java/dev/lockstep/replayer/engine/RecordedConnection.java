package dev.lockstep.replayer.engine;

import dev.lockstep.capture.Capture;
import dev.lockstep.capture.Protocol;
import dev.lockstep.measurement.ErrorKind;
import dev.lockstep.replayer.answers.LongQueue;

/**
 * One recorded connection in one pass: sends its requests and the bytes outside them in their order, keeps what has to
 * wait, and opens the connection again where its protocol allows that. Runs per request on the event loop.
 */
final class RecordedConnection implements ConnectionOwner {
    private final RecordedConnections all;
    private final Capture capture;
    private final Target target;
    private final int recorded;
    private final long pass;
    private final ReplayConnection connection;
    /** Whether it can go on with its next request on a new channel. */
    private final boolean resumable;
    /** Whether bytes outside requests are sent on it. */
    private final boolean opaque;
    /** Whether what it sends is taken apart into streams, which are requests and have a lag of their own. */
    private final boolean timesStreams;
    /** Whether its requests do not wait for each other's answers. */
    private final boolean concurrent;
    /** What is due and waits: requests by their number in the phase, pieces by the complement of theirs. */
    private final LongQueue waiting = new LongQueue(1);

    /** Requests neither answered nor failed. */
    private long requestsLeft;
    /** Bytes outside requests neither sent nor given up. */
    private long opaqueLeft;
    /** Requests sent and not answered. */
    private int unanswered;
    /** Whether something was sent. */
    private boolean used;
    /** Why the rest of it cannot be sent, or null. */
    private ErrorKind brokenBy;
    /** Why the last attempt to connect brought nothing, or null; no other begins before the retry's time. */
    private ErrorKind connectError;

    private long retryNs;
    /** When it is ended, on the phase's clock. */
    private long endNs;

    private boolean outputEnded;
    /** Whether its phase has ended. */
    private boolean isOver;

    RecordedConnection(RecordedConnections all, Target target, Capture capture, int recorded, long pass) {
        this.all = all;
        this.target = target;
        this.capture = capture;
        this.recorded = recorded;
        this.pass = pass;
        Protocol protocol = capture.protocol(recorded);
        opaque = ConnectionDemand.sendsOpaque(capture, recorded);
        resumable = requestsStandAlone(protocol) && !opaque;
        timesStreams = protocol == Protocol.HTTP2;
        concurrent = protocol == Protocol.THRIFT_MUX;
        requestsLeft = capture.requestCount(recorded);
        opaqueLeft = opaque ? capture.opaqueBytes(recorded) : 0;
        connection = new ReplayConnection(target, this, target.source().answersOf(recorded), recorded);
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

    void connect() {
        if (connection.isClosed() && target.mayConnect()) {
            all.connecting();
            connection.connect();
        }
    }

    // ---- what is due ------------------------------------------------------------------------------------------------

    /**
     * Sends the n-th request of the phase, keeps it until it may be sent, or fails it where that cannot be.
     *
     * @param nowNs the time of the turn, by the monotonic clock
     * @return whether it was sent, so that a flush must follow
     */
    boolean due(long n, long request, long nowNs) {
        if (brokenBy != null) {
            fail(n, brokenBy);
            dropIfDone();
            return false;
        }
        if (isFree() && mayFollow(request)) {
            send(n, false);
            return true;
        }
        if (hold(n)) {
            // From now on it is late through the target; before that it was through us.
            lateUntil(nowNs, all.requestNs(n));
        }
        return false;
    }

    private void lateUntil(long nowNs, long intendedNs) {
        target.meter().lateBefore(Math.max(0, nowNs - intendedNs));
    }

    /** Sends a request that was pipelined behind one just sent, if the socket keeps up; returns whether it did. */
    boolean duePipelined(long n) {
        if (!isFree()) {
            return false;
        }
        send(n, false);
        return true;
    }

    void flush() {
        connection.flush();
    }

    void duePiece(long piece, long nowNs) {
        if (brokenBy != null) {
            giveUp(piece);
            dropIfDone();
        } else if (isFree() && unanswered == 0) {
            if (sendPiece(piece, false) && !timesStreams) {
                lateUntil(nowNs, all.pieceNs(pass, piece));
            }
        } else if (hold(~piece)) {
            lateUntil(nowNs, all.pieceNs(pass, piece));
        }
    }

    /** Tells whether what is due could be sent now, apart from having to wait for an answer. */
    private boolean isFree() {
        return connection.isOpen() && waiting.isEmpty() && connection.isWritable();
    }

    private boolean mayFollow(long request) {
        return unanswered == 0 || concurrent || capture.isPipelined(request);
    }

    /**
     * Keeps what is due until the connection is free for it, or fails it where there is no connection.
     *
     * @return whether it waits
     */
    private boolean hold(long entry) {
        all.waits(1);
        waiting.add(entry);
        if (connection.isClosed()) {
            // Not the time of the turn, in which it may have been closed since.
            reopen(System.nanoTime());
        }
        return !waiting.isEmpty();
    }

    /** Opens the connection again for what waits, or fails that where it is too early. */
    private void reopen(long nowNs) {
        if (connectError != null && nowNs - retryNs < 0) {
            failWaiting(connectError);
        } else {
            connect();
        }
    }

    private void send(long n, boolean deferred) {
        used = true;
        unanswered++;
        connection.send(n, all.requestNs(n), deferred);
    }

    /** @return whether it was sent, and not left out */
    private boolean sendPiece(long piece, boolean deferred) {
        used = true;
        opaqueLeft -= capture.opaque().length(piece);
        boolean sent = connection.sendOpaque(piece, all.pieceNs(pass, piece), deferred);
        if (!sent) {
            all.unsent(piece);
        }
        endIfDone();
        return sent;
    }

    /** Sends what waits, up to what has to wait for an answer. */
    private void sendWaiting() {
        if (waiting.isEmpty() || !target.phase().isSending() || all.isResuming()) {
            return;
        }
        boolean unflushed = false;
        while (!waiting.isEmpty() && connection.isOpen() && connection.isWritable()) {
            long entry = waiting.get(0);
            if (entry >= 0) {
                if (!mayFollow(target.source().request(entry))) {
                    break;
                }
                takeWaiting();
                send(entry, true);
                unflushed = true;
            } else if (unanswered == 0) {
                takeWaiting();
                sendPiece(~entry, true);
            } else {
                break;
            }
        }
        if (unflushed && connection.isOpen()) {
            connection.flush();
        }
    }

    private long takeWaiting() {
        all.waits(-1);
        return waiting.remove();
    }

    /** Goes on with what waits, at the start of a round. */
    void resume() {
        if (brokenBy != null) {
            failWaiting(brokenBy);
        } else if (connection.isOpen()) {
            sendWaiting();
        } else if (!waiting.isEmpty()) {
            connect();
        }
    }

    // ---- what cannot be sent ----------------------------------------------------------------------------------------

    private void fail(long n, ErrorKind kind) {
        target.notSent(n, kind);
        requestsLeft--;
    }

    private void giveUp(long piece) {
        all.unsent(piece);
        opaqueLeft -= capture.opaque().length(piece);
    }

    /** Fails what waits, since there is no connection. A stream that has lost a part is then broken for good. */
    private void failWaiting(ErrorKind kind) {
        if (!resumable && !waiting.isEmpty()) {
            brokenBy = kind;
        }
        while (!waiting.isEmpty()) {
            long entry = takeWaiting();
            if (entry >= 0) {
                fail(entry, kind);
            } else {
                giveUp(~entry);
            }
        }
        dropIfDone();
    }

    private boolean isDone() {
        return requestsLeft == 0 && opaqueLeft == 0;
    }

    private void dropIfDone() {
        if (isDone() && connection.isClosed()) {
            all.done(this);
        }
    }

    // ---- told by the connection -------------------------------------------------------------------------------------

    @Override
    public void connected() {
        all.connectEnded();
        if (isOver) {
            connection.close(ErrorKind.PREMATURE_CLOSE);
        } else {
            connectError = null;
            sendWaiting();
            all.openEarly();
        }
    }

    @Override
    public void writable() {
        if (!isOver) {
            sendWaiting();
        }
    }

    @Override
    public void answered(boolean reusable) {
        unanswered--;
        requestsLeft--;
        if (!reusable) {
            // It is closed next.
            return;
        }
        if (isDone()) {
            endIfDone();
        } else {
            sendWaiting();
        }
    }

    @Override
    public void closed(ErrorKind error) {
        requestsLeft -= unanswered;
        unanswered = 0;
        all.ends.closed(this);
        long nowNs = System.nanoTime();
        connectError = error != null ? error : connection.closedBy();
        retryNs = connection.backOff.nextAttemptNs(error != null, nowNs);
        if (error != null) {
            all.connectEnded();
        } else if (used && !resumable && !isDone()) {
            brokenBy = connection.closedBy();
        }
        if (isOver) {
            return;
        }
        // Between rounds nothing fails: the next one tries again.
        if (!target.phase().isIdle()) {
            ErrorKind kind = brokenBy != null ? brokenBy : error;
            if (kind != null) {
                failWaiting(kind);
            } else if (!waiting.isEmpty() && target.phase().isSending()) {
                reopen(nowNs);
            }
        }
        dropIfDone();
        if (error != null) {
            all.openEarly();
        }
    }

    // ---- its end ----------------------------------------------------------------------------------------------------

    /** Has the connection ended at its recorded time, where there is nothing left to send or to be answered. */
    private void endIfDone() {
        if (isDone() && connection.isOpen()) {
            long halfClosedNs = capture.halfClosedNs(recorded);
            endNs = all.phaseNs(pass, halfClosedNs >= 0 ? halfClosedNs : capture.closedNs(recorded));
            all.ends.add(this);
        }
    }

    boolean isOpaque() {
        return opaque;
    }

    /** When it is ended, on the phase's clock. */
    long endNs() {
        return endNs;
    }

    void endAt(long phaseNs) {
        endNs = phaseNs;
    }

    /** When the recorded client closed it, on the phase's clock. */
    long recordedCloseNs() {
        return all.phaseNs(pass, capture.closedNs(recorded));
    }

    int inFlight() {
        return connection.inFlight();
    }

    boolean hasEndedOutput() {
        return outputEnded;
    }

    /** Ends our side; the target may end its own. */
    void endOutput() {
        outputEnded = true;
        connection.endOutput();
    }

    void close(ErrorKind kind) {
        connection.close(kind);
    }

    /** Closes it with its phase; what waits is left unsent. */
    void endPhase() {
        isOver = true;
        waiting.clear();
        connection.close(ErrorKind.PREMATURE_CLOSE);
    }

    /** Counts what waits as unsent. */
    void leaveWaiting() {
        for (int i = 0; i < waiting.size(); i++) {
            long entry = waiting.get(i);
            if (entry >= 0) {
                target.unsent(entry);
            } else {
                all.unsent(~entry);
            }
        }
    }
}
