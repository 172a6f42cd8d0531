package dev.lockstep.packets;

import io.netty.buffer.ByteBuf;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Sends segments to a reassembler and keeps the connections that it finds. */
final class TestingNetwork {
    final List<StreamBytes> connections = new ArrayList<>();
    final TcpReassembler reassembler;
    long timeNs = 1_000;

    TestingNetwork() {
        this(TcpOptions.defaults());
    }

    TestingNetwork(TcpOptions options) {
        reassembler = new TcpReassembler(options, (openedNs, client, server, alreadyOpen) -> {
            StreamBytes connection = new StreamBytes(openedNs, client, server, alreadyOpen);
            connections.add(connection);
            return connection;
        });
    }

    /** Sends segments, 1 us apart. */
    TestingNetwork send(TestingSegment... segments) {
        for (TestingSegment segment : segments) {
            timeNs += 1_000;
            frame(LinkLayer.RAW, segment.ipv4());
        }
        return this;
    }

    TestingNetwork frame(LinkLayer link, ByteBuf frame) {
        return cut(link, frame, frame.readableBytes());
    }

    /** Sends the first bytes of a frame only, behind bytes that belong to something else. */
    TestingNetwork cut(LinkLayer link, ByteBuf frame, int captured) {
        ByteBuf buffer = frame.copy(0, captured);
        ByteBuf apart = buffer.alloc()
                .heapBuffer(captured + 6)
                .writeZero(3)
                .writeBytes(buffer)
                .writeZero(3);
        reassembler.packet(timeNs, link, apart, 3, 3 + captured, frame.readableBytes());
        buffer.release();
        apart.release();
        return this;
    }

    /** Completes a handshake; the client's first byte has the number 101, the server's 501. */
    TestingNetwork connect() {
        return send(
                TestingSegment.client().syn(100),
                TestingSegment.server().syn(500).ack(101),
                TestingSegment.client().sequence(101).ack(501));
    }

    TestingNetwork pause(long milliseconds) {
        timeNs += TimeUnit.MILLISECONDS.toNanos(milliseconds);
        reassembler.advance(timeNs);
        return this;
    }

    TestingNetwork end() {
        reassembler.end();
        return this;
    }

    StreamBytes only() {
        if (connections.size() != 1) {
            throw new AssertionError(connections.size() + " connections");
        }
        return connections.get(0);
    }

    TcpTotals totals() {
        return reassembler.totals();
    }
}
