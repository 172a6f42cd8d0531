package dev.lockstep.replayer.answers;

import java.util.Arrays;

/**
 * Maps tags, numbers from 0, to longs: a hash table with open addressing. Not thread-safe; runs per request on the
 * event loop and allocates only to grow.
 */
final class TagTable {
    /** Sees what is in a table, which it must not change. */
    interface Visitor {
        void visit(int tag, long value);
    }

    /** The value of a tag that is not in the table. */
    static final long NONE = Long.MIN_VALUE;

    private static final int FREE = -1;
    private static final int FIRST_CAPACITY = 8;

    private int[] tags = new int[FIRST_CAPACITY];
    private long[] values = new long[FIRST_CAPACITY];
    private int size;

    TagTable() {
        Arrays.fill(tags, FREE);
    }

    int size() {
        return size;
    }

    boolean contains(int tag) {
        return tags[place(tag)] == tag;
    }

    /** Returns the tag's value, or {@link #NONE}. */
    long get(int tag) {
        int place = place(tag);
        return tags[place] == tag ? values[place] : NONE;
    }

    void put(int tag, long value) {
        int place = place(tag);
        if (tags[place] == FREE) {
            if (size >= tags.length / 2) {
                grow();
                place = place(tag);
            }
            tags[place] = tag;
            size++;
        }
        values[place] = value;
    }

    /** Takes a tag out and returns its value, or {@link #NONE}. */
    long remove(int tag) {
        int free = place(tag);
        if (tags[free] == FREE) {
            return NONE;
        }
        long value = values[free];
        size--;
        // What stands behind and would no longer be found moves up (Knuth, TAOCP volume 3, 6.4, algorithm R).
        int mask = tags.length - 1;
        for (int place = free + 1 & mask; tags[place] != FREE; place = place + 1 & mask) {
            int home = home(tags[place]);
            if ((place - home & mask) >= (place - free & mask)) {
                tags[free] = tags[place];
                values[free] = values[place];
                free = place;
            }
        }
        tags[free] = FREE;
        return value;
    }

    void clear() {
        if (size > 0) {
            Arrays.fill(tags, FREE);
            size = 0;
        }
    }

    void forEach(Visitor visitor) {
        for (int i = 0; i < tags.length; i++) {
            if (tags[i] != FREE) {
                visitor.visit(tags[i], values[i]);
            }
        }
    }

    private void grow() {
        int[] oldTags = tags;
        long[] oldValues = values;
        tags = new int[oldTags.length * 2];
        values = new long[tags.length];
        Arrays.fill(tags, FREE);
        for (int i = 0; i < oldTags.length; i++) {
            if (oldTags[i] != FREE) {
                int place = place(oldTags[i]);
                tags[place] = oldTags[i];
                values[place] = oldValues[i];
            }
        }
    }

    /** Where the tag stands, or would stand. */
    private int place(int tag) {
        int mask = tags.length - 1;
        int place = home(tag);
        while (tags[place] != tag && tags[place] != FREE) {
            place = place + 1 & mask;
        }
        return place;
    }

    private int home(int tag) {
        return (int) (tag * 0x9E3779B97F4A7C15L >>> 40) & tags.length - 1;
    }
}
