package dev.lockstep.replayer.engine;

import dev.lockstep.replayer.schedule.ArrivalSchedule;
import java.util.Arrays;

/**
 * Where one target's phase and its round stand: which requests belong to them, and until when. Event loop only.
 *
 * <p>The schedule runs on a clock of the phase, which stands still between rounds: {@link #originNs()} is what has to
 * be added to a phase time to get the monotonic clock's, and is set anew at the start of each round.
 *
 * <p>A round goes into overtime where requests from before its end still wait then: the clock runs on and further
 * requests fall due, until all of those are answered or their time is over. Were it to stop within a stall, the rest of
 * the stall would be seen by no request, and percentiles would be too low. The next round begins where the clock
 * stopped, and the rounds left share the rest of the phase. In the last round nothing falls due in overtime.
 *
 * <p>Then the answers to what is in flight are awaited. What a round leaves over waited through that time too, so
 * {@link #dueNs} lays its due time back by it. Between rounds nothing waits: the target is frozen, or was not asked.
 */
final class Phase {
    private enum Stage {
        /** Between rounds. */
        IDLE,
        SENDING,
        /** Nothing more is sent; answers are awaited. */
        DRAINING
    }

    private static final long NEVER = Long.MAX_VALUE;
    private static final long MIN_OVERTIME_NS = 1_000_000_000;

    private Stage stage = Stage.IDLE;
    private ArrivalSchedule schedule;
    private long requests;
    private long endNs;
    private long roundEndedNs;
    private long lengthNs;
    private boolean endsWhenSent;
    private long mostOvertimeNs;

    private long originNs;
    private long roundFromNs;
    private long roundStartedNs;
    /** How much longer than the phase's clock the rounds ran that have ended. */
    private long aheadNs;
    /** By round, where it begins on the phase's clock, and {@link #aheadNs} at its start; two longs each. */
    private long[] starts = new long[16];

    private int roundsStarted;
    private long roundRequests;
    /** When it goes into overtime. */
    private long roundPlannedNs;

    private long roundEndNs;
    private boolean lastRound;
    private long drainUntilNs;

    /**
     * Begins a phase, before its first round.
     *
     * @param phaseSchedule null in a closed loop
     * @param mostRequests how many requests the phase has at most
     * @param latestEndNs when it ends at the latest, on its clock
     * @param early whether it ends before that when all its requests are sent
     * @param overtimeNs how long a round's overtime is at most, whatever its length
     */
    void begin(ArrivalSchedule phaseSchedule, long mostRequests, long latestEndNs, boolean early, long overtimeNs) {
        schedule = phaseSchedule;
        requests = mostRequests;
        endNs = latestEndNs;
        endsWhenSent = early;
        mostOvertimeNs = overtimeNs;
        lengthNs = lengthNs();
        roundEndNs = 0;
        roundRequests = 0;
        roundFromNs = 0;
        aheadNs = 0;
        roundsStarted = 0;
    }

    /** When the phase ends on its own clock, or {@link #NEVER} where only the count of a closed loop ends it. */
    private long lengthNs() {
        if (schedule == null || requests == NEVER) {
            return endNs;
        }
        return Math.min(endNs, schedule.intendedNs(Math.max(0, requests - 1)) + 1);
    }

    /**
     * Starts a round, the first or the one after that which has ended.
     *
     * @param index the round's number from 0
     * @param rounds how many rounds the phase has
     * @param startNs when the round starts, on the monotonic clock
     */
    void startRound(int index, int rounds, long startNs) {
        lastRound = index == rounds - 1;
        roundFromNs = roundEndNs == NEVER ? 0 : roundEndNs;
        roundPlannedNs = lastRound || lengthNs == NEVER
                ? endNs
                : roundFromNs + Math.max(0, lengthNs - roundFromNs) / (rounds - index);
        boolean fixed = lastRound || schedule == null || roundPlannedNs == NEVER;
        roundEndNs = fixed ? roundPlannedNs : Math.min(Math.max(lengthNs, roundFromNs), roundPlannedNs + overtimeNs());
        roundRequests = schedule == null ? part(requests, index + 1, rounds) : requests;
        originNs = startNs - roundFromNs;
        roundStartedNs = startNs;
        if (2 * roundsStarted == starts.length) {
            starts = Arrays.copyOf(starts, 2 * starts.length);
        }
        starts[2 * roundsStarted] = roundFromNs;
        starts[2 * roundsStarted + 1] = aheadNs;
        roundsStarted++;
        stage = Stage.SENDING;
    }

    private static long part(long total, int part, int parts) {
        return total == NEVER ? total : total / parts * part + total % parts * part / parts;
    }

    /** Lets the phase end now: what was to come later is not owed any more. */
    void cut(long nowNs) {
        // While answers are awaited nothing falls due.
        long reachedNs = stage == Stage.SENDING ? Math.max(0, nowNs - originNs) : roundEndNs;
        endNs = Math.min(endNs, reachedNs);
        requests = schedule == null ? Math.min(requests, roundRequests) : requests;
    }

    /** Sends no more and awaits answers for this long. */
    void drain(long nowNs, long forNs) {
        stage = Stage.DRAINING;
        drainUntilNs = forNs > NEVER / 2 ? nowNs + NEVER / 2 : nowNs + forNs;
    }

    void endRound(long nowNs) {
        stage = Stage.IDLE;
        roundEndedNs = nowNs;
        if (roundHasEnd()) {
            aheadNs += Math.max(0, nowNs - originNs - roundEndNs);
        }
    }

    /** Returns how long nothing ran before this round; for a round after another one. */
    long restedNs() {
        return Math.max(0, roundStartedNs - roundEndedNs);
    }

    /** How much longer than the phase's clock the rounds ran that have ended: how long they waited for answers. */
    long aheadNs() {
        return aheadNs;
    }

    /** Tells whether no round is under way. */
    boolean isIdle() {
        return stage == Stage.IDLE;
    }

    /** Tells whether requests may be sent now. */
    boolean isSending() {
        return stage == Stage.SENDING;
    }

    boolean isDraining() {
        return stage == Stage.DRAINING;
    }

    /** The phase's schedule, null in a closed loop. */
    ArrivalSchedule schedule() {
        return schedule;
    }

    /**
     * Returns when a request of this round or an earlier one was due, on the monotonic clock: so long ago as the rounds
     * ran since.
     *
     * @param intendedNs the request's time on the phase's clock
     */
    long dueNs(long intendedNs) {
        return intendedNs >= roundFromNs
                ? originNs + intendedNs
                : originNs + intendedNs - (aheadNs - aheadOfRound(intendedNs));
    }

    private long aheadOfRound(long intendedNs) {
        int low = 0;
        int high = roundsStarted - 1;
        while (low < high) {
            int middle = (low + high + 1) >>> 1;
            if (starts[2 * middle] <= intendedNs) {
                low = middle;
            } else {
                high = middle - 1;
            }
        }
        return starts[2 * low + 1];
    }

    /** What to add to a time of this round on the phase's clock to get the monotonic clock's. */
    long originNs() {
        return originNs;
    }

    /** When the phase ends on its clock, {@link Long#MAX_VALUE} where only the count of its requests ends it. */
    long endNs() {
        return endNs;
    }

    /** How many requests the phase's schedule holds up to the phase's end. */
    long requestsScheduled() {
        if (endNs == NEVER) {
            return requests;
        }
        return schedule == null ? 0 : schedule.countBefore(endNs, requests);
    }

    /** The number of the first request that does not belong to this round any more. */
    long roundRequests() {
        return roundRequests;
    }

    /** When the round starts on the phase's clock; what was due before is left over. */
    long roundFromNs() {
        return roundFromNs;
    }

    /** When the round goes into overtime on the phase's clock. */
    long roundPlannedNs() {
        return roundPlannedNs;
    }

    /** When the round ends on the phase's clock, at the latest; what is due from then on does not belong to it. */
    long roundEndNs() {
        return roundEndNs;
    }

    /** When the round starts or started, on the monotonic clock. */
    long roundStartedNs() {
        return roundStartedNs;
    }

    /** Tells whether a round ends as soon as all its requests are sent. */
    boolean endsWhenSent() {
        return endsWhenSent || roundEndNs == NEVER;
    }

    boolean roundHasEnd() {
        return roundEndNs != NEVER;
    }

    /** How long the round still lasts before its overtime, negative in that. */
    long roundLeftNs(long nowNs) {
        return originNs + roundPlannedNs - nowNs;
    }

    /** How long its overtime still lasts at most. */
    long overtimeLeftNs(long nowNs) {
        return roundLeftNs(nowNs) + overtimeNs();
    }

    /** Tells whether further requests fall due in its overtime. */
    boolean runsOn() {
        return schedule != null && !lastRound;
    }

    /** Stops the clock in overtime. */
    void stopClock(long nowNs) {
        roundEndNs = Math.min(roundEndNs, Math.max(roundPlannedNs, nowNs - originNs));
    }

    long drainLeftNs(long nowNs) {
        return drainUntilNs - nowNs;
    }

    /** To when a round counts as measured that was not stopped and whose last answer came then. */
    long measuredToNs(long lastAnswerNs) {
        return roundHasEnd() ? Math.max(lastAnswerNs, originNs + roundEndNs) : lastAnswerNs;
    }

    /** How long overdue requests may go out after the planned end: a tenth of the round, at least a second. */
    private long overtimeNs() {
        return Math.min(mostOvertimeNs, Math.max(MIN_OVERTIME_NS, (roundPlannedNs - roundFromNs) / 10));
    }
}
