package dev.lockstep.measurement;

import static java.util.stream.Collectors.toList;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import java.util.List;
import java.util.OptionalLong;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;

class LoadResultTest {
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

        assertEquals(400.0, whole.throughputPerSec());
        assertEquals(whole.responseTime(), merged.responseTime());
        assertEquals(whole.serviceTime(), merged.serviceTime());
        assertEquals(whole.generatorLag(), merged.generatorLag());
        assertEquals(whole.ownLag(), merged.ownLag());
        assertEquals(whole.counts().statusCodes(), merged.counts().statusCodes());
        assertEquals(whole.counts().sent, merged.counts().sent);
        assertEquals(12, merged.counts().connections);
        assertEquals(whole.throughputPerSec(), merged.throughputPerSec());
        assertNull(merged.streamDigest().sha256());
        assertEquals(
                "the requests were spread over several replayers",
                merged.streamDigest().absentReason());
    }

    @Test
    void mergingListsTheOutagesOfBothInOrder() {
        Outage early = new Outage(5, OptionalLong.of(7), 1);
        Outage middle = new Outage(6, OptionalLong.of(8), 2);
        Outage late = new Outage(9, OptionalLong.empty(), 3);
        LoadResult merged = LoadResult.builder()
                .outages(List.of(early, late), 1)
                .build()
                .merge(LoadResult.builder().outages(List.of(middle), 2).build());
        assertEquals(List.of(early, middle, late), merged.outages());
        assertEquals(3, merged.outagesLeftOut());
    }

    @Test
    void mergingWithNothingKeepsEverything() {
        LoadResult a = TestingRuns.load(TestingRuns.requests(1, 10));
        LoadResult merged = LoadResult.builder().build().merge(a);
        assertEquals(a.responseTime(), merged.responseTime());
        assertEquals(10, merged.counts().completed);
    }

    @Test
    void mergedHistogramsHoldLargerValuesThanEitherSideCouldBefore() {
        LoadResult merged = load(5).merge(load(3_600_000_000_000L));
        assertEquals(2, merged.responseTime().getTotalCount());
    }

    @Test
    void hasNoThroughputWithoutMeasuredTime() {
        assertEquals(0.0, LoadResult.builder().build().throughputPerSec());
    }

    private static LoadResult load(long value) {
        Histogram response = new Histogram(3);
        response.recordValue(value);
        return LoadResult.builder().responseTime(response).build();
    }
}
