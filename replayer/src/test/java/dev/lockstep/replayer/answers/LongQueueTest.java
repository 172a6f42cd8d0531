package dev.lockstep.replayer.answers;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Random;
import org.junit.jupiter.api.Test;

final class LongQueueTest {
    @Test
    void behavesLikeAQueueWhileItGrows() {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        LongQueue queue = new LongQueue(1);
        Deque<Long> expected = new ArrayDeque<>();
        for (int step = 0; step < 100_000; step++) {
            if (random.nextInt(100) < 51) {
                queue.add(step);
                expected.add((long) step);
            } else if (!expected.isEmpty()) {
                assertEquals(expected.remove(), queue.remove(), "seed " + seed);
            }
            assertEquals(expected.size(), queue.size(), "seed " + seed);
            if (!expected.isEmpty()) {
                assertEquals(expected.peekFirst(), queue.get(0), "seed " + seed);
                assertEquals(expected.peekLast(), queue.get(queue.size() - 1), "seed " + seed);
            }
        }
        queue.clear();
        assertTrue(queue.isEmpty());
    }
}
