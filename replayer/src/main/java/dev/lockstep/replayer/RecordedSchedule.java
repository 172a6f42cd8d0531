package dev.lockstep.replayer;

import dev.lockstep.capture.Capture;

/**
 * The recorded times, divided by the speed, from the first request on; pass after pass. Immutable; any thread may ask.
 *
 * <p>A pass of {@code m} requests whose first and last are {@code d} apart has {@code m - 1} gaps. The seam to the next
 * pass gets the mean gap, so that a pass takes {@code d * m / (m - 1)} and the rate stays the recorded one. A capture of
 * one request, or of requests at one instant, has no gap to go by: its passes follow each other every second.
 */
final class RecordedSchedule implements ArrivalSchedule {
    private static final long NO_GAP_PERIOD_NS = 1_000_000_000;

    private final Capture capture;
    private final double speed;
    private final long requests;
    private final long originNs;
    private final long periodNs;

    RecordedSchedule(Capture capture, double speed) {
        this.capture = capture;
        this.speed = speed;
        requests = capture.requestCount();
        originNs = capture.timeNs(0);
        long durationNs = capture.timeNs(requests - 1) - originNs;
        periodNs = durationNs == 0
                ? NO_GAP_PERIOD_NS
                : Math.round(durationNs * ((double) requests / (requests - 1)) / speed);
    }

    @Override
    public long intendedNs(long n) {
        return passStartNs(n / requests) + scaled(capture.timeNs(n % requests));
    }

    /** Returns when a pass starts. */
    long passStartNs(long pass) {
        return pass * periodNs;
    }

    /** Returns when, within a pass, something recorded at this time since the capture's start is to happen. */
    long scaled(long recordedNs) {
        return Math.round((recordedNs - originNs) / speed);
    }
}
