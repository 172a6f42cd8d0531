package dev.lockstep.recorder;

import static dev.lockstep.recorder.TestingClient.GET;
import static dev.lockstep.recorder.TestingClient.awaitTrue;
import static dev.lockstep.recorder.TestingClient.exchange;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.jna.Memory;
import dev.lockstep.capture.Capture;
import dev.lockstep.capture.CaptureInfo;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Arrays;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Passive recording on an Ethernet between two network namespaces; needs root. */
@Tag("full")
@Timeout(60)
final class PassiveNetworkTest {
    private static final int PORT = 8080;

    @TempDir
    Path directory;

    private NetworkNamespace servers;
    private NetworkNamespace clients;
    private TestingServer server;
    private PassiveRecording recording;

    @BeforeEach
    void layTheCable() throws Exception {
        PacketSockets.assumeAllowed();
        servers = NetworkNamespace.create("servers");
        clients = NetworkNamespace.create("clients");
        plugIn();
    }

    private void plugIn() throws Exception {
        servers.ip("link", "add", "srv0", "type", "veth", "peer", "name", "cli0", "netns", clients.name());
        servers.ip("addr", "add", "10.77.0.1/24", "dev", "srv0");
        servers.ip("addr", "add", "fd77::1/64", "dev", "srv0", "nodad");
        clients.ip("addr", "add", "10.77.0.2/24", "dev", "cli0");
        clients.ip("addr", "add", "fd77::2/64", "dev", "cli0", "nodad");
        servers.ip("link", "set", "srv0", "up");
        clients.ip("link", "set", "cli0", "up");
    }

    @AfterEach
    void tearDown() throws Exception {
        if (recording != null) {
            recording.close();
        }
        if (server != null) {
            server.close();
        }
        if (servers != null) {
            servers.close();
        }
        if (clients != null) {
            clients.close();
        }
    }

    @Test
    void recordsIpv4WhereTheServerIs() throws Exception {
        recordsWhatClientsSend("10.77.0.1", servers, "srv0");
    }

    @Test
    void recordsIpv6WhereTheServerIs() throws Exception {
        recordsWhatClientsSend("fd77::1", servers, "srv0");
    }

    /** Here the requests go out, and the kernel has not yet cut them into segments. */
    @Test
    void recordsIpv4WhereTheClientIs() throws Exception {
        recordsWhatClientsSend("10.77.0.1", clients, "cli0");
    }

    @Test
    void recordsIpv6WhereTheClientIs() throws Exception {
        recordsWhatClientsSend("fd77::1", clients, "cli0");
    }

    @Test
    void recordsWhatPassesAnyInterface() throws Exception {
        recordsWhatClientsSend("fd77::1", servers, PassiveConfig.ANY_INTERFACE);
    }

    private void recordsWhatClientsSend(String address, NetworkNamespace where, String interfaceName) throws Exception {
        serve(address);
        launch(where, interfaceName, server.address().getPort());
        int requests = 20;
        int bodyBytes = 100_000;

        try (Socket client = connect()) {
            for (int i = 0; i < requests; i++) {
                exchange(client, Bytes.post("/" + i, bodyBytes, i), "POST /" + i + " HTTP/1.1\r\n", bodyBytes);
            }
        }

        try (Capture capture = closeAndOpen()) {
            assertEquals(1, capture.connectionCount());
            assertEquals(requests, capture.requestCount());
            for (int i = 0; i < requests; i++) {
                assertArrayEquals(Bytes.post("/" + i, bodyBytes, i), Bytes.request(capture, i));
            }
            String host = InetAddress.getByName(address).getHostAddress();
            assertTrue(Bytes.serverAddress(capture, 0).contains(host), Bytes.serverAddress(capture, 0));
        }
        assertEquals(0, recording.status().gaps() + recording.status().kernelDrops());
    }

    /** The kernel takes the first tag out of a packet and notes it beside; a second one stays in the packet. */
    @Test
    void recordsWhatCarriesVlanTags() throws Exception {
        launch(servers, "srv0", PORT);

        sendConversations();
        awaitTrue(() -> recording.status().requests() == 6);

        assertRecordedConversations();
    }

    /** What goes out still has its tags in it, but the kernel shows it from its IP header on. */
    @Test
    void recordsWhatCarriesVlanTagsWhereItIsSent() throws Exception {
        launch(clients, "cli0", PORT);

        sendConversations();
        awaitTrue(() -> recording.status().requests() == 6);

        assertRecordedConversations();
    }

    /** The kernel shows the fragments of all packets, as it cannot tell to which port they go. */
    @Test
    void recordsNothingOfOtherServicesThatComesInFragments() throws Exception {
        launch(servers, "srv0", PORT);

        byte[] get = Bytes.of(GET);
        sendInFragments(ip(false, tcp(40_001, PORT + 1, 101, 501, 0x10, get)));
        sendInFragments(ip(false, tcp(40_002, PORT, 101, 501, 0x10, get)));
        awaitTrue(() -> recording.status().requests() > 0);

        try (Capture capture = closeAndOpen()) {
            assertEquals(1, capture.connectionCount());
            assertEquals("10.77.0.1:" + PORT, Bytes.serverAddress(capture, 0));
            assertEquals(GET, Bytes.text(Bytes.request(capture, 0)));
        }
    }

    private void sendInFragments(byte[] packet) throws Exception {
        int cut = 20 + 24;
        ByteBuffer first = ByteBuffer.wrap(Arrays.copyOf(packet, cut));
        send(ethernet(
                new int[0],
                first.putShort(2, (short) cut).putShort(6, (short) 0x2000).array()));
        byte[] rest = Arrays.copyOf(packet, 20 + packet.length - cut);
        System.arraycopy(packet, cut, rest, 20, packet.length - cut);
        send(ethernet(
                new int[0],
                ByteBuffer.wrap(rest)
                        .putShort(2, (short) rest.length)
                        .putShort(6, (short) 3)
                        .array()));
    }

    private void assertRecordedConversations() {
        try (Capture capture = closeAndOpen()) {
            assertEquals(6, capture.connectionCount());
            assertEquals(6, capture.requestCount());
            for (int i = 0; i < 6; i++) {
                assertEquals(GET, Bytes.text(Bytes.request(capture, i)));
            }
            CaptureInfo info = capture.info();
            assertEquals(6 * GET.length(), info.dataBytes());
        }
        assertEquals(0, recording.status().gaps());
    }

    /** Sends one conversation each over IPv4 and IPv6 with no tag, one, and two. */
    private void sendConversations() throws Exception {
        int[] noTag = {};
        int[] oneTag = {0x8100, 100};
        // The first priority bits make the inner tag look like the beginning of an IP header.
        int[] twoTags4 = {0x88a8, 200, 0x8100, 0x4000 | 300};
        int[] twoTags6 = {0x88a8, 200, 0x8100, 0x6000 | 300};
        sendConversation(false, noTag, 40_001);
        sendConversation(true, noTag, 40_002);
        sendConversation(false, oneTag, 40_003);
        sendConversation(true, oneTag, 40_004);
        sendConversation(false, twoTags4, 40_005);
        sendConversation(true, twoTags6, 40_006);
    }

    private void sendConversation(boolean ipv6, int[] tags, int clientPort) throws Exception {
        byte[] get = Bytes.of(GET);
        int syn = 0x02;
        int ack = 0x10;
        send(ethernet(tags, ip(ipv6, tcp(clientPort, 100, 0, syn, new byte[0]))));
        send(ethernet(tags, ip(ipv6, tcp(clientPort, 101, 501, ack, get))));
        send(ethernet(tags, ip(ipv6, tcp(clientPort, 101 + get.length, 501, 0x01 | ack, new byte[0]))));
    }

    private void send(byte[] frame) throws Exception {
        clients.call(() -> {
            int afPacket = 17;
            int sockRaw = 3;
            int fd = LibC.socket(afPacket, sockRaw, 0);
            try (Memory address = new Memory(20);
                    Memory bytes = new Memory(frame.length)) {
                address.clear();
                address.setShort(0, (short) afPacket);
                address.setInt(4, PacketRing.indexOf("cli0"));
                LibC.bind(fd, address, 20);
                bytes.write(0, frame, 0, frame.length);
                return NetworkNamespace.write(fd, bytes, frame.length);
            } finally {
                LibC.close(fd);
            }
        });
    }

    private static byte[] ethernet(int[] tags, byte[] packet) {
        ByteBuffer frame = ByteBuffer.allocate(14 + 2 * tags.length + packet.length);
        frame.putLong(0xffff_ffff_ffff_0200L).putInt(0x0000_0001);
        for (int each : tags) {
            frame.putShort((short) each);
        }
        frame.putShort((short) (packet[0] >> 4 == 4 ? PacketFilter.ETHERTYPE_IPV4 : PacketFilter.ETHERTYPE_IPV6));
        return frame.put(packet).array();
    }

    private static byte[] ip(boolean ipv6, byte[] payload) {
        if (ipv6) {
            return ByteBuffer.allocate(40 + payload.length)
                    .putInt(0x6000_0000)
                    .putShort((short) payload.length)
                    .put((byte) 6)
                    .put((byte) 64)
                    .putLong(0xfd77_0000_0000_0000L)
                    .putLong(2)
                    .putLong(0xfd77_0000_0000_0000L)
                    .putLong(1)
                    .put(payload)
                    .array();
        }
        return ByteBuffer.allocate(20 + payload.length)
                .putShort((short) 0x4500)
                .putShort((short) (20 + payload.length))
                .putInt(0)
                .put((byte) 64)
                .put((byte) 6)
                .putShort((short) 0)
                .putInt(0x0a4d_0002)
                .putInt(0x0a4d_0001)
                .put(payload)
                .array();
    }

    private static byte[] tcp(int clientPort, int sequence, int acknowledged, int flags, byte[] payload) {
        return tcp(clientPort, PORT, sequence, acknowledged, flags, payload);
    }

    private static byte[] tcp(
            int clientPort, int serverPort, int sequence, int acknowledged, int flags, byte[] payload) {
        return ByteBuffer.allocate(20 + payload.length)
                .putShort((short) clientPort)
                .putShort((short) serverPort)
                .putInt(sequence)
                .putInt(acknowledged)
                .put((byte) (5 << 4))
                .put((byte) flags)
                .putShort((short) 1000)
                .putInt(0)
                .put(payload)
                .array();
    }

    @Test
    void tellsThatTheInterfaceIsDownAndGoesOnWhenItIsUp() throws Exception {
        serve("10.77.0.1");
        launch(servers, "srv0", server.address().getPort());
        get();

        servers.ip("link", "set", "srv0", "down");
        awaitTrue(() -> recording.status().interfaceProblem() != null);
        assertEquals(
                "interface srv0 is down; recording goes on when it is up again",
                recording.status().interfaceProblem());
        servers.ip("link", "set", "srv0", "up");
        get();
        awaitTrue(() -> recording.status().interfaceProblem() == null);

        try (Capture capture = closeAndOpen()) {
            assertEquals(2, capture.requestCount());
        }
    }

    @Test
    void tellsThatTheInterfaceIsGoneAndGoesOnWhenThereIsOneOfItsNameAgain() throws Exception {
        serve("10.77.0.1");
        launch(servers, "srv0", server.address().getPort());
        get();

        servers.ip("link", "del", "srv0");
        awaitTrue(() -> recording.status().interfaceProblem() != null
                && recording.status().interfaceProblem().contains("gone"));
        assertEquals(
                "interface srv0 is gone; recording goes on when it is back",
                recording.status().interfaceProblem());
        plugIn();
        awaitTrue(() -> recording.status().interfaceProblem() == null);
        get();

        try (Capture capture = closeAndOpen()) {
            assertEquals(2, capture.requestCount());
        }
    }

    // ---- helpers ----

    private void serve(String address) throws Exception {
        server = servers.call(() -> new TestingServer(InetAddress.getByName(address), TestingServer::serveHttp));
    }

    private void launch(NetworkNamespace where, String interfaceName, int port) throws Exception {
        recording = where.call(() -> PassiveRecording.launch(PassiveConfig.builder()
                .interfaceName(interfaceName)
                .ports(port)
                .capture(directory.resolve("capture.bin"))
                .build()));
    }

    private Capture closeAndOpen() {
        recording.close();
        assertNull(recording.status().captureFailure());
        return Capture.open(directory.resolve("capture.bin"));
    }

    private Socket connect() throws Exception {
        InetSocketAddress address = server.address();
        return clients.call(() -> TestingClient.connect(address));
    }

    private void get() throws Exception {
        try (Socket client = connect()) {
            exchange(client);
        }
    }
}
