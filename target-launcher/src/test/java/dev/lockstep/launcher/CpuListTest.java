package dev.lockstep.launcher;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Random;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

class CpuListTest {
    @Test
    void readsAndWritesTheKernelsNotation() {
        assertEquals(List.of(0, 1, 2, 5, 7, 8), CpuList.parse("0-2,5,7-8").toList());
        assertEquals("0-2,5,7-8", CpuList.parse(" 5,8,7,1,0-2\n").toString());
        assertEquals("3", CpuList.of(3).toString());
        assertTrue(CpuList.parse("").isEmpty());
        assertEquals("", CpuList.of().toString());
    }

    @Test
    void readsBackWhatItWrites() {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        for (int round = 0; round < 500; round++) {
            TreeSet<Integer> cpus = new TreeSet<>();
            int count = random.nextInt(20);
            for (int i = 0; i < count; i++) {
                cpus.add(random.nextInt(40));
            }
            CpuList list = CpuList.of(cpus.stream().mapToInt(Integer::intValue).toArray());
            assertEquals(List.copyOf(cpus), CpuList.parse(list.toString()).toList(), "seed " + seed);
        }
    }

    @Test
    void refusesWhatIsNoList() {
        for (String text : List.of("a", "1-", "-1", "1--2", "1,,2", "2-1", "99999", "0x1", "1 2")) {
            IllegalArgumentException e = assertThrows(IllegalArgumentException.class, () -> CpuList.parse(text), text);
            assertTrue(e.getMessage().contains("'" + text + "'"), e.getMessage());
        }
    }

    @Test
    void joinsAndCuts() {
        assertEquals(CpuList.parse("0-3"), CpuList.parse("0-1").plus(CpuList.parse("2-3")));
        assertEquals(CpuList.parse("0,3"), CpuList.parse("0-3").minus(CpuList.parse("1-2")));
        assertEquals(CpuList.parse("2"), CpuList.parse("0-2").and(CpuList.parse("2-3")));
        assertEquals(4, CpuList.parse("0-3").size());
    }
}
