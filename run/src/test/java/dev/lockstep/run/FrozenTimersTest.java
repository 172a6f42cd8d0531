package dev.lockstep.run;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.lockstep.launcher.TargetSpec;
import dev.lockstep.measurement.LoadCounts;
import dev.lockstep.measurement.Pace;
import dev.lockstep.results.RunPlan;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What turns do to the timers of real JVMs, whose clock runs on while they are frozen. */
@Tag("full")
@Timeout(120)
final class FrozenTimersTest {
    private static final int CONNECTIONS = 5;
    private static final int ROUNDS = 6;

    @TempDir
    private Path folder;

    private LaunchRound round;

    private static TargetSpec server(String name) {
        return TestingTurns.server(name, TestingIdleServer.class, "{port}", "300");
    }

    @Test
    void connectionsThatAnIdleTimeOutClosesAreOpenedAgain() {
        RunPlan.Builder load = RunPlan.builder()
                .warmup(Duration.ofMillis(100))
                .pace(Pace.rate(100))
                .connections(CONNECTIONS)
                .duration(Duration.ofSeconds(6));
        TestingTurns.run(
                folder,
                List.of(server("a"), server("b")),
                ROUNDS,
                load,
                (target, interval) -> {},
                made -> round = made);

        for (TargetRun target : round.targets()) {
            LoadCounts counts = target.load().counts();
            String which = target.name() + ": " + counts.connections + " connections, " + counts.errorsByKind();
            assertEquals(600, counts.completed + counts.errors(), which);
            // A request may cross the server's FIN, one on each connection in each turn at most.
            assertTrue(counts.errors() <= CONNECTIONS * ROUNDS, which);
            assertTrue(counts.connections > CONNECTIONS, which);
        }
    }
}
