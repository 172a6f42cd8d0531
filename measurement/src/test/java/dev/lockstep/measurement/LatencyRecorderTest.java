package dev.lockstep.measurement;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;

class LatencyRecorderTest {
    private final LatencyRecorder recorder = new LatencyRecorder();
    private final Interval interval = new Interval();

    @Test
    void tellsResponseTimeServiceTimeAndLagApart() {
        recorder.sent(1_000_000, 3_000_000);
        recorder.answered(1_000_000, 3_000_000, 8_000_000);

        recorder.take(interval);

        assertHolds(interval.responseTime(), 7_000_000);
        assertHolds(interval.serviceTime(), 5_000_000);
        assertHolds(interval.generatorLag(), 2_000_000);
    }

    @Test
    void takesEveryValueOnce() {
        recorder.sent(0, 1);
        recorder.answered(0, 1, 2);
        recorder.take(interval);
        interval.resetTimes(0);
        recorder.take(interval);

        assertTrue(interval.isEmpty());
    }

    @Test
    void recordsIntoTheHistogramsThatItWasGiven() {
        Histogram given = interval.responseTime();
        recorder.take(interval);
        recorder.answered(0, 0, 7);
        assertHolds(given, 7);
    }

    @Test
    void countsASendBeforeItsTimeAsNoLag() {
        recorder.sent(5_000, 4_000);
        recorder.answered(5_000, 4_000, 4_500);
        recorder.take(interval);
        assertHolds(interval.generatorLag(), 0);
        assertHolds(interval.responseTime(), 0);
        assertHolds(interval.serviceTime(), 500);
    }

    @Test
    void keepsAnAnswerAfterHoursAsLongAsItWas() {
        long hoursNs = TimeUnit.HOURS.toNanos(5);
        recorder.answered(0, 0, hoursNs);
        recorder.take(interval);
        assertHolds(interval.responseTime(), hoursNs);
    }

    private static void assertHolds(Histogram histogram, long value) {
        assertEquals(1, histogram.getTotalCount());
        assertEquals(1, histogram.getCountAtValue(value), "expected the value " + value);
    }
}
