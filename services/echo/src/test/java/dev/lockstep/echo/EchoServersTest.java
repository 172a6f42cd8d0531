package dev.lockstep.echo;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.lockstep.capture.Capture;
import io.netty.channel.ChannelException;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.channel.ChannelPromise;
import io.netty.channel.embedded.EmbeddedChannel;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class EchoServersTest {
    private static final InetSocketAddress ANY_PORT = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);

    @Test
    void netty3SendsBackWhatItGets() throws IOException {
        try (Netty3EchoServer server = Netty3EchoServer.launch(ANY_PORT, 1)) {
            assertEchoes(server.port());
        }
    }

    @Test
    void netty4SendsBackWhatItGetsWithEachAllocator() throws IOException {
        for (String allocator : List.of("default", "pooled", "unpooled", "adaptive")) {
            try (Netty4EchoServer server =
                    Netty4EchoServer.launch(ANY_PORT, 1, false, Netty4EchoServer.allocator(allocator))) {
                assertEchoes(server.port());
            }
        }
    }

    /** A checked exception that nobody declares went past the end of the process, which stayed for ever. */
    @Test
    void saysWhereItCannotListen() {
        try (Netty4EchoServer first =
                Netty4EchoServer.launch(ANY_PORT, 1, false, Netty4EchoServer.allocator("default"))) {
            InetSocketAddress taken = new InetSocketAddress(InetAddress.getLoopbackAddress(), first.port());
            InetSocketAddress unknown = InetSocketAddress.createUnresolved("no.such.host.invalid", 7007);
            for (InetSocketAddress address : List.of(taken, unknown)) {
                ChannelException failure = assertThrows(
                        ChannelException.class,
                        () -> Netty4EchoServer.launch(address, 1, false, Netty4EchoServer.allocator("default")));
                assertTrue(
                        failure.getMessage().startsWith("cannot listen on " + address + ": java."),
                        failure.getMessage());
            }
        }
    }

    /** As a write of Netty 3's server makes a future: void promises would make less garbage for another reason. */
    @Test
    void netty4WritesEachMessageWithAPromise() {
        List<Boolean> isVoid = new ArrayList<>();
        EmbeddedChannel channel = new EmbeddedChannel(
                new ChannelOutboundHandlerAdapter() {
                    @Override
                    public void write(ChannelHandlerContext context, Object message, ChannelPromise promise) {
                        isVoid.add(promise.isVoid());
                        context.write(message, promise);
                    }
                },
                new Netty4EchoServer.EchoHandler());

        channel.writeInbound("message");

        assertEquals("message", channel.readOutbound());
        assertEquals(List.of(false), isVoid);
        channel.finishAndReleaseAll();
    }

    private static void assertEchoes(int port) throws IOException {
        SplittableRandom random = new SplittableRandom(1);
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
            for (int bytes : new int[] {64, 256, 100_000}) {
                byte[] message = EchoCapture.message(bytes, random);
                socket.getOutputStream().write(message);
                assertArrayEquals(message, socket.getInputStream().readNBytes(bytes));
            }
        }
    }

    @Test
    void messagesAreHttpResponsesOfTheSizeThatIsAskedFor() {
        for (int bytes = 64; bytes < 2_000; bytes++) {
            byte[] message = EchoCapture.message(bytes, new SplittableRandom(bytes));
            String text = new String(message, StandardCharsets.ISO_8859_1);
            int body = text.indexOf("\r\n\r\n") + 4;
            String head = text.substring(0, body).strip();
            int length = Integer.parseInt(head.substring("HTTP/1.1 200 OK\r\nContent-Length: ".length()));

            assertEquals(bytes, message.length);
            assertEquals(bytes, body + length, head);
        }
    }

    @Test
    void theCaptureHasEveryMessage(@TempDir Path directory) {
        Path file = directory.resolve("echo.bin");
        EchoCapture.write(file, 20, 3, 256, 1_000, 1);
        try (Capture capture = Capture.open(file)) {
            assertEquals(60, capture.requestCount());
        }
    }

    @Test
    void listsItsOptionsWhereThatIsAskedFor() {
        assertTrue(EchoOptions.help("echo", EchoOptions.ofServer(), "--help"));
        assertFalse(EchoOptions.help("echo", EchoOptions.ofServer(), "--port", "7"));
        // Each would end this process if it took that for a mistake.
        Netty3EchoServer.main(new String[] {"--help"});
        Netty4EchoServer.main(new String[] {"-h"});
        EchoCapture.main(new String[] {"--help"});
    }

    @Test
    void refusesABadCommandLine() {
        assertTrue(assertThrows(
                        IllegalArgumentException.class,
                        () -> EchoOptions.parse(EchoOptions.ofServer(), "--allocator", "pooled"))
                .getMessage()
                .startsWith("unknown option '--allocator'"));
        assertEquals(
                "--transport must be one of nio, epoll, not 'kqueue'",
                assertThrows(IllegalArgumentException.class, () -> EchoOptions.parse(
                                        EchoOptions.ofServer(), "--transport", "kqueue")
                                .choice("--transport", "nio", "epoll"))
                        .getMessage());
    }
}
