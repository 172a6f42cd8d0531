package dev.lockstep.packets;

import dev.lockstep.packets.TcpConnection.State;
import dev.lockstep.packets.TcpStream.Segment;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;

/**
 * Puts the two streams of each open connection in order, hands them on, and says what is missing in them. Runs per
 * packet on the reassembler's thread.
 */
final class StreamAssembly {
    /** How far before the packets an acknowledgement may be; one beyond is damaged or forged. */
    private static final int MAX_ACKNOWLEDGED_AHEAD = 64 << 20;

    /** Where the packet that opens a connection stands in the other stream: it was sent after nothing. */
    private static final long AFTER_NOTHING = Long.MIN_VALUE;

    private final TcpOptions options;
    private final TcpTotals totals;
    private final TcpConnections connections;
    private final LateStreams late = new LateStreams();
    private long waitingBytes;
    private long nowNs = Long.MIN_VALUE;

    StreamAssembly(TcpOptions options, TcpTotals totals, TcpConnections connections) {
        this.options = options;
        this.totals = totals;
        this.connections = connections;
    }

    /** Moves the time on, and gives up what is overdue. */
    void advance(long toNs) {
        nowNs = toNs;
        for (TcpStream stream = late.poll(nowNs); stream != null; stream = late.poll(nowNs)) {
            if (stream.isLate()) {
                giveUpAcknowledged(stream);
            } else {
                missing(stream, stream.holeBytes());
            }
            drain(stream.connection);
        }
    }

    /** Returns about how much memory is taken by bytes that wait for others, in bytes. */
    long waitingBytes() {
        return waitingBytes;
    }

    /** Takes a segment of an open connection that somebody wants to hear of. */
    void take(TcpStream stream, Frame segment) {
        int sequence = segment.sequence + ((segment.flags & Frame.SYN) != 0 ? 1 : 0);
        int length = segment.payloadBytes;
        TcpStream other = stream.other();
        long afterOther = AFTER_NOTHING;
        if ((segment.flags & Frame.ACK) != 0) {
            if (!other.isStarted()) {
                other.assumeStart(segment.acknowledged);
            }
            int ahead = other.ahead(segment.acknowledged);
            if (ahead <= MAX_ACKNOWLEDGED_AHEAD) {
                afterOther = other.position() + ahead;
                if (other.acknowledge(afterOther) && ahead > 0) {
                    acknowledgedEarly(other);
                    if (!stream.connection.isOpen()) {
                        return;
                    }
                }
            }
        }
        if (!stream.isStarted() || stream.startsElsewhere(sequence, MAX_ACKNOWLEDGED_AHEAD)) {
            if (length == 0 && (segment.flags & Frame.FIN) == 0) {
                return;
            }
            stream.start(sequence);
        }
        int ahead = stream.ahead(sequence);
        if ((segment.flags & Frame.FIN) != 0
                && ahead + length >= 0
                && stream.endsAt(stream.position() + ahead + length)) {
            stream.connection.endedBy(stream);
            if (stream.connection.state() == State.OPEN) {
                connections.move(stream.connection, State.ENDING);
            }
        }
        if (length != 0) {
            if (ahead == 0 && !stream.isWaiting() && other.letsPass(afterOther)) {
                handOn(stream, segment.buffer, segment.payloadFrom, segment.payloadTo, length);
                if (other.isWaiting()) {
                    drain(stream.connection);
                }
            } else {
                takeOutOfOrder(stream, segment, ahead, afterOther);
            }
        }
        if (stream.isAtEnd()) {
            end(stream);
        }
    }

    /** Takes a segment that is not simply the next one. */
    private void takeOutOfOrder(TcpStream stream, Frame segment, int ahead, long afterOther) {
        int from = segment.payloadFrom;
        int to = segment.payloadTo;
        int wireBytes = segment.payloadBytes;
        long at = stream.position() + ahead;
        if (ahead < 0) {
            int known = -ahead;
            if (known < 0 || known >= wireBytes) {
                totals.repeatedBytes += wireBytes;
                return;
            }
            totals.repeatedBytes += known;
            from = Math.min(to, from + known);
            wireBytes -= known;
            at = stream.position();
        }
        if (stream.isEnded()) {
            totals.strayBytes += wireBytes;
            return;
        }
        if (at == stream.position() && stream.other().letsPass(afterOther)) {
            handOn(stream, segment.buffer, from, to, wireBytes);
            drain(stream.connection);
            return;
        }
        totals.earlyPackets++;
        Segment before = stream.waitingAt(at);
        if (before != null) {
            totals.repeatedBytes += Math.min(before.wireBytes(), wireBytes);
            if (before.wireBytes() >= wireBytes) {
                return;
            }
        }
        byte[] copy = new byte[to - from];
        segment.buffer.getBytes(from, copy);
        waitingBytes += stream.keep(at, new Segment(copy, wireBytes, afterOther));
        boundMemory(stream.connection);
    }

    private void boundMemory(TcpConnection connection) {
        while (connection.isOpen()
                && connection.waitingBytes() > 0
                && (connection.waitingBytes() > options.connectionBufferBytes || waitingBytes > options.bufferBytes)) {
            totals.bufferOverflows++;
            giveUpSomething(connection);
        }
        watch(connection);
    }

    private void watch(TcpConnection connection) {
        if (connection.isOpen()) {
            late.watch(connection.stream(true), nowNs);
            late.watch(connection.stream(false), nowNs);
        }
    }

    // ---- Handing on.

    private void handOn(TcpStream stream, ByteBuf bytes, int from, int to, int wireBytes) {
        StreamHandler handler = stream.connection.handler();
        stream.handedOn(wireBytes);
        if (to > from) {
            if (stream.isClients()) {
                totals.clientBytes += to - from;
                handler.clientBytes(nowNs, bytes, from, to);
            } else {
                totals.serverBytes += to - from;
                handler.serverBytes(nowNs, bytes, from, to);
            }
        }
        if (wireBytes > to - from) {
            tellMissing(stream, wireBytes - (to - from));
        }
    }

    private void missing(TcpStream stream, long bytes) {
        if (bytes > 0) {
            stream.passed(bytes);
            tellMissing(stream, bytes);
        }
    }

    private void tellMissing(TcpStream stream, long bytes) {
        StreamHandler handler = stream.connection.handler();
        if (stream.isClients()) {
            totals.clientGaps++;
            totals.clientMissingBytes += bytes;
            handler.clientMissing(nowNs, bytes);
        } else {
            totals.serverGaps++;
            totals.serverMissingBytes += bytes;
            handler.serverMissing(nowNs, bytes);
        }
    }

    private void end(TcpStream stream) {
        TcpConnection connection = stream.connection;
        while (stream.isWaiting()) { // beyond the end
            totals.strayBytes += pollWaiting(stream).wireBytes();
        }
        stream.end();
        if (stream.isClients()) {
            connection.handler().clientEnded(nowNs);
        } else {
            connection.handler().serverEnded(nowNs);
        }
        if (stream.other().isWaiting()) {
            drain(connection);
        }
        if (stream.other().isEnded() && connection.isOpen()) {
            close(connection, connection.isEndedByClient() ? TcpEnd.CLIENT_FIN : TcpEnd.SERVER_FIN);
        }
    }

    /** Hands on what waits and is next by now, in both directions. */
    private void drain(TcpConnection connection) {
        while (connection.isOpen() && (drain(connection.stream(true)) || drain(connection.stream(false)))) {
            // each may let the other go on
        }
        watch(connection);
    }

    /** Hands on what waits and is next by now; returns whether there was anything. */
    private boolean drain(TcpStream stream) {
        boolean any = false;
        while (stream.isWaiting()) {
            Segment segment = stream.firstWaiting();
            int wireBytes = segment.wireBytes();
            long known = stream.position() - stream.firstWaitingPosition();
            if (known < 0 || known < wireBytes && !stream.other().letsPass(segment.afterOther())) {
                break;
            }
            pollWaiting(stream);
            any = true;
            totals.repeatedBytes += Math.min(known, wireBytes);
            if (known < wireBytes) {
                byte[] bytes = segment.bytes();
                int from = (int) Math.min(known, bytes.length);
                handOn(stream, Unpooled.wrappedBuffer(bytes), from, bytes.length, (int) (wireBytes - known));
            }
        }
        if (stream.isAtEnd()) {
            end(stream);
            any = true;
        }
        return any;
    }

    private Segment pollWaiting(TcpStream stream) {
        Segment segment = stream.pollWaiting();
        waitingBytes -= segment.cost();
        return segment;
    }

    // ---- Giving up.

    /** The other side has acknowledged bytes of this stream that are not here. */
    private void acknowledgedEarly(TcpStream stream) {
        if (stream.isLossy()) {
            giveUpAcknowledged(stream);
            drain(stream.connection);
        } else {
            late.watch(stream, nowNs);
        }
    }

    /** Declares missing what the other side has and nobody saw. */
    private void giveUpAcknowledged(TcpStream stream) {
        missing(stream, stream.giveUpAcknowledged());
    }

    /** Declares something missing, so that something that waits can go on. */
    private void giveUpSomething(TcpConnection connection) {
        TcpStream first = connection.client();
        if (!first.isWaiting() || first.other().isWaiting() && !first.hasHole()) {
            first = first.other();
        }
        if (first.hasHole()) {
            missing(first, first.holeBytes());
        } else if (first.isWaiting()) {
            giveUpAcknowledged(first.other());
        }
        drain(connection);
    }

    // ---- The end.

    /** Hands on what waits, and says that the connection has ended, if it is still open then. */
    void close(TcpConnection connection, TcpEnd end) {
        if (connection.handler() != null) {
            flush(connection);
        }
        if (!connection.isOpen()) {
            return; // the flush has brought both FINs, and so closed it
        }
        connections.move(connection, State.CLOSED);
        StreamHandler told = connection.handler();
        if (told != null) {
            connection.handler(null);
            told.closed(nowNs, end);
        }
    }

    private void flush(TcpConnection connection) {
        while (connection.isOpen() && connection.isWaiting()) {
            giveUpSomething(connection);
        }
        flushEnd(connection.client());
        flushEnd(connection.client().other());
    }

    private void flushEnd(TcpStream stream) {
        if (!stream.connection.isOpen() || stream.isEnded()) {
            return;
        }
        giveUpAcknowledged(stream);
        missing(stream, stream.missingBeforeEnd());
        if (stream.knowsEnd()) {
            end(stream);
        }
    }
}
