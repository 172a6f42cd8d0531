package dev.lockstep.replayer.engine;

import dev.lockstep.capture.Capture;
import dev.lockstep.capture.OpaquePieces;
import dev.lockstep.capture.Protocol;
import dev.lockstep.measurement.LoadCounts;
import dev.lockstep.replayer.schedule.RecordedSchedule;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.Set;

/**
 * Keeps the recorded connections: each becomes one connection to the target, opened and closed in the recorded order
 * and at the recorded times, on which the same bytes go out in the same order. Runs per request on the event loop.
 *
 * <p>A request goes out at its time, but not before those ahead of it on its connection were answered, as its client
 * waited too; only what was recorded as pipelined does not wait, nor what goes over mux, whose requests are independent
 * of each other. Bytes outside requests go out at their times, and wait for the answers of requests before them.
 *
 * <p>A connection that the target closes early is opened again when its next request is due, where its requests stand
 * alone. A stream whose beginning the server has lost cannot be taken up again: the rest of such a connection is
 * counted as failed.
 *
 * <p>Design note: a capture does not say when answers came, so a client's FIN goes out after the answers of its
 * requests.
 */
final class RecordedConnections implements Dispatcher {
    /** As many attempts at a time, before the start, as the smallest usual listen backlog can take. */
    private static final int CONNECTING_AT_ONCE = 100;

    private static final long NEVER = Long.MAX_VALUE;

    private final Target target;
    private final Phase phase;
    private final Capture capture;
    private final OpaquePieces opaque;
    private final RecordedSchedule schedule;
    private final RecordedAgenda agenda;
    final RecordedEnds ends = new RecordedEnds();
    /** The latest pass's connections by their recorded number; null before they are opened. */
    private final RecordedConnection[] current;
    /** All that are not done, those of an earlier pass included that a slow target has not finished. */
    private final Set<RecordedConnection> live = new LinkedHashSet<>();

    /** Requests and pieces that are due and wait. */
    private long waiting;

    /** Whether a round has begun whose start is still to send what the one before left over. */
    private boolean resuming;

    private int connecting;
    private boolean ended = true;

    RecordedConnections(Target target, Capture capture, RecordedSchedule schedule) {
        this.target = target;
        this.capture = capture;
        this.schedule = schedule;
        phase = target.phase();
        opaque = capture.opaque();
        agenda = new RecordedAgenda(capture, schedule, phase);
        current = new RecordedConnection[capture.connectionCount()];
    }

    @Override
    public void startPhase() {
        ended = false;
        waiting = 0;
        resuming = false;
        agenda.startPhase();
        openEarly();
    }

    /** Opens those that were open before the first request, before the clock starts. */
    void openEarly() {
        while (agenda.openNs() <= 0 && connecting < CONNECTING_AT_ONCE && target.mayConnect()) {
            open();
        }
    }

    @Override
    public boolean isReady() {
        return connecting == 0 && agenda.openNs() > 0 || !target.mayConnect();
    }

    private void open() {
        RecordedConnection opening = new RecordedConnection(this, target, capture, agenda.open(), agenda.openPass());
        current[agenda.open()] = opening;
        live.add(opening);
        opening.connect();
        agenda.nextOpen();
    }

    // ---- what is due ----------------------------------------------------------------------------------------------

    @Override
    public long poll(long nowNs) {
        if (ended) {
            return NEVER;
        }
        if (resuming) {
            resuming = false;
            sendLeftOver();
        }
        long phaseNs = nowNs - phase.originNs();
        ends.endDue(phaseNs);
        boolean isPiece = agenda.isPieceNext();
        if (!isPiece && !agenda.hasRequest()) {
            long wakeNs = ends.nextNs();
            return wakeNs == NEVER ? NEVER : wakeNs - phaseNs;
        }
        long dueNs = isPiece ? agenda.pieceNs() : agenda.requestNs();
        boolean opens = agenda.openNs() <= dueNs;
        if (opens) {
            dueNs = agenda.openNs();
        }
        if (dueNs > phaseNs) {
            return Math.min(dueNs, ends.nextNs()) - phaseNs;
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
        return agenda.hasRequest() || agenda.hasPiece();
    }

    @Override
    public boolean awaitsOnlyEnds() {
        return !hasMore() && waiting == 0 && target.meter().inFlight() == 0;
    }

    private void dispatch(long nowNs) {
        long n = agenda.request();
        long dueNs = agenda.requestNs();
        long request = agenda.recordedRequest();
        int recorded = capture.connection(request);
        RecordedConnection connection = current[recorded];
        agenda.nextRequest();
        if (connection.due(n, request, nowNs)) {
            // What was pipelined and came at one time goes out in one piece.
            while (agenda.requestNs() == dueNs
                    && isNextPipelinedOn(recorded)
                    && connection.duePipelined(agenda.request())) {
                agenda.nextRequest();
            }
            connection.flush();
        }
    }

    private boolean isNextPipelinedOn(int recorded) {
        if (!agenda.hasRequest() || agenda.isPieceNext()) {
            return false;
        }
        long request = agenda.recordedRequest();
        return capture.connection(request) == recorded && capture.isPipelined(request);
    }

    private void dispatchPiece(long nowNs) {
        long piece = agenda.piece();
        RecordedConnection connection = current[opaque.connection(piece)];
        agenda.nextPiece();
        connection.duePiece(piece, nowNs);
    }

    @Override
    public long overdue(long nowNs) {
        return waiting + (ends.lingersBefore(phase.roundPlannedNs()) ? 1 : 0);
    }

    /** Not at once: the round starts later, and its times count from there. */
    @Override
    public void resume() {
        resuming = waiting > 0;
    }

    /** Whether a round has begun that has not started: what was left over waits for its start. */
    boolean isResuming() {
        return resuming;
    }

    private void sendLeftOver() {
        for (RecordedConnection connection : live.toArray(new RecordedConnection[0])) {
            connection.resume();
        }
    }

    // ---- told and asked by the connections ------------------------------------------------------------------------

    /** When the n-th request of the phase was intended, on the monotonic clock. */
    long requestNs(long n) {
        return phase.dueNs(schedule.intendedNs(n));
    }

    /** When a piece of a pass was intended, on the monotonic clock. */
    long pieceNs(long pass, long piece) {
        return phase.dueNs(agenda.pieceNs(pass, piece));
    }

    /** Returns a recorded time in a pass on the phase's clock. */
    long phaseNs(long pass, long recordedNs) {
        return schedule.passStartNs(pass) + schedule.scaled(recordedNs);
    }

    /** Counts a piece that was due and could not be sent. */
    void unsent(long piece) {
        LoadCounts counts = target.meter().counts();
        counts.opaqueBytesUnsent += opaque.length(piece);
        if (isHopeless(capture.protocol(opaque.connection(piece)))) {
            counts.hopelessBytesUnsent += opaque.length(piece);
        }
    }

    /**
     * Whether no target need take the bytes outside requests of a protocol: those of TLS, and what is no whole request
     * where requests are told apart.
     */
    private static boolean isHopeless(Protocol protocol) {
        return protocol == Protocol.TLS
                || protocol == Protocol.HTTP1
                || protocol.isThrift() && protocol != Protocol.THRIFT_ZLIB;
    }

    /** Adds to the requests and pieces that wait. */
    void waits(int more) {
        waiting += more;
    }

    void connecting() {
        connecting++;
    }

    /** An attempt to connect has ended. */
    void connectEnded() {
        connecting--;
    }

    /** All of a connection was sent and answered, or failed. */
    void done(RecordedConnection connection) {
        live.remove(connection);
    }

    // ---- ends -----------------------------------------------------------------------------------------------------

    @Override
    public void endPhase() {
        ended = true;
        target.unsent(agenda.request(), agenda.requestsLeft(), false);
        live.forEach(RecordedConnection::leaveWaiting);
        if (agenda.sendsOpaque()) {
            agenda.passPieces(this::unsent);
        }
        ends.endAll();
        live.forEach(RecordedConnection::endPhase);
        live.clear();
        Arrays.fill(current, null);
        waiting = 0;
    }

    @Override
    public void shutDown() {
        endPhase();
    }
}
