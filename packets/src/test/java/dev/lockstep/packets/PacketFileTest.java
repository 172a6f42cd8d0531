package dev.lockstep.packets;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PacketFileTest {
    private static final Path DATA = Path.of(System.getProperty("lockstep.testData"));

    @TempDir
    private Path folder;

    @Test
    void readsPcapInEitherByteOrderAndResolution() {
        for (ByteOrder order : List.of(ByteOrder.BIG_ENDIAN, ByteOrder.LITTLE_ENDIAN)) {
            assertEquals(
                    List.of("1000000002000 ETHERNET abc/3", "4294967295000007000 ETHERNET de/9"),
                    packets(pcap(order, 0xa1b2c3d4, 1)));
            assertEquals(
                    List.of("1000000000002 ETHERNET abc/3", "4294967295000000007 ETHERNET de/9"),
                    packets(pcap(order, 0xa1b23c4d, 1 | 0x14000000)));
            assertEquals(
                    List.of("1000000002000 LINUX_SLL abc/3", "4294967295000007000 LINUX_SLL de/9"),
                    packets(pcap(order, 0xa1b2cd34, 113)));
        }
    }

    private static byte[] pcap(ByteOrder order, int magic, int linkType) {
        ByteBuffer file = ByteBuffer.allocate(200).order(order);
        file.putInt(magic)
                .putShort((short) 2)
                .putShort((short) 4)
                .putLong(0)
                .putInt(65535)
                .putInt(linkType);
        boolean modified = magic == 0xa1b2cd34;
        file.putInt(1_000)
                .putInt(2)
                .putInt(3)
                .putInt(3)
                .put(new byte[modified ? 8 : 0])
                .put(ascii("abc"));
        file.putInt(-1)
                .putInt(7)
                .putInt(2)
                .putInt(9)
                .put(new byte[modified ? 8 : 0])
                .put(ascii("de"));
        return Arrays.copyOf(file.array(), file.position());
    }

    @Test
    void readsPcapngWithSectionsInterfacesAndResolutions() {
        Pcapng file = new Pcapng();
        file.section(ByteOrder.BIG_ENDIAN);
        file.description(1, 0);
        file.description(113, 0, 9, 1, 9); // nanoseconds
        file.packet(0, 3_000_001, "ab", 2);
        file.packet(1, 5_000_000_001L, "cd", 4);
        file.block(5, new byte[12]); // statistics
        file.simple("efg", 3);
        file.section(ByteOrder.LITTLE_ENDIAN);
        file.description(101, 2, 9, 1, 0x80 | 10, 14, 8, 100); // 1/1024 s, 100 s later
        file.packet(0, 1024 * 7 + 512, "hi", 2);
        file.simple("jkl", 3);
        file.old(0, 1024, "m", 1);
        assertEquals(
                List.of(
                        "3000001000 ETHERNET ab/2",
                        "5000000001 LINUX_SLL cd/4",
                        "5000000001 ETHERNET efg/3",
                        "107500000000 RAW hi/2",
                        "107500000000 RAW jk/3",
                        "101000000000 RAW m/1"),
                packets(file.bytes()));
    }

    @Test
    void turnsEveryResolutionIntoNs() {
        assertEquals(7, new TimeResolution(9, 0).toNs(7));
        assertEquals(7_000_000_000L, new TimeResolution(0, 0).toNs(7));
        assertEquals(7, new TimeResolution(12, 0).toNs(7_999));
        assertEquals(0, new TimeResolution(127, 0).toNs(-1));
        assertEquals(Long.MAX_VALUE, new TimeResolution(0, 0).toNs(-1));
        assertEquals(Long.MAX_VALUE, new TimeResolution(6, 9_000_000_000L).toNs(900_000_000_000_000L));
        assertEquals(1_500_000_000L, new TimeResolution(0x81, 0).toNs(3));
        assertEquals(500_000_000L, new TimeResolution(0x80 | 32, 0).toNs(1L << 31));
        assertEquals(999_999_999L, new TimeResolution(0x80 | 63, 0).toNs(Long.MAX_VALUE));
        assertEquals(500_000_000L, new TimeResolution(0x80 | 64, 0).toNs(Long.MIN_VALUE));
        assertEquals(3_000_000_000L, new TimeResolution(0x80, 0).toNs(3));
        assertEquals(0, new TimeResolution(0xff, 0).toNs(-1));
        assertEquals(-1_999_000_000L, new TimeResolution(3, -2).toNs(1));
    }

    @Test
    void readsGzip() throws IOException {
        byte[] plain = pcap(ByteOrder.LITTLE_ENDIAN, 0xa1b2c3d4, 1);
        ByteArrayOutputStream packed = new ByteArrayOutputStream();
        try (GZIPOutputStream gzip = new GZIPOutputStream(packed)) {
            gzip.write(plain);
        }
        Path file = folder.resolve("a.pcap.gz");
        Files.write(file, packed.toByteArray());
        try (PacketFile packets = PacketFile.open(file)) {
            assertTrue(packets.next());
            assertTrue(packets.next());
            assertTrue(!packets.next());
            assertNull(packets.damage());
        }
        byte[] cut = Arrays.copyOf(packed.toByteArray(), packed.size() - 12);
        try (PacketFile packets = PacketFile.of(cut)) {
            while (packets.next()) {
                assertNotNull(packets.bytes());
            }
            assertTrue(
                    packets.damage().startsWith("the gzip data ends early, at byte " + cut.length), packets.damage());
        }
    }

    @Test
    void readsFilesThatAreCutAnywhereAsFarAsTheyGo() {
        Pcapng pcapng = new Pcapng();
        pcapng.section(ByteOrder.BIG_ENDIAN);
        pcapng.description(1, 0);
        pcapng.packet(0, 3_000_001, "ab", 2);
        pcapng.packet(0, 3_000_001, "cd", 2);
        for (byte[] whole : List.of(pcap(ByteOrder.BIG_ENDIAN, 0xa1b2c3d4, 1), pcapng.bytes())) {
            int before = 0;
            for (int length = 0; length < whole.length; length++) {
                byte[] cut = Arrays.copyOf(whole, length);
                try (PacketFile file = PacketFile.of(cut)) {
                    int packets = 0;
                    while (file.next()) {
                        packets++;
                    }
                    assertTrue(packets >= before && packets < 2, packets + " packets in " + length + " bytes");
                    before = packets;
                } catch (PacketException e) {
                    assertTrue(length < 28, e.getMessage());
                }
            }
            assertEquals(1, before);
        }
    }

    @Test
    void saysWhatAFileIsThatHoldsNoPackets() {
        PacketException wrong = assertThrows(PacketException.class, () -> PacketFile.of(ascii("GET / HTTP")));
        assertEquals(
                "memory: expected a pcap or pcapng file, found the first bytes 47455420; convert it with tshark -r"
                        + " FILE -w NEW.pcapng",
                wrong.getMessage());
        PacketException missing =
                assertThrows(PacketException.class, () -> PacketFile.open(folder.resolve("missing.pcap")));
        assertTrue(missing.getMessage().endsWith("missing.pcap: cannot read the packet file: no such file"));
    }

    @Test
    void takesLengthsThatCannotBeForDamage() {
        byte[] file = pcap(ByteOrder.BIG_ENDIAN, 0xa1b2c3d4, 1);
        ByteBuffer.wrap(file).putInt(24 + 16 + 3 + 8, 0x7fffffff);
        try (PacketFile packets = PacketFile.of(file)) {
            assertTrue(packets.next());
            assertTrue(!packets.next());
            assertEquals("a packet's length is 2147483647 bytes, after 1 packets", packets.damage());
        }
    }

    @Test
    void takesTheHeaderOfAFileThatCatHasJoinedForNoPacket() {
        for (ByteOrder order : List.of(ByteOrder.BIG_ENDIAN, ByteOrder.LITTLE_ENDIAN)) {
            for (int magic : List.of(0xa1b2c3d4, 0xa1b23c4d, 0xa1b2cd34)) {
                byte[] one = pcap(order, magic, 1);
                byte[] joined = Arrays.copyOf(one, 2 * one.length);
                System.arraycopy(one, 0, joined, one.length, one.length);
                try (PacketFile packets = PacketFile.of(joined)) {
                    assertTrue(packets.next());
                    assertTrue(packets.next());
                    assertTrue(!packets.next());
                    assertEquals(
                            "another pcap file begins in it (give files one by one, not joined by cat), after 2"
                                    + " packets",
                            packets.damage());
                }
            }
        }
    }

    @Test
    void readsDamagedFilesWithoutFailing() throws IOException {
        List<Path> captures;
        try (Stream<Path> all = Files.walk(DATA)) {
            captures = all.filter(path ->
                            path.toString().contains(".pcap") && path.toFile().length() < 20_000)
                    .sorted()
                    .collect(Collectors.toList());
        }
        for (int round = 0; round < 1_000; round++) {
            long seed = System.nanoTime() + round;
            Random random = new Random(seed);
            byte[] content = Files.readAllBytes(captures.get(random.nextInt(captures.size())));
            for (int i = 1 + random.nextInt(20); i > 0; i--) {
                content[random.nextInt(content.length)] = (byte) random.nextInt();
            }
            try {
                PacketFuzzing.file(content);
                PacketFuzzing.frames(content);
            } catch (RuntimeException | AssertionError e) {
                throw new AssertionError("seed " + seed, e);
            }
        }
    }

    private static List<String> packets(byte[] content) {
        List<String> packets = new ArrayList<>();
        try (PacketFile file = PacketFile.of(content)) {
            while (file.next()) {
                packets.add(file.timeNs() + " " + file.linkLayer() + " "
                        + file.bytes().toString(file.from(), file.to() - file.from(), StandardCharsets.US_ASCII)
                        + "/" + file.originalLength());
            }
            assertNull(file.damage());
        }
        return packets;
    }

    private static byte[] ascii(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }

    /** Writes pcapng. */
    private static final class Pcapng {
        private final ByteArrayOutputStream out = new ByteArrayOutputStream();
        private ByteOrder order;

        void section(ByteOrder itsOrder) {
            order = itsOrder;
            block(
                    0x0a0d0d0a,
                    buffer(16).putInt(0x1a2b3c4d).putInt(1 << 16).putLong(-1).array());
        }

        void description(int linkType, int snapLength, int... options) {
            ByteBuffer body =
                    buffer(64).putShort((short) linkType).putShort((short) 0).putInt(snapLength);
            body.putShort((short) 2).putShort((short) 3).putInt(0); // a name
            for (int i = 0; i < options.length; i += 3) {
                body.putShort((short) options[i]).putShort((short) options[i + 1]);
                if (options[i + 1] == 8) {
                    body.putLong(options[i + 2]);
                } else {
                    body.put((byte) options[i + 2]).put(new byte[3]);
                }
            }
            body.putInt(0);
            block(1, Arrays.copyOf(body.array(), body.position()));
        }

        void packet(int at, long units, String text, int original) {
            ByteBuffer body = buffer(20 + padded(text))
                    .putInt(at)
                    .putInt((int) (units >>> 32))
                    .putInt((int) units);
            block(
                    6,
                    body.putInt(text.length()).putInt(original).put(ascii(text)).array());
        }

        void old(int at, long units, String text, int original) {
            ByteBuffer body = buffer(20 + padded(text)).putShort((short) at).putShort((short) 3);
            body.putInt((int) (units >>> 32)).putInt((int) units);
            block(
                    2,
                    body.putInt(text.length()).putInt(original).put(ascii(text)).array());
        }

        void simple(String text, int original) {
            block(3, buffer(4 + padded(text)).putInt(original).put(ascii(text)).array());
        }

        void block(int type, byte[] body) {
            ByteBuffer block = buffer(12 + body.length).putInt(type).putInt(12 + body.length);
            out.writeBytes(block.put(body).putInt(12 + body.length).array());
        }

        byte[] bytes() {
            return out.toByteArray();
        }

        private ByteBuffer buffer(int length) {
            return ByteBuffer.allocate(length).order(order);
        }

        private static int padded(String text) {
            return text.length() + 3 & ~3;
        }
    }
}
