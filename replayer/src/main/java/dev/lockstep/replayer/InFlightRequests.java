package dev.lockstep.replayer;

/**
 * The requests in flight on one connection, oldest first: a ring of records of four longs each, which grows as needed.
 * Not thread-safe; runs per request on the event loop and allocates only to grow.
 */
final class InFlightRequests {
    private static final int LONGS = 4;
    private static final int INTENDED = 1;
    private static final int WRITTEN = 2;
    private static final int FLAGS = 3;
    private static final int FIRST_CAPACITY = 2;

    private long[] ring = new long[FIRST_CAPACITY * LONGS];
    /** Where the oldest record begins. */
    private int head;

    private int size;

    int size() {
        return size;
    }

    boolean isEmpty() {
        return size == 0;
    }

    /** Adds a request that is not written yet. */
    void add(long number, long intendedNs, long flags) {
        if (size * LONGS == ring.length) {
            grow();
        }
        int at = at(size++);
        ring[at] = number;
        ring[at + INTENDED] = intendedNs;
        ring[at + WRITTEN] = 0;
        ring[at + FLAGS] = flags;
    }

    private void grow() {
        long[] larger = new long[ring.length * 2];
        System.arraycopy(ring, head, larger, 0, ring.length - head);
        System.arraycopy(ring, 0, larger, ring.length - head, head);
        ring = larger;
        head = 0;
    }

    private int at(int place) {
        return head + place * LONGS & ring.length - 1;
    }

    /** Returns the number in the phase of the request at this place from the oldest, 0 to size - 1. */
    long number(int place) {
        return ring[at(place)];
    }

    long intendedNs(int place) {
        return ring[at(place) + INTENDED];
    }

    void intendedNs(int place, long intendedNs) {
        ring[at(place) + INTENDED] = intendedNs;
    }

    long writtenNs(int place) {
        return ring[at(place) + WRITTEN];
    }

    void writtenNs(int place, long writtenNs) {
        ring[at(place) + WRITTEN] = writtenNs;
    }

    long flags(int place) {
        return ring[at(place) + FLAGS];
    }

    void flags(int place, long flags) {
        ring[at(place) + FLAGS] = flags;
    }

    void removeOldest() {
        head = at(1);
        size--;
    }

    void clear() {
        head = 0;
        size = 0;
    }
}
