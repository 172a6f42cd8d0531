package dev.lockstep.recorder;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** The program is run by an interpreter here; the tests on real interfaces show that the kernel takes it as well. */
final class PacketFilterTest {
    private static final int SNAP = 9000;
    private static final int ANSWER = 300;
    private static final int SERVICE = 8080;
    private static final int CLIENT = 40_000;
    private static final int ETHERNET = 1;
    private static final int INCOMING = 0;
    private static final int FIN = 1;
    private static final int SYN = 2;
    private static final int RST = 4;
    private static final int PUSH = 8;
    private static final int ACK = 16;

    private final TestingFilter filter =
            new TestingFilter(PacketFilter.program(new int[] {9090, SERVICE}, SNAP, ANSWER));

    @Test
    void keepsWhatClientsSendAndTheFirstBytesOfAnswers() {
        assertEquals(SNAP, run4(ipv4(tcp(CLIENT, SERVICE, PUSH | ACK, 10))));
        assertEquals(SNAP, run4(ipv4(tcp(CLIENT, 9090, ACK, 1))));
        assertEquals(ANSWER, run4(ipv4(tcp(SERVICE, CLIENT, ACK, 1400))));
        assertEquals(SNAP, run6(ipv6(tcp(CLIENT, SERVICE, PUSH | ACK, 10))));
        assertEquals(ANSWER, run6(ipv6(tcp(9090, CLIENT, ACK, 1400))));
    }

    @Test
    void leavesOutWhatIsNotOfTheService() {
        assertEquals(0, run4(ipv4(tcp(CLIENT, 8081, PUSH | ACK, 10))));
        assertEquals(0, run6(ipv6(tcp(8081, CLIENT, SYN | ACK, 0))));
        byte[] udp = ipv4(tcp(CLIENT, SERVICE, ACK, 10));
        udp[9] = 17;
        assertEquals(0, run4(udp));
        byte[] icmp = ipv6(tcp(CLIENT, SERVICE, ACK, 10));
        icmp[6] = 58;
        assertEquals(0, run6(icmp));
        assertEquals(0, filter.run(new byte[28], 0x0806, INCOMING, ETHERNET), "ARP");
        assertEquals(0, filter.run(new byte[28], 0x0806, PacketFilter.PACKET_OUTGOING, ETHERNET), "ARP");
    }

    @Test
    void leavesOutBareAcknowledgements() {
        assertEquals(0, run4(ipv4(tcp(CLIENT, SERVICE, ACK, 0))));
        assertEquals(0, run4(ipv4(tcp(SERVICE, CLIENT, ACK, 0))));
        assertEquals(0, run6(ipv6(tcp(CLIENT, SERVICE, ACK, 0))));
        assertEquals(0, run6(ipv6(tcp(SERVICE, CLIENT, ACK, 0))));
    }

    @Test
    void isNotMisledByWhatEthernetPadsAShortFrameWith() {
        byte[] acknowledgement = ipv4(tcp(CLIENT, SERVICE, ACK, 0));
        assertEquals(0, run4(Arrays.copyOf(acknowledgement, acknowledgement.length + 6)));
    }

    @Test
    void keepsTheBeginningAndTheEndOfConnections() {
        for (int flags : new int[] {SYN, SYN | ACK, FIN | ACK, RST, RST | ACK}) {
            assertEquals(SNAP, run4(ipv4(tcp(CLIENT, SERVICE, flags, 0))));
            assertEquals(ANSWER, run4(ipv4(tcp(SERVICE, CLIENT, flags, 0))));
            assertEquals(SNAP, run6(ipv6(tcp(CLIENT, SERVICE, flags, 0))));
            assertEquals(ANSWER, run6(ipv6(tcp(SERVICE, CLIENT, flags, 0))));
        }
    }

    @Test
    void seesPastOptionsOfIpAndTcp() {
        byte[] optioned = withOptions(ipv4(tcp(CLIENT, SERVICE, ACK, 1)));
        assertEquals(SNAP, run4(optioned));
        assertEquals(0, run4(withOptions(ipv4(tcp(CLIENT, SERVICE, ACK, 0)))));
    }

    @Test
    void keepsFragmentsOfTcpWholeWhereverTheyGo() {
        byte[] first = ipv4(tcp(CLIENT, 1234, ACK, 8));
        first[6] = 0x20;
        assertEquals(SNAP, run4(first));
        byte[] second = ipv4(new byte[8]);
        second[7] = 1;
        assertEquals(SNAP, run4(second));
        byte[] whole = ipv4(tcp(CLIENT, 1234, ACK, 8));
        whole[6] = 0x40;
        assertEquals(0, run4(whole), "do not fragment");
        for (int extension : new int[] {0, 43, 44, 51, 60}) {
            byte[] extended = ipv6(new byte[8]);
            extended[6] = (byte) extension;
            assertEquals(SNAP, run6(extended));
        }
    }

    @Test
    void keepsJumboPacketsWhoseLengthIsNotGiven() {
        byte[] jumbo4 = ipv4(tcp(CLIENT, SERVICE, ACK, 10));
        jumbo4[2] = 0;
        jumbo4[3] = 0;
        assertEquals(SNAP, run4(jumbo4));
        byte[] jumbo6 = ipv6(tcp(CLIENT, SERVICE, ACK, 10));
        jumbo6[4] = 0;
        jumbo6[5] = 0;
        assertEquals(SNAP, run6(jumbo6));
    }

    @Test
    void seesPastAVlanTagThatIsStillInAPacketThatCameIn() {
        byte[] tagged4 = tagged(PacketFilter.ETHERTYPE_IPV4, ipv4(tcp(CLIENT, SERVICE, ACK, 10)));
        byte[] tagged6 = tagged(PacketFilter.ETHERTYPE_IPV6, ipv6(tcp(SERVICE, CLIENT, ACK, 10)));
        for (int type : new int[] {PacketFilter.ETHERTYPE_VLAN, PacketFilter.ETHERTYPE_QINQ}) {
            assertEquals(SNAP + 4, filter.run(tagged4, type, INCOMING, ETHERNET));
            assertEquals(ANSWER + 4, filter.run(tagged6, type, INCOMING, ETHERNET));
        }
        byte[] arp = tagged(0x0806, new byte[28]);
        assertEquals(0, filter.run(arp, PacketFilter.ETHERTYPE_VLAN, INCOMING, ETHERNET));
    }

    @Test
    void seesPacketsThatGoOutFromTheirIpHeaderOn() {
        byte[] answer = ipv4(tcp(SERVICE, CLIENT, ACK, 10));
        int out = PacketFilter.PACKET_OUTGOING;
        assertEquals(ANSWER, filter.run(answer, PacketFilter.ETHERTYPE_IPV4, out, ETHERNET));
        assertEquals(ANSWER, filter.run(answer, PacketFilter.ETHERTYPE_VLAN, out, ETHERNET));
        byte[] answer6 = ipv6(tcp(SERVICE, CLIENT, ACK, 10));
        assertEquals(ANSWER, filter.run(answer6, PacketFilter.ETHERTYPE_VLAN, out, ETHERNET));
    }

    @Test
    void keepsOneOfTheTwoTimesThatLoopbackShowsAPacket() {
        byte[] request = ipv4(tcp(CLIENT, SERVICE, ACK, 10));
        int loopback = PacketFilter.ARPHRD_LOOPBACK;
        assertEquals(0, filter.run(request, PacketFilter.ETHERTYPE_IPV4, PacketFilter.PACKET_OUTGOING, loopback));
        assertEquals(SNAP, filter.run(request, PacketFilter.ETHERTYPE_IPV4, INCOMING, loopback));
    }

    @Test
    void takesAsManyPortsAsAConfigurationMayName() {
        int[] ports = IntStream.range(30_000, 30_032).toArray();
        TestingFilter many = new TestingFilter(PacketFilter.program(ports, SNAP, ANSWER));
        for (int port : ports) {
            byte[] request = tagged(PacketFilter.ETHERTYPE_IPV6, ipv6(tcp(CLIENT, port, ACK, 10)));
            assertEquals(SNAP + 4, many.run(request, PacketFilter.ETHERTYPE_VLAN, INCOMING, ETHERNET));
            byte[] answer = ipv4(tcp(port, CLIENT, ACK, 10));
            assertEquals(ANSWER, many.run(answer, PacketFilter.ETHERTYPE_IPV4, INCOMING, ETHERNET));
        }
        byte[] other = ipv4(tcp(CLIENT, 30_032, ACK, 10));
        assertEquals(0, many.run(other, PacketFilter.ETHERTYPE_IPV4, INCOMING, ETHERNET));
    }

    @Test
    void endsOnEveryPacketThatIsCutShort() {
        byte[][] packets = {
            ipv4(tcp(CLIENT, SERVICE, ACK, 10)),
            ipv6(tcp(CLIENT, SERVICE, ACK, 10)),
            tagged(PacketFilter.ETHERTYPE_IPV4, ipv4(tcp(SERVICE, CLIENT, ACK, 10)))
        };
        int[] types = {PacketFilter.ETHERTYPE_IPV4, PacketFilter.ETHERTYPE_IPV6, PacketFilter.ETHERTYPE_VLAN};
        for (int i = 0; i < packets.length; i++) {
            for (int length = 0; length < packets[i].length; length++) {
                int kept = filter.run(Arrays.copyOf(packets[i], length), types[i], INCOMING, ETHERNET);
                assertTrue(kept == 0 || length >= 34, "kept " + kept + " of " + length);
            }
        }
    }

    private int run4(byte[] packet) {
        return filter.run(packet, PacketFilter.ETHERTYPE_IPV4, INCOMING, ETHERNET);
    }

    private int run6(byte[] packet) {
        return filter.run(packet, PacketFilter.ETHERTYPE_IPV6, INCOMING, ETHERNET);
    }

    private static byte[] tcp(int source, int destination, int flags, int payloadBytes) {
        return ByteBuffer.allocate(20 + payloadBytes)
                .putShort(0, (short) source)
                .putShort(2, (short) destination)
                .put(12, (byte) (5 << 4))
                .put(13, (byte) flags)
                .array();
    }

    private static byte[] ipv4(byte[] payload) {
        return ByteBuffer.allocate(20 + payload.length)
                .put(0, (byte) 0x45)
                .putShort(2, (short) (20 + payload.length))
                .put(9, (byte) 6)
                .position(20)
                .put(payload)
                .array();
    }

    private static byte[] ipv6(byte[] payload) {
        return ByteBuffer.allocate(40 + payload.length)
                .put(0, (byte) 0x60)
                .putShort(4, (short) payload.length)
                .put(6, (byte) 6)
                .position(40)
                .put(payload)
                .array();
    }

    /** Puts 40 bytes of options after the IPv4 header, and 8 after that of TCP. */
    private static byte[] withOptions(byte[] plain) {
        int payloadBytes = plain.length - 40;
        ByteBuffer optioned = ByteBuffer.allocate(plain.length + 48);
        optioned.put(plain, 0, 20).position(60);
        optioned.put(plain, 20, 20).position(88);
        optioned.put(plain, 40, payloadBytes);
        return optioned.put(0, (byte) 0x4f)
                .putShort(2, (short) (plain.length + 48))
                .put(60 + 12, (byte) (7 << 4))
                .array();
    }

    private static byte[] tagged(int type, byte[] packet) {
        return ByteBuffer.allocate(4 + packet.length)
                .putShort((short) 100)
                .putShort((short) type)
                .put(packet)
                .array();
    }
}
