package dev.lockstep.conversion.exports;

import java.io.IOException;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;

/**
 * Writes TCP segments in Ethernet frames as a pcap file with times in ns, with sequence numbers and checksums as they
 * would be on a network. Used by one thread; the stream stays the caller's.
 */
final class PcapWriter {
    static final int FIN = 1;
    static final int SYN = 1 << 1;
    static final int RST = 1 << 2;
    static final int PSH = 1 << 3;
    static final int ACK = 1 << 4;

    private static final int MAGIC_NANOSECONDS = 0xa1b23c4d;
    private static final int SNAP_LENGTH = 1 << 18;
    private static final int LINK_TYPE_ETHERNET = 1;
    private static final long NS_PER_SECOND = 1_000_000_000;
    private static final long MAX_SECONDS = 0xffffffffL;

    private static final int FILE_HEADER_BYTES = 24;
    private static final int PACKET_HEADER_BYTES = 16;
    private static final int ETHERNET_BYTES = 14;
    private static final int IPV4_BYTES = 20;
    private static final int IPV6_BYTES = 40;
    private static final int TCP_BYTES = 20;
    private static final int MAX_PACKET_BYTES = 1500;
    private static final int PROTOCOL_TCP = 6;
    private static final byte[] MAPPED = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, (byte) 0xff, (byte) 0xff};

    private final OutputStream out;
    private final ByteBuffer frame = ByteBuffer.allocate(PACKET_HEADER_BYTES + ETHERNET_BYTES + MAX_PACKET_BYTES)
            .order(ByteOrder.BIG_ENDIAN);
    private long packets;

    PcapWriter(OutputStream out) throws IOException {
        this.out = out;
        ByteBuffer header = ByteBuffer.allocate(FILE_HEADER_BYTES)
                .putInt(MAGIC_NANOSECONDS)
                .putShort((short) 2)
                .putShort((short) 4)
                .putInt(0)
                .putInt(0)
                .putInt(SNAP_LENGTH)
                .putInt(LINK_TYPE_ETHERNET);
        out.write(header.array());
    }

    /** The most bytes that a segment can carry between two addresses. */
    static int maxPayloadBytes(InetSocketAddress source, InetSocketAddress destination) {
        return MAX_PACKET_BYTES - TCP_BYTES - (isIpv4(source, destination) ? IPV4_BYTES : IPV6_BYTES);
    }

    /** Writes a segment. As much of {@code payload} as fits is consumed. */
    void segment(
            long epochNs,
            InetSocketAddress source,
            InetSocketAddress destination,
            int sequence,
            int acknowledged,
            int flags,
            ByteBuffer payload)
            throws IOException {
        boolean ipv4 = isIpv4(source, destination);
        int length = Math.min(payload.remaining(), maxPayloadBytes(source, destination));
        int frameBytes = ETHERNET_BYTES + (ipv4 ? IPV4_BYTES : IPV6_BYTES) + TCP_BYTES + length;
        frame.clear();
        long seconds = Math.max(0, Math.min(MAX_SECONDS, Math.floorDiv(epochNs, NS_PER_SECOND)));
        frame.putInt((int) seconds)
                .putInt((int) Math.floorMod(epochNs, NS_PER_SECOND))
                .putInt(frameBytes)
                .putInt(frameBytes);
        boolean fromLower = source.getPort() <= destination.getPort();
        frame.putShort((short) 0x0200).putInt(fromLower ? 2 : 1); // addresses that nobody owns
        frame.putShort((short) 0x0200).putInt(fromLower ? 1 : 2);
        frame.putShort((short) (ipv4 ? 0x0800 : 0x86dd));
        byte[] from = address(source, ipv4);
        byte[] to = address(destination, ipv4);
        if (ipv4) {
            int header = frame.position();
            frame.putShort((short) 0x4500)
                    .putShort((short) (IPV4_BYTES + TCP_BYTES + length))
                    .putShort((short) packets)
                    .putShort((short) 0x4000)
                    .put((byte) 64)
                    .put((byte) PROTOCOL_TCP)
                    .putShort((short) 0)
                    .put(from)
                    .put(to);
            frame.putShort(header + 10, checksum(sum(0, frame, header, IPV4_BYTES)));
        } else {
            frame.putInt(6 << 28)
                    .putShort((short) (TCP_BYTES + length))
                    .put((byte) PROTOCOL_TCP)
                    .put((byte) 64)
                    .put(from)
                    .put(to);
        }
        int tcp = frame.position();
        frame.putShort((short) source.getPort())
                .putShort((short) destination.getPort())
                .putInt(sequence)
                .putInt(acknowledged)
                .putShort((short) (TCP_BYTES / 4 << 12 | flags))
                .putShort((short) 0xffff)
                .putInt(0);
        int limit = payload.limit();
        payload.limit(payload.position() + length);
        frame.put(payload);
        payload.limit(limit);
        long sum = sum(PROTOCOL_TCP + TCP_BYTES + length, ByteBuffer.wrap(from), 0, from.length);
        sum = sum(sum, ByteBuffer.wrap(to), 0, to.length);
        frame.putShort(tcp + 16, checksum(sum(sum, frame, tcp, TCP_BYTES + length)));
        out.write(frame.array(), 0, frame.position());
        packets++;
    }

    private static boolean isIpv4(InetSocketAddress source, InetSocketAddress destination) {
        return source.getAddress().getAddress().length == 4
                && destination.getAddress().getAddress().length == 4;
    }

    private static byte[] address(InetSocketAddress socket, boolean ipv4) {
        byte[] bytes = socket.getAddress().getAddress();
        if (bytes.length == 16 || ipv4) {
            return bytes;
        }
        byte[] mapped = Arrays.copyOf(MAPPED, 16);
        System.arraycopy(bytes, 0, mapped, 12, 4);
        return mapped;
    }

    /** Adds numbers of 16 bits, RFC 1071. */
    private static long sum(long before, ByteBuffer bytes, int from, int length) {
        long sum = before;
        int index = from;
        for (; index + 1 < from + length; index += 2) {
            sum += bytes.getShort(index) & 0xffff;
        }
        return index < from + length ? sum + ((bytes.get(index) & 0xff) << 8) : sum;
    }

    private static short checksum(long sum) {
        long folded = sum;
        while (folded >> 16 != 0) {
            folded = (folded & 0xffff) + (folded >> 16);
        }
        return (short) ~folded;
    }
}
