package dev.lockstep.cli.captures;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** Writes packets of TCP connections from 10.0.0.1 to port 8080 of 10.0.0.2. Used by one thread. */
final class TestingPcap {
    static final int SERVER_PORT = 8080;

    private static final int RAW_IP = 101;
    private static final int FIN = 1;
    private static final int SYN = 2;
    private static final int ACK = 16;

    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private int connections;
    private int packets;

    TestingPcap() {
        out.writeBytes(ByteBuffer.allocate(24)
                .order(ByteOrder.LITTLE_ENDIAN)
                .putInt(0xa1b2c3d4)
                .putShort((short) 2)
                .putShort((short) 4)
                .putLong(0)
                .putInt(1 << 16)
                .putInt(RAW_IP)
                .array());
    }

    /**
     * Adds a connection.
     *
     * @param begins whether its first packet is there, or it was open before
     * @param missing the number of a piece whose packet is missing, -1 for none
     */
    void add(List<byte[]> pieces, boolean begins, int missing) {
        int port = 10_000 + connections++;
        int sequence = 1000;
        if (begins) {
            packet(port, true, SYN, sequence - 1, new byte[0]);
            packet(port, false, SYN | ACK, 5000, new byte[0]);
        }
        for (int i = 0; i < pieces.size(); i++) {
            if (i != missing) {
                packet(port, true, ACK, sequence, pieces.get(i));
            }
            sequence += pieces.get(i).length;
        }
        packet(port, true, FIN | ACK, sequence, new byte[0]);
        packet(port, false, FIN | ACK, 5001, new byte[0]);
    }

    private void packet(int port, boolean fromClient, int flags, int sequence, byte[] payload) {
        int length = 40 + payload.length;
        out.writeBytes(ByteBuffer.allocate(16)
                .order(ByteOrder.LITTLE_ENDIAN)
                .putInt(1_700_000_000 + packets / 1000)
                .putInt(packets++ % 1000)
                .putInt(length)
                .putInt(length)
                .array());
        ByteBuffer packet = ByteBuffer.allocate(length)
                .putShort((short) 0x4500)
                .putShort((short) length)
                .putInt(0)
                .put((byte) 64)
                .put((byte) 6)
                .putShort((short) 0)
                .putInt(fromClient ? 0x0a000001 : 0x0a000002)
                .putInt(fromClient ? 0x0a000002 : 0x0a000001)
                .putShort((short) (fromClient ? port : SERVER_PORT))
                .putShort((short) (fromClient ? SERVER_PORT : port))
                .putInt(sequence)
                .putInt(1)
                .put((byte) 0x50)
                .put((byte) flags)
                .putShort((short) 0xffff)
                .putInt(0)
                .put(payload);
        out.writeBytes(packet.array());
    }

    Path writeTo(Path file) throws IOException {
        return Files.write(file, out.toByteArray());
    }
}
