package dev.lockstep.measurement;

import static java.util.stream.Collectors.toList;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import java.util.List;
import java.util.Random;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;

class LoadResultTest {
    @Test
    void sumsItsIntervals() {
        LoadResult load = TestingRuns.load(TestingRuns.requests(3, 500));

        assertEquals(500, load.responseTime().getTotalCount());
        assertEquals(500, load.serviceTime().getTotalCount());
        assertEquals(500, load.generatorLag().getTotalCount());
        assertEquals(100.0, load.throughputPerSec());
    }

    @Test
    void twoHalvesMergeToTheWhole() {
        List<TestingRuns.Request> all = TestingRuns.requests(4, 2000);
        LoadResult whole = TestingRuns.load(all);
        LoadResult first = TestingRuns.load(all.stream()
                .filter(r -> Share.part(1, 2).includes(r.connection))
                .collect(toList()));
        LoadResult second = TestingRuns.load(all.stream()
                .filter(r -> Share.part(2, 2).includes(r.connection))
                .collect(toList()));

        LoadResult merged = first.merge(second);

        assertEquals(whole.responseTime(), merged.responseTime());
        assertEquals(whole.serviceTime(), merged.serviceTime());
        assertEquals(whole.generatorLag(), merged.generatorLag());
        assertEquals(whole.ownLag(), merged.ownLag());
        assertEquals(whole.counts().statusCodes(), merged.counts().statusCodes());
        assertEquals(whole.counts().sent, merged.counts().sent);
        assertEquals(12, merged.counts().connections);
        assertEquals(whole.throughputPerSec(), merged.throughputPerSec());
        assertEquals(5, merged.intervals().size());
        for (int i = 0; i < 5; i++) {
            assertEquals(
                    whole.intervals().get(i).responseTime(),
                    merged.intervals().get(i).responseTime());
            assertEquals(
                    TestingRuns.START_MS + 1000L * i,
                    merged.intervals().get(i).responseTime().getStartTimeStamp());
        }
        assertNull(merged.streamDigest().sha256());
        assertEquals(
                "the requests were spread over several replayers",
                merged.streamDigest().absentReason());
    }

    @Test
    void mergingKeepsIntervalsOfDifferentTimesApartAndInOrder() {
        LoadResult a = load(interval(1000, 5), interval(3000, 6));
        LoadResult b = load(interval(2000, 7));

        LoadResult merged = a.merge(b);

        assertEquals(
                List.of(1000L, 2000L, 3000L),
                merged.intervals().stream()
                        .map(i -> i.responseTime().getStartTimeStamp())
                        .collect(toList()));
        assertEquals(3, merged.responseTime().getTotalCount());
    }

    @Test
    void mergingWithNothingKeepsEverything() {
        LoadResult a = load(interval(1000, 5));
        LoadResult merged = load().merge(a);
        assertEquals(a.responseTime(), merged.responseTime());
        assertEquals(1, merged.intervals().size());
    }

    @Test
    void mergedHistogramsHoldLargerValuesThanEitherSideCouldBefore() {
        LoadResult merged = load(interval(1000, 5)).merge(load(interval(1000, 3_600_000_000_000L)));
        assertEquals(2, merged.intervals().get(0).responseTime().getTotalCount());
    }

    @Test
    void anIntervalIsNotChangedThroughWhatItTookOrGave() {
        Histogram taken = TestingRuns.histogram(1000, 2000);
        taken.recordValue(5);
        LoadResult.Interval interval = new LoadResult.Interval(taken, taken, taken);
        taken.recordValue(6);
        interval.responseTime().recordValue(7);

        assertEquals(1, interval.responseTime().getTotalCount());
        assertEquals(1000, interval.startMs());
        assertEquals(2000, interval.serviceTime().getEndTimeStamp());
    }

    @Test
    void anIntervalKeepsEveryValue() {
        long seed = new Random().nextLong();
        Random random = new Random(seed);
        for (int i = 0; i < 50; i++) {
            Histogram taken = TestingRuns.histogram(0, 1);
            for (int value = random.nextInt(500); value > 0; value--) {
                taken.recordValueWithCount(random.nextLong() >>> (1 + random.nextInt(62)), 1 + random.nextInt(1000));
            }
            assertEquals(taken, new LoadResult.Interval(taken, taken, taken).responseTime(), "seed " + seed);
        }
    }

    @Test
    void hasNoThroughputWithoutMeasuredTime() {
        LoadResult none = new LoadResult(
                new LoadCounts(), 0, new Histogram(3), List.of(), StreamDigest.absent("nothing was sent"));
        assertEquals(0.0, none.throughputPerSec());
    }

    private static LoadResult load(LoadResult.Interval... intervals) {
        return new LoadResult(
                new LoadCounts(),
                1,
                new Histogram(3),
                List.of(intervals),
                StreamDigest.absent("no pass was completed"));
    }

    private static LoadResult.Interval interval(long startMs, long value) {
        Histogram response = TestingRuns.histogram(startMs, startMs + 1000);
        response.recordValue(value);
        return new LoadResult.Interval(
                response,
                TestingRuns.histogram(startMs, startMs + 1000),
                TestingRuns.histogram(startMs, startMs + 1000));
    }
}
