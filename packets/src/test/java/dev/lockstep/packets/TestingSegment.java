package dev.lockstep.packets;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;

/** Makes a TCP segment, and the packets and frames around it. */
final class TestingSegment {
    static final InetSocketAddress CLIENT = address("10.0.0.1", 40000);
    static final InetSocketAddress SERVER = address("10.0.0.2", 8080);

    private final InetSocketAddress source;
    private final InetSocketAddress destination;
    private int sequence;
    private int acknowledged;
    private int flags;
    private byte[] payload = {};

    private TestingSegment(InetSocketAddress source, InetSocketAddress destination) {
        this.source = source;
        this.destination = destination;
    }

    static TestingSegment client() {
        return new TestingSegment(CLIENT, SERVER);
    }

    static TestingSegment server() {
        return new TestingSegment(SERVER, CLIENT);
    }

    static TestingSegment between(InetSocketAddress source, InetSocketAddress destination) {
        return new TestingSegment(source, destination);
    }

    static InetSocketAddress address(String host, int port) {
        try {
            return new InetSocketAddress(InetAddress.getByName(host), port);
        } catch (UnknownHostException e) {
            throw new AssertionError(e);
        }
    }

    TestingSegment syn(int number) {
        return flag(Frame.SYN).sequence(number);
    }

    TestingSegment sequence(int number) {
        sequence = number;
        return this;
    }

    TestingSegment ack(int number) {
        acknowledged = number;
        return flag(Frame.ACK);
    }

    TestingSegment fin() {
        return flag(Frame.FIN);
    }

    TestingSegment rst() {
        return flag(Frame.RST);
    }

    TestingSegment text(String text) {
        return bytes(text.getBytes(StandardCharsets.ISO_8859_1));
    }

    TestingSegment bytes(byte[] bytes) {
        payload = bytes;
        return this;
    }

    private TestingSegment flag(int flag) {
        flags |= flag;
        return this;
    }

    /** Returns the TCP header and the payload. */
    ByteBuf tcp() {
        return Unpooled.buffer()
                .writeShort(source.getPort())
                .writeShort(destination.getPort())
                .writeInt(sequence)
                .writeInt(acknowledged)
                .writeShort(5 << 12 | flags)
                .writeShort(0xffff)
                .writeInt(0)
                .writeBytes(payload);
    }

    ByteBuf ipv4() {
        return ipv4(tcp(), 0);
    }

    /** Returns an IPv4 packet, or one of its fragments. */
    ByteBuf ipv4(ByteBuf content, int fragment) {
        return Unpooled.buffer()
                .writeShort(0x4500)
                .writeShort(20 + content.readableBytes())
                .writeShort(7)
                .writeShort(fragment)
                .writeByte(64)
                .writeByte(6)
                .writeShort(0)
                .writeBytes(source.getAddress().getAddress())
                .writeBytes(destination.getAddress().getAddress())
                .writeBytes(content);
    }

    /** Returns an IPv6 packet with extension headers, which end with the content. */
    ByteBuf ipv6(int nextHeader, ByteBuf content) {
        return Unpooled.buffer()
                .writeInt(6 << 28)
                .writeShort(content.readableBytes())
                .writeByte(nextHeader)
                .writeByte(64)
                .writeBytes(wide(source))
                .writeBytes(wide(destination))
                .writeBytes(content);
    }

    private static byte[] wide(InetSocketAddress address) {
        byte[] bytes = address.getAddress().getAddress();
        if (bytes.length == 16) {
            return bytes;
        }
        byte[] wide = new byte[16];
        wide[0] = 0x20;
        System.arraycopy(bytes, 0, wide, 12, 4);
        return wide;
    }
}
