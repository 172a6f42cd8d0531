package dev.lockstep.packets;

import java.net.InetSocketAddress;

/** A TCP connection between two endpoints, a and b, of which a is the lower. For the reassembler's thread. */
final class TcpConnection {
    /** Where a connection is in its life; also the list in which it stands. */
    enum State {
        /** A SYN or its answer was seen, nothing more. */
        OPENING,
        /** The handler knows of it. */
        OPEN,
        /** It is open still, and one side has sent its FIN. */
        ENDING,
        /** The handler knows of its end; late packets are recognised for a while. */
        CLOSED
    }

    private final boolean ipv6;
    private final long aHigh;
    private final long aLow;
    private final long bHigh;
    private final long bLow;
    private final int aPort;
    private final int bPort;
    final int hash;
    private final TcpStream fromA = new TcpStream(this);
    private final TcpStream fromB = new TcpStream(this);

    private TcpConnection nextInSlot;
    private TcpConnection older;
    private TcpConnection newer;

    private State state = State.OPENING;
    private long lastPacketNs;
    /** The client's, once it is known who that is; else null. */
    private TcpStream client;

    private boolean beginningSeen;
    private StreamHandler handler;
    private boolean unwanted;
    private TcpStream endedFirst;

    TcpConnection(Frame frame, int hash) {
        boolean isFromA = frame.fromLower;
        this.ipv6 = frame.ipv6;
        this.aHigh = isFromA ? frame.sourceHigh : frame.destinationHigh;
        this.aLow = isFromA ? frame.sourceLow : frame.destinationLow;
        this.aPort = isFromA ? frame.sourcePort : frame.destinationPort;
        this.bHigh = isFromA ? frame.destinationHigh : frame.sourceHigh;
        this.bLow = isFromA ? frame.destinationLow : frame.sourceLow;
        this.bPort = isFromA ? frame.destinationPort : frame.sourcePort;
        this.hash = hash;
        fromA.pairWith(fromB);
        fromB.pairWith(fromA);
    }

    /** Whether a frame is between the endpoints of this connection. */
    boolean isOf(Frame frame) {
        return ipv6 == frame.ipv6
                && (frame.fromLower
                        ? aLow == frame.sourceLow
                                && bLow == frame.destinationLow
                                && aPort == frame.sourcePort
                                && bPort == frame.destinationPort
                                && aHigh == frame.sourceHigh
                                && bHigh == frame.destinationHigh
                        : aLow == frame.destinationLow
                                && bLow == frame.sourceLow
                                && aPort == frame.destinationPort
                                && bPort == frame.sourcePort
                                && aHigh == frame.destinationHigh
                                && bHigh == frame.sourceHigh);
    }

    TcpStream stream(boolean ofA) {
        return ofA ? fromA : fromB;
    }

    InetSocketAddress clientAddress() {
        return address(client == fromA);
    }

    InetSocketAddress serverAddress() {
        return address(client != fromA);
    }

    private InetSocketAddress address(boolean ofA) {
        return ofA ? Frame.address(ipv6, aHigh, aLow, aPort) : Frame.address(ipv6, bHigh, bLow, bPort);
    }

    State state() {
        return state;
    }

    boolean isOpen() {
        return state == State.OPEN || state == State.ENDING;
    }

    /** Returns the client's stream, or null while it is not known who that is. */
    TcpStream client() {
        return client;
    }

    void client(TcpStream stream) {
        client = stream;
    }

    /** Whether a SYN or the answer to it was seen. */
    boolean isBeginningSeen() {
        return beginningSeen;
    }

    void beginningSeen() {
        beginningSeen = true;
    }

    /** Returns who hears of it, or null when nobody wants to. */
    StreamHandler handler() {
        return handler;
    }

    void handler(StreamHandler taker) {
        handler = taker;
    }

    /** Notes that nobody wants to hear of it. */
    void unwanted() {
        unwanted = true;
    }

    boolean isUnwanted() {
        return unwanted;
    }

    /** Notes which side sent its FIN; the first one counts. */
    void endedBy(TcpStream stream) {
        if (endedFirst == null) {
            endedFirst = stream;
        }
    }

    boolean isEndedByClient() {
        return endedFirst == client;
    }

    boolean isWaiting() {
        return fromA.isWaiting() || fromB.isWaiting();
    }

    int waitingBytes() {
        return fromA.waitingBytes() + fromB.waitingBytes();
    }

    // ---- For TcpConnections.

    long lastPacketNs() {
        return lastPacketNs;
    }

    void packetAt(long nowNs) {
        lastPacketNs = nowNs;
    }

    /** Returns the next connection in the same slot of the table. */
    TcpConnection nextInSlot() {
        return nextInSlot;
    }

    void nextInSlot(TcpConnection next) {
        nextInSlot = next;
    }

    /** The connections of one state, in the order of their last packets. */
    static final class Ageing {
        private final State state;
        private TcpConnection oldest;
        private TcpConnection newest;
        private int size;

        Ageing(State state) {
            this.state = state;
        }

        /** Adds a connection, which comes into this state. */
        void add(TcpConnection connection) {
            connection.state = state;
            connection.older = newest;
            connection.newer = null;
            if (newest == null) {
                oldest = connection;
            } else {
                newest.newer = connection;
            }
            newest = connection;
            size++;
        }

        void remove(TcpConnection connection) {
            if (connection.older == null) {
                oldest = connection.newer;
            } else {
                connection.older.newer = connection.newer;
            }
            if (connection.newer == null) {
                newest = connection.older;
            } else {
                connection.newer.older = connection.older;
            }
            size--;
        }

        void touch(TcpConnection connection) {
            if (connection != newest) {
                remove(connection);
                add(connection);
            }
        }

        /** Returns the oldest connection, or null. */
        TcpConnection oldest() {
            return oldest;
        }

        int size() {
            return size;
        }
    }
}
