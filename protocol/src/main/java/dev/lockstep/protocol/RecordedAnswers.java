package dev.lockstep.protocol;

import java.util.Arrays;

/**
 * How requests of one connection were answered, until that is taken: pairs of a request's number and a status. Runs per
 * answer; used by the one thread that handles the connection.
 */
final class RecordedAnswers {
    private static final int STATUS_BITS = 16;
    /** Further pairs are forgotten until these are taken, which is after each piece that was read. */
    private static final int MOST = 1 << 16;

    /** None before the first; many connections have no answer that can be read. */
    private static final long[] NONE = {};

    private long[] pairs = NONE;
    private int from;
    private int to;
    private int status;

    /** Adds an answer. */
    void add(long request, int itsStatus) {
        if (to == pairs.length) {
            if (pairs.length == MOST) {
                return;
            }
            pairs = Arrays.copyOf(pairs, Math.max(2, pairs.length * 2));
        }
        pairs[to++] = request << STATUS_BITS | itsStatus;
    }

    /** Takes the oldest answer and returns its request's number, counted from 0; -1 where there is none. */
    long take() {
        if (from == to) {
            from = 0;
            to = 0;
            return -1;
        }
        long pair = pairs[from++];
        status = (int) (pair & (1 << STATUS_BITS) - 1);
        return pair >>> STATUS_BITS;
    }

    /** The status of the answer that was taken last. */
    int status() {
        return status;
    }
}
