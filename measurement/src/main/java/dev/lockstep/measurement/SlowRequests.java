package dev.lockstep.measurement;

import java.util.Arrays;

/**
 * When the slowest requests of one target began and ended, since the last {@link #reset}: all those whose response time
 * is above a threshold, which rises where there are more of them than there is room for.
 *
 * <p>Not thread-safe: one is filled per request on the event loop, by {@link LatencyRecorder}, and read elsewhere once
 * it was taken. Allocates nothing after it was made. Making room costs about a microsecond for every thousand requests
 * kept, and each time halves what is kept.
 */
public final class SlowRequests {
    private static final int ROOM = 4096;
    /** Of so many the median is taken for that of all; odd. */
    private static final int SAMPLE = 63;

    private final long[] intendedNs = new long[ROOM];
    private final long[] lastByteNs = new long[ROOM];
    private final long[] sample = new long[SAMPLE];
    private int size;
    private long aboveNs;

    /** Empties it; from then on it keeps requests with a response time above this. */
    public void reset(long aboveNs) {
        size = 0;
        this.aboveNs = aboveNs;
    }

    /** Returns the response time above which all requests are here. */
    public long aboveNs() {
        return aboveNs;
    }

    public int size() {
        return size;
    }

    /** Returns when the i-th was to be sent, on the monotonic clock. */
    public long intendedNs(int i) {
        return intendedNs[i];
    }

    /** Returns when the last byte of its answer was read, on the monotonic clock. */
    public long lastByteNs(int i) {
        return lastByteNs[i];
    }

    /** Keeps a request whose response time is above {@link #aboveNs()}. */
    public void add(long requestIntendedNs, long requestLastByteNs) {
        if (size == ROOM) {
            makeRoom();
            if (requestLastByteNs - requestIntendedNs <= aboveNs) {
                return;
            }
        }
        intendedNs[size] = requestIntendedNs;
        lastByteNs[size] = requestLastByteNs;
        size++;
    }

    /** Raises the threshold to about the median, and drops what is not above it. */
    private void makeRoom() {
        for (int i = 0; i < SAMPLE; i++) {
            int at = i * (ROOM / SAMPLE);
            sample[i] = lastByteNs[at] - intendedNs[at];
        }
        Arrays.sort(sample);
        aboveNs = sample[SAMPLE / 2];
        int kept = 0;
        for (int i = 0; i < size; i++) {
            if (lastByteNs[i] - intendedNs[i] > aboveNs) {
                intendedNs[kept] = intendedNs[i];
                lastByteNs[kept] = lastByteNs[i];
                kept++;
            }
        }
        size = kept;
    }

    /** Makes this one equal to the other. */
    public void set(SlowRequests other) {
        size = other.size;
        aboveNs = other.aboveNs;
        System.arraycopy(other.intendedNs, 0, intendedNs, 0, size);
        System.arraycopy(other.lastByteNs, 0, lastByteNs, 0, size);
    }
}
