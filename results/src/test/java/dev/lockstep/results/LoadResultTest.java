package dev.lockstep.results;

import static java.util.stream.Collectors.toList;
import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.lockstep.measurement.LoadResult;
import dev.lockstep.measurement.Outage;
import java.util.List;
import java.util.OptionalLong;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;

class LoadResultTest {
    @Test
    void launchesAddUp() {
        List<TestingRuns.Request> all = TestingRuns.requests(4, 2000);
        LoadResult whole = TestingRuns.load(all);
        LoadResult first = TestingRuns.load(
                all.stream().filter(request -> request.connection % 2 == 0).collect(toList()));
        LoadResult second = TestingRuns.load(
                all.stream().filter(request -> request.connection % 2 == 1).collect(toList()));

        LoadResult both = first.then(second);

        assertEquals(whole.responseTime(), both.responseTime());
        assertEquals(whole.serviceTime(), both.serviceTime());
        assertEquals(whole.generatorLag(), both.generatorLag());
        assertEquals(whole.ownLag(), both.ownLag());
        assertEquals(whole.counts(), both.counts());
        assertEquals(12, both.counts().connections);
        assertEquals(2 * whole.measuredNs(), both.measuredNs());
        assertEquals(TestingRuns.STREAM_SHA256, both.streamDigest().sha256());
    }

    @Test
    void listsTheOutagesOfBothInOrder() {
        Outage early = Outage.of(5, OptionalLong.of(7), 1);
        Outage middle = Outage.of(6, OptionalLong.of(8), 2);
        Outage late = Outage.of(9, OptionalLong.empty(), 3);
        LoadResult both = LoadResult.builder()
                .outages(List.of(early, late))
                .outagesLeftOut(1)
                .build()
                .then(LoadResult.builder()
                        .outages(List.of(middle))
                        .outagesLeftOut(2)
                        .build());
        assertEquals(List.of(early, middle, late), both.outages());
        assertEquals(3, both.outagesLeftOut());
    }

    @Test
    void keepsEverythingAfterNothing() {
        LoadResult a = TestingRuns.load(TestingRuns.requests(1, 10));
        LoadResult both = LoadResult.builder().build().then(a);
        assertEquals(a.responseTime(), both.responseTime());
        assertEquals(10, both.counts().completed);
    }

    @Test
    void addedHistogramsHoldLargerValuesThanEitherSideCouldBefore() {
        LoadResult both = load(5).then(load(3_600_000_000_000L));
        assertEquals(2, both.responseTime().getTotalCount());
    }

    private static LoadResult load(long value) {
        Histogram response = new Histogram(3);
        response.recordValue(value);
        return LoadResult.builder().responseTime(response).build();
    }
}
