package dev.lockstep.monitor;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** What the lines of a log add up to. Used by one thread. A negative level is unknown. */
final class GcAccount {
    /** A moment that the log does not tell. */
    static final long NO_TIME = Long.MIN_VALUE;

    /** When more than this many wait to be taken, the oldest are dropped and counted. */
    private static final int MAX_WAITING = 100_000;

    private final Map<String, Long> cycles = new TreeMap<>();
    private final Map<String, Long> pauseNs = new TreeMap<>();
    private final Deque<GcPause> waiting = new ArrayDeque<>();
    private final Deque<Safepoint> waitingSafepoints = new ArrayDeque<>();
    private long safepointNs = -1;
    private long allocatedBytes = -1;
    private long heapUsedBytes = -1;
    private long oldUsedBytes = -1;
    private long edenUsedBytes = -1;
    private long damagedLines;
    private long lostPauses;
    private long missingCycles;
    private long gaps;
    private int processors;

    void cycle(String collector) {
        cycles.merge(collector, 1L, Long::sum);
    }

    /**
     * Adds a pause.
     *
     * @param endNs may be {@link #NO_TIME}
     * @param countedNs the part of it that is in no other pause
     */
    void pause(String collector, long endNs, long durationNs, long countedNs) {
        pauseNs.merge(collector, countedNs, GcAccount::sum);
        if (endNs == NO_TIME || endNs < Long.MIN_VALUE + durationNs) {
            lostPauses++;
            return;
        }
        if (waiting.size() == MAX_WAITING) {
            waiting.removeFirst();
            lostPauses++;
        }
        waiting.addLast(new GcPause(endNs - durationNs, endNs, collector));
    }

    /** Adds pauses of which only the sum is known. */
    void pauses(String collector, long count, long durationNs) {
        pauseNs.merge(collector, durationNs, GcAccount::sum);
        lostPauses = sum(lostPauses, count);
    }

    /**
     * Adds a time in which the application was stopped.
     *
     * @param endNs may be {@link #NO_TIME}
     * @param durationNs negative where the line is damaged
     */
    void safepoint(long endNs, long durationNs) {
        if (durationNs < 0) {
            damagedLines++;
            return;
        }
        safepointNs = sum(Math.max(0, safepointNs), durationNs);
        if (endNs == NO_TIME || endNs < Long.MIN_VALUE + durationNs) {
            return;
        }
        if (waitingSafepoints.size() == MAX_WAITING) {
            waitingSafepoints.removeFirst();
        }
        waitingSafepoints.addLast(new Safepoint(endNs - durationNs, endNs));
    }

    void allocated(long bytes) {
        allocatedBytes = sum(Math.max(0, allocatedBytes), Math.max(0, bytes));
    }

    /** Sums do not turn negative, whatever a damaged log says. */
    private static long sum(long a, long b) {
        return b > 0 && a > Long.MAX_VALUE - b ? Long.MAX_VALUE : a + b;
    }

    void heapUsed(long bytes) {
        heapUsedBytes = bytes;
    }

    void oldUsed(long bytes) {
        oldUsedBytes = bytes;
    }

    void edenUsed(long bytes) {
        edenUsedBytes = bytes;
    }

    void damaged() {
        damagedLines++;
    }

    /** Notes cycles that the log lacks; a negative count for cycles that came late. */
    void missing(long count) {
        missingCycles = Math.max(0, sum(missingCycles, count));
    }

    void gap() {
        gaps++;
    }

    void processors(int count) {
        processors = count;
    }

    /** Returns how many processors the JVM sees; 0 where the log does not tell. */
    int processors() {
        return processors;
    }

    boolean isEmpty() {
        return !knowsCollections() && safepointNs < 0;
    }

    boolean knowsCollections() {
        return !cycles.isEmpty() || !pauseNs.isEmpty();
    }

    GcTotals totals() {
        return new GcTotals(cycles, pauseNs, safepointNs, allocatedBytes, heapUsedBytes, oldUsedBytes, edenUsedBytes);
    }

    List<GcPause> takePauses() {
        List<GcPause> taken = new ArrayList<>(waiting);
        waiting.clear();
        return taken;
    }

    List<Safepoint> takeSafepoints() {
        List<Safepoint> taken = new ArrayList<>(waitingSafepoints);
        waitingSafepoints.clear();
        return taken;
    }

    long damagedLines() {
        return damagedLines;
    }

    long lostPauses() {
        return lostPauses;
    }

    long missingCycles() {
        return missingCycles;
    }

    long gaps() {
        return gaps;
    }
}
