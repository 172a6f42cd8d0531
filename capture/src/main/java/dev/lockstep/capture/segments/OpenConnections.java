package dev.lockstep.capture.segments;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * The connections that are open in a {@code CaptureWriter}, under its lock, or where a {@link RecordCursor} stands. Its
 * size follows the connections that are open now, not those of the whole recording.
 *
 * <p>A hash table with linear probing: a lookup per append neither boxes nor allocates. Removal moves later entries of
 * the cluster back (Knuth, The Art of Computer Programming, volume 3, section 6.4, algorithm R), so there are no
 * tombstones.
 */
final class OpenConnections<C extends OpenConnections.Connection> {
    /** 2^32 divided by the golden ratio. */
    private static final int GOLDEN_RATIO = 0x9E3779B9;

    /** An open connection, found by its id. */
    abstract static class Connection {
        private final int id;

        Connection(int id) {
            this.id = id;
        }

        final int id() {
            return id;
        }
    }

    private Connection[] slots = new Connection[64];
    private int size;

    /** Adds a connection whose id is not in the table. */
    void add(C connection) {
        if (2 * ++size > slots.length) {
            Connection[] old = slots;
            slots = new Connection[2 * old.length];
            for (Connection earlier : old) {
                if (earlier != null) {
                    insert(earlier);
                }
            }
        }
        insert(connection);
    }

    private void insert(Connection connection) {
        int slot = home(connection.id);
        while (slots[slot] != null) {
            slot = next(slot);
        }
        slots[slot] = connection;
    }

    /** Returns a connection, or null when it is not open. */
    C find(int id) {
        for (int slot = home(id); slots[slot] != null; slot = next(slot)) {
            if (slots[slot].id == id) {
                return cast(slots[slot]);
            }
        }
        return null;
    }

    /** Removes a connection, if it is there. */
    void remove(int id) {
        int hole = home(id);
        while (slots[hole] != null && slots[hole].id != id) {
            hole = next(hole);
        }
        if (slots[hole] == null) {
            return;
        }
        size--;
        slots[hole] = null;
        for (int slot = next(hole); slots[slot] != null; slot = next(slot)) {
            int mask = slots.length - 1;
            int distanceFromHome = (slot - home(slots[slot].id)) & mask;
            int distanceFromHole = (slot - hole) & mask;
            if (distanceFromHome >= distanceFromHole) {
                slots[hole] = slots[slot];
                slots[slot] = null;
                hole = slot;
            }
        }
    }

    /** Returns the open connections, in the order of their ids. */
    List<C> inOrder() {
        List<C> open = new ArrayList<>(size);
        for (Connection connection : slots) {
            if (connection != null) {
                open.add(cast(connection));
            }
        }
        open.sort(Comparator.comparingInt(Connection::id));
        return open;
    }

    @SuppressWarnings("unchecked") // nothing else is ever added
    private C cast(Connection connection) {
        return (C) connection;
    }

    /**
     * Spreads neighbouring ids over the whole table (Knuth, the same volume, section 6.4, Fibonacci hashing). Ids come
     * in a row: side by side they would be one cluster, which every removal walks to its end.
     */
    private int home(int id) {
        return id * GOLDEN_RATIO >>> Integer.numberOfLeadingZeros(slots.length) + 1;
    }

    private int next(int slot) {
        return slot + 1 & slots.length - 1;
    }
}
