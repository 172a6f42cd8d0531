package dev.lockstep.monitor;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.lockstep.measurement.GcOverlap;
import dev.lockstep.measurement.LatencyRecorder;
import dev.lockstep.measurement.SlowRequests;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalDouble;
import java.util.Random;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;

class PauseOverlapTest {
    private static final long MS = 1_000_000;

    private final PauseOverlap overlap = new PauseOverlap();

    private static SlowRequests requests(long... fromToMs) {
        SlowRequests requests = new SlowRequests();
        for (int i = 0; i < fromToMs.length; i += 2) {
            requests.add(fromToMs[i] * MS, fromToMs[i + 1] * MS);
        }
        return requests;
    }

    private static GcPause pause(long fromMs, long toMs) {
        return new GcPause(fromMs * MS, toMs * MS, "Serial Young");
    }

    private static GcOverlap above(PauseOverlap overlap, long aboveNs) {
        return overlap.above(LatencyRecorder.newHistogram(), aboveNs, OptionalDouble.empty());
    }

    @Test
    void saysHowManyWereAboveWhetherTheirTimesWereKeptOrNot() {
        Histogram all = LatencyRecorder.newHistogram();
        all.recordValueWithCount(MS, 99);
        all.recordValueWithCount(20 * MS, 7);
        overlap.interval(requests(10, 30), List.of(pause(5, 10)));

        GcOverlap some = overlap.above(all, 10 * MS, OptionalDouble.of(0.25));

        assertEquals(7, some.requestsAbove());
        assertEquals(1, some.requests());
        assertEquals(1, some.overlapped());
        assertEquals(OptionalDouble.of(0.25), some.pausedShareByChance());
    }

    @Test
    void saysHowMuchOfTheTimeOfSlowRequestsPausesTook() {
        // 20 + 18 + 30 + 30 ms above 10 ms, of which 0 + 0 + 1.5 + 10 in pauses; the one of 1 ms is not above.
        overlap.interval(
                requests(10, 30, 31, 49, 50, 80, 90, 120, 60, 61),
                List.of(pause(5, 10), pause(49, 50), pause(59, 60), pause(79, 90), pause(100, 109)));

        assertEquals((1 + 1 + 9) / 98.0, above(overlap, 10 * MS).pausedShare().getAsDouble(), 0.001);
    }

    @Test
    void blamesNoCollectorForPausesThatLongRequestsMeetByChance() {
        // Requests of 3 s, and 2.6 pauses of 1.5 ms a second.
        List<GcPause> pauses = new ArrayList<>();
        for (long at = 0; at < 60_000; at += 385) {
            pauses.add(new GcPause(at * MS, at * MS + 1_500_000, "Serial Young"));
        }
        SlowRequests slow = new SlowRequests();
        for (int i = 0; i < 700; i++) {
            slow.add(10_000 * MS + i * MS, 13_000 * MS + i * MS);
        }
        overlap.interval(slow, pauses);

        GcOverlap above = above(overlap, 1000 * MS);
        assertEquals(OptionalDouble.of(1), above.share());
        assertEquals(0.0039, above.pausedShare().getAsDouble(), 0.0002);
    }

    @Test
    void countsRequestsThatWereUnderWayInAPause() {
        overlap.interval(
                requests(10, 30, 31, 49, 50, 80, 90, 120, 60, 61),
                List.of(pause(5, 10), pause(49, 50), pause(100, 110)));

        GcOverlap above = above(overlap, 10 * MS);

        assertEquals(10 * MS, above.aboveNs());
        assertEquals(4, above.requests(), "the one of 1 ms is not above");
        assertEquals(4, above.overlapped(), "a request that begins when a pause ends has met it");
        assertEquals(2, above(overlap, 29 * MS).requests());
    }

    @Test
    void judgesWhenThePausesOfTheNextIntervalAreKnown() {
        overlap.interval(requests(10, 30, 40, 60), List.of());
        overlap.interval(requests(), List.of(pause(20, 25)));

        assertEquals(2, above(overlap, 0).requests());
        assertEquals(1, above(overlap, 0).overlapped());
        assertEquals(OptionalDouble.empty(), above(overlap, 0).share(), "two are too few");
    }

    @Test
    void knowsPausesWithinPausesAndOutOfOrder() {
        overlap.interval(
                requests(11, 12, 39, 41, 61, 62, 71, 75),
                List.of(pause(70, 72), pause(20, 30), pause(10, 40), pause(35, 60)));

        assertEquals(3, above(overlap, 0).overlapped());
    }

    @Test
    void isRightForAnyPausesAndRequests() {
        long seed = new Random().nextLong();
        Random random = new Random(seed);
        for (int run = 0; run < 200; run++) {
            List<GcPause> pauses = new ArrayList<>();
            SlowRequests requests = new SlowRequests();
            long expected = 0;
            for (int i = random.nextInt(6); i > 0; i--) {
                long from = random.nextInt(100);
                pauses.add(pause(from, from + random.nextInt(20)));
            }
            for (int i = 0; i < 10; i++) {
                long from = random.nextInt(100);
                long to = from + 1 + random.nextInt(20);
                requests.add(from * MS, to * MS);
                expected += pauses.stream().anyMatch(pause -> pause.startNs() <= to * MS && pause.endNs() >= from * MS)
                        ? 1
                        : 0;
            }
            PauseOverlap any = new PauseOverlap();
            any.interval(requests, pauses);
            assertEquals(expected, above(any, 0).overlapped(), "seed " + seed + ", run " + run);
            assertEquals(10, above(any, 0).requests());
        }
    }
}
