package dev.lockstep.packets;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.List;
import org.junit.jupiter.api.Test;

class FrameTest {
    private final TestingNetwork network = new TestingNetwork();
    private final TestingSegment segment = TestingSegment.client().sequence(1).text("GET /");

    @Test
    void readsEveryLinkLayer() {
        ByteBuf packet = segment.ipv4();
        assertGet(LinkLayer.RAW, packet);
        assertGet(LinkLayer.IPV4, packet);
        assertGet(LinkLayer.NULL, after(packet, 2, 0, 0, 0));
        assertGet(LinkLayer.LOOP, after(packet, 0, 0, 0, 2));
        assertGet(LinkLayer.ETHERNET, after(packet, ethernet(0x08, 0)));
        assertGet(LinkLayer.ETHERNET, after(packet, ethernet(0x81, 0, 0, 5, 0x08, 0)));
        assertGet(LinkLayer.ETHERNET, after(packet, ethernet(0x88, 0xa8, 0, 5, 0x81, 0, 0, 6, 0x08, 0)));
        assertGet(LinkLayer.ETHERNET, after(packet, ethernet(0x88, 0x64, 0x11, 0, 0, 1, 0, 47, 0, 0x21)));
        assertGet(LinkLayer.ETHERNET, after(packet, ethernet(0, 53, 0xaa, 0xaa, 3, 0, 0, 0, 8, 0)));
        assertGet(LinkLayer.PPP, after(packet, 0xff, 3, 0, 0x21));
        assertGet(LinkLayer.PPP, after(packet, 0, 0x21));
        assertGet(LinkLayer.PPP, after(packet, 0x21));
        assertGet(LinkLayer.C_HDLC, after(packet, 0xf, 0, 8, 0));
        assertGet(LinkLayer.LINUX_SLL, after(packet, 0, 0, 0, 1, 0, 6, 1, 2, 3, 4, 5, 6, 0, 0, 8, 0));
        assertGet(LinkLayer.LINUX_SLL2, after(packet, 8, 0, 0, 0, 0, 0, 0, 1, 0, 1, 0, 6, 1, 2, 3, 4, 5, 6, 0, 0));
        int[] wireless = new int[24 + 2 + 8];
        wireless[0] = 0x88;
        System.arraycopy(new int[] {0xaa, 0xaa, 3, 0, 0, 0, 8, 0}, 0, wireless, 26, 8);
        assertGet(LinkLayer.IEEE802_11, after(packet, wireless));
    }

    @Test
    void knowsTheLinkLayersByTheirNumbers() {
        assertEquals(LinkLayer.ETHERNET, LinkLayer.of(1));
        assertEquals(LinkLayer.RAW, LinkLayer.of(12));
        assertEquals(LinkLayer.RAW, LinkLayer.of(14));
        assertEquals(LinkLayer.LINUX_SLL2, LinkLayer.of(276));
        assertNull(LinkLayer.of(147));
    }

    @Test
    void takesOnlyWhatTheIpLengthSays() {
        ByteBuf packet = segment.ipv4();
        assertGet(LinkLayer.RAW, Unpooled.wrappedBuffer(packet, Unpooled.wrappedBuffer(new byte[6])));
    }

    @Test
    void takesAllWhereTheIpLengthIsLeftToTheNetworkCard() {
        assertGet(LinkLayer.RAW, segment.ipv4().setShort(2, 0));
        assertGet(LinkLayer.RAW, segment.ipv6(6, segment.tcp()).setShort(4, 0));
    }

    @Test
    void passesOverIpv6ExtensionHeaders() {
        assertGet(LinkLayer.IPV6, segment.ipv6(6, segment.tcp()));
        assertGet(
                LinkLayer.RAW, segment.ipv6(0, after(segment.tcp(), 60, 0, 1, 4, 0, 0, 0, 0, 6, 0, 1, 4, 0, 0, 0, 0)));
        assertGet(
                LinkLayer.RAW, segment.ipv6(51, after(segment.tcp(), 6, 2, 0, 0, 0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0, 0)));
        assertGet(LinkLayer.RAW, segment.ipv6(44, after(segment.tcp(), 6, 0, 0, 0, 0, 0, 0, 9)));
    }

    @Test
    void putsFragmentsTogetherInAnyOrder() {
        ByteBuf tcp = segment.tcp();
        List<ByteBuf> parts =
                List.of(segment.ipv4(tcp.copy(0, 16), 0x2000), segment.ipv4(tcp.copy(16, tcp.readableBytes() - 16), 2));
        network.frame(LinkLayer.RAW, parts.get(1)).frame(LinkLayer.RAW, parts.get(0));
        assertEquals("GET /", network.only().client.text());
        assertEquals(0, network.totals().lostFragments());
        network.frame(LinkLayer.RAW, parts.get(0));
        assertEquals(1, network.totals().lostFragments());
        network.pause(31_000).frame(LinkLayer.RAW, parts.get(1));
        assertEquals(2, network.totals().lostFragments());
        assertEquals(0, network.totals().repeatedBytes);
    }

    @Test
    void boundsTheMemoryOfFragmentsThatOverlap() {
        byte[] part = new byte[1480];
        IpFragments fragments = new IpFragments();
        Frame frame = new Frame(fragments);
        int sent = 0;
        for (int id = 0; id < 300; id++) {
            for (int offset = 8; offset < 2400; offset += 8) {
                fragments.add(1, frame, id, offset, true, Unpooled.wrappedBuffer(part), 0, part.length);
                sent++;
                assertTrue(fragments.heldBytes() <= 16 << 20, fragments.heldBytes() + " bytes held");
            }
        }
        assertEquals(sent, fragments.lostFragments());
        ByteBuf rest = Unpooled.wrappedBuffer(part);
        assertNull(fragments.add(1, frame, 300, 1480, false, rest, 0, part.length));
        assertEquals(
                2960,
                fragments.add(1, frame, 300, 0, true, rest, 0, part.length).capacity());
    }

    @Test
    void putsIpv6FragmentsTogether() {
        ByteBuf tcp = segment.tcp();
        ByteBuf first = segment.ipv6(44, after(tcp.copy(0, 24), 6, 0, 0, 1, 0, 0, 0, 9));
        ByteBuf last = segment.ipv6(44, after(tcp.copy(24, tcp.readableBytes() - 24), 6, 0, 0, 24, 0, 0, 0, 9));
        network.frame(LinkLayer.RAW, first).frame(LinkLayer.RAW, last);
        assertEquals("GET /", network.only().client.text());
    }

    @Test
    void countsWhatIsNotTcp() {
        network.frame(LinkLayer.ETHERNET, after(segment.ipv4(), ethernet(8, 6)));
        network.frame(LinkLayer.RAW, segment.ipv4().setByte(9, 17));
        network.frame(LinkLayer.RAW, segment.ipv4().setByte(0, 0x41));
        network.frame(LinkLayer.RAW, segment.ipv4().setByte(32, 0x40));
        network.frame(LinkLayer.RAW, segment.ipv6(58, segment.tcp()));
        assertEquals(0, network.connections.size());
        assertEquals(1, network.totals().notIpPackets());
        assertEquals(2, network.totals().notTcpPackets());
        assertEquals(2, network.totals().unreadablePackets());
        assertEquals(5, network.totals().packets());
    }

    @Test
    void readsFramesThatAreCutAnywhere() {
        int[] tags = {0x88, 0xa8, 0, 5, 0x81, 0, 0, 6, 0x86, 0xdd};
        ByteBuf packet = segment.ipv6(0, after(segment.tcp(), 44, 0, 1, 4, 0, 0, 0, 0, 6, 0, 0, 0, 0, 0, 0, 9));
        ByteBuf frame = after(packet, ethernet(tags));
        for (LinkLayer link : LinkLayer.values()) {
            for (int captured = frame.readableBytes(); captured >= 0; captured--) {
                network.cut(link, frame, captured);
            }
        }
        assertEquals("GET /", network.only().client.text());
    }

    private void assertGet(LinkLayer link, ByteBuf frame) {
        TestingNetwork other = new TestingNetwork().frame(link, frame);
        assertEquals("GET /", other.only().client.text(), link.name());
        assertEquals(0, other.only().client.missing);
    }

    private static int[] ethernet(int... types) {
        int[] bytes = new int[12 + types.length];
        System.arraycopy(types, 0, bytes, 12, types.length);
        return bytes;
    }

    private static ByteBuf after(ByteBuf packet, int... header) {
        ByteBuf bytes = Unpooled.buffer();
        for (int b : header) {
            bytes.writeByte(b);
        }
        return bytes.writeBytes(packet.duplicate());
    }
}
