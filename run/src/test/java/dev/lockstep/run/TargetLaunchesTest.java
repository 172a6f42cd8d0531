package dev.lockstep.run;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.lockstep.results.Warmup;
import dev.lockstep.results.Warmup.State;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import org.junit.jupiter.api.Test;

final class TargetLaunchesTest {
    /** Returns launches that were steady after 1 s, 2 s and so on, and behind them such that were not. */
    private static List<Warmup> launches(int steady, int unsteady) {
        List<Warmup> launches = new ArrayList<>();
        for (int i = 1; i <= steady + unsteady; i++) {
            launches.add(Warmup.builder(i <= steady ? State.STEADY : State.NOT_STEADY)
                    .durationNs(i * 1_000_000_000L)
                    .build());
        }
        return launches;
    }

    private static State state(int steady, int unsteady) {
        return TargetLaunches.together(launches(steady, unsteady)).orElseThrow().state();
    }

    @Test
    void isSteadyButForAnAccidentInAQuarterOfItsLaunches() {
        assertEquals(State.STEADY, state(6, 0));
        assertEquals(State.STEADY, state(3, 1));
        assertEquals(State.NOT_STEADY, state(2, 1));
        assertEquals(State.STEADY, state(6, 2));
        assertEquals(State.NOT_STEADY, state(5, 2));
        assertEquals(State.NOT_STEADY, state(0, 1));
    }

    /** In a launch that tells nothing a change of any size may be hidden. */
    @Test
    void tellsOfNoSmallestChangeWhereALaunchTellsNone() {
        List<Warmup> launches = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            launches.add(Warmup.builder(State.UNDECIDABLE).visibleStep(0.08).build());
        }
        assertEquals(
                0.08,
                TargetLaunches.together(launches).orElseThrow().visibleStep().getAsDouble());
        launches.add(Warmup.builder(State.UNDECIDABLE).build());
        assertEquals(
                OptionalDouble.empty(),
                TargetLaunches.together(launches).orElseThrow().visibleStep());
    }

    @Test
    void leavesTheAccidentOutOfItsFiguresToo() {
        assertEquals(
                2_000_000_000L,
                TargetLaunches.together(launches(3, 1))
                        .orElseThrow()
                        .durationNs()
                        .getAsLong());
        assertEquals(
                2_500_000_000L,
                TargetLaunches.together(launches(2, 2))
                        .orElseThrow()
                        .durationNs()
                        .getAsLong());
        assertEquals(Optional.empty(), TargetLaunches.together(List.of()));
    }
}
