package dev.lockstep.launcher;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLContext;
import org.junit.jupiter.api.Test;

class ReadinessProbeTest {
    @Test
    void writesAnIpv6HostInBracketsAndWithoutItsZone() throws Exception {
        byte[] linkLocal = InetAddress.getByName("fe80::1").getAddress();

        assertEquals("127.0.0.1:80", ReadinessProbe.hostAndPort(new InetSocketAddress("127.0.0.1", 80)));
        assertEquals("shop.test:80", ReadinessProbe.hostAndPort(InetSocketAddress.createUnresolved("shop.test", 80)));
        assertEquals("[0:0:0:0:0:0:0:1]:8080", ReadinessProbe.hostAndPort(new InetSocketAddress("::1", 8080)));
        assertEquals(
                "[fe80:0:0:0:0:0:0:1]:8080",
                ReadinessProbe.hostAndPort(new InetSocketAddress(Inet6Address.getByAddress(null, linkLocal, 3), 8080)));
    }

    @Test
    void saysThatAServerTakesTooLongForAnAnswer() throws Exception {
        try (ServerSocket silent = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            ReadinessProbe probe = new ReadinessProbe(
                    new InetSocketAddress(InetAddress.getLoopbackAddress(), silent.getLocalPort()),
                    "/slow",
                    null,
                    false);

            assertFalse(probe.isReady());

            assertEquals("port open, but no answer to GET /slow within 2 s", probe.lastSeen());
            assertTrue(probe.mayAskForTheWrongPath());
        }
    }

    /** Another path is of no use there. */
    @Test
    void asksForNoPathWhereTlsFails() throws Exception {
        try (ServerSocket silent = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            ReadinessProbe probe = new ReadinessProbe(
                    new InetSocketAddress(InetAddress.getLoopbackAddress(), silent.getLocalPort()),
                    "/",
                    SSLContext.getDefault(),
                    false);

            assertFalse(probe.isReady());

            assertTrue(probe.lastSeen().startsWith("port open, but "), probe.lastSeen());
            assertFalse(probe.mayAskForTheWrongPath());
        }
    }

    /** Java itself asks for no host without a dot, and the replayer resumes the session that the probe began. */
    @Test
    void asksForAHostWithoutADotByItsName() throws Exception {
        try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getByName("localhost"))) {
            CompletableFuture<String> hello = CompletableFuture.supplyAsync(() -> {
                try (Socket socket = server.accept()) {
                    byte[] start = socket.getInputStream().readNBytes(5);
                    int length = (start[3] & 0xFF) << 8 | start[4] & 0xFF;
                    return new String(socket.getInputStream().readNBytes(length), StandardCharsets.ISO_8859_1);
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
            });

            new ReadinessProbe(
                            new InetSocketAddress("localhost", server.getLocalPort()),
                            "",
                            SSLContext.getDefault(),
                            false)
                    .isReady();

            assertTrue(hello.get(10, TimeUnit.SECONDS).contains("\0\11localhost"), "the ClientHello names nobody");
        }
    }
}
