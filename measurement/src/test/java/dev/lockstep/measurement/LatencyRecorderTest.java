package dev.lockstep.measurement;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;

class LatencyRecorderTest {
    private final LatencyRecorder recorder = new LatencyRecorder();

    @Test
    void tellsResponseTimeServiceTimeAndLagApart() {
        recorder.sent(1_000_000, 3_000_000);
        recorder.answered(1_000_000, 3_000_000, 8_000_000);

        assertHolds(recorder.takeResponseTime(), 7_000_000);
        assertHolds(recorder.takeServiceTime(), 5_000_000);
        assertHolds(recorder.takeGeneratorLag(), 2_000_000);
    }

    @Test
    void takesEveryValueOnce() {
        recorder.sent(0, 1);
        recorder.answered(0, 1, 2);
        recorder.takeResponseTime();
        recorder.takeServiceTime();
        recorder.takeGeneratorLag();

        assertEquals(0, recorder.takeResponseTime().getTotalCount());
        assertEquals(0, recorder.takeServiceTime().getTotalCount());
        assertEquals(0, recorder.takeGeneratorLag().getTotalCount());
    }

    @Test
    void countsASendBeforeItsTimeAsNoLag() {
        recorder.sent(5_000, 4_000);
        recorder.answered(5_000, 4_000, 4_500);
        assertHolds(recorder.takeGeneratorLag(), 0);
        assertHolds(recorder.takeResponseTime(), 0);
        assertHolds(recorder.takeServiceTime(), 500);
    }

    @Test
    void keepsAnAnswerAfterHoursAsLongAsItWas() {
        long hoursNs = TimeUnit.HOURS.toNanos(5);
        recorder.answered(0, 0, hoursNs);
        assertHolds(recorder.takeResponseTime(), hoursNs);
    }

    private static void assertHolds(Histogram histogram, long value) {
        assertEquals(1, histogram.getTotalCount());
        assertEquals(1, histogram.getCountAtValue(value), "expected the value " + value);
    }
}
