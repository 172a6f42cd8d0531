package dev.lockstep.capture;

import java.util.Arrays;
import java.util.Comparator;

/**
 * The connections that a {@link CaptureWriter} has open, by number, under the writer's lock; or those that are open
 * where a {@link RecordCursor} stands. Its size follows the connections that are open now, not those of the whole
 * recording.
 *
 * <p>A hash table with linear probing: a lookup per append neither boxes nor allocates. Removal moves later entries of
 * the cluster back (Knuth, The Art of Computer Programming, volume 3, section 6.4, algorithm R), so there are no
 * tombstones.
 */
final class OpenConnections {
    /** One open connection. */
    static final class Connection {
        final int id;
        /** Its number in the segment that is recorded to, or -1 when it is not in it. */
        int number;
        /** The payload of its CONN_OPEN record, for the next segments. */
        byte[] opening;
        /** The code of its protocol, or -1 while nothing was said of it. */
        int protocol = -1;
        /** The number of its next record, modulo 2^24. */
        int sequence;
        /** Whether a message has begun and not ended in what was recorded. */
        boolean inMessage;
        /** Whether that message began in the segment that is recorded to. */
        boolean begunHere;
        /** Whether records of it were lost, so that nothing more is recorded. */
        boolean lost;

        // A reader's, for which the number of the table is that in the segment.
        /** Its number in the whole capture. */
        int wholeNumber;
        /** The bytes so far of the message that it is in. */
        long messageBytes;
        /** Its number in a table of connections. */
        int table;

        /** Whether bytes outside any message were seen. */
        boolean opaque;

        private Connection(int id) {
            this.id = id;
            this.number = id;
        }
    }

    private Connection[] slots = new Connection[64];
    private int size;

    /** Adds a connection whose number is not in the table. */
    Connection add(int id) {
        if (2 * ++size > slots.length) {
            Connection[] old = slots;
            slots = new Connection[2 * old.length];
            for (Connection connection : old) {
                if (connection != null) {
                    insert(connection);
                }
            }
        }
        Connection connection = new Connection(id);
        insert(connection);
        return connection;
    }

    private void insert(Connection connection) {
        int slot = home(connection.id);
        while (slots[slot] != null) {
            slot = next(slot);
        }
        slots[slot] = connection;
    }

    /** Returns a connection, or null when it is not open. */
    Connection find(int id) {
        for (int slot = home(id); slots[slot] != null; slot = next(slot)) {
            if (slots[slot].id == id) {
                return slots[slot];
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

    /** Returns the open connections, in the order of their numbers. */
    Connection[] inOrder() {
        Connection[] open = new Connection[size];
        int count = 0;
        for (Connection connection : slots) {
            if (connection != null) {
                open[count++] = connection;
            }
        }
        Arrays.sort(open, Comparator.comparingInt(connection -> connection.id));
        return open;
    }

    private int home(int id) {
        return id & slots.length - 1; // numbers are handed out in a row, which spreads best unhashed
    }

    private int next(int slot) {
        return slot + 1 & slots.length - 1;
    }
}
