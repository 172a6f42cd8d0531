package dev.lockstep.results;

import static java.util.stream.Collectors.toList;
import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.lockstep.measurement.EndpointLoad;
import dev.lockstep.measurement.LoadResult;
import dev.lockstep.measurement.Outage;
import dev.lockstep.measurement.Percentiles.Level;
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
    void endpointsAddUpByTheirNames() {
        EndpointLoad first = new EndpointLoad("a");
        EndpointLoad again = new EndpointLoad("a");
        for (int i = 1; i <= 100; i++) {
            first.answered(i * 1_000_000, 200);
            again.answered((100 + i) * 1_000_000, i == 1 ? 500 : 200);
        }
        first.timedOut();
        again.withoutAnswer(2);
        EndpointLoad other = new EndpointLoad("b");
        other.completed(0);

        LoadResult both = LoadResult.builder()
                .endpoints(List.of(first))
                .timeoutNs(5_000_000_000L)
                .build()
                .then(LoadResult.builder()
                        .endpoints(List.of(other, again))
                        .timeoutNs(5_000_000_000L)
                        .build());

        EndpointLoad a = both.endpoints().get(0);
        assertEquals(203, a.count());
        assertEquals(4, a.errors());
        // The median of all, and not the mean of the two medians, which would be the same only by chance.
        assertEquals(102, both.responseTimes(a).at(Level.P50) / 1_000_000);
        assertEquals(5_000_000_000L, both.responseTimes(a).at(Level.P999));
        assertEquals(1, both.endpoints().get(1).count());
        assertEquals(101, first.count());
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
