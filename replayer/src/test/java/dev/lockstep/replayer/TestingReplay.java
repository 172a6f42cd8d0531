package dev.lockstep.replayer;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.lockstep.measurement.EndpointLoad;
import dev.lockstep.measurement.LoadCounts;
import dev.lockstep.measurement.LoadResult;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.function.ToLongFunction;

/** Replays to one target, from the start of a replayer to its end, for tests. */
public final class TestingReplay {
    private TestingReplay() {}

    /** Returns the target with its result, whose counts add up. */
    public static TargetReplay to(InetSocketAddress address, ReplayConfig.Builder config) {
        try (Replayer replayer = Replayer.launchCold(config.build())) {
            TargetReplay target = replayer.addTarget("a", address);
            replayer.measure(List.of(target), 0, 1, Replayer.Progress.NONE);
            replayer.finish();
            LoadCounts counts = target.result().counts();
            assertEquals(counts.sent, counts.completed + counts.errors() + counts.unanswered, counts::toString);
            assertEndpointsAddUp(target.result());
            return target;
        }
    }

    /** Demands that each request counts for one endpoint, and is there what it is for its target. */
    public static void assertEndpointsAddUp(LoadResult result) {
        LoadCounts counts = result.counts();
        assertEquals(counts.due(), sum(result, EndpointLoad::count), counts::toString);
        assertEquals(counts.failed(), sum(result, EndpointLoad::errors), counts::toString);
        assertEquals(
                result.responseTime().getTotalCount(),
                sum(result, endpoint -> result.responseTimes(endpoint).count()),
                counts::toString);
    }

    private static long sum(LoadResult result, ToLongFunction<EndpointLoad> count) {
        return result.endpoints().stream().mapToLong(count).sum();
    }

    /** Returns the endpoint of this name. */
    public static EndpointLoad endpoint(LoadResult result, String name) {
        return result.endpoints().stream()
                .filter(endpoint -> endpoint.name().equals(name))
                .findFirst()
                .orElseThrow(() -> new AssertionError("no endpoint " + name));
    }
}
