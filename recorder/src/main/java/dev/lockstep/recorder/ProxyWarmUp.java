package dev.lockstep.recorder;

import dev.lockstep.capture.CaptureException;
import dev.lockstep.capture.CaptureOptions;
import dev.lockstep.net.Transport;
import dev.lockstep.protocol.ConnectionFramer;
import dev.lockstep.redaction.RedactionKey;
import dev.lockstep.redaction.RedactionPolicy;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.EventLoopGroup;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/**
 * Runs a proxy on the loopback interface, with a responder behind it and made-up requests in front, so that classes are
 * loaded and code is compiled before the first true connection comes. A cold JVM spends twice the CPU, on processors
 * that the recorded service may need. What this proxy records is deleted.
 */
final class ProxyWarmUp {
    private static final int CONNECTIONS = 8;
    /** On a very busy machine the threads that answer may not run for seconds; the recording does not need this. */
    private static final Duration LONGEST_ANSWER = Duration.ofSeconds(60);

    private static final byte[] ANSWER =
            "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok".getBytes(StandardCharsets.US_ASCII);

    private static final byte[][] REQUESTS = {
        bytes("GET /users/7?page=2 HTTP/1.1\r\nHost: warm-up\r\nUser-Agent: lockstep\r\nAccept: */*\r\n\r\n"),
        bytes("GET / HTTP/1.1\r\nHost: warm-up\r\n\r\n"),
        bytes("GET /users HTTP/1.1\r\nHost: warm-up\r\nAuthorization: Bearer none\r\nCookie: a=b; c=d\r\n\r\n"),
        bytes("POST /users HTTP/1.1\r\nHost: warm-up\r\nContent-Type: application/json\r\nContent-Length: 23\r\n\r\n"
                + "{\"name\":\"x\",\"age\":1234}")
    };

    private ProxyWarmUp() {}

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }

    /**
     * Warms up for about a duration, or until {@code enough}.
     *
     * @throws RecorderException when the loopback interface or the folder for temporary files cannot be used
     */
    static void run(Duration duration, boolean redacts, BooleanSupplier enough) {
        Transport transport = Transport.best();
        EventLoopGroup loops = transport.eventLoops(1, "lockstep-warm-up");
        Path folder = null;
        try {
            folder = Files.createTempDirectory("lockstep-warm-up");
            InetSocketAddress responder = respond(transport, loops);
            RecordingConfig config = RecordingConfig.builder()
                    .listen(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
                    .upstream(responder)
                    .capture(folder.resolve("warm-up.bin"))
                    .captureOptions(CaptureOptions.builder())
                    .redaction(redacts ? RedactionPolicy.defaults(RedactionKey.random()) : null)
                    .build();
            try (RecordingProxy proxy = RecordingProxy.launch(config, transport)) {
                request(proxy.boundAddress(), System.nanoTime() + duration.toNanos(), enough);
            }
        } catch (IOException | CaptureException e) {
            throw new RecorderException(
                    "cannot warm up: " + e.getMessage() + "; see to it that " + tmp()
                            + " can be written and that the loopback interface is up, or give --warmup 0",
                    e);
        } finally {
            loops.shutdownGracefully(0, 0, TimeUnit.SECONDS).awaitUninterruptibly();
            delete(folder);
        }
    }

    private static String tmp() {
        return System.getProperty("java.io.tmpdir");
    }

    private static InetSocketAddress respond(Transport transport, EventLoopGroup loops) {
        Channel server = new ServerBootstrap()
                .group(loops)
                .channel(transport.serverSocketChannel())
                .childHandler(new ChannelInitializer<>() {
                    @Override
                    protected void initChannel(Channel channel) {
                        channel.pipeline().addLast(new Responder());
                    }
                })
                .bind(InetAddress.getLoopbackAddress(), 0)
                .syncUninterruptibly()
                .channel();
        return (InetSocketAddress) server.localAddress();
    }

    /** Sends one request on each connection and reads the answers, again and again. */
    private static void request(InetSocketAddress proxy, long endNs, BooleanSupplier enough) throws IOException {
        List<Socket> sockets = new ArrayList<>();
        try {
            for (int i = 0; i < CONNECTIONS; i++) {
                Socket socket = new Socket(proxy.getAddress(), proxy.getPort());
                sockets.add(socket);
                socket.setTcpNoDelay(true);
                socket.setSoTimeout((int) LONGEST_ANSWER.toMillis());
            }
            byte[] answer = new byte[ANSWER.length];
            for (int round = 0; System.nanoTime() - endNs < 0 && !enough.getAsBoolean(); round++) {
                for (Socket socket : sockets) {
                    socket.getOutputStream().write(REQUESTS[round % REQUESTS.length]);
                }
                for (Socket socket : sockets) {
                    if (socket.getInputStream().readNBytes(answer, 0, answer.length) < answer.length) {
                        throw new IOException("the warm-up's own proxy ended a connection");
                    }
                }
            }
        } finally {
            for (Socket socket : sockets) {
                socket.close();
            }
        }
    }

    private static void delete(Path folder) {
        if (folder != null) {
            try {
                Files.deleteIfExists(folder.resolve("warm-up.bin"));
                Files.delete(folder);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }

    /** Answers every request in the same way. */
    private static final class Responder extends ChannelInboundHandlerAdapter {
        private final ConnectionFramer framer = new ConnectionFramer(null, false);

        @Override
        public void channelRead(ChannelHandlerContext ctx, Object message) {
            ByteBuf in = (ByteBuf) message;
            for (int at = in.readerIndex(); at < in.writerIndex(); ) {
                at = framer.feed(in, at, in.writerIndex());
                if (framer.isBetweenRequests()) {
                    ctx.write(Unpooled.wrappedBuffer(ANSWER), ctx.voidPromise());
                }
            }
            in.release();
        }

        @Override
        public void channelReadComplete(ChannelHandlerContext ctx) {
            ctx.flush();
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
            ctx.close();
        }
    }
}
