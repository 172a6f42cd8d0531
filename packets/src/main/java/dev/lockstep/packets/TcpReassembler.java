package dev.lockstep.packets;

import dev.lockstep.packets.TcpConnection.Ageing;
import dev.lockstep.packets.TcpConnection.State;
import dev.lockstep.packets.TcpStream.Segment;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;

/**
 * Puts the byte streams of TCP connections together from captured packets. Runs per packet on one thread, copies and
 * allocates nothing while packets come in order, and never throws, whatever the packets hold.
 *
 * <p>Time is the packets' own; a time before that of an earlier packet counts as that one's. {@link #advance} moves it on
 * where no packets come.
 *
 * <p>The rules, in full in docs/packets.md:
 *
 * <ul>
 *   <li>Bytes are handed on in order of sequence numbers. Where segments overlap, the one that begins earlier in the
 *       stream wins; of two that wait with the same beginning the longer.
 *   <li>What a side sends after bytes of the other is handed on after them, by its acknowledgement number, even where
 *       the capture has them the other way round.
 *   <li>Bytes are missing when the other side acknowledged them and they do not come within the grace, when nobody
 *       acknowledged them and they do not come within the hole's time-out, when those after them take too much memory,
 *       when the snap length cut them off, or when the connection ends without them.
 *   <li>A connection is opened when its handshake is complete, or at its first byte.
 *   <li>A SYN with another sequence number than before begins a new connection between the same ports.
 * </ul>
 */
public final class TcpReassembler {
    /** How far before the packets an acknowledgement may be; one beyond is damaged or forged. */
    private static final int MAX_ACKNOWLEDGED_AHEAD = 64 << 20;

    /** How far around what was acknowledged and sent a RST must lie to be believed. */
    private static final int RESET_WINDOW = 64 << 20;

    private static final long OPENING_TIMEOUT_NS = TimeUnit.SECONDS.toNanos(60);
    /** How long late packets of a closed connection are told from those of one that was open all the time. */
    private static final long CLOSED_TIMEOUT_NS = TimeUnit.SECONDS.toNanos(60);

    private static final int MAX_CLOSED = 1 << 16;
    /** The packet that opens a connection was sent after nothing. */
    private static final long AFTER_NOTHING = Long.MIN_VALUE;

    private final TcpHandler handler;
    private final TcpOptions options;
    private final TcpCounters counters = new TcpCounters();
    private final IpFragments fragments = new IpFragments();
    private final Frame frame = new Frame(fragments);
    private final long seed = new SplittableRandom().nextLong();
    private final Ageing opening = new Ageing();
    private final Ageing open = new Ageing();
    private final Ageing closed = new Ageing();
    /** When to look at streams in which bytes are missing. */
    private final PriorityQueue<Check> checks = new PriorityQueue<>();

    private TcpConnection[] table = new TcpConnection[1024];
    private long waitingBytes;
    private long nowNs = Long.MIN_VALUE;

    /** Creates a reassembler that has seen no packet. */
    public TcpReassembler(TcpOptions options, TcpHandler handler) {
        this.options = options;
        this.handler = handler;
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
        arrive(timeNs);
        take(frame.read(nowNs, link, bytes, from, to, wireTo(from, to, originalLength)));
    }

    /** Takes a packet without its link header, whose kind stood there or came beside it; else as for a frame. */
    public void packet(long timeNs, int etherType, ByteBuf bytes, int from, int to, int originalLength) {
        arrive(timeNs);
        take(frame.read(nowNs, etherType, bytes, from, to, wireTo(from, to, originalLength)));
    }

    private static int wireTo(int from, int to, int originalLength) {
        return originalLength <= to - from ? to : (int) Math.min(Integer.MAX_VALUE, (long) from + originalLength);
    }

    private void arrive(long timeNs) {
        counters.packets++;
        advance(timeNs);
    }

    /** Says that no packet before this time is still to come, so that what is overdue is given up. */
    public void advance(long timeNs) {
        if (timeNs > nowNs) {
            nowNs = timeNs;
        }
        if (!checks.isEmpty() && checks.peek().timeNs <= nowNs) {
            check();
        }
        forgetOld(opening, OPENING_TIMEOUT_NS);
        forgetOld(open, options.idleTimeoutNs());
        forgetOld(closed, CLOSED_TIMEOUT_NS);
    }

    /** Says that no packets follow: ends the connections that are open. */
    public void end() {
        while (opening.oldest != null) {
            forget(opening.oldest);
        }
        while (open.oldest != null) {
            TcpConnection connection = open.oldest;
            close(connection, TcpEnd.PACKETS_ENDED);
            forget(connection);
        }
        while (closed.oldest != null) {
            forget(closed.oldest);
        }
    }

    /** Returns what was seen so far. */
    public TcpTotals totals() {
        counters.lostFragments = fragments.lostFragments();
        return new TcpTotals(counters);
    }

    /** Returns how much memory is taken by bytes that wait for others, in bytes, about. */
    long waitingBytes() {
        return waitingBytes;
    }

    private void take(Frame.Content content) {
        switch (content) {
            case TCP:
                segment();
                break;
            case NOT_IP:
                counters.notIpPackets++;
                break;
            case NOT_TCP:
                counters.notTcpPackets++;
                break;
            case UNREADABLE:
                counters.unreadablePackets++;
                break;
            default: // a fragment: counted when it is given up
        }
    }

    private void segment() {
        Frame segment = frame;
        boolean fromA = isSourceLower(segment);
        TcpConnection connection = fromA
                ? find(
                        segment.sourceHigh,
                        segment.sourceLow,
                        segment.sourcePort,
                        segment.destinationHigh,
                        segment.destinationLow,
                        segment.destinationPort)
                : find(
                        segment.destinationHigh,
                        segment.destinationLow,
                        segment.destinationPort,
                        segment.sourceHigh,
                        segment.sourceLow,
                        segment.sourcePort);
        int flags = segment.flags;
        if ((flags & (Frame.SYN | Frame.RST)) == Frame.SYN) {
            connection = handshake(connection, fromA);
        } else if (connection == null) {
            if (segment.payloadBytes == 0 || (flags & Frame.RST) != 0) {
                return; // a connection of which no byte is seen is none
            }
            connection = add(fromA);
        }
        if (connection.state == State.CLOSED) {
            counters.strayBytes += segment.payloadBytes;
            return;
        }
        connection.lastPacketNs = nowNs;
        (connection.state == State.OPEN ? open : opening).touch(connection);
        TcpStream stream = fromA ? connection.fromA : connection.fromB;
        if ((flags & Frame.RST) != 0) {
            reset(stream);
            return;
        }
        if (connection.state == State.OPENING) {
            boolean handshakeDone = stream == connection.client && (flags & (Frame.ACK | Frame.SYN)) == Frame.ACK;
            if (segment.payloadBytes == 0 && !handshakeDone) {
                return;
            }
            open(stream);
        }
        if (connection.handler == null) {
            if ((flags & Frame.FIN) != 0) {
                close(connection, TcpEnd.CLIENT_FIN);
            }
            return;
        }
        data(stream);
    }

    private static boolean isSourceLower(Frame segment) {
        int order = Long.compare(segment.sourceHigh, segment.destinationHigh);
        if (order == 0) {
            order = Long.compare(segment.sourceLow, segment.destinationLow);
        }
        return order == 0 ? segment.sourcePort <= segment.destinationPort : order < 0;
    }

    /** Takes a SYN, or the answer to one; returns its connection. */
    private TcpConnection handshake(TcpConnection known, boolean fromA) {
        int firstSequence = frame.sequence + 1;
        boolean answer = (frame.flags & Frame.ACK) != 0;
        TcpConnection connection = known;
        if (connection != null) {
            TcpStream stream = fromA ? connection.fromA : connection.fromB;
            boolean refused = connection.state == State.CLOSED && connection.client == null;
            boolean repeated = stream.started && stream.firstSequence == firstSequence && !refused;
            if (answer || repeated) {
                if (connection.state == State.OPENING && !repeated) {
                    begin(connection, stream, firstSequence, true);
                }
                return connection;
            }
            if (connection.state == State.OPEN) {
                close(connection, TcpEnd.REPLACED);
            }
            forget(connection);
        }
        connection = add(fromA);
        begin(connection, fromA ? connection.fromA : connection.fromB, firstSequence, answer);
        return connection;
    }

    private void begin(TcpConnection connection, TcpStream stream, int firstSequence, boolean answer) {
        connection.beginningSeen = true;
        stream.start(firstSequence);
        if (answer) {
            connection.client = stream.other;
            if (!stream.other.started) {
                stream.other.start(frame.acknowledged);
            }
        } else {
            connection.client = stream;
        }
    }

    private void reset(TcpStream stream) {
        TcpConnection connection = stream.connection;
        if (connection.state == State.OPENING) {
            connection.client = null; // refused: the same SYN may come again
            move(connection, State.CLOSED);
            counters.unopenedConnections++;
            return;
        }
        if (stream.started) {
            long at = stream.position + (frame.sequence - stream.nextSequence);
            if (at < Math.min(stream.acknowledgedPosition, stream.position) || at > stream.position + RESET_WINDOW) {
                return; // forged, or of an earlier connection
            }
        }
        close(connection, stream == connection.client ? TcpEnd.CLIENT_RESET : TcpEnd.SERVER_RESET);
    }

    private void open(TcpStream sender) {
        TcpConnection connection = sender.connection;
        if (connection.client == null) {
            connection.client = isFromServer(sender) ? sender.other : sender;
        }
        boolean clientIsA = connection.client == connection.fromA;
        var a = Frame.address(connection.ipv6, connection.aHigh, connection.aLow, connection.aPort);
        var b = Frame.address(connection.ipv6, connection.bHigh, connection.bLow, connection.bPort);
        counters.connections++;
        if (!connection.beginningSeen) {
            counters.alreadyOpenConnections++;
        }
        move(connection, State.OPEN);
        connection.handler = handler.opened(nowNs, clientIsA ? a : b, clientIsA ? b : a, !connection.beginningSeen);
    }

    /** Tells whether the sender of the first bytes seen of a connection, in its middle, is the server. */
    private boolean isFromServer(TcpStream sender) {
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

    private void data(TcpStream stream) {
        Frame segment = frame;
        int sequence = segment.sequence + ((segment.flags & Frame.SYN) != 0 ? 1 : 0);
        int length = segment.payloadBytes;
        TcpStream other = stream.other;
        long afterOther = AFTER_NOTHING;
        if ((segment.flags & Frame.ACK) != 0 && other.started) {
            int ahead = segment.acknowledged - other.nextSequence;
            if (ahead <= MAX_ACKNOWLEDGED_AHEAD) {
                afterOther = other.position + ahead;
                if (afterOther > other.acknowledgedPosition) {
                    other.acknowledgedPosition = afterOther;
                    if (ahead > 0) {
                        acknowledgedEarly(other);
                        if (stream.connection.state != State.OPEN) {
                            return;
                        }
                    }
                }
            }
        }
        if (!stream.started) {
            if (length == 0 && (segment.flags & Frame.FIN) == 0) {
                return;
            }
            stream.start(sequence);
        }
        int ahead = sequence - stream.nextSequence;
        if ((segment.flags & Frame.FIN) != 0 && stream.endPosition < 0 && ahead + length >= 0) {
            stream.endPosition = stream.position + ahead + length;
            if (stream.connection.endedFirst == null) {
                stream.connection.endedFirst = stream;
            }
        }
        if (length != 0) {
            if (ahead == 0 && !stream.isWaiting() && other.letsPass(afterOther)) {
                handOn(stream, segment.buffer, segment.payloadFrom, segment.payloadTo, length);
                if (other.isWaiting()) {
                    drain(stream.connection);
                }
            } else {
                outOfOrder(stream, ahead, length, afterOther);
            }
        }
        if (stream.endPosition >= 0 && stream.position >= stream.endPosition && !stream.ended) {
            endStream(stream);
        }
    }

    /** Takes a segment that is not simply the next one. */
    private void outOfOrder(TcpStream stream, int ahead, int length, long afterOther) {
        Frame segment = frame;
        int from = segment.payloadFrom;
        int to = segment.payloadTo;
        int wireBytes = length;
        long at = stream.position + ahead;
        if (ahead < 0) {
            int known = -ahead;
            if (known < 0 || known >= wireBytes) {
                counters.repeatedBytes += wireBytes;
                return;
            }
            counters.repeatedBytes += known;
            from = Math.min(to, from + known);
            wireBytes -= known;
            at = stream.position;
        }
        if (stream.ended) {
            counters.strayBytes += wireBytes;
            return;
        }
        if (at == stream.position && stream.other.letsPass(afterOther)) {
            handOn(stream, segment.buffer, from, to, wireBytes);
            drain(stream.connection);
            return;
        }
        counters.earlyPackets++;
        keep(stream, at, segment.buffer, from, to, wireBytes, afterOther);
    }

    private void keep(TcpStream stream, long at, ByteBuf bytes, int from, int to, int wireBytes, long afterOther) {
        if (stream.waiting == null) {
            stream.waiting = new TreeMap<>();
        }
        Segment before = stream.waiting.get(at);
        if (before != null) {
            counters.repeatedBytes += Math.min(before.wireBytes, wireBytes);
            if (before.wireBytes >= wireBytes) {
                return;
            }
            account(stream, -before.cost());
        }
        byte[] copy = new byte[to - from];
        bytes.getBytes(from, copy);
        Segment segment = new Segment(copy, wireBytes, afterOther);
        stream.waiting.put(at, segment);
        account(stream, segment.cost());
        TcpConnection connection = stream.connection;
        while (connection.state == State.OPEN
                && connection.fromA.waitingBytes + connection.fromB.waitingBytes > 0
                && (connection.fromA.waitingBytes + connection.fromB.waitingBytes > options.connectionBufferBytes()
                        || waitingBytes > options.bufferBytes())) {
            counters.bufferOverflows++;
            giveUp(connection);
        }
        if (connection.state == State.OPEN) {
            watch(connection.fromA);
            watch(connection.fromB);
        }
    }

    private void account(TcpStream stream, int bytes) {
        stream.waitingBytes += bytes;
        waitingBytes += bytes;
    }

    private void handOn(TcpStream stream, ByteBuf bytes, int from, int to, int wireBytes) {
        TcpConnection connection = stream.connection;
        stream.lossy = false;
        stream.blockedSinceNs = TcpStream.NOT_BLOCKED;
        stream.position += wireBytes;
        stream.nextSequence += wireBytes;
        if (to > from) {
            if (stream == connection.client) {
                counters.clientBytes += to - from;
                connection.handler.clientBytes(nowNs, bytes, from, to);
            } else {
                counters.serverBytes += to - from;
                connection.handler.serverBytes(nowNs, bytes, from, to);
            }
        }
        if (wireBytes > to - from) {
            tellMissing(stream, wireBytes - (to - from));
        }
    }

    private void missing(TcpStream stream, long bytes) {
        stream.position += bytes;
        stream.nextSequence += (int) bytes;
        stream.blockedSinceNs = TcpStream.NOT_BLOCKED;
        tellMissing(stream, bytes);
    }

    private void tellMissing(TcpStream stream, long bytes) {
        TcpConnection connection = stream.connection;
        if (stream == connection.client) {
            counters.clientGaps++;
            counters.clientMissingBytes += bytes;
            connection.handler.clientMissing(nowNs, bytes);
        } else {
            counters.serverGaps++;
            counters.serverMissingBytes += bytes;
            connection.handler.serverMissing(nowNs, bytes);
        }
    }

    private void endStream(TcpStream stream) {
        TcpConnection connection = stream.connection;
        stream.ended = true;
        while (stream.isWaiting()) { // beyond the end
            Segment segment = stream.waiting.pollFirstEntry().getValue();
            account(stream, -segment.cost());
            counters.strayBytes += segment.wireBytes;
        }
        if (stream.position == stream.endPosition) {
            stream.position++; // a FIN takes one sequence number
            stream.nextSequence++;
        }
        if (stream == connection.client) {
            connection.handler.clientEnded(nowNs);
        } else {
            connection.handler.serverEnded(nowNs);
        }
        if (stream.other.isWaiting()) {
            drain(connection);
        }
        if (stream.other.ended && connection.state == State.OPEN) {
            close(connection, connection.endedFirst == connection.client ? TcpEnd.CLIENT_FIN : TcpEnd.SERVER_FIN);
        }
    }

    /** Hands on what waits and is next by now, in both directions. */
    private void drain(TcpConnection connection) {
        while (connection.state == State.OPEN && (drain(connection.fromA) || drain(connection.fromB))) {
            // each may let the other go on
        }
        if (connection.state == State.OPEN) {
            watch(connection.fromA);
            watch(connection.fromB);
        }
    }

    /** Hands on what waits and is next by now; tells whether there was anything. */
    private boolean drain(TcpStream stream) {
        boolean any = false;
        while (stream.isWaiting()) {
            Map.Entry<Long, Segment> first = stream.waiting.firstEntry();
            Segment segment = first.getValue();
            long known = stream.position - first.getKey();
            if (known < 0 || known < segment.wireBytes && !stream.other.letsPass(segment.afterOther)) {
                break;
            }
            stream.waiting.pollFirstEntry();
            account(stream, -segment.cost());
            any = true;
            counters.repeatedBytes += Math.min(known, segment.wireBytes);
            if (known >= segment.wireBytes) {
                continue;
            }
            int from = (int) Math.min(known, segment.bytes.length);
            handOn(stream, Unpooled.wrappedBuffer(segment.bytes), from, segment.bytes.length, (int)
                    (segment.wireBytes - known));
        }
        if (stream.endPosition >= 0 && stream.position >= stream.endPosition && !stream.ended) {
            endStream(stream);
            any = true;
        }
        return any;
    }

    // Missing bytes

    /** The other side has acknowledged bytes of this stream that are not here. */
    private void acknowledgedEarly(TcpStream stream) {
        if (stream.lossy) {
            declareAcknowledged(stream);
            drain(stream.connection);
        } else {
            watch(stream);
        }
    }

    /** Sets when to look at a stream in which bytes are missing. */
    private void watch(TcpStream stream) {
        if (!stream.isLate() && !stream.hasHole()) {
            stream.blockedSinceNs = TcpStream.NOT_BLOCKED;
            return;
        }
        if (stream.blockedSinceNs == TcpStream.NOT_BLOCKED) {
            stream.blockedSinceNs = nowNs;
        }
        long checkNs = dueNs(stream);
        if (checkNs < stream.checkNs) {
            stream.checkNs = checkNs;
            checks.add(new Check(checkNs, stream));
        }
    }

    private void check() {
        while (!checks.isEmpty() && checks.peek().timeNs <= nowNs) {
            Check check = checks.poll();
            TcpStream stream = check.stream;
            if (stream.checkNs != check.timeNs) {
                continue; // an earlier one took its place
            }
            stream.checkNs = Long.MAX_VALUE;
            if (stream.connection.state != State.OPEN) {
                continue;
            }
            if (stream.blockedSinceNs == TcpStream.NOT_BLOCKED || dueNs(stream) > nowNs) {
                watch(stream);
                continue;
            }
            if (stream.isLate()) {
                declareAcknowledged(stream);
            } else {
                declareHole(stream);
            }
            drain(stream.connection);
        }
    }

    private long dueNs(TcpStream stream) {
        return stream.blockedSinceNs + (stream.isLate() ? options.ackGraceNs() : options.holeTimeoutNs());
    }

    /** Declares missing what the other side has and nobody saw. */
    private void declareAcknowledged(TcpStream stream) {
        long upTo = stream.acknowledgedPosition;
        if (stream.isWaiting()) {
            upTo = Math.min(upTo, stream.waiting.firstKey());
        } else if (upTo == stream.position + 1) {
            upTo = stream.position; // a FIN that was not captured, for all that is known
        }
        if (stream.endPosition >= 0) {
            upTo = Math.min(upTo, stream.endPosition);
        }
        stream.lossy = true;
        if (upTo > stream.position) {
            missing(stream, upTo - stream.position);
        }
    }

    private void declareHole(TcpStream stream) {
        if (stream.hasHole()) {
            missing(stream, stream.waiting.firstKey() - stream.position);
        }
    }

    /** Declares something missing, so that something that waits can go on. */
    private void giveUp(TcpConnection connection) {
        TcpStream first = connection.client;
        if (!first.isWaiting() || first.other.isWaiting() && !first.hasHole()) {
            first = first.other;
        }
        if (first.hasHole()) {
            declareHole(first);
        } else if (first.isWaiting()) {
            declareAcknowledged(first.other);
        }
        drain(connection);
    }

    // Life and death

    private void close(TcpConnection connection, TcpEnd end) {
        if (connection.handler != null) {
            flush(connection);
        }
        if (connection.state != State.OPEN) {
            return; // the flush has brought both FINs, and so closed it
        }
        move(connection, State.CLOSED);
        StreamHandler told = connection.handler;
        if (told != null) {
            connection.handler = null;
            told.closed(nowNs, end);
        }
    }

    private void flush(TcpConnection connection) {
        while (connection.state == State.OPEN && (connection.fromA.isWaiting() || connection.fromB.isWaiting())) {
            giveUp(connection);
        }
        flushEnd(connection.client);
        flushEnd(connection.client.other);
    }

    private void flushEnd(TcpStream stream) {
        if (stream.connection.state != State.OPEN || stream.ended) {
            return;
        }
        declareAcknowledged(stream);
        if (stream.endPosition > stream.position) {
            missing(stream, stream.endPosition - stream.position);
        }
        if (stream.endPosition >= 0) {
            endStream(stream);
        }
    }

    private void move(TcpConnection connection, State state) {
        list(connection.state).remove(connection);
        connection.state = state;
        list(state).add(connection);
        if (state == State.CLOSED && closed.size > MAX_CLOSED) {
            forget(closed.oldest);
        }
    }

    private Ageing list(State state) {
        return state == State.OPEN ? open : state == State.OPENING ? opening : closed;
    }

    private void forgetOld(Ageing list, long timeoutNs) {
        while (list.oldest != null && nowNs - list.oldest.lastPacketNs > timeoutNs) {
            TcpConnection connection = list.oldest;
            if (connection.state == State.OPEN) {
                close(connection, TcpEnd.TIMEOUT);
            }
            forget(connection);
        }
    }

    private void forget(TcpConnection connection) {
        if (connection.state == State.OPENING) {
            counters.unopenedConnections++;
        }
        list(connection.state).remove(connection);
        int slot = connection.hash & table.length - 1;
        if (table[slot] == connection) {
            table[slot] = connection.chain;
            return;
        }
        TcpConnection before = table[slot];
        while (before.chain != connection) {
            before = before.chain;
        }
        before.chain = connection.chain;
    }

    // The table

    private TcpConnection find(long aHigh, long aLow, int aPort, long bHigh, long bLow, int bPort) {
        int hash = hash(aHigh, aLow, aPort, bHigh, bLow, bPort);
        TcpConnection found = table[hash & table.length - 1];
        while (found != null
                && !(found.hash == hash
                        && found.aLow == aLow
                        && found.bLow == bLow
                        && found.aPort == aPort
                        && found.bPort == bPort
                        && found.aHigh == aHigh
                        && found.bHigh == bHigh
                        && found.ipv6 == frame.ipv6)) {
            found = found.chain;
        }
        return found;
    }

    /** Adds the connection of the frame, which is not there. */
    private TcpConnection add(boolean fromA) {
        if (opening.size + open.size + closed.size >= options.maxConnections()) {
            evict();
        }
        Frame at = frame;
        TcpConnection connection = fromA
                ? create(
                        at.sourceHigh,
                        at.sourceLow,
                        at.sourcePort,
                        at.destinationHigh,
                        at.destinationLow,
                        at.destinationPort)
                : create(
                        at.destinationHigh,
                        at.destinationLow,
                        at.destinationPort,
                        at.sourceHigh,
                        at.sourceLow,
                        at.sourcePort);
        connection.lastPacketNs = nowNs;
        opening.add(connection);
        int size = opening.size + open.size + closed.size;
        if (size > table.length && table.length < 1 << 24) {
            grow();
        }
        int slot = connection.hash & table.length - 1;
        connection.chain = table[slot];
        table[slot] = connection;
        return connection;
    }

    private TcpConnection create(long aHigh, long aLow, int aPort, long bHigh, long bLow, int bPort) {
        int hash = hash(aHigh, aLow, aPort, bHigh, bLow, bPort);
        return new TcpConnection(frame.ipv6, aHigh, aLow, aPort, bHigh, bLow, bPort, hash);
    }

    private void evict() {
        TcpConnection victim =
                closed.oldest != null ? closed.oldest : opening.oldest != null ? opening.oldest : open.oldest;
        if (victim.state == State.OPEN) {
            counters.evictedConnections++;
            close(victim, TcpEnd.TIMEOUT);
        }
        forget(victim);
    }

    private void grow() {
        TcpConnection[] larger = new TcpConnection[table.length * 2];
        for (TcpConnection first : table) {
            TcpConnection connection = first;
            while (connection != null) {
                TcpConnection next = connection.chain;
                int slot = connection.hash & larger.length - 1;
                connection.chain = larger[slot];
                larger[slot] = connection;
                connection = next;
            }
        }
        table = larger;
    }

    /** Hashes with a secret seed, so that nobody can fill one slot of the table on purpose. */
    private int hash(long aHigh, long aLow, int aPort, long bHigh, long bLow, int bPort) {
        long hash = mix(seed ^ aLow);
        hash = mix(hash ^ bLow);
        hash = mix(hash ^ ((long) aPort << 16 | bPort));
        if ((aHigh | bHigh) != 0) {
            hash = mix(mix(hash ^ aHigh) ^ bHigh);
        }
        return (int) (hash >>> 32);
    }

    private static long mix(long value) {
        long mixed = (value ^ value >>> 32) * 0xd6e8feb86659fd93L;
        return (mixed ^ mixed >>> 32) * 0xd6e8feb86659fd93L;
    }

    /** A time at which to look at a stream. */
    private static final class Check implements Comparable<Check> {
        final long timeNs;
        final TcpStream stream;

        Check(long timeNs, TcpStream stream) {
            this.timeNs = timeNs;
            this.stream = stream;
        }

        @Override
        public int compareTo(Check other) {
            return Long.compare(timeNs, other.timeNs);
        }
    }
}
