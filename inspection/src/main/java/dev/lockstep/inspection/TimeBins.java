package dev.lockstep.inspection;

import java.util.Arrays;

/**
 * How often something happened, in bins of equal width from the capture's start on. There are so many at most that the
 * width doubles where time goes beyond the last. For one thread.
 */
final class TimeBins {
    private static final int MOST = 4096;

    private final long[] counts = new long[MOST];
    private long widthNs = 1_000_000;

    void add(long timeNs) {
        while (timeNs / widthNs >= MOST) {
            for (int i = 0; i < MOST / 2; i++) {
                counts[i] = counts[2 * i] + counts[2 * i + 1];
            }
            Arrays.fill(counts, MOST / 2, MOST, 0);
            widthNs *= 2;
        }
        counts[(int) (timeNs / widthNs)]++;
    }

    /** A millisecond, doubled as often as was needed. */
    long widthNs() {
        return widthNs;
    }

    /** Returns what came before a time, a multiple of the width. */
    long before(long timeNs) {
        long sum = 0;
        for (int i = 0; i < MOST && (i + 1) * widthNs <= timeNs; i++) {
            sum += counts[i];
        }
        return sum;
    }
}
