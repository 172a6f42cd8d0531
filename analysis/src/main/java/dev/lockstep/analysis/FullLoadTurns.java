package dev.lockstep.analysis;

import dev.lockstep.measurement.Costs;
import dev.lockstep.measurement.Interval;
import java.util.ArrayList;
import java.util.List;

/** Which turns of full load count, and which of the capture's requests they got. */
final class FullLoadTurns {
    /** What stood under a slower load is slower for a moment: so much does not count. */
    private static final long SETTLING_NS = 1_000_000_000L;

    private static final int MOST_TIMES_AS_MANY = 2;

    private FullLoadTurns() {}

    /** A turn of one target, or what else is counted as one. Immutable. */
    static class Turn {
        final long lengthNs;
        final Costs costs;
        final long successful;
        /** Requests that were answered or failed. */
        final long all;

        Turn(Interval interval) {
            lengthNs = interval.endNs - interval.startNs;
            costs = interval.costs;
            successful = interval.counts().successful();
            all = interval.counts().completed + interval.counts().errorsInLife();
        }

        /** Both together. */
        Turn(Turn first, Turn later) {
            lengthNs = first.lengthNs + later.lengthNs;
            costs = first.costs.plus(later.costs);
            successful = first.successful + later.successful;
            all = first.all + later.all;
        }
    }

    /** Returns how many turns do not count, since a slower load came before. */
    static int settling(List<? extends Turn> turns) {
        long settlingNs = 0;
        int settling = 0;
        while (settling < turns.size() && settlingNs < SETTLING_NS) {
            settlingNs += turns.get(settling++).lengthNs;
        }
        return settling;
    }

    static <T extends Turn> List<T> counting(List<T> turns) {
        return turns.subList(settling(turns), turns.size());
    }

    static long requests(List<? extends Turn> turns) {
        return turns.stream().mapToLong(turn -> turn.all).sum();
    }

    static long requestsWhileSettling(List<? extends Turn> turns) {
        return requests(turns.subList(0, settling(turns)));
    }

    /**
     * Whether two targets came so far that they are compared by the same requests: to cut the full load of one that is
     * more than twice as fast as short would leave too little.
     */
    static boolean areAlike(long fewer, long more) {
        return more <= MOST_TIMES_AS_MANY * fewer;
    }

    /**
     * Returns those turns that count whose middle request is one of these, by their numbers from the capture's first
     * on. Turns are not cut, so that this is as exact as half a turn.
     */
    static <T extends Turn> List<T> ofRequests(List<T> turns, long from, long to) {
        long before = requestsWhileSettling(turns);
        List<T> found = new ArrayList<>();
        for (T turn : counting(turns)) {
            long middle = before + turn.all / 2;
            if (middle >= from && middle < to) {
                found.add(turn);
            }
            before += turn.all;
        }
        return found;
    }
}
