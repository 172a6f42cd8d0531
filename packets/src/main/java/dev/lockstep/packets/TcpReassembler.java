package dev.lockstep.packets;

import dev.lockstep.packets.TcpConnection.State;
import io.netty.buffer.ByteBuf;
import java.util.concurrent.TimeUnit;

/**
 * Rebuilds the byte streams of TCP connections from captured packets. Runs per packet on one thread, copies and
 * allocates nothing while packets come in order, and never throws, whatever the packets hold.
 *
 * <p>Time is the packets' own; a time before that of an earlier packet counts as that one's. {@link #advance} moves it
 * on where no packets come.
 *
 * <p>The rules, in full in docs/packets.md:
 *
 * <ul>
 *   <li>A stream begins behind its SYN, else where the other side first acknowledges it, else at its first byte.
 *   <li>Bytes are handed on in order of sequence numbers. Where segments overlap, the one that begins earlier in the
 *       stream wins; of two that wait with the same beginning the longer.
 *   <li>What a side sends after bytes of the other is handed on after them, by its acknowledgement number, even where
 *       the capture has them the other way round.
 *   <li>Bytes are missing when the other side acknowledged them and they do not come within the grace, when nobody
 *       acknowledged them and they do not come within the hole's time-out, when those after them take too much memory,
 *       when the snap length cut them off, or when the connection ends without them.
 *   <li>A connection is opened when its handshake is complete, or at its first byte.
 *   <li>A SYN, or an answer to one, with another sequence number than before begins a new connection between the same
 *       ports.
 * </ul>
 */
public final class TcpReassembler {
    /** How far beyond what was sent a RST may lie to be believed. Before what was acknowledged it is not. */
    private static final int RESET_WINDOW = 64 << 20;

    private static final long OPENING_TIMEOUT_NS = TimeUnit.SECONDS.toNanos(60);
    /** After how long without a packet one is given up of which a side has sent its FIN; the other's may be missed. */
    private static final long ENDING_TIMEOUT_NS = TimeUnit.MINUTES.toNanos(10);
    /** How long late packets of a closed connection are told from those of one that was open all the time. */
    private static final long CLOSED_TIMEOUT_NS = TimeUnit.SECONDS.toNanos(60);

    private final TcpHandler handler;
    private final TcpOptions options;
    private final TcpTotals totals = new TcpTotals();
    private final IpFragments fragments = new IpFragments();
    private final Frame frame = new Frame(fragments);
    private final TcpConnections connections = new TcpConnections();
    private final StreamAssembly assembly;
    private long nowNs = Long.MIN_VALUE;

    public TcpReassembler(TcpOptions options, TcpHandler handler) {
        this.options = options;
        this.handler = handler;
        this.assembly = new StreamAssembly(options, totals, connections);
    }

    /**
     * Takes a frame; the buffer stays the caller's, its indices are not moved.
     *
     * @param timeNs when it was captured, on any axis
     * @param from the index of its first byte
     * @param to the index after its last captured byte
     * @param originalLength its length on the wire in bytes, more than {@code to - from} when the rest was cut off
     */
    public void packet(long timeNs, LinkLayer link, ByteBuf bytes, int from, int to, int originalLength) {
        totals.packets++;
        advance(timeNs);
        int wireTo = originalLength <= to - from ? to : (int) Math.min(Integer.MAX_VALUE, (long) from + originalLength);
        take(frame.read(nowNs, link, bytes, from, to, wireTo));
    }

    /** Says that no packet before this time is still to come, so that what is overdue is given up. */
    public void advance(long timeNs) {
        if (timeNs > nowNs) {
            nowNs = timeNs;
        }
        assembly.advance(nowNs);
        forgetOld(State.OPENING, OPENING_TIMEOUT_NS);
        forgetOld(State.OPEN, options.idleTimeoutNs);
        forgetOld(State.ENDING, Math.min(ENDING_TIMEOUT_NS, options.idleTimeoutNs));
        forgetOld(State.CLOSED, CLOSED_TIMEOUT_NS);
    }

    private void forgetOld(State state, long timeoutNs) {
        TcpConnection oldest = connections.oldest(state);
        while (oldest != null && nowNs - oldest.lastPacketNs() > timeoutNs) {
            forget(oldest, TcpEnd.TIMEOUT);
            oldest = connections.oldest(state);
        }
    }

    /** Says that no packets follow: ends the connections that are open. */
    public void end() {
        for (State state : State.values()) {
            for (TcpConnection next = connections.oldest(state); next != null; next = connections.oldest(state)) {
                forget(next, TcpEnd.PACKETS_ENDED);
            }
        }
    }

    private void forget(TcpConnection connection, TcpEnd end) {
        if (connection.isOpen()) {
            assembly.close(connection, end);
        } else if (connection.state() == State.OPENING) {
            totals.unopenedConnections++;
        }
        connections.forget(connection);
    }

    public TcpTotals totals() {
        totals.lostFragments = fragments.lostFragments();
        return totals;
    }

    /** Returns about how much memory is taken by bytes that wait for others, in bytes. */
    long waitingBytes() {
        return assembly.waitingBytes();
    }

    private void take(Frame.Content content) {
        switch (content) {
            case TCP:
                segment();
                break;
            case NOT_IP:
                totals.notIpPackets++;
                break;
            case NOT_TCP:
                totals.notTcpPackets++;
                break;
            case UNREADABLE:
                totals.unreadablePackets++;
                break;
            default: // a fragment: counted when it is given up
        }
    }

    private void segment() {
        Frame segment = frame;
        TcpConnection connection = connections.find(segment);
        int flags = segment.flags;
        if ((flags & (Frame.SYN | Frame.RST)) == Frame.SYN) {
            connection = handshake(connection);
        } else if (connection == null) {
            if (segment.payloadBytes == 0 || (flags & Frame.RST) != 0) {
                return; // a connection of which no byte is seen is none
            }
            connection = add();
        }
        if (connection.state() == State.CLOSED) {
            totals.strayBytes += connection.isUnwanted() ? 0 : segment.payloadBytes;
            return;
        }
        connections.touch(connection, nowNs);
        TcpStream stream = connection.stream(frame.fromLower);
        if ((flags & Frame.RST) != 0) {
            reset(stream);
            return;
        }
        if (connection.state() == State.OPENING) {
            boolean handshakeDone = stream.isClients() && (flags & (Frame.ACK | Frame.SYN)) == Frame.ACK;
            if (segment.payloadBytes == 0 && !handshakeDone) {
                return;
            }
            open(stream);
        }
        if (connection.handler() != null) {
            assembly.take(stream, segment);
        } else if ((flags & Frame.FIN) != 0) {
            assembly.close(connection, TcpEnd.CLIENT_FIN);
        }
    }

    /** Adds the connection of the frame, which is not there. */
    private TcpConnection add() {
        if (connections.size() >= options.maxConnections) {
            TcpConnection victim = connections.leastMissed();
            totals.evictedConnections += victim.isOpen() ? 1 : 0;
            forget(victim, TcpEnd.TIMEOUT);
        }
        return connections.add(frame, nowNs);
    }

    /** Takes a SYN, or the answer to one; returns its connection. */
    private TcpConnection handshake(TcpConnection known) {
        int firstSequence = frame.sequence + 1;
        boolean answer = (frame.flags & Frame.ACK) != 0;
        if (known != null) {
            TcpStream stream = known.stream(frame.fromLower);
            boolean refused = known.state() == State.CLOSED && known.client() == null;
            boolean repeated = stream.startedAt(firstSequence) && !refused;
            if (repeated || answer && !answersAnother(stream, firstSequence)) {
                if (known.state() == State.OPENING && !repeated) {
                    begin(stream, firstSequence, true);
                }
                return known;
            }
            forget(known, TcpEnd.REPLACED);
        }
        TcpConnection connection = add();
        begin(connection.stream(frame.fromLower), firstSequence, answer);
        return connection;
    }

    /** Whether the answer to a SYN is that to another one than began the connection, and which was not captured. */
    private boolean answersAnother(TcpStream stream, int firstSequence) {
        return stream.connection.state() != State.OPENING
                && stream.isStarted()
                && !stream.startedAt(firstSequence)
                && !stream.other().startedAt(frame.acknowledged);
    }

    private void begin(TcpStream stream, int firstSequence, boolean answer) {
        TcpConnection connection = stream.connection;
        connection.beginningSeen();
        stream.start(firstSequence);
        if (answer) {
            connection.client(stream.other());
            if (!stream.other().isStarted()) {
                stream.other().start(frame.acknowledged);
            }
        } else {
            connection.client(stream);
        }
    }

    private void reset(TcpStream stream) {
        TcpConnection connection = stream.connection;
        if (connection.state() == State.OPENING) {
            connection.client(null); // refused: the same SYN may come again
            connections.move(connection, State.CLOSED);
            totals.unopenedConnections++;
        } else if (stream.believesReset(frame.sequence, RESET_WINDOW)) {
            assembly.close(connection, stream.isClients() ? TcpEnd.CLIENT_RESET : TcpEnd.SERVER_RESET);
        }
    }

    private void open(TcpStream sender) {
        TcpConnection connection = sender.connection;
        if (connection.client() == null) {
            connection.client(isFromServer() ? sender.other() : sender);
        }
        boolean alreadyOpen = !connection.isBeginningSeen();
        totals.connections++;
        totals.alreadyOpenConnections += alreadyOpen ? 1 : 0;
        connections.move(connection, State.OPEN);
        StreamHandler taker =
                handler.opened(nowNs, connection.clientAddress(), connection.serverAddress(), alreadyOpen);
        connection.handler(taker);
        if (taker == null) {
            connection.unwanted();
        }
    }

    /** Guesses whether the first bytes seen of a connection, in its middle, are the server's. */
    private boolean isFromServer() {
        boolean knownSource = options.isServerPort(frame.sourcePort);
        boolean knownDestination = options.isServerPort(frame.destinationPort);
        if (knownSource != knownDestination) {
            return knownSource;
        }
        switch (FirstBytes.of(frame.buffer, frame.payloadFrom, frame.payloadTo)) {
            case REQUEST:
                return false;
            case ANSWER:
                return true;
            default:
                return frame.sourcePort < frame.destinationPort;
        }
    }
}
