package dev.lockstep.results.json;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.lockstep.measurement.Cost;
import dev.lockstep.measurement.Costs;
import dev.lockstep.measurement.GcCosts;
import dev.lockstep.measurement.GcOverlap;
import dev.lockstep.measurement.Percentiles;
import dev.lockstep.measurement.RewriteCount;
import dev.lockstep.results.LaunchResult;
import java.util.OptionalDouble;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;

final class MeasurementModuleTest {
    @Test
    void leavesOutTheCyclesThatAreNotKnown() {
        Costs costs = Costs.builder()
                .set(Cost.USER_CPU, 5)
                .collector("Zing", GcCosts.ofPauses(70))
                .build();
        LaunchResult launch = LaunchResult.builder(1, 2).costs(costs).build();

        String json = "{\"launch\":1,\"position\":2,\"userCpuNs\":5,\"collectors\":{\"Zing\":{\"pauseNs\":70}}}";
        assertEquals(json, Json.tree(launch).toString());
        assertEquals(launch, Json.read("test", Json.parse("test", json), LaunchResult.class));
    }

    @Test
    void leavesOutTheCountsOfARewriteThatLooksForNoValue() {
        RewriteCount count = RewriteCount.of("--rewrite-host", 5, 0, 0);

        String json = "{\"rule\":\"--rewrite-host\",\"requests\":5}";
        assertEquals(json, Json.tree(count).toString());
        assertEquals(count, Json.read("test", Json.parse("test", json), RewriteCount.class));
    }

    @Test
    void givesNoShareOfFewerThanTenRequests() {
        GcOverlap few = GcOverlap.of(20_000_000, 9, 9, 9, OptionalDouble.empty(), OptionalDouble.empty());

        String json = "{\"aboveNs\":20000000,\"requestsAbove\":9,\"requests\":9,\"overlapped\":9}";
        assertEquals(json, Json.tree(few).toString());
        assertEquals(few, Json.read("test", Json.parse("test", json), GcOverlap.class));
        assertEquals(
                json.replace("9", "10").replace("}", ",\"share\":1.0}"),
                Json.tree(GcOverlap.of(20_000_000, 10, 10, 10, OptionalDouble.empty(), OptionalDouble.empty()))
                        .toString());
        GcOverlap timed = GcOverlap.of(20_000_000, 9, 9, 9, OptionalDouble.of(0.25), OptionalDouble.of(0.125));
        json = json.replace("}", ",\"pausedShare\":0.25,\"pausedShareByChance\":0.125}");
        assertEquals(json, Json.tree(timed).toString());
        assertEquals(timed, Json.read("test", Json.parse("test", json), GcOverlap.class));
    }

    @Test
    void listsThePercentilesThatTheValuesDoNotSupport() {
        Histogram histogram = new Histogram(3);
        for (int value = 1; value <= 150; value++) {
            histogram.recordValue(value);
        }

        String json = Json.tree(Percentiles.of(histogram)).toString();

        assertTrue(json.endsWith("\"unsupported\":[\"p95\",\"p99\",\"p999\",\"p9999\"]}"), json);
    }

    @Test
    void hasOnlyTheCountOfNoValues() {
        String json = "{\"count\":0,\"unsupported\":[]}";
        assertEquals(json, Json.tree(Percentiles.of(new Histogram(3))).toString());
        assertEquals(Percentiles.NONE, Json.read("test", Json.parse("test", json), Percentiles.class));
    }
}
