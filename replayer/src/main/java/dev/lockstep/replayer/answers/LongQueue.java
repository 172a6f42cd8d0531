package dev.lockstep.replayer.answers;

/** A first-in first-out queue of longs that grows as needed. Not thread-safe; allocates only to grow. */
public final class LongQueue {
    private long[] ring;
    private int head;
    private int size;

    public LongQueue(int capacity) {
        ring = new long[Integer.highestOneBit(Math.max(2, capacity - 1)) << 1];
    }

    public int size() {
        return size;
    }

    public boolean isEmpty() {
        return size == 0;
    }

    public void add(long value) {
        if (size == ring.length) {
            long[] larger = new long[ring.length * 2];
            for (int i = 0; i < size; i++) {
                larger[i] = get(i);
            }
            ring = larger;
            head = 0;
        }
        ring[head + size & ring.length - 1] = value;
        size++;
    }

    /** The value at this place from the head, 0 to size - 1. */
    public long get(int place) {
        return ring[head + place & ring.length - 1];
    }

    public long remove() {
        long value = ring[head];
        head = head + 1 & ring.length - 1;
        size--;
        return value;
    }

    public void clear() {
        head = 0;
        size = 0;
    }
}
