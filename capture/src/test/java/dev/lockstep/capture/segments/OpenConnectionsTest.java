package dev.lockstep.capture.segments;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;

import java.util.List;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

final class OpenConnectionsTest {
    private static final class TestingConnection extends OpenConnections.Connection {
        TestingConnection(int id) {
            super(id);
        }
    }

    @Test
    void holdsExactlyTheConnectionsThatAreOpen() {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        OpenConnections<TestingConnection> table = new OpenConnections<>();
        TreeMap<Integer, TestingConnection> expected = new TreeMap<>();
        int next = 0;
        for (int step = 0; step < 50_000; step++) {
            // Grows for a while, then shrinks, and has long-lived connections among short-lived ones.
            boolean grow = step / 5_000 % 2 == 0;
            if (random.nextInt(3) > 0 == grow) {
                TestingConnection connection = new TestingConnection(next);
                table.add(connection);
                expected.put(next, connection);
                next++;
            } else if (!expected.isEmpty()) {
                Integer id = expected.ceilingKey(random.nextInt(next));
                id = id == null ? expected.lastKey() : id;
                expected.remove(id);
                table.remove(id);
                assertNull(table.find(id), "seed " + seed);
            }
            int probe = random.nextInt(next + 1);
            assertSame(expected.get(probe), table.find(probe), "seed " + seed);
        }
        assertEquals(
                List.copyOf(expected.keySet()),
                table.inOrder().stream().map(TestingConnection::id).collect(Collectors.toList()),
                "seed " + seed);
        expected.forEach((id, connection) -> assertSame(connection, table.find(id), "seed " + seed));
    }

    @Test
    void removesNothingWhenAConnectionIsNotThere() {
        OpenConnections<TestingConnection> table = new OpenConnections<>();
        TestingConnection only = new TestingConnection(5);
        table.add(only);
        table.remove(5 + 64);
        table.remove(-1);

        assertSame(only, table.find(5));
        assertNull(table.find(-1));
    }

    /** Ids come in a row; a removal that went through all of their neighbours would take hours here. */
    @Test
    @Timeout(30)
    void removesOneOfAMillionNeighboursAsFastAsOneOfFew() {
        OpenConnections<TestingConnection> table = new OpenConnections<>();
        int connections = 1_000_000;
        for (int id = 0; id < connections; id++) {
            table.add(new TestingConnection(id));
        }
        for (int id = 0; id < connections; id++) {
            table.remove(id);
        }

        assertEquals(List.of(), table.inOrder());
    }
}
