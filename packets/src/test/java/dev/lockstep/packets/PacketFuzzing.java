package dev.lockstep.packets;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.net.InetSocketAddress;

/** Reads any bytes as packets, and checks what the classes promise of what they make of them. */
final class PacketFuzzing {
    private static final TcpOptions OPTIONS = TcpOptions.builder()
            .connectionBufferBytes(64 << 10)
            .bufferBytes(256 << 10)
            .build();

    private PacketFuzzing() {}

    /** Reads a packet file and puts its streams together. */
    static void file(byte[] content) {
        Check check = new Check();
        TcpReassembler reassembler = new TcpReassembler(OPTIONS, check);
        try (PacketFile file = PacketFile.of(content)) {
            while (file.next()) {
                LinkLayer link = file.linkLayer();
                if (link != null) {
                    reassembler.packet(
                            file.timeNs(), link, file.bytes(), file.from(), file.to(), file.originalLength());
                }
            }
        } catch (PacketException e) {
            return; // as it says of files that are none
        }
        check.end(reassembler);
    }

    /**
     * Takes bytes as frames: before each stand the link layer, the time since the last one, its length, and how much of
     * it was cut off, a byte each.
     */
    static void frames(byte[] content) {
        Check check = new Check();
        TcpReassembler reassembler = new TcpReassembler(OPTIONS, check);
        ByteBuf bytes = Unpooled.wrappedBuffer(content);
        LinkLayer[] links = LinkLayer.values();
        long timeNs = 0;
        for (int index = 0; index + 4 <= content.length; ) {
            LinkLayer link = links[(content[index] & 0xff) % links.length];
            timeNs += 1L << (content[index + 1] & 0x3f);
            int length = Math.min(content[index + 2] & 0xff, content.length - index - 4);
            int cut = content[index + 3];
            index += 4;
            reassembler.packet(timeNs, link, bytes, index, index + length, length + cut);
            index += length;
        }
        check.end(reassembler);
    }

    /** Counts what is handed on. */
    private static final class Check implements TcpHandler {
        private long opened;
        private long closed;
        private long bytes;

        @Override
        public StreamHandler opened(long timeNs, InetSocketAddress client, InetSocketAddress server, boolean already) {
            opened++;
            return new Streams();
        }

        void end(TcpReassembler reassembler) {
            reassembler.end();
            TcpTotals totals = reassembler.totals();
            if (opened != closed
                    || opened != totals.connections
                    || bytes != totals.clientBytes + totals.serverBytes
                    || reassembler.waitingBytes() != 0) {
                throw new AssertionError(opened + " opened, " + closed + " closed, " + bytes + " bytes, "
                        + reassembler.waitingBytes() + " kept back");
            }
        }

        private final class Streams implements StreamHandler {
            private long lastNs = Long.MIN_VALUE;
            private boolean ended;

            @Override
            public void clientBytes(long timeNs, ByteBuf buffer, int from, int to) {
                take(timeNs, buffer, from, to);
            }

            @Override
            public void serverBytes(long timeNs, ByteBuf buffer, int from, int to) {
                take(timeNs, buffer, from, to);
            }

            @Override
            public void clientMissing(long timeNs, long count) {
                called(timeNs, count > 0);
            }

            @Override
            public void serverMissing(long timeNs, long count) {
                called(timeNs, count > 0);
            }

            @Override
            public void clientEnded(long timeNs) {
                called(timeNs, true);
            }

            @Override
            public void serverEnded(long timeNs) {
                called(timeNs, true);
            }

            @Override
            public void closed(long timeNs, TcpEnd end) {
                called(timeNs, true);
                ended = true;
                closed++;
            }

            private void take(long timeNs, ByteBuf buffer, int from, int to) {
                called(timeNs, from < to && from >= 0 && to <= buffer.capacity());
                bytes += to - from;
            }

            private void called(long timeNs, boolean fits) {
                if (!fits || ended || timeNs < lastNs) {
                    throw new AssertionError("called with what does not fit, after the end, or before the last time");
                }
                lastNs = timeNs;
            }
        }
    }
}
