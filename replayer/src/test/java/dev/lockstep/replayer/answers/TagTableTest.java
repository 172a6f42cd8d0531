package dev.lockstep.replayer.answers;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.HashMap;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

final class TagTableTest {
    @Test
    void holdsWhatAMapHolds() {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        TagTable table = new TagTable();
        Map<Integer, Long> map = new HashMap<>();
        for (int i = 0; i < 200_000; i++) {
            int tag = random.nextInt(i % 1000 < 500 ? 40 : 1 << 23);
            if (random.nextInt(5) < 2) {
                long value = random.nextLong();
                table.put(tag, value);
                map.put(tag, value);
            } else if (random.nextBoolean()) {
                assertEquals(map.getOrDefault(tag, TagTable.NONE), table.get(tag), () -> "seed " + seed);
                assertEquals(map.containsKey(tag), table.contains(tag), () -> "seed " + seed);
            } else {
                Long removed = map.remove(tag);
                assertEquals(removed == null ? TagTable.NONE : removed, table.remove(tag), () -> "seed " + seed);
            }
            if (random.nextInt(20_000) == 0) {
                table.clear();
                map.clear();
            }
            assertEquals(map.size(), table.size(), () -> "seed " + seed);
        }
        Map<Integer, Long> seen = new HashMap<>();
        table.forEach(seen::put);
        assertEquals(map, seen, () -> "seed " + seed);
    }
}
