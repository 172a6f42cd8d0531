package dev.lockstep.capture.segments;

import java.util.Arrays;

/** The blocks since the last index block, as a reader met them. For one thread. */
final class BlockList {
    /** Writers write an index every 4,096 blocks; a file that has so many more without one is not worth the memory. */
    private static final int MAX_BLOCKS = 1 << 20;

    private static final int FIELDS = 4;

    private long[] fields = new long[64 * FIELDS];
    private int size;

    /** Adds a block; more than a million are forgotten. */
    void add(long offset, long baseNs, long firstRecord) {
        if (size < MAX_BLOCKS) {
            if ((size + 1) * FIELDS > fields.length) {
                fields = Arrays.copyOf(fields, 2 * fields.length);
            }
            int at = size * FIELDS;
            fields[at] = offset;
            fields[at + 1] = baseNs;
            fields[at + 2] = firstRecord;
            fields[at + 3] = 0;
        }
        size++;
    }

    /** Notes the lowest and the highest connection of the block that was added last. */
    void connections(int low, int high) {
        if (size <= MAX_BLOCKS) {
            fields[(size - 1) * FIELDS + 3] = high & 0xFFFFFFFFL | (long) low << 32;
        }
    }

    int size() {
        return size;
    }

    /** Whether a block is still known. */
    boolean knows(int block) {
        return block < size && block < MAX_BLOCKS;
    }

    long offset(int block) {
        return fields[block * FIELDS];
    }

    long baseNs(int block) {
        return fields[block * FIELDS + 1];
    }

    long firstRecord(int block) {
        return fields[block * FIELDS + 2];
    }

    int lowConnection(int block) {
        return (int) (fields[block * FIELDS + 3] >>> 32);
    }

    int highConnection(int block) {
        return (int) fields[block * FIELDS + 3];
    }

    void clear() {
        size = 0;
    }
}
