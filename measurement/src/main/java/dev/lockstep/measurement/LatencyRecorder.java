package dev.lockstep.measurement;

import org.HdrHistogram.Histogram;

/**
 * The three times of every request of one target, in nanoseconds, three significant digits, since they were last taken;
 * and when the slowest of them were under way.
 *
 * <p>Belongs to one thread, the event loop that owns the target's connections; runs per request on the event loop and
 * allocates nothing after the first values. {@link #take} only exchanges references, so it may run there too: whoever
 * gets the full histograms reads and empties them elsewhere.
 *
 * <p>There is no upper clamp: the histograms resize, so that an answer after an hour counts as an hour.
 */
public final class LatencyRecorder {
    public static final int SIGNIFICANT_DIGITS = 3;

    /** A histogram that has room up to here takes 220 KB, and allocates nothing while a run goes on. */
    private static final long ROOM_NS = 60_000_000_000L;

    private Histogram responseTime = newHistogram();
    private Histogram serviceTime = newHistogram();
    private Histogram generatorLag = newHistogram();
    private SlowRequests slowest = new SlowRequests();

    /** Returns an empty histogram for times in ns, with room for a minute; it grows where one is longer. */
    public static Histogram newHistogram() {
        return newHistogram(SIGNIFICANT_DIGITS);
    }

    static Histogram newHistogram(int significantDigits) {
        Histogram histogram = new Histogram(ROOM_NS, significantDigits);
        histogram.setAutoResize(true);
        return histogram;
    }

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
        long responseNs = Math.max(0, lastByteNs - intendedNs);
        responseTime.recordValue(responseNs);
        if (responseNs > slowest.aboveNs()) {
            slowest.add(intendedNs, lastByteNs);
        }
        serviceTime.recordValue(Math.max(0, lastByteNs - writtenNs));
    }

    /**
     * Hands over what was recorded since the last call, and records into the interval's histograms from then on, which
     * are empty.
     */
    public void take(Interval empty) {
        responseTime = empty.exchangeResponseTime(responseTime);
        serviceTime = empty.exchangeServiceTime(serviceTime);
        generatorLag = empty.exchangeGeneratorLag(generatorLag);
        slowest = empty.exchangeSlowest(slowest);
    }
}
