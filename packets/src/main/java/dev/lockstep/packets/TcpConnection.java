package dev.lockstep.packets;

/** A TCP connection between two endpoints, a and b, of which a is the lower. For the reassembler's thread. */
final class TcpConnection {
    /** Where a connection is in its life; also the list in which it stands. */
    enum State {
        /** A SYN or its answer was seen, nothing more. */
        OPENING,
        /** The handler knows of it. */
        OPEN,
        /** The handler knows of its end; late packets are recognised for a while. */
        CLOSED
    }

    final boolean ipv6;
    final long aHigh;
    final long aLow;
    final long bHigh;
    final long bLow;
    final int aPort;
    final int bPort;
    final int hash;
    /** The next one in the same slot of the table. */
    TcpConnection chain;

    TcpConnection older;
    TcpConnection newer;
    State state = State.OPENING;
    long lastPacketNs;

    final TcpStream fromA = new TcpStream(this);
    final TcpStream fromB = new TcpStream(this);
    /** The client's, once it is known who that is; else null. */
    TcpStream client;

    /** Whether the beginning was seen: a SYN or the answer to it. */
    boolean beginningSeen;
    /** Null when nobody wants to hear of it. */
    StreamHandler handler;
    /** Which side sent its FIN or RST first; null before that. */
    TcpStream endedFirst;

    TcpConnection(boolean ipv6, long aHigh, long aLow, int aPort, long bHigh, long bLow, int bPort, int hash) {
        this.ipv6 = ipv6;
        this.aHigh = aHigh;
        this.aLow = aLow;
        this.aPort = aPort;
        this.bHigh = bHigh;
        this.bLow = bLow;
        this.bPort = bPort;
        this.hash = hash;
        fromA.other = fromB;
        fromB.other = fromA;
    }

    /** Connections in the order of their last packets. */
    static final class Ageing {
        TcpConnection oldest;
        private TcpConnection newest;
        int size;

        void add(TcpConnection connection) {
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
    }
}
