package dev.lockstep.replayer;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.lockstep.measurement.LoadCounts;
import java.net.InetSocketAddress;
import java.util.List;

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
            assertEquals(counts.sent, counts.completed + counts.errors() + counts.unanswered);
            return target;
        }
    }
}
