package dev.lockstep.protocol;

import dev.lockstep.packets.PacketFile;
import dev.lockstep.packets.StreamHandler;
import dev.lockstep.packets.TcpEnd;
import dev.lockstep.packets.TcpOptions;
import dev.lockstep.packets.TcpReassembler;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import java.io.ByteArrayOutputStream;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/** The connections of a packet capture of test-data, as pieces of both directions in the order in which they came. */
final class TestingTraffic {
    /** What one side sent. */
    static final class Piece {
        final boolean client;
        final byte[] bytes;

        Piece(boolean client, byte[] bytes) {
            this.client = client;
            this.bytes = bytes;
        }
    }

    /** One connection's pieces. */
    static final class Connection {
        final boolean alreadyOpen;
        final List<Piece> pieces = new ArrayList<>();

        Connection(boolean alreadyOpen) {
            this.alreadyOpen = alreadyOpen;
        }

        /** Returns the same bytes in the same order, each piece cut into single bytes. */
        Connection byteByByte() {
            return cut(() -> 1);
        }

        /** Returns the same bytes in the same order, each piece cut at random. */
        Connection randomlyCut(Random random) {
            return cut(() -> 1 + random.nextInt(40));
        }

        private Connection cut(java.util.function.IntSupplier length) {
            Connection cut = new Connection(false);
            for (Piece piece : pieces) {
                for (int from = 0; from < piece.bytes.length; ) {
                    int to = Math.min(piece.bytes.length, from + length.getAsInt());
                    cut.pieces.add(new Piece(piece.client, java.util.Arrays.copyOfRange(piece.bytes, from, to)));
                    from = to;
                }
            }
            return cut;
        }

        /** Returns everything that one side sent. */
        byte[] stream(boolean client) {
            ByteArrayOutputStream stream = new ByteArrayOutputStream();
            for (Piece piece : pieces) {
                if (piece.client == client) {
                    stream.writeBytes(piece.bytes);
                }
            }
            return stream.toByteArray();
        }
    }

    private TestingTraffic() {}

    /** Reads a capture's connections in the order of their first packets. */
    static List<Connection> read(String capture) {
        List<Connection> connections = new ArrayList<>();
        TcpReassembler reassembler = new TcpReassembler(TcpOptions.defaults(), (time, client, server, alreadyOpen) -> {
            Connection connection = new Connection(alreadyOpen);
            connections.add(connection);
            return new Collector(connection);
        });
        try (PacketFile file = PacketFile.open(Path.of(System.getProperty("lockstep.testData"), capture))) {
            while (file.next()) {
                reassembler.packet(
                        file.timeNs(), file.linkLayer(), file.bytes(), file.from(), file.to(), file.originalLength());
            }
        }
        reassembler.end();
        return connections;
    }

    private static final class Collector implements StreamHandler {
        private final Connection connection;

        Collector(Connection connection) {
            this.connection = connection;
        }

        @Override
        public void clientBytes(long timeNs, ByteBuf bytes, int from, int to) {
            connection.pieces.add(new Piece(true, ByteBufUtil.getBytes(bytes, from, to - from)));
        }

        @Override
        public void serverBytes(long timeNs, ByteBuf bytes, int from, int to) {
            connection.pieces.add(new Piece(false, ByteBufUtil.getBytes(bytes, from, to - from)));
        }

        @Override
        public void clientMissing(long timeNs, long bytes) {}

        @Override
        public void serverMissing(long timeNs, long bytes) {}

        @Override
        public void clientEnded(long timeNs) {}

        @Override
        public void serverEnded(long timeNs) {}

        @Override
        public void closed(long timeNs, TcpEnd end) {}
    }
}
