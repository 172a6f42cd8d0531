package dev.lockstep.run;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

final class LaunchOrderTest {
    @Test
    void goesThereAndBackFromAnotherTargetEachTime() {
        assertEquals(List.of(0, 1), LaunchOrder.of(2, 1));
        assertEquals(List.of(1, 0), LaunchOrder.of(2, 2));
        assertEquals(List.of(1, 0), LaunchOrder.of(2, 3));
        assertEquals(List.of(0, 1), LaunchOrder.of(2, 4));
        assertEquals(List.of(0), LaunchOrder.of(1, 5));
    }

    @Test
    void meetsEveryOrderOfThreeTargetsInSixLaunches() {
        Set<List<Integer>> orders = new HashSet<>();
        for (int launch = 1; launch <= 6; launch++) {
            orders.add(LaunchOrder.of(3, launch));
        }
        assertEquals(6, orders.size());
    }
}
