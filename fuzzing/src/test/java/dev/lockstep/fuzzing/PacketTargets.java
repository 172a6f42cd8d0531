package dev.lockstep.fuzzing;

import dev.lockstep.packets.PacketException;
import dev.lockstep.packets.PacketFile;
import dev.lockstep.packets.StreamHandler;
import dev.lockstep.packets.TcpEnd;
import dev.lockstep.packets.TcpOptions;
import dev.lockstep.packets.TcpReassembler;
import io.netty.buffer.ByteBuf;

/** Packet files down to the streams in them: a stream never has more bytes than the file. */
final class PacketTargets {
    private PacketTargets() {}

    static void file(byte[] input) {
        Streams streams = new Streams();
        TcpReassembler reassembler = new TcpReassembler(
                TcpOptions.builder()
                        .connectionBufferBytes(1 << 16)
                        .bufferBytes(1 << 20)
                        .build(),
                (timeNs, client, server, alreadyOpen) -> streams);
        try (PacketFile file = PacketFile.of(input)) {
            while (file.next()) {
                if (file.linkLayer() != null) {
                    reassembler.packet(
                            file.timeNs(),
                            file.linkLayer(),
                            file.bytes(),
                            file.from(),
                            file.to(),
                            file.originalLength());
                }
            }
        } catch (PacketException refused) {
            if (refused.getMessage() == null) {
                throw new AssertionError("refused without a word", refused);
            }
        }
        reassembler.end();
        // A gzip file may hold about a thousand times its size.
        if (streams.bytes > 2000L * input.length) {
            throw new AssertionError(streams.bytes + " bytes of streams in " + input.length + " bytes");
        }
    }

    /** Counts what all streams hold. */
    private static final class Streams implements StreamHandler {
        private long bytes;

        private void add(ByteBuf buffer, int from, int to) {
            Progress.check(to, from, buffer.capacity());
            bytes += to - from;
        }

        @Override
        public void clientBytes(long timeNs, ByteBuf buffer, int from, int to) {
            add(buffer, from, to);
        }

        @Override
        public void serverBytes(long timeNs, ByteBuf buffer, int from, int to) {
            add(buffer, from, to);
        }

        @Override
        public void clientMissing(long timeNs, long missing) {
            if (missing < 0) {
                throw new AssertionError(missing + " bytes missing");
            }
        }

        @Override
        public void serverMissing(long timeNs, long missing) {
            clientMissing(timeNs, missing);
        }

        @Override
        public void clientEnded(long timeNs) {}

        @Override
        public void serverEnded(long timeNs) {}

        @Override
        public void closed(long timeNs, TcpEnd end) {}
    }
}
