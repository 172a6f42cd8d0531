package dev.lockstep.packets;

import dev.lockstep.packets.TcpConnection.Ageing;
import dev.lockstep.packets.TcpConnection.State;
import java.util.SplittableRandom;

/** The connections that a {@link TcpReassembler} knows, by their endpoints and by their age. For its thread. */
final class TcpConnections {
    private static final int MAX_CLOSED = 1 << 16;
    private static final int MAX_SLOTS = 1 << 24;

    private final long seed = new SplittableRandom().nextLong();
    private final Ageing opening = new Ageing(State.OPENING);
    private final Ageing open = new Ageing(State.OPEN);
    private final Ageing ending = new Ageing(State.ENDING);
    private final Ageing closed = new Ageing(State.CLOSED);
    private TcpConnection[] table = new TcpConnection[1024];

    /** Returns the connection of a frame, or null. */
    TcpConnection find(Frame frame) {
        int hash = hash(frame);
        TcpConnection found = table[hash & table.length - 1];
        while (found != null && !(found.hash == hash && found.isOf(frame))) {
            found = found.nextInSlot();
        }
        return found;
    }

    /** Adds the connection of a frame, which is not there; it is opening. */
    TcpConnection add(Frame frame, long nowNs) {
        TcpConnection connection = new TcpConnection(frame, hash(frame));
        connection.packetAt(nowNs);
        opening.add(connection);
        if (size() > table.length && table.length < MAX_SLOTS) {
            grow();
        }
        link(table, connection);
        return connection;
    }

    private static void link(TcpConnection[] slots, TcpConnection connection) {
        int slot = connection.hash & slots.length - 1;
        connection.nextInSlot(slots[slot]);
        slots[slot] = connection;
    }

    private void grow() {
        TcpConnection[] larger = new TcpConnection[table.length * 2];
        for (TcpConnection first : table) {
            TcpConnection connection = first;
            while (connection != null) {
                TcpConnection next = connection.nextInSlot();
                link(larger, connection);
                connection = next;
            }
        }
        table = larger;
    }

    /** Notes a packet of a connection. */
    void touch(TcpConnection connection, long nowNs) {
        connection.packetAt(nowNs);
        list(connection.state()).touch(connection);
    }

    /** Brings a connection into another state. */
    void move(TcpConnection connection, State state) {
        list(connection.state()).remove(connection);
        list(state).add(connection);
        if (closed.size() > MAX_CLOSED) {
            forget(closed.oldest());
        }
    }

    void forget(TcpConnection connection) {
        list(connection.state()).remove(connection);
        int slot = connection.hash & table.length - 1;
        if (table[slot] == connection) {
            table[slot] = connection.nextInSlot();
            return;
        }
        TcpConnection before = table[slot];
        while (before.nextInSlot() != connection) {
            before = before.nextInSlot();
        }
        before.nextInSlot(connection.nextInSlot());
    }

    private Ageing list(State state) {
        switch (state) {
            case OPENING:
                return opening;
            case OPEN:
                return open;
            case ENDING:
                return ending;
            default:
                return closed;
        }
    }

    int size() {
        return opening.size() + open.size() + ending.size() + closed.size();
    }

    /** Returns the connection of a state whose last packet is the oldest, or null. */
    TcpConnection oldest(State state) {
        return list(state).oldest();
    }

    /** Returns the connection that is missed least: a closed one, one that is opening or ending, an open one. */
    TcpConnection leastMissed() {
        TcpConnection found = closed.oldest() != null ? closed.oldest() : opening.oldest();
        found = found != null ? found : ending.oldest();
        return found != null ? found : open.oldest();
    }

    /** Hashes with a secret seed, so that nobody can fill one slot of the table on purpose. */
    private int hash(Frame frame) {
        boolean fromA = frame.fromLower;
        int aPort = fromA ? frame.sourcePort : frame.destinationPort;
        int bPort = fromA ? frame.destinationPort : frame.sourcePort;
        long hash = mix(seed ^ (fromA ? frame.sourceLow : frame.destinationLow));
        hash = mix(hash ^ (fromA ? frame.destinationLow : frame.sourceLow));
        hash = mix(hash ^ ((long) aPort << 16 | bPort));
        if (frame.ipv6) {
            hash = mix(hash ^ (fromA ? frame.sourceHigh : frame.destinationHigh));
            hash = mix(hash ^ (fromA ? frame.destinationHigh : frame.sourceHigh));
        }
        return (int) (hash >>> 32);
    }

    private static long mix(long value) {
        long mixed = (value ^ value >>> 32) * 0xd6e8feb86659fd93L;
        return (mixed ^ mixed >>> 32) * 0xd6e8feb86659fd93L;
    }
}
