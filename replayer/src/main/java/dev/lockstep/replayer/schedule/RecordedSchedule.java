package dev.lockstep.replayer.schedule;

import dev.lockstep.capture.Capture;
import dev.lockstep.capture.OpaquePieces;

/**
 * The recorded times, divided by the speed, from the first request on; pass after pass. Immutable; any thread may ask.
 *
 * <p>A pass of {@code m} requests whose first and last are {@code d} apart has {@code m - 1} gaps. The seam to the next
 * pass gets the mean gap, so that a pass takes {@code d * m / (m - 1)} and the rate stays the recorded one. A capture
 * of one request, or of requests at one instant, has no gap to go by: its passes follow each other every second.
 *
 * <p>Where the bytes outside requests are sent too, a pass begins and ends with what was sent first and last of both.
 * In a capture that has no requests, none is ever due; its passes then last as long as those bytes took, and a second.
 */
public final class RecordedSchedule implements ArrivalSchedule {
    private static final long NO_GAP_PERIOD_NS = 1_000_000_000;

    private final Capture capture;
    private final double speed;
    private final long requests;
    private final long originNs;
    private final long periodNs;

    /** The schedule of requests alone. */
    RecordedSchedule(Capture capture, double speed) {
        this(capture, speed, false);
    }

    private RecordedSchedule(Capture capture, double speed, boolean withOpaque) {
        this.capture = capture;
        this.speed = speed;
        requests = capture.requestCount();
        OpaquePieces opaque = capture.opaque();
        long firstNs = requests > 0 ? capture.timeNs(0) : Long.MAX_VALUE;
        long lastNs = requests > 0 ? capture.timeNs(requests - 1) : Long.MIN_VALUE;
        if (withOpaque && opaque.count() > 0) {
            firstNs = Math.min(firstNs, opaque.timeNs(0));
            lastNs = Math.max(lastNs, opaque.timeNs(opaque.count() - 1));
        }
        originNs = firstNs;
        long durationNs = capture.durationNs();
        // Were it 0, all connections of all passes would be opened before the first request.
        periodNs = durationNs == 0
                ? Math.round((lastNs - firstNs) / speed) + NO_GAP_PERIOD_NS
                : Math.max(1, Math.round((lastNs - firstNs + (double) durationNs / (requests - 1)) / speed));
    }

    /** The schedule of requests and of the bytes outside them. */
    public static RecordedSchedule withOpaque(Capture capture, double speed) {
        return new RecordedSchedule(capture, speed, true);
    }

    @Override
    public long intendedNs(long n) {
        return requests == 0 ? passStartNs(n + 1) : passStartNs(n / requests) + scaled(capture.timeNs(n % requests));
    }

    public long passStartNs(long pass) {
        return pass * periodNs;
    }

    /** When, within a pass, something is to happen that was recorded at this time since the capture's start. */
    public long scaled(long recordedNs) {
        return Math.round((recordedNs - originNs) / speed);
    }
}
