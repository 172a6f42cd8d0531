package dev.lockstep.recorder;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.net.InetSocketAddress;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class ProxyHeaderTest {
    private static final InetSocketAddress CLIENT = new InetSocketAddress("192.0.2.7", 40_000);
    private static final InetSocketAddress SERVER = new InetSocketAddress("198.51.100.1", 443);
    private static final InetSocketAddress WIDE_CLIENT = new InetSocketAddress("2001:db8::7", 40_001);
    private static final InetSocketAddress WIDE_SERVER = new InetSocketAddress("2001:db8::1", 8443);

    @Test
    void writesVersion1AsItsSpecificationShows() {
        assertEquals(
                "PROXY TCP4 192.0.2.7 198.51.100.1 40000 443\r\n",
                Bytes.text(ProxyHeader.encode(ProxyHeaderOut.V1, CLIENT, SERVER)));
        assertEquals(
                "PROXY TCP6 2001:db8:0:0:0:0:0:7 2001:db8:0:0:0:0:0:1 40001 8443\r\n",
                Bytes.text(ProxyHeader.encode(ProxyHeaderOut.V1, WIDE_CLIENT, WIDE_SERVER)));
    }

    @Test
    void readsBackWhatItWrites() {
        for (ProxyHeaderOut version : new ProxyHeaderOut[] {ProxyHeaderOut.V1, ProxyHeaderOut.V2}) {
            assertEnds(ProxyHeader.encode(version, CLIENT, SERVER), CLIENT, SERVER);
            assertEnds(ProxyHeader.encode(version, WIDE_CLIENT, WIDE_SERVER), WIDE_CLIENT, WIDE_SERVER);
        }
    }

    @Test
    void writesEndsOfDifferentFamiliesAsMappedOnes() {
        byte[] header = ProxyHeader.encode(ProxyHeaderOut.V2, CLIENT, WIDE_SERVER);

        // Java takes a mapped address for the IPv4 one that it is.
        assertEnds(header, CLIENT, WIDE_SERVER);
        assertEquals(52, header.length);
    }

    @Test
    void needsTheWholeHeaderWhereverItIsCut() {
        for (ProxyHeaderOut version : new ProxyHeaderOut[] {ProxyHeaderOut.V1, ProxyHeaderOut.V2}) {
            byte[] header = ProxyHeader.encode(version, CLIENT, SERVER);
            for (int length = 0; length < header.length; length++) {
                assertEquals(ProxyHeader.INCOMPLETE, length(Arrays.copyOf(header, length)), "cut at " + length);
            }
            byte[] more = Arrays.copyOf(header, header.length + 100);
            assertEquals(header.length, length(more));
        }
    }

    @Test
    void takesTheRealEndsWhereTheHeaderNamesNone() {
        assertEnds(Bytes.of("PROXY UNKNOWN\r\n"), null, null);
        assertEnds(Bytes.of("PROXY UNKNOWN ffff::1 ffff::2 1 2\r\n"), null, null);
        byte[] local = ProxyHeader.encode(ProxyHeaderOut.V2, CLIENT, SERVER);
        local[12] = 0x20;
        assertEnds(local, null, null);
        byte[] unix = ProxyHeader.encode(ProxyHeaderOut.V2, CLIENT, SERVER);
        unix[13] = 0x31;
        assertEnds(unix, null, null);
    }

    @Test
    void passesOverWhatFollowsTheAddresses() {
        byte[] header = Arrays.copyOf(ProxyHeader.encode(ProxyHeaderOut.V2, CLIENT, SERVER), 28 + 7);
        header[15] = 12 + 7;
        assertEnds(header, CLIENT, SERVER);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "PROXY \r\n",
                "PROXY TCP4\r\n",
                "PROXY TCP4 192.0.2.7 198.51.100.1 40000\r\n",
                "PROXY TCP4 192.0.2.7 198.51.100.1 40000 443 \r\n",
                "PROXY TCP4 192.0.2.7 198.51.100.1 40000 443\n",
                "PROXY TCP4 192.0.2 198.51.100.1 40000 443\r\n",
                "PROXY TCP4 192.0.2.7 198.51.100.1 65536 443\r\n",
                "PROXY TCP4 192.0.2.7 198.51.100.1 -1 443\r\n",
                "PROXY TCP4 192.0.2.7 198.51.100.1  443\r\n",
                "PROXY TCP4 ::1 ::1 1 2\r\n",
                "PROXY TCP6 192.0.2.7 198.51.100.1 1 2\r\n",
                "PROXY TCP6 fe80::1%eth0 ::1 1 2\r\n",
                "PROXY UDP4 192.0.2.7 198.51.100.1 1 2\r\n"
            })
    void refusesMalformedLines(String line) {
        assertNull(parse(Bytes.of(line)), line);
    }

    @Test
    void refusesALineThatDoesNotEnd() {
        byte[] endless = new byte[500];
        Arrays.fill(endless, (byte) '1');
        System.arraycopy(Bytes.of("PROXY TCP4 "), 0, endless, 0, 11);

        assertEquals(107, length(endless));
        assertNull(parse(endless));
    }

    @Test
    void refusesMalformedBinaryHeaders() {
        for (int[] change : new int[][] {{12, 0x22}, {12, 0x11}, {14, 0xFF}, {15, 11}}) {
            byte[] header = ProxyHeader.encode(ProxyHeaderOut.V2, CLIENT, SERVER);
            header[change[0]] = (byte) change[1];
            assertNull(parse(header), Arrays.toString(change));
        }
    }

    @Test
    void seesAtTheFirstByteThatDiffersThatThereIsNone() {
        for (String text : new String[] {"G", "PO", "PROXI", "\r\nGET", "\u0000\u0000", "PRI * HTTP/2.0"}) {
            assertEquals(ProxyHeader.NONE, length(Bytes.of(text)), text);
        }
    }

    @Test
    void survivesRandomBytes() {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        for (int i = 0; i < 100_000; i++) {
            byte[] bytes = ProxyHeader.encode(
                    random.nextBoolean() ? ProxyHeaderOut.V1 : ProxyHeaderOut.V2,
                    random.nextBoolean() ? CLIENT : WIDE_CLIENT,
                    SERVER);
            for (int changes = random.nextInt(4); changes > 0; changes--) {
                bytes[random.nextInt(bytes.length)] = (byte) random.nextInt();
            }
            bytes = Arrays.copyOf(bytes, random.nextInt(2 * bytes.length));
            int length = length(bytes);
            assertTrue(length >= ProxyHeader.NONE && length <= bytes.length, "seed " + seed);
            if (length > 0) {
                parse(bytes);
            }
        }
    }

    private static int length(byte[] bytes) {
        ByteBuf buffer = Unpooled.wrappedBuffer(bytes);
        return ProxyHeader.length(buffer, 0, bytes.length);
    }

    private static ProxyHeader parse(byte[] bytes) {
        return ProxyHeader.parse(Unpooled.wrappedBuffer(bytes), 0, length(bytes));
    }

    private static void assertEnds(byte[] bytes, InetSocketAddress source, InetSocketAddress destination) {
        assertEquals(bytes.length, length(bytes));
        ProxyHeader header = parse(bytes);
        assertNotNull(header, () -> Bytes.text(bytes));
        assertEquals(source, header.source);
        assertEquals(destination, header.destination);
        assertArrayEquals(bytes, header.bytes());
    }
}
