package dev.lockstep.measurement;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Arrays;
import java.util.Random;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

class SlowRequestsTest {
    private final LatencyRecorder recorder = new LatencyRecorder();
    private final Interval interval = new Interval();

    private SlowRequests taken() {
        recorder.take(interval);
        return interval.slowest();
    }

    private static long[] responseTimesNs(SlowRequests requests) {
        return IntStream.range(0, requests.size())
                .mapToLong(i -> requests.lastByteNs(i) - requests.intendedNs(i))
                .sorted()
                .toArray();
    }

    @Test
    void keepsTheTimesOfRequestsAboveTheThreshold() {
        interval.resetTimes(100);
        recorder.take(interval);
        recorder.answered(1_000, 1_001, 1_100);
        recorder.answered(1_000, 1_001, 1_101);
        recorder.answered(5_000, 5_001, 9_000);

        SlowRequests slowest = taken();

        assertEquals(100, slowest.aboveNs());
        assertEquals(2, slowest.size());
        assertEquals(1_000, slowest.intendedNs(0));
        assertEquals(1_101, slowest.lastByteNs(0));
        assertEquals(9_000, slowest.lastByteNs(1));
    }

    @Test
    void keepsAllAboveAThresholdThatRisesWithTheirNumber() {
        long seed = new Random().nextLong();
        Random random = new Random(seed);
        long[] all = LongStream.generate(() -> 1 + (long) Math.exp(10 * random.nextDouble()))
                .limit(100_000)
                .toArray();
        for (long responseNs : all) {
            recorder.answered(7_000, 7_000, 7_000 + responseNs);
        }

        SlowRequests slowest = taken();

        long[] expected = Arrays.stream(all)
                .filter(responseNs -> responseNs > slowest.aboveNs())
                .sorted()
                .toArray();
        assertEquals(Arrays.toString(expected), Arrays.toString(responseTimesNs(slowest)), "seed " + seed);
        assertTrue(slowest.size() > 100 && slowest.size() <= 4096, "seed " + seed + ": " + slowest.size());
    }

    @Test
    void hasRoomWhereAllTakeTheSameTime() {
        for (int i = 0; i < 100_000; i++) {
            recorder.answered(0, 0, 1_000);
        }
        recorder.answered(0, 0, 1_001);

        SlowRequests slowest = taken();

        assertEquals(1_000, slowest.aboveNs());
        assertEquals("[1001]", Arrays.toString(responseTimesNs(slowest)));
    }

    @Test
    void isCopied() {
        SlowRequests requests = new SlowRequests();
        requests.add(1, 5);
        requests.add(2, 9);
        SlowRequests copy = new SlowRequests();
        copy.set(requests);
        requests.reset(70);
        assertEquals("[4, 7]", Arrays.toString(responseTimesNs(copy)));
        assertEquals(0, copy.aboveNs());
        assertEquals(0, requests.size());
        assertEquals(70, requests.aboveNs());
    }
}
