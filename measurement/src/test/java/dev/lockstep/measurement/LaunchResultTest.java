package dev.lockstep.measurement;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

class LaunchResultTest {
    @Test
    void dividesCostsByTheRequestsThatSucceeded() {
        LaunchResult launch = launch(60, 20);

        assertEquals(10.0, launch.perRequest(Cost.USER_CPU).orElseThrow());
        assertEquals(60, launch.successful());
        assertEquals(20, launch.toJson().path("serverErrors").asLong());
        LaunchResult read =
                LaunchResult.fromJson(JsonFields.parse("launch", launch.toJson().toString()));
        assertEquals(launch.toJson(), read.toJson());
        assertEquals(10.0, read.perRequest(Cost.USER_CPU).orElseThrow());
    }

    @Test
    void hasNoCostPerRequestWhereNoneSucceeded() {
        assertTrue(launch(0, 20).perRequest(Cost.USER_CPU).isEmpty());
        assertFalse(launch(0, 20).toJson().has("userCpuNsPerRequest"));
        assertFalse(launch(60, 0).toJson().has("serverErrors"));
    }

    private static LaunchResult launch(int good, int bad) {
        LoadCounts counts = new LoadCounts();
        counts.sent = good + bad;
        counts.completed = good + bad;
        counts.status(404, good);
        counts.status(503, bad);
        return LaunchResult.builder(1, 1)
                .load(LoadResult.builder().counts(counts).measuredNs(1).build())
                .costs(Costs.builder().set(Cost.USER_CPU, 600).build())
                .build();
    }
}
