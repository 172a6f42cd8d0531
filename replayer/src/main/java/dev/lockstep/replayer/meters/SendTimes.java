package dev.lockstep.replayer.meters;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Arrays;

/**
 * When the latest requests were sent to one target: a ring that the target's event loop writes and one other thread
 * reads. The writer runs per request on the event loop, never waits, and overwrites what was not read in time.
 *
 * <p>A slot is a pair of longs, the request's number and its time. The writer first puts the complement of the number
 * there, then the time, then the number, with fences between. The reader takes a time only where it finds the same
 * number before and behind it, as with a sequence lock; a complement tells it which request is being written.
 */
public final class SendTimes {
    /** At 10,000 requests/s a reader, or another target, may lag by 1.6 s. */
    static final int CAPACITY = 1 << 14;
    /** Not sent yet, as far as this ring knows. */
    static final long NOT_YET = Long.MIN_VALUE;
    /** Overwritten by a later request. */
    static final long OVERWRITTEN = Long.MIN_VALUE + 1;

    private static final VarHandle LONGS = MethodHandles.arrayElementVarHandle(long[].class);
    private static final VarHandle NEWEST;
    private static final long EMPTY = -1;

    static {
        try {
            NEWEST = MethodHandles.lookup().findVarHandle(SendTimes.class, "newest", long.class);
        } catch (ReflectiveOperationException e) {
            throw new AssertionError("the field is in this class", e);
        }
    }

    private final long[] slots = new long[2 * CAPACITY];
    private volatile long newest = EMPTY;
    private long newestWritten = EMPTY;

    SendTimes() {
        Arrays.fill(slots, EMPTY);
    }

    /** Notes that a request was handed to the socket; on the event loop. */
    public void sent(long n, long sentNs) {
        int slot = 2 * (int) (n & CAPACITY - 1);
        LONGS.setOpaque(slots, slot, ~n);
        VarHandle.releaseFence();
        LONGS.setOpaque(slots, slot + 1, sentNs);
        LONGS.setRelease(slots, slot, n);
        if (n > newestWritten) {
            newestWritten = n;
            NEWEST.setRelease(this, n);
        }
    }

    /** The highest number that was noted, -1 before the first; any thread. */
    long newest() {
        return newest;
    }

    /** When a request was sent, {@link #NOT_YET} or {@link #OVERWRITTEN}; the reading thread. */
    long sentNs(long n) {
        int slot = 2 * (int) (n & CAPACITY - 1);
        long before = (long) LONGS.getAcquire(slots, slot);
        if (before != n) {
            long latest = before < 0 ? ~before : before;
            return latest > n || newest >= n + CAPACITY ? OVERWRITTEN : NOT_YET;
        }
        long sentNs = (long) LONGS.getOpaque(slots, slot + 1);
        VarHandle.acquireFence();
        return (long) LONGS.getOpaque(slots, slot) == n ? sentNs : OVERWRITTEN;
    }
}
