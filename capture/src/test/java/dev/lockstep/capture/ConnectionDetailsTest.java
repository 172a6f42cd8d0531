package dev.lockstep.capture;

import static dev.lockstep.capture.TestingCaptures.WHOLE;
import static dev.lockstep.capture.TestingCaptures.address;
import static dev.lockstep.capture.TestingCaptures.bytes;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class ConnectionDetailsTest {
    @TempDir
    Path folder;

    @Test
    void standInTheFileBesideTheAddresses() {
        Path path = folder.resolve("capture.bin");
        byte[] proxy = "PROXY TCP4 192.0.2.1 192.0.2.2 1 2\r\n".getBytes(java.nio.charset.StandardCharsets.US_ASCII);
        ConnectionDetails details =
                ConnectionDetails.tls("example.org", "h2", "TLSv1.3").withProxyHeader(proxy);
        try (CaptureWriter writer = CaptureWriter.create(path, CaptureOptions.defaults())) {
            writer.openConnection(System.nanoTime(), address("127.0.0.1", 1), null, true, details);
            writer.openConnection(System.nanoTime(), null, null, false, ConnectionDetails.NONE);
            writer.data(0, System.nanoTime(), WHOLE, bytes("x"));
        }
        try (CaptureReader reader = CaptureReader.open(path)) {
            ConnectionStart first = reader.next().connectionStart();
            assertEquals(details, first.details());
            assertEquals("example.org", first.details().tlsServerName());
            assertEquals("h2", first.details().alpn());
            assertEquals("TLSv1.3", first.details().tlsVersion());
            assertArrayEquals(proxy, first.details().proxyHeader());
            assertTrue(first.alreadyOpen());
            assertFalse(first.goesOn());
            assertEquals(address("127.0.0.1", 1), first.client());
            assertNull(first.server());
            ConnectionStart second = reader.next().connectionStart();
            assertTrue(second.details().isEmpty());
            assertFalse(second.alreadyOpen());
        }
        assertEquals("127.0.0.1:1", TestingCaptures.clientAddress(Capture.open(path), 0));
    }

    @Test
    void areCutWhereAPeerSentTooMuch() {
        ConnectionDetails details =
                ConnectionDetails.tls("\u00e9".repeat(300), null, null).withProxyHeader(new byte[100_000]);
        assertTrue(details.tlsServerName().length() >= 127);
        assertEquals(ConnectionDetails.MAX_PROXY_HEADER_BYTES, details.proxyHeader().length);
        assertTrue(details.encode().length < 3_000);
    }
}
