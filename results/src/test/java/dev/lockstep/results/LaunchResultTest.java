package dev.lockstep.results;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import dev.lockstep.measurement.Cost;
import dev.lockstep.measurement.Costs;
import dev.lockstep.measurement.LoadCounts;
import dev.lockstep.measurement.LoadResult;
import dev.lockstep.measurement.Percentiles.Level;
import dev.lockstep.results.json.Json;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;

class LaunchResultTest {
    @Test
    void dividesCostsByTheRequestsThatSucceeded() {
        LaunchResult launch = launch(60, 20);

        assertEquals(10.0, launch.perRequest().userCpuNsPerRequest().orElseThrow());
        assertEquals(60, launch.successful());
        assertEquals(20, Json.tree(launch).path("serverErrors").asLong());
        LaunchResult read = Json.read("launch", Json.tree(launch), LaunchResult.class);
        assertEquals(launch, read);
        assertEquals(10.0, read.perRequest().userCpuNsPerRequest().orElseThrow());
    }

    @Test
    void tellsWhatTheCpuTimeOfARequestWasSpentOn() {
        Costs costs = Costs.builder()
                .set(Cost.GROUP_CPU, 601)
                .set(Cost.APPLICATION_CPU, 300)
                .set(Cost.JIT_CPU, 240)
                .set(Cost.GC_CPU, 60)
                .build();

        JsonNode json = Json.tree(launch(60, 20, costs));

        assertEquals(601 / 60.0, json.path("cpuNsPerRequest").asDouble());
        assertEquals(5.0, json.path("appCpuNsPerRequest").asDouble());
        assertEquals(4.0, json.path("jitCpuNsPerRequest").asDouble());
        assertEquals(1.0, json.path("gcCpuNsPerRequest").asDouble());
        assertFalse(json.has("userCpuNsPerRequest"));
        assertFalse(Json.tree(launch(60, 20)).has("jitCpuNsPerRequest"), "absent is not 0");
    }

    @Test
    void hasNoCostPerRequestWhereNoneSucceeded() {
        assertTrue(launch(0, 20).perRequest().userCpuNsPerRequest().isEmpty());
        assertFalse(Json.tree(launch(0, 20)).has("userCpuNsPerRequest"));
        assertFalse(Json.tree(launch(60, 0)).has("serverErrors"));
    }

    @Test
    void countsWhatWasNotSentAsFailedAndAsSlowerThanAllAnswers() {
        LoadCounts counts = new LoadCounts();
        counts.sent = 60;
        counts.completed = 60;
        counts.unsent = 40;
        Histogram times = new Histogram(3);
        times.recordValueWithCount(1_000_000, 60);
        LaunchResult launch = LaunchResult.builder(1, 1)
                .load(LoadResult.builder()
                        .counts(counts)
                        .responseTime(times)
                        .serviceTime(times)
                        .measuredNs(1)
                        .build())
                .build();

        assertEquals(40, launch.failed());
        assertEquals(100, launch.due());
        assertFalse(launch.responseTime().orElseThrow().stands(Level.P90));
        assertTrue(launch.responseTime().orElseThrow().stands(Level.P50));
        assertTrue(launch.serviceTime().orElseThrow().stands(Level.P999), "all that were sent were answered");
        JsonNode json = Json.tree(launch);
        assertEquals(40, json.path("responseTimeNs").path("withoutAnswer").asLong());
        assertEquals(
                "[\"p90\",\"p95\",\"p99\",\"p999\",\"p9999\",\"max\"]",
                json.path("responseTimeNs").path("atLeast").toString());
        assertEquals(launch, Json.read("launch", json, LaunchResult.class));
    }

    private static LaunchResult launch(int good, int bad) {
        return launch(good, bad, Costs.builder().set(Cost.USER_CPU, 600).build());
    }

    private static LaunchResult launch(int good, int bad, Costs costs) {
        LoadCounts counts = new LoadCounts();
        counts.sent = good + bad;
        counts.completed = good + bad;
        counts.status(404, good);
        counts.status(503, bad);
        return LaunchResult.builder(1, 1)
                .load(LoadResult.builder().counts(counts).measuredNs(1).build())
                .costs(costs)
                .build();
    }
}
