package dev.lockstep.run;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.SplittableRandom;

/**
 * In which order the targets of a launch are started, and begin where they take turns. Launches come in pairs of which
 * the second goes back in the order of the first, and each pair begins with another target: A B, B A, B A, A B for two
 * targets and all six orders for three. What changes steadily on the machine meets all targets alike then, and neither
 * the place in the order nor the processors, which go round by one each launch, stay with one target.
 */
final class LaunchOrder {
    private LaunchOrder() {}

    /**
     * Returns the indexes of the targets in their order.
     *
     * @param launch counted from 1
     */
    static List<Integer> of(int targets, int launch) {
        List<Integer> order = new ArrayList<>();
        for (int i = 0; i < targets; i++) {
            order.add((i + (launch - 1) / 2) % targets);
        }
        if (launch % 2 == 0) {
            Collections.reverse(order);
        }
        return order;
    }

    /**
     * Returns the indexes in a random order, which the second launch of a pair goes back. For servers that run already:
     * others use them too, and what those do by the clock would meet a regular order at the same place each time.
     *
     * @param launch counted from 1
     * @param seed the same for all launches of a run
     */
    static List<Integer> atRandom(int targets, int launch, long seed) {
        List<Integer> order = of(targets, 1);
        // Not java.util.Random, whose first numbers are alike where the seeds are neighbours.
        SplittableRandom random = new SplittableRandom(seed + (launch - 1) / 2);
        for (int i = targets - 1; i > 0; i--) {
            Collections.swap(order, i, random.nextInt(i + 1));
        }
        if (launch % 2 == 0) {
            Collections.reverse(order);
        }
        return order;
    }
}
