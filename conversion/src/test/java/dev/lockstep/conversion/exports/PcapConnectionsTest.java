package dev.lockstep.conversion.exports;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.lockstep.capture.CloseReason;
import dev.lockstep.packets.PacketFile;
import dev.lockstep.packets.StreamHandler;
import dev.lockstep.packets.TcpEnd;
import dev.lockstep.packets.TcpOptions;
import dev.lockstep.packets.TcpReassembler;
import io.netty.buffer.ByteBuf;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class PcapConnectionsTest {
    private static final long START_NS = 1_700_000_000_123_456_789L;

    private final ByteArrayOutputStream file = new ByteArrayOutputStream();

    @Test
    void writesConnectionsThatAreReadAsTheyWere() throws IOException {
        PcapConnections connections = new PcapConnections(new PcapWriter(file));
        connections.open(0, START_NS, address("10.1.2.3", 50_000), address("10.9.9.9", 80), false);
        connections.open(1, START_NS + 5, address("2001:db8::7", 1), address("2001:db8::8", 9090), false);
        connections.data(0, START_NS + 10, bytes("GET / HTTP/1.0\r\n\r\n"));
        connections.data(1, START_NS + 20, bytes("x".repeat(100_000)));
        connections.halfClose(1, START_NS + 30);
        connections.close(0, START_NS + 40, CloseReason.SERVER_RESET);
        connections.close(1, START_NS + 50, CloseReason.CLIENT_FIN);
        assertEquals(
                List.of(
                        "1700000000123456789 /10.1.2.3:50000 -> /10.9.9.9:80, 18 bytes, 0 missing, last at +10,"
                                + " SERVER_RESET at +40",
                        "1700000000123456794 /[2001:db8:0:0:0:0:0:7]:1 -> /[2001:db8:0:0:0:0:0:8]:9090, 100000 bytes,"
                                + " 0 missing, last at +20, CLIENT_FIN at +50"),
                read());
        assertEquals(2, connections.connections());
        assertEquals(100_018, connections.bytes());
    }

    @Test
    void leavesHolesWhereBytesAreMissing() throws IOException {
        PcapConnections connections = new PcapConnections(new PcapWriter(file));
        connections.open(7, START_NS, address("10.1.2.3", 50_000), address("10.9.9.9", 80), true);
        connections.data(7, START_NS, bytes("GET / HTTP/1.1\r\n"));
        connections.gap(7, START_NS + 10, 300);
        connections.data(7, START_NS + 100_000_000, bytes("more"));
        connections.gap(7, START_NS + 100_000_000, 0);
        connections.data(7, START_NS + 200_000_000, bytes("and more"));
        connections.close(7, START_NS + 300_000_000, CloseReason.SERVER_FIN);
        assertEquals(
                List.of("1700000000123456789 /10.1.2.3:50000 -> /10.9.9.9:80, 28 bytes, 301 missing,"
                        + " last at +200000000, SERVER_FIN at +300000000"),
                read());
        assertEquals(2, connections.gaps());
    }

    @Test
    void makesUpAddressesThatAreNotKnownAndMapsThoseOfDifferentKinds() throws IOException {
        PcapConnections connections = new PcapConnections(new PcapWriter(file));
        connections.open(258, START_NS, null, null, false);
        connections.data(258, START_NS, bytes("a"));
        connections.open(3, START_NS, address("10.1.2.3", 5), address("2001:db8::8", 6), false);
        connections.data(3, START_NS, bytes("a"));
        assertEquals(
                List.of(
                        "1700000000123456789 /198.18.1.2:1282 -> /198.19.0.0:80, 1 bytes, 0 missing, last at +0,"
                                + " PACKETS_ENDED at +0",
                        "1700000000123456789 /10.1.2.3:5 -> /[2001:db8:0:0:0:0:0:8]:6, 1 bytes, 0 missing, last at +0,"
                                + " PACKETS_ENDED at +0"),
                read());
    }

    @Test
    void givesPacketsTheirChecksums() throws IOException {
        PcapConnections connections = new PcapConnections(new PcapWriter(file));
        connections.open(1, START_NS, address("10.1.2.3", 50_000), address("10.9.9.9", 80), false);
        connections.data(1, START_NS, bytes("odd"));
        connections.open(2, START_NS, address("2001:db8::7", 1), address("2001:db8::8", 9090), false);
        connections.data(2, START_NS, bytes("even"));
        int packets = 0;
        try (PacketFile packetFile = PacketFile.of(file.toByteArray())) {
            for (; packetFile.next(); packets++) {
                ByteBuf frame = packetFile.bytes();
                int ip = packetFile.from() + 14;
                boolean ipv4 = frame.getByte(ip) == 0x45;
                int tcp = ip + (ipv4 ? 20 : 40);
                if (ipv4) {
                    assertEquals(0xffff, sum(frame, ip, tcp, 0));
                }
                int addresses = ip + (ipv4 ? 12 : 8);
                long pseudoHeader = sum(frame, addresses, tcp, 6 + packetFile.to() - tcp);
                assertEquals(0xffff, sum(frame, tcp, packetFile.to(), pseudoHeader));
            }
        }
        assertEquals(10, packets);
    }

    private static long sum(ByteBuf bytes, int from, int to, long before) {
        long sum = before;
        for (int index = from; index < to; index++) {
            sum += (bytes.getByte(index) & 0xffL) << ((index - from & 1) == 0 ? 8 : 0);
        }
        while (sum > 0xffff) {
            sum = (sum & 0xffff) + (sum >> 16);
        }
        return sum;
    }

    private List<String> read() {
        List<Seen> seen = new ArrayList<>();
        TcpReassembler reassembler =
                new TcpReassembler(TcpOptions.defaults(), (timeNs, client, server, alreadyOpen) -> {
                    seen.add(new Seen(timeNs, client, server));
                    return seen.get(seen.size() - 1);
                });
        try (PacketFile packets = PacketFile.of(file.toByteArray())) {
            while (packets.next()) {
                reassembler.packet(
                        packets.timeNs(),
                        packets.linkLayer(),
                        packets.bytes(),
                        packets.from(),
                        packets.to(),
                        packets.originalLength());
            }
        }
        reassembler.end();
        List<String> texts = new ArrayList<>();
        seen.forEach(connection -> texts.add(connection.toString()));
        return texts;
    }

    private static InetSocketAddress address(String host, int port) throws IOException {
        return new InetSocketAddress(InetAddress.getByName(host), port);
    }

    private static ByteBuffer bytes(String text) {
        return ByteBuffer.wrap(text.getBytes(StandardCharsets.ISO_8859_1));
    }

    /** What became of one connection. */
    private static final class Seen implements StreamHandler {
        private final long openedNs;
        private final String ends;
        private long bytes;
        private long missing;
        private long lastNs;
        private String end;

        Seen(long openedNs, InetSocketAddress client, InetSocketAddress server) {
            this.openedNs = openedNs;
            this.ends = client + " -> " + server;
        }

        @Override
        public void clientBytes(long timeNs, ByteBuf buffer, int from, int to) {
            bytes += to - from;
            lastNs = timeNs;
        }

        @Override
        public void serverBytes(long timeNs, ByteBuf buffer, int from, int to) {
            throw new AssertionError("a capture has no answers");
        }

        @Override
        public void clientMissing(long timeNs, long count) {
            missing += count;
        }

        @Override
        public void serverMissing(long timeNs, long count) {
            throw new AssertionError("nothing of the server is missing");
        }

        @Override
        public void clientEnded(long timeNs) {
            // seen in the reason
        }

        @Override
        public void serverEnded(long timeNs) {
            // seen in the reason
        }

        @Override
        public void closed(long timeNs, TcpEnd how) {
            end = how + " at +" + (timeNs - START_NS);
        }

        @Override
        public String toString() {
            return openedNs + " " + ends + ", " + bytes + " bytes, " + missing + " missing, last at +"
                    + (lastNs - START_NS) + ", " + end;
        }
    }
}
