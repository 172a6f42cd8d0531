package dev.lockstep.replayer.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.lockstep.replayer.schedule.ArrivalSchedule;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Collections;
import org.junit.jupiter.api.Test;

final class PhaseTest {
    private static final long MS = 1_000_000;
    private static final long SECOND = 1000 * MS;
    private static final long LEAD_NS = 5 * MS;
    private static final long FREEZE_NS = 3 * MS;
    private static final long FROZEN_NS = 2100 * MS;

    /** Tells until when a target stalls that has run for so long; that time itself where it does not. */
    private interface Stalls {
        long endNs(long ranNs);
    }

    @Test
    void laysTheTimesOfWhatIsLeftOverBackByHowLongTheTargetRan() {
        Phase phase = new Phase();
        phase.begin(ArrivalSchedule.constant(1000), 6000, Long.MAX_VALUE, false, 20 * SECOND);
        phase.startRound(0, 3, 100 * SECOND);
        assertEquals(101_500 * MS, phase.dueNs(1500 * MS));
        // The last answer comes 700 ms after the end of its schedule; then the target is frozen, for 8 s.
        phase.stopClock(100 * SECOND);
        long firstEndNs = 100 * SECOND + phase.roundEndNs();
        phase.endRound(firstEndNs + 700 * MS);
        long secondNs = firstEndNs + 8700 * MS;
        phase.startRound(1, 3, secondNs);

        assertEquals(secondNs, phase.dueNs(phase.roundFromNs()));
        assertEquals(secondNs + 5, phase.dueNs(phase.roundFromNs() + 5));
        assertEquals(secondNs - 1 - 700 * MS, phase.dueNs(phase.roundFromNs() - 1));

        // What is left over twice waited through both times.
        phase.stopClock(secondNs);
        long secondEndNs = phase.originNs() + phase.roundEndNs();
        phase.endRound(secondEndNs + 400 * MS);
        long fromSecondNs = phase.roundFromNs() + 7;
        long fromFirstNs = phase.roundFromNs() - 7;
        long thirdNs = secondEndNs + 9 * SECOND;
        phase.startRound(2, 3, thirdNs);
        assertEquals(thirdNs - (phase.roundFromNs() - fromSecondNs) - 400 * MS, phase.dueNs(fromSecondNs));
        assertEquals(thirdNs - (phase.roundFromNs() - fromFirstNs) - 700 * MS - 400 * MS, phase.dueNs(fromFirstNs));
    }

    @Test
    void beginsAnewWithEachPhase() {
        Phase phase = new Phase();
        for (int launch = 0; launch < 2; launch++) {
            phase.begin(ArrivalSchedule.constant(1000), 40_000, Long.MAX_VALUE, false, 20 * SECOND);
            // More rounds than there is room for at first.
            for (int round = 0; round < 40; round++) {
                long startNs = round * 10 * SECOND;
                phase.startRound(round, 40, startNs);
                if (round > 0) {
                    assertEquals(startNs - 1 - 100 * MS, phase.dueNs(phase.roundFromNs() - 1));
                }
                phase.stopClock(startNs);
                phase.endRound(phase.originNs() + phase.roundEndNs() + 100 * MS);
            }
            assertEquals(390 * SECOND - phase.roundFromNs() - 39 * 100 * MS, phase.dueNs(0));
        }
    }

    @Test
    void runsOnWhereRequestsWaitAndSharesTheRestAmongTheRoundsLeft() {
        Phase phase = new Phase();
        phase.begin(ArrivalSchedule.constant(1000), Long.MAX_VALUE, 9 * SECOND, false, 20 * SECOND);
        phase.startRound(0, 3, 0);
        assertEquals(3 * SECOND, phase.roundPlannedNs());
        assertEquals(4 * SECOND, phase.roundEndNs());
        assertEquals(-500 * MS, phase.roundLeftNs(3500 * MS));
        assertEquals(500 * MS, phase.overtimeLeftNs(3500 * MS));
        assertTrue(phase.runsOn());
        phase.stopClock(3600 * MS);
        assertEquals(3600 * MS, phase.roundEndNs());
        phase.endRound(3601 * MS);

        phase.startRound(1, 3, 100 * SECOND);
        assertEquals(6300 * MS, phase.roundPlannedNs());
        phase.stopClock(120 * SECOND);
        assertEquals(7300 * MS, phase.roundEndNs());
        phase.endRound(103_700 * MS);

        phase.startRound(2, 3, 200 * SECOND);
        assertEquals(9 * SECOND, phase.roundEndNs());
        assertEquals(false, phase.runsOn());
        assertEquals(1000 * MS, phase.overtimeLeftNs(201_700 * MS));
    }

    @Test
    void owesNothingForTheTimeInWhichItAwaitedAnswersWhenItIsCut() {
        Phase phase = new Phase();
        phase.begin(ArrivalSchedule.constant(1000), Long.MAX_VALUE, 9 * SECOND, false, 20 * SECOND);
        phase.startRound(0, 3, 100 * SECOND);
        phase.stopClock(103 * SECOND);
        phase.drain(103 * SECOND, 20 * SECOND);
        phase.cut(108 * SECOND);

        assertEquals(3000, phase.requestsScheduled());
    }

    @Test
    void owesWhatFellDueUntilItIsCut() {
        Phase phase = new Phase();
        phase.begin(ArrivalSchedule.constant(1000), Long.MAX_VALUE, 9 * SECOND, false, 20 * SECOND);
        phase.startRound(0, 3, 100 * SECOND);
        phase.cut(102 * SECOND);

        assertEquals(2000, phase.requestsScheduled());
    }

    @Test
    void hasNoOvertimeInAClosedLoop() {
        Phase phase = new Phase();
        phase.begin(null, Long.MAX_VALUE, 8 * SECOND, false, 20 * SECOND);
        phase.startRound(0, 2, 0);
        assertEquals(4 * SECOND, phase.roundEndNs());
        assertEquals(false, phase.runsOn());
        phase.endRound(5 * SECOND);
        phase.startRound(1, 2, 10 * SECOND);
        assertEquals(8 * SECOND, phase.roundEndNs());
    }

    @Test
    void seesSingleStallsAsTheyAreWithoutTurns() {
        // By how long the target has run: some within turns, most across their ends, one longer than overtime is at
        // most, one longer than a turn.
        long[][] stalls = {
            {1800, 2000},
            {3500, 5500},
            {8000, 8050},
            {9990, 10_490},
            {14_000, 17_200},
            {21_000, 21_200},
            {27_900, 30_100}
        };
        Stalls single = ranNs -> {
            for (long[] stall : stalls) {
                if (ranNs >= stall[0] * MS && ranNs < stall[1] * MS) {
                    return stall[1] * MS;
                }
            }
            return ranNs;
        };
        for (int rounds : new int[] {1, 2, 15, 30, 300}) {
            long[] dueNs = new long[30_000];
            long[] seen = replay(single, dueNs, rounds, 50);
            long[] truth = Arrays.stream(dueNs)
                    .map(ranNs -> single.endNs(ranNs) - ranNs)
                    .sorted()
                    .toArray();
            for (double percentile : new double[] {50, 75, 90, 95, 99, 99.9, 100}) {
                assertNear(at(truth, percentile), at(seen, percentile), MS, rounds + " rounds, p" + percentile);
            }
        }
    }

    @Test
    void seesARegularStallInTurnsAsTogether() {
        long[][] stalls = {{200, 2000}, {50, 1000}, {500, 5000}};
        for (long[] stall : stalls) {
            long lengthMs = stall[0];
            long periodNs = stall[1] * MS;
            Stalls regular = ranNs -> {
                // So late in a period that the seconds which turns take longer hold no stall more.
                long startNs = ranNs / periodNs * periodNs + 3100 * MS % periodNs;
                return ranNs >= startNs && ranNs < startNs + lengthMs * MS ? startNs + lengthMs * MS : ranNs;
            };
            for (int rounds : new int[] {1, 300, 420}) {
                long[] seen = replay(regular, new long[600_000], rounds, 100);
                String which = lengthMs + " ms in " + stall[1] + " ms, " + rounds + " rounds, p";
                for (double percentile : new double[] {50, 95, 99, 99.9}) {
                    double truthNs = Math.max(0, lengthMs * MS - (1 - percentile / 100) * periodNs);
                    boolean edge = truthNs == 0 && percentile == 95;
                    assertNear(truthNs, at(seen, percentile), edge ? 5 * MS : MS, which + percentile);
                }
                assertNear(0, at(seen, 90), 5 * MS, which + "90");
            }
        }
    }

    private static void assertNear(double truthNs, long seenNs, long withinNs, String what) {
        assertTrue(
                Math.abs(seenNs - truthNs) <= Math.max(withinNs, truthNs / 100) + 1,
                what + ": " + seenNs + " ns, truth " + truthNs);
    }

    private static long at(long[] sorted, double percentile) {
        return sorted[(int) Math.ceil(percentile / 100 * sorted.length) - 1];
    }

    /**
     * Replays 1,000 requests/s to a target that answers at once unless it stalls, and that stands still between rounds:
     * what {@link ReplayWorker} and {@link ConnectionPool} do, step by step.
     *
     * @param dueRanNs is filled: how long the target had run when each request was due
     * @return the response times, sorted
     */
    private static long[] replay(Stalls stalls, long[] dueRanNs, int rounds, int connections) {
        Phase phase = new Phase();
        int requests = dueRanNs.length;
        phase.begin(ArrivalSchedule.constant(1000), Long.MAX_VALUE, requests * MS, false, 20 * SECOND);
        long[] waits = new long[requests];
        int next = 0;
        long frozenNs = 500 * SECOND;
        long ranByEndNs = 0;
        for (int round = 0; round < rounds; round++) {
            long startNs = frozenNs + LEAD_NS;
            phase.startRound(round, rounds, startNs);
            // What to add to the time by the clock to get how long the target has run.
            long ranNs = ranByEndNs - frozenNs;
            long plannedNs = phase.originNs() + phase.roundPlannedNs();
            long untilNs = round == rounds - 1 ? Long.MAX_VALUE : plannedNs + phase.overtimeLeftNs(plannedNs);
            ArrayDeque<Long> free = new ArrayDeque<>(Collections.nCopies(connections, startNs));
            long sentNs = startNs;
            long lastNs = startNs;
            // When all is answered that was sent by the planned end.
            long answeredNs = plannedNs;
            while (next * MS < phase.roundEndNs()) {
                long dueNs = phase.dueNs(next * MS);
                dueRanNs[next] = dueRanNs[next] == 0 ? dueNs + ranNs : dueRanNs[next];
                long caughtUpNs = Math.max(sentNs, answeredNs);
                if (dueNs > caughtUpNs && dueNs > plannedNs && round < rounds - 1) {
                    phase.stopClock(caughtUpNs);
                    // It falls due in the next round.
                    dueRanNs[next] = 0;
                    continue;
                }
                sentNs = Math.max(Math.max(dueNs, free.remove()), startNs);
                if (sentNs > untilNs) {
                    break;
                }
                long answerNs = stalls.endNs(sentNs + ranNs) - ranNs;
                free.add(answerNs);
                lastNs = Math.max(lastNs, answerNs);
                answeredNs = sentNs <= plannedNs ? Math.max(answeredNs, answerNs) : answeredNs;
                waits[next++] = answerNs - dueNs;
            }
            // What is left over was due all the same.
            for (int n = next; n * MS < phase.roundEndNs(); n++) {
                dueRanNs[n] = dueRanNs[n] == 0 ? phase.dueNs(n * MS) + ranNs : dueRanNs[n];
            }
            long endNs = Math.max(lastNs, phase.originNs() + phase.roundEndNs());
            phase.endRound(endNs);
            ranByEndNs = endNs + FREEZE_NS + ranNs;
            frozenNs = endNs + FREEZE_NS + FROZEN_NS;
        }
        assertEquals(requests, next);
        Arrays.sort(waits);
        return waits;
    }
}
