package dev.lockstep.run;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

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
    void isRandomForServersThatRunAlreadyAndAsOftenBackAsThere() {
        Set<String> firsts = new HashSet<>();
        for (long seed = 0; seed < 20; seed++) {
            StringBuilder all = new StringBuilder();
            for (int launch = 1; launch <= 6; launch += 2) {
                List<Integer> there = LaunchOrder.atRandom(2, launch, seed);
                List<Integer> back = LaunchOrder.atRandom(2, launch + 1, seed);
                assertEquals(there.get(0), back.get(1));
                assertEquals(there.get(1), back.get(0));
                assertEquals(there, LaunchOrder.atRandom(2, launch, seed));
                all.append(there.get(0));
            }
            firsts.add(all.toString());
        }
        // Each pair of launches is drawn anew: of the eight ways most are met.
        assertTrue(firsts.size() > 4, firsts::toString);
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
