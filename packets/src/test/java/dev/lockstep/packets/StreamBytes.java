package dev.lockstep.packets;

import io.netty.buffer.ByteBuf;
import java.io.ByteArrayOutputStream;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;

/** Keeps what a reassembler makes of one connection. */
final class StreamBytes implements StreamHandler {
    /** A longer hole is left out, as scan.py does. */
    private static final int MAX_FILLED = 1 << 20;

    final long openedNs;
    final InetSocketAddress clientAddress;
    final InetSocketAddress serverAddress;
    final boolean alreadyOpen;
    final Side client = new Side();
    final Side server = new Side();
    /** Each call in a letter: c and s for bytes, C and S for missing bytes, e and E for the ends, x for the last. */
    final StringBuilder calls = new StringBuilder();

    long lastNs;
    TcpEnd end;

    StreamBytes(long openedNs, InetSocketAddress clientAddress, InetSocketAddress serverAddress, boolean alreadyOpen) {
        this.openedNs = openedNs;
        this.clientAddress = clientAddress;
        this.serverAddress = serverAddress;
        this.alreadyOpen = alreadyOpen;
        this.lastNs = openedNs;
    }

    @Override
    public void clientBytes(long timeNs, ByteBuf bytes, int from, int to) {
        called(timeNs, 'c');
        client.add(bytes, from, to);
    }

    @Override
    public void serverBytes(long timeNs, ByteBuf bytes, int from, int to) {
        called(timeNs, 's');
        server.add(bytes, from, to);
    }

    @Override
    public void clientMissing(long timeNs, long bytes) {
        called(timeNs, 'C');
        client.miss(bytes);
    }

    @Override
    public void serverMissing(long timeNs, long bytes) {
        called(timeNs, 'S');
        server.miss(bytes);
    }

    @Override
    public void clientEnded(long timeNs) {
        called(timeNs, 'e');
    }

    @Override
    public void serverEnded(long timeNs) {
        called(timeNs, 'E');
    }

    @Override
    public void closed(long timeNs, TcpEnd how) {
        called(timeNs, 'x');
        end = how;
    }

    private void called(long timeNs, char call) {
        if (end != null) {
            throw new AssertionError("called after the end: " + calls + call);
        }
        if (timeNs < lastNs) {
            throw new AssertionError("time went back from " + lastNs + " to " + timeNs);
        }
        lastNs = timeNs;
        calls.append(call);
    }

    /** One direction: its bytes, zeros where some are missing, but for those at the end. */
    static final class Side {
        private final ByteArrayOutputStream out = new ByteArrayOutputStream();
        long missing;
        private long unfilled;

        private void add(ByteBuf bytes, int from, int to) {
            if (from >= to) {
                throw new AssertionError("no bytes: " + from + " to " + to);
            }
            if (unfilled < MAX_FILLED) {
                out.writeBytes(new byte[(int) unfilled]);
            }
            unfilled = 0;
            byte[] copy = new byte[to - from];
            bytes.getBytes(from, copy);
            out.writeBytes(copy);
        }

        private void miss(long bytes) {
            if (bytes <= 0) {
                throw new AssertionError("missing " + bytes);
            }
            missing += bytes;
            unfilled += bytes;
        }

        byte[] bytes() {
            return out.toByteArray();
        }

        String text() {
            return out.toString(StandardCharsets.ISO_8859_1);
        }
    }
}
