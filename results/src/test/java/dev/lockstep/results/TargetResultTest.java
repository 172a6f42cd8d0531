package dev.lockstep.results;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.lockstep.measurement.Cost;
import dev.lockstep.measurement.Costs;
import dev.lockstep.measurement.LoadResult;
import java.util.OptionalDouble;
import org.junit.jupiter.api.Test;

final class TargetResultTest {
    private static LaunchResult.Builder launch(int number, long cycles) {
        return LaunchResult.builder(number, 1)
                .load(LoadResult.builder().measuredNs(1).build())
                .costs(Costs.builder().set(Cost.GC_CYCLES, cycles).build());
    }

    private static TargetExit died() {
        return TargetExit.builder().exitCode(137).phase("measurement").build();
    }

    @Test
    void takesTheMeanOfTheLaunchesThatItSurvived() {
        TargetResult target = TargetResult.builder("c2")
                .cost(Cost.GC_CYCLES, 37)
                .launch(launch(1, 10).build())
                .launch(launch(2, 2).exit(died()).build())
                .launch(LaunchResult.builder(3, 1).exit(died()).build())
                .launch(launch(4, 25).build())
                .build();

        assertEquals(OptionalDouble.of(17.5), target.perLaunch(Cost.GC_CYCLES));
        assertEquals(OptionalDouble.empty(), target.perLaunch(Cost.JIT_CPU));
    }

    @Test
    void takesTheMeanOfAllThatWereMeasuredWhereItSurvivedNone() {
        TargetResult target = TargetResult.builder("c2")
                .launch(launch(1, 10).exit(died()).build())
                .launch(launch(2, 20).exit(died()).build())
                .build();

        assertEquals(OptionalDouble.of(15), target.perLaunch(Cost.GC_CYCLES));
    }

    @Test
    void takesTheTotalWithoutLaunches() {
        assertEquals(
                OptionalDouble.of(7),
                TargetResult.builder("c2").cost(Cost.GC_CYCLES, 7).build().perLaunch(Cost.GC_CYCLES));
        assertEquals(OptionalDouble.empty(), TargetResult.builder("c2").build().perLaunch(Cost.GC_CYCLES));
    }
}
