package dev.lockstep.app;

import java.util.ArrayList;
import java.util.List;

/**
 * Leaks Java heap at a known rate: a leak that a soak run must find. Used by one thread.
 *
 * <p>The rate is per minute in which the process runs. A frozen process leaks nothing and does not catch up later.
 */
final class Leak {
    static final int STEP_MS = 250;

    /** What an array takes on the heap, with its header. */
    private static final int PIECE_BYTES = 1024;

    private static final int HEADER_BYTES = 16;
    private static final double NS_PER_MINUTE = 60e9;
    /** The most that one step makes up for. */
    private static final long LONGEST_STEP_NS = 1_000_000_000;

    private final long bytesPerMinute;
    private final List<byte[]> kept = new ArrayList<>();
    private long runNs;
    private long lastNs;

    Leak(long bytesPerMinute, long nowNs) {
        this.bytesPerMinute = bytesPerMinute;
        this.lastNs = nowNs;
    }

    /** Leaks what is due; to be called every {@link #STEP_MS}. */
    void step(long nowNs) {
        runNs += Math.min(nowNs - lastNs, LONGEST_STEP_NS);
        lastNs = nowNs;
        long dueBytes = (long) (runNs / NS_PER_MINUTE * bytesPerMinute);
        while (keptBytes() + PIECE_BYTES <= dueBytes) {
            kept.add(new byte[PIECE_BYTES - HEADER_BYTES]);
        }
    }

    long keptBytes() {
        return (long) kept.size() * PIECE_BYTES;
    }
}
