package dev.lockstep.replayer.engine;

import dev.lockstep.capture.Capture;
import dev.lockstep.capture.OpaquePieces;
import dev.lockstep.replayer.schedule.RecordedSchedule;
import java.util.Arrays;
import java.util.function.LongConsumer;

/**
 * Goes through what is recorded, pass after pass, in the order of its times: connections to open, requests, and pieces
 * of bytes outside requests. All times are on the phase's clock. Runs per request on the event loop.
 */
final class RecordedAgenda {
    private static final long NEVER = Long.MAX_VALUE;

    private final Capture capture;
    private final OpaquePieces opaque;
    private final RecordedSchedule schedule;
    private final Phase phase;
    private final long requests;
    private final boolean sendsOpaque;
    /** By connection, the pass in which a request was due last, and how many were in it; null without pieces. */
    private final long[] duePass;

    private final int[] dueInPass;

    private long openPass;
    private int open;
    private long openNs;

    private long request;
    private long requestNs;

    private long piecePass;
    private long piece;
    private long pieceNs;

    RecordedAgenda(Capture capture, RecordedSchedule schedule, Phase phase) {
        this.capture = capture;
        this.schedule = schedule;
        this.phase = phase;
        opaque = capture.opaque();
        requests = capture.requestCount();
        sendsOpaque = ConnectionDemand.sendsOpaque(capture);
        duePass = new long[sendsOpaque ? capture.connectionCount() : 0];
        dueInPass = new int[duePass.length];
    }

    void startPhase() {
        request = 0;
        requestNs = requests == 0 ? NEVER : schedule.intendedNs(0);
        piecePass = 0;
        piece = -1;
        pieceNs = NEVER;
        if (sendsOpaque) {
            Arrays.fill(duePass, -1);
            nextPiece();
        }
        openPass = 0;
        open = -1;
        nextOpen();
    }

    // ---- connections ------------------------------------------------------------------------------------------------

    /** The recorded connection that opens next, in the pass {@link #openPass} and at {@link #openNs}. */
    int open() {
        return open;
    }

    long openPass() {
        return openPass;
    }

    long openNs() {
        return openNs;
    }

    void nextOpen() {
        do {
            open++;
            if (open == capture.connectionCount()) {
                open = 0;
                openPass++;
            }
        } while (!ConnectionDemand.isReplayed(capture, open));
        openNs = schedule.passStartNs(openPass) + Math.max(0, schedule.scaled(capture.openedNs(open)));
    }

    // ---- requests ---------------------------------------------------------------------------------------------------

    /** The number in the phase of the request that is due next, at {@link #requestNs}. */
    long request() {
        return request;
    }

    long requestNs() {
        return requestNs;
    }

    /** The next request's place in the capture. */
    long recordedRequest() {
        return request < requests ? request : request % requests;
    }

    /** Tells whether requests of this round are still to come. */
    boolean hasRequest() {
        return requests > 0 && request < phase.roundRequests() && requestNs < phase.roundEndNs();
    }

    void nextRequest() {
        if (sendsOpaque) {
            int connection = capture.connection(recordedRequest());
            long pass = request / requests;
            dueInPass[connection] = duePass[connection] == pass ? dueInPass[connection] + 1 : 1;
            duePass[connection] = pass;
        }
        request++;
        requestNs = schedule.intendedNs(request);
    }

    /** Returns how many requests the phase still has, after its end. */
    long requestsLeft() {
        return requests == 0 ? 0 : Math.max(0, phase.requestsScheduled() - request);
    }

    // ---- pieces -----------------------------------------------------------------------------------------------------

    boolean sendsOpaque() {
        return sendsOpaque;
    }

    /** The number of the piece that is due next, at {@link #pieceNs}. */
    long piece() {
        return piece;
    }

    long pieceNs() {
        return pieceNs;
    }

    /** When a piece of a pass is due. */
    long pieceNs(long pass, long number) {
        return schedule.passStartNs(pass) + schedule.scaled(opaque.timeNs(number));
    }

    /** Tells whether pieces of this round are still to come. */
    boolean hasPiece() {
        return pieceNs < phase.roundEndNs() && isPieceBefore(phase.roundRequests());
    }

    /** Tells whether the next piece is due before the next request. */
    boolean isPieceNext() {
        return hasPiece() && (!hasRequest() || isPieceBefore(request));
    }

    /** Tells whether the next piece was sent before the n-th request of the phase. */
    private boolean isPieceBefore(long n) {
        if (n == NEVER) {
            return true;
        }
        if (requests == 0) {
            return piecePass == 0;
        }
        long pass = n / requests;
        if (piecePass != pass) {
            return piecePass < pass;
        }
        long recorded = n % requests;
        if (n == phase.roundRequests() && recorded == 0) {
            return false;
        }
        long recordedPieceNs = opaque.timeNs(piece);
        long recordedRequestNs = capture.timeNs(recorded);
        if (recordedPieceNs != recordedRequestNs) {
            return recordedPieceNs < recordedRequestNs;
        }
        // At one instant: a piece is not ahead of its own connection's requests, and then not behind any other piece.
        int connection = opaque.connection(piece);
        int due = duePass[connection] == piecePass ? dueInPass[connection] : 0;
        return opaque.requestsBefore(piece) <= due;
    }

    void nextPiece() {
        do {
            piece++;
            if (piece == opaque.count()) {
                piece = 0;
                piecePass++;
            }
        } while (opaque.isByHole(piece) || !ConnectionDemand.sendsOpaque(capture, opaque.connection(piece)));
        pieceNs = pieceNs(piecePass, piece);
    }

    /** Goes past the pieces that are due before the phase's end; none of one without an end. */
    void passPieces(LongConsumer passed) {
        if (phase.endNs() == NEVER && phase.roundRequests() == NEVER) {
            return;
        }
        while (pieceNs < phase.endNs() && isPieceBefore(phase.roundRequests())) {
            passed.accept(piece);
            nextPiece();
        }
    }
}
