package dev.lockstep.replayer.engine;

import dev.lockstep.measurement.ErrorKind;
import java.util.Comparator;
import java.util.PriorityQueue;

/**
 * Ends connections with nothing left to send or to be answered at their recorded times; on the phase's clock. Event
 * loop only.
 *
 * <p>A connection with requests alone is closed. One with bytes outside requests may still be answered: it is ended
 * with a FIN and read until the target ends it too, or for a second. A socket closed with bytes unread resets, and the
 * target may lose ours.
 */
final class RecordedEnds {
    /** How long a target may take to end a connection that we ended. */
    private static final long LINGER_NS = 1_000_000_000;

    private static final long LOOK_AGAIN_NS = 1_000_000;
    private static final long NEVER = Long.MAX_VALUE;

    private final PriorityQueue<RecordedConnection> closing =
            new PriorityQueue<>(Comparator.comparingLong(RecordedConnection::endNs));
    /** Those with bytes outside requests; the run waits for them, since answers may still come. */
    private final PriorityQueue<RecordedConnection> lingering =
            new PriorityQueue<>(Comparator.comparingLong(RecordedConnection::endNs));

    void add(RecordedConnection done) {
        (done.isOpaque() ? lingering : closing).add(done);
    }

    /** A connection is closed, and no longer waits for the target's end. */
    void closed(RecordedConnection connection) {
        lingering.remove(connection);
    }

    /** When the next connection is to be ended. */
    long nextNs() {
        long closeNs = closing.isEmpty() ? NEVER : closing.peek().endNs();
        long lingerNs = lingering.isEmpty() ? NEVER : lingering.peek().endNs();
        return Math.min(closeNs, lingerNs);
    }

    /** Tells whether the round waits for answers on a connection that is to be ended before this time. */
    boolean lingersBefore(long phaseNs) {
        return !lingering.isEmpty() && lingering.peek().endNs() < phaseNs;
    }

    void endDue(long phaseNs) {
        while (!closing.isEmpty() && closing.peek().endNs() <= phaseNs) {
            closing.remove().close(ErrorKind.PREMATURE_CLOSE);
        }
        while (!lingering.isEmpty() && lingering.peek().endNs() <= phaseNs) {
            RecordedConnection connection = lingering.remove();
            if (connection.inFlight() > 0) {
                // Requests within the stream await their answers.
                connection.endAt(phaseNs + LOOK_AGAIN_NS);
                lingering.add(connection);
            } else if (connection.hasEndedOutput()) {
                connection.close(ErrorKind.PREMATURE_CLOSE);
            } else {
                connection.endAt(Math.max(connection.recordedCloseNs(), phaseNs) + LINGER_NS);
                lingering.add(connection);
                connection.endOutput();
            }
        }
    }

    /** Ends all of them at the end of a phase, in the order of their times. */
    void endAll() {
        while (!closing.isEmpty() || !lingering.isEmpty()) {
            boolean closes = lingering.isEmpty()
                    || !closing.isEmpty()
                            && closing.peek().endNs() <= lingering.peek().endNs();
            (closes ? closing : lingering).remove().endPhase();
        }
    }
}
