package dev.lockstep.measurement;

import org.HdrHistogram.Histogram;
import org.HdrHistogram.SingleWriterRecorder;

/**
 * The three times of every answered request of one target, in nanoseconds, three significant digits.
 *
 * <p>Written by one thread, the event loop that owns the target's connections; runs per request on the event loop and
 * allocates nothing after the first values. Drained by one other thread through the {@code take} methods.
 *
 * <p>There is no upper clamp: the histograms resize, so that an answer after an hour counts as an hour.
 */
public final class LatencyRecorder {
    private static final int SIGNIFICANT_DIGITS = 3;

    private final SingleWriterRecorder responseTime = new SingleWriterRecorder(SIGNIFICANT_DIGITS);
    private final SingleWriterRecorder serviceTime = new SingleWriterRecorder(SIGNIFICANT_DIGITS);
    private final SingleWriterRecorder generatorLag = new SingleWriterRecorder(SIGNIFICANT_DIGITS);
    private Histogram spentResponseTime;
    private Histogram spentServiceTime;
    private Histogram spentGeneratorLag;

    /**
     * Records how late a request was written.
     *
     * @param intendedNs when the schedule wanted the request sent
     * @param writtenNs when its last byte was handed to the socket
     */
    public void sent(long intendedNs, long writtenNs) {
        generatorLag.recordValue(Math.max(0, writtenNs - intendedNs));
    }

    /**
     * Records an answer. All three stamps are on the same monotonic clock.
     *
     * @param intendedNs when the schedule wanted the request sent
     * @param writtenNs when its last byte was handed to the socket
     * @param lastByteNs when the last byte of the answer was read
     */
    public void answered(long intendedNs, long writtenNs, long lastByteNs) {
        responseTime.recordValue(Math.max(0, lastByteNs - intendedNs));
        serviceTime.recordValue(Math.max(0, lastByteNs - writtenNs));
    }

    /** Returns last byte minus intended of the requests answered since the last call; valid until the next call. */
    public Histogram takeResponseTime() {
        return spentResponseTime = responseTime.getIntervalHistogram(spentResponseTime);
    }

    /** Returns last byte minus written of the requests answered since the last call; valid until the next call. */
    public Histogram takeServiceTime() {
        return spentServiceTime = serviceTime.getIntervalHistogram(spentServiceTime);
    }

    /** Returns written minus intended of the requests sent since the last call; valid until the next call. */
    public Histogram takeGeneratorLag() {
        return spentGeneratorLag = generatorLag.getIntervalHistogram(spentGeneratorLag);
    }
}
