package dev.lockstep.replayer.schedule;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.lockstep.capture.Capture;
import dev.lockstep.measurement.Pace;
import dev.lockstep.replayer.TestingCapture;
import java.math.BigDecimal;
import java.math.MathContext;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class ArrivalScheduleTest {
    private static final long MS = 1_000_000;

    @TempDir
    Path directory;

    @Test
    void computesConstantTimesFromTheRequestNumber() {
        ArrivalSchedule schedule = ArrivalSchedule.constant(3);

        assertEquals(0, schedule.intendedNs(0));
        assertEquals(333_333_333, schedule.intendedNs(1));
        assertEquals(666_666_667, schedule.intendedNs(2));
        assertEquals(1_000_000_000, schedule.intendedNs(3));
        // A day later no error has added up.
        assertEquals(86_400_000_000_000L, schedule.intendedNs(3 * 86_400));
    }

    @Test
    void givesNoTimesToRequestsThatAreLeftOut() {
        // Every third one, from the first on.
        ArrivalSchedule schedule = ArrivalSchedule.constant(1000).without(n -> (n + 2) / 3);

        assertArrayEquals(
                new long[] {0, 0, 1, 2, 2, 3, 4, 4},
                LongStream.range(0, 8).map(n -> schedule.intendedNs(n) / MS).toArray());
        assertEquals(200 * MS, schedule.notAfterNs(300));
        assertEquals(6, schedule.countBefore(4 * MS, Long.MAX_VALUE));
        assertEquals(5, schedule.countBefore(4 * MS, 5));
    }

    @Test
    void keepsTheRecordedGapsAndTheRecordedRateAcrossPasses() {
        TestingCapture recording = new TestingCapture(directory);
        int connection = recording.open(0);
        recording.request(connection, 5 * MS, TestingCapture.get(0));
        recording.request(connection, 6 * MS, TestingCapture.get(1));
        recording.request(connection, 9 * MS, TestingCapture.get(2));
        try (Capture capture = recording.finish()) {
            RecordedSchedule schedule = new RecordedSchedule(capture, 1);

            assertEquals(0, schedule.intendedNs(0));
            assertEquals(1 * MS, schedule.intendedNs(1));
            assertEquals(4 * MS, schedule.intendedNs(2));
            // Two gaps of 2 ms on average: the pass takes 6 ms.
            assertEquals(6 * MS, schedule.intendedNs(3));
            assertEquals(7 * MS, schedule.intendedNs(4));
            assertEquals(600 * MS + 4 * MS, schedule.intendedNs(302));
            assertEquals(4 * MS, schedule.scaled(capture.timeNs(2)));
        }
    }

    @Test
    void dividesRecordedTimesByTheSpeed() {
        try (Capture capture = TestingCapture.gets(directory, 11, 10 * MS)) {
            RecordedSchedule schedule = new RecordedSchedule(capture, 4);

            assertEquals(25 * MS, schedule.intendedNs(10));
            assertEquals(27_500_000, schedule.intendedNs(11));
        }
    }

    @Test
    void aPassTakesTimeAtAnySpeed() {
        try (Capture capture = TestingCapture.gets(directory, 2, MS)) {
            assertEquals(1, new RecordedSchedule(capture, 1e12).passStartNs(1));
        }
    }

    @Test
    void repeatsASingleRequestEverySecond() {
        try (Capture capture = TestingCapture.gets(directory, 1, MS)) {
            RecordedSchedule schedule = new RecordedSchedule(capture, 1);

            assertEquals(0, schedule.intendedNs(0));
            assertEquals(1000 * MS, schedule.intendedNs(1));
            assertEquals(2000 * MS, schedule.intendedNs(2));
        }
    }

    @Test
    void solvesARampToTheNanosecond() {
        // 100/s to 300/s in 10 s: N(t) = 100 t + 10 t^2, so request 2000 is due at 10 s, and 560 at 4 s.
        ArrivalSchedule up = of("ramp:100/s..300/s:10s");
        assertEquals(0, up.intendedNs(0));
        assertEquals(9_990_020, up.intendedNs(1));
        assertEquals(4000 * MS, up.intendedNs(560));
        assertEquals(10_000 * MS, up.intendedNs(2000));
        // Then one every 1/300 s.
        assertEquals(10_003_333_333L, up.intendedNs(2001));
        assertEquals(11_000 * MS, up.intendedNs(2300));
        assertEquals(2000, up.countBefore(10_000 * MS, Long.MAX_VALUE));

        // The same backwards: N(t) = 300 t - 10 t^2.
        ArrivalSchedule down = of("ramp:300/s..100/s:10s");
        assertEquals(2000 * MS, down.intendedNs(560));
        assertEquals(10_000 * MS, down.intendedNs(2000));
        assertEquals(10_010 * MS, down.intendedNs(2001));

        // From nothing: N(t) = 50 t^2.
        ArrivalSchedule fromNothing = of("ramp:0/s..1000/s:10s");
        assertEquals(0, fromNothing.intendedNs(0));
        assertEquals(141_421_356, fromNothing.intendedNs(1));
        assertEquals(1000 * MS, fromNothing.intendedNs(50));

        // A ramp that hardly rises is a constant rate.
        assertEquals(3_000_000 * MS, of("ramp:1000/s..1000/s:1h").intendedNs(3_000_000));
        assertEquals(
                999_999_999_999_500.0,
                of("ramp:1000/s..1000.000000001/s:1000000s").intendedNs(1_000_000_000),
                1);
    }

    @Test
    void solvesRampsAsDecimalArithmeticDoes() {
        Random random = seeded();
        MathContext digits = new MathContext(40);
        for (int i = 0; i < 2000; i++) {
            int from = random.nextInt(100_000);
            int to = 1 + random.nextInt(100_000);
            long seconds = 1 + random.nextInt(3600);
            ArrivalSchedule ramp = of("ramp:" + from + "/s.." + to + "/s:" + seconds + "s");
            long requests = (from + to) * seconds / 2;
            long n = 1 + (long) (random.nextDouble() * requests);
            if (n >= requests) {
                continue;
            }
            BigDecimal a = BigDecimal.valueOf(from);
            BigDecimal k = BigDecimal.valueOf(to - from).divide(BigDecimal.valueOf(seconds), digits);
            BigDecimal root =
                    a.multiply(a).add(k.multiply(BigDecimal.valueOf(2 * n))).sqrt(digits);
            BigDecimal exactNs = BigDecimal.valueOf(2_000_000_000L * n).divide(a.add(root), digits);

            assertEquals(exactNs.doubleValue(), ramp.intendedNs(n), 1, "request " + n + " of " + from + ".." + to);
        }
    }

    @Test
    void stepsFollowEachOtherToTheNanosecond() {
        ArrivalSchedule steps = of("steps:100/s:10s,500/s:2s,3/s:1s");

        assertEquals(0, steps.intendedNs(0));
        assertEquals(9990 * MS, steps.intendedNs(999));
        assertEquals(10_000 * MS, steps.intendedNs(1000));
        assertEquals(10_002 * MS, steps.intendedNs(1001));
        assertEquals(12_000 * MS, steps.intendedNs(2000));
        assertEquals(12_333_333_333L, steps.intendedNs(2001));
        // The last one stays.
        assertEquals(112_000 * MS, steps.intendedNs(2300));
        assertEquals(2003, steps.countBefore(13_000 * MS, Long.MAX_VALUE));
    }

    @Test
    void aGapAcrossASeamIsMadeOfBothRates() {
        // 1.5 requests in the first step: the gap after request 1 is half a gap of 1 s and half a gap of 0.5 s.
        ArrivalSchedule steps = of("steps:1/s:1.5s,2/s:10s");

        assertEquals(1000 * MS, steps.intendedNs(1));
        assertEquals(1750 * MS, steps.intendedNs(2));
        assertEquals(2250 * MS, steps.intendedNs(3));
    }

    /** Kolmogorov-Smirnov: the gaps are exponential, and the places of a minute's requests in it uniform. */
    @Test
    void knowsAtOnceByWhenARandomTimeIsOver() {
        for (long seed = 0; seed < 20; seed++) {
            PoissonSchedule schedule = new PoissonSchedule(1000, seed);
            for (long n : List.of(0L, 1L, 10L, 1000L, 100_000L)) {
                long bound = schedule.notAfterNs(n);
                assertTrue(schedule.intendedNs(n) <= bound, n + " of seed " + seed);
                assertTrue(bound <= (n + 6 * Math.sqrt(n) + 50) * MS, "bound of " + n);
            }
        }
        assertEquals(1e15, new PoissonSchedule(1000, 1).notAfterNs(1_000_000_000), 1e12);
    }

    @Test
    void randomTimesAreAPoissonProcess() {
        long seed = seeded().nextLong();
        double gapNs = 1e9 / 5000;
        int count = 100_000;
        PoissonSchedule schedule = new PoissonSchedule(5000, seed);
        double[] gaps = new double[count];
        double[] places = new double[count];
        long before = 0;
        for (int i = 0; i < count; i++) {
            long timeNs = schedule.intendedNs(i);
            gaps[i] = 1 - Math.exp(-(timeNs - before) / gapNs);
            places[i] = timeNs;
            before = timeNs;
        }
        double lastNs = schedule.intendedNs(count);
        for (int i = 0; i < count; i++) {
            places[i] /= lastNs;
        }
        // A false alarm of one in a million: sqrt(-ln(10^-6 / 2) / 2) / sqrt(n).
        double limit = 2.694 / Math.sqrt(count);

        assertTrue(distanceFromUniform(gaps) < limit, "gaps, seed " + seed);
        assertTrue(distanceFromUniform(places) < limit, "places, seed " + seed);
        // The mean of n gaps has a deviation of 1 / sqrt(n).
        assertEquals(1, lastNs / count / gapNs, 5 / Math.sqrt(count), "seed " + seed);
    }

    private static double distanceFromUniform(double[] values) {
        Arrays.sort(values);
        double distance = 0;
        for (int i = 0; i < values.length; i++) {
            distance = Math.max(distance, Math.abs(values[i] - (double) i / values.length));
            distance = Math.max(distance, Math.abs(values[i] - (i + 1.0) / values.length));
        }
        return distance;
    }

    @Test
    void randomTimesOfASeedAreTheSameForEver() {
        PoissonSchedule schedule = new PoissonSchedule(1000, 1);

        assertEquals(288_017, schedule.intendedNs(0));
        assertEquals(1_275_822, schedule.intendedNs(1));
        assertEquals(1_000_056_465_145L, schedule.intendedNs(1_000_000));
    }

    @Test
    void randomTimesDoNotDependOnTheOrderInWhichTheyAreAskedFor() {
        Random random = seeded();
        long seed = random.nextLong();
        int count = 300_000;
        long[] expected = new long[count];
        PoissonSchedule inOrder = new PoissonSchedule(1e6, seed);
        for (int i = 0; i < count; i++) {
            expected[i] = inOrder.intendedNs(i);
        }
        PoissonSchedule jumping = new PoissonSchedule(1e6, seed);
        for (int i = 0; i < 3000; i++) {
            int n = random.nextInt(count);
            assertEquals(expected[n], jumping.intendedNs(n), "request " + n + ", seed " + seed);
        }
        for (int i = 0; i < 20; i++) {
            int n = random.nextInt(count);
            long before = inOrder.countBefore(expected[n], Long.MAX_VALUE);
            assertTrue(before <= n && expected[(int) before] == expected[n], "request " + n + ", seed " + seed);
        }
        assertEquals(7, inOrder.countBefore(expected[1000], 7));
        inOrder.intendedNs(10);
        assertEquals(7, inOrder.countBefore(expected[1000], 7), "it stands behind the limit");
    }

    /** A run that ends by its time asks this on the event loop, where walking from the first took ten seconds. */
    @Test
    void countsRandomTimesFromTheLastCheckpointBefore() {
        int count = 4096 * 1024 * 2 + 5000;
        PoissonSchedule schedule = new PoissonSchedule(1e6, 3);
        long endNs = schedule.intendedNs(count);
        schedule.intendedNs(count + 5000);

        for (long n : List.of(count - 1L, 5_000_000L, 70_000L, 1L, 0L)) {
            long timeNs = schedule.intendedNs(n);
            schedule.intendedNs(count);
            long before = schedule.countBefore(timeNs, Long.MAX_VALUE);
            assertTrue(before <= n && schedule.intendedNs(before) == timeNs, "request " + n);
            assertTrue(before == 0 || schedule.intendedNs(before - 1) < timeNs, "request " + n);
        }
        assertTrue(schedule.countBefore(endNs, Long.MAX_VALUE) <= count);
    }

    @Test
    void randomTimesKeepFewCheckpointsHoweverManyThereAre() {
        int count = 4096 * 1024 * 2 + 5000;
        PoissonSchedule schedule = new PoissonSchedule(1e6, 3);
        long lateNs = schedule.intendedNs(count);

        long earlyNs = schedule.intendedNs(70_000);
        assertEquals(new PoissonSchedule(1e6, 3).intendedNs(70_000), earlyNs);
        assertEquals(lateNs, schedule.intendedNs(count));
    }

    @Test
    void everyScheduleRisesAndIsTheSameForEveryTarget() {
        for (String pace : List.of(
                "1000/s",
                "0.3/s",
                "123456.789/s",
                "poisson:1000/s:seed=9",
                "poisson:1000000000/s",
                "ramp:1/s..100000/s:1s",
                "ramp:100000/s..1/s:1s",
                "ramp:0/s..7/s:100s",
                "steps:1/s:1s,100000/s:1s,0.1/s:10s,999/s:3.333s")) {
            ArrivalSchedule one = of(pace);
            ArrivalSchedule other = of(pace);
            long before = 0;
            for (int n = 0; n < 250_000; n++) {
                long timeNs = one.intendedNs(n);
                assertTrue(timeNs >= before, pace + " request " + n);
                assertEquals(timeNs, other.intendedNs(n), pace + " request " + n);
                before = timeNs;
            }
        }
    }

    @Test
    void countsWhatIsDueBeforeATime() {
        for (String pace : List.of("1000/s", "0.3/s", "ramp:10/s..1000/s:10s", "steps:10/s:1s,1000/s:1s")) {
            ArrivalSchedule schedule = of(pace);
            for (long n : new long[] {0, 1, 2, 99, 100, 1000, 123_456}) {
                assertEquals(n, schedule.countBefore(schedule.intendedNs(n), Long.MAX_VALUE), pace);
                assertEquals(n + 1, schedule.countBefore(schedule.intendedNs(n) + 1, Long.MAX_VALUE), pace);
                assertEquals(Math.min(n, 50), schedule.countBefore(schedule.intendedNs(n), 50), pace);
            }
        }
    }

    private static ArrivalSchedule of(String pace) {
        return ArrivalSchedule.of(Pace.parse(pace), null, 1);
    }

    private static Random seeded() {
        long seed = System.nanoTime();
        System.out.println("ArrivalScheduleTest seed " + seed);
        return new Random(seed);
    }
}
