package dev.lockstep.replayer;

import dev.lockstep.capture.Capture;
import dev.lockstep.capture.CaptureOptions;
import dev.lockstep.capture.CaptureWriter;
import dev.lockstep.capture.CloseReason;
import dev.lockstep.capture.Protocol;
import dev.lockstep.capture.RecordFlags;
import dev.lockstep.measurement.LoadCounts;
import dev.lockstep.measurement.Pace;
import dev.lockstep.protocol.ConnectionFramer;
import dev.lockstep.protocol.ThriftCallHead;
import dev.lockstep.replayer.requests.Endpoints;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.EventLoopGroup;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Runs the replay loop against a responder of its own before any target is measured, so that classes are loaded and
 * code is compiled. A cold JVM would send the first requests tens of milliseconds late.
 */
final class SelfWarmUp {
    private static final byte[] ANSWER =
            "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n".getBytes(StandardCharsets.US_ASCII);

    /** A frame of THeader with an unreadable payload: an answer without a name, which fits every Thrift call. */
    private static final byte[] THRIFT_ANSWER = {0, 0, 0, 16, 0x0f, -1, 0, 0, 0, 0, 0, 0, 0, 1, 0, 1, 1, 0, 0, 0};

    private static final byte[] OWN_REQUEST =
            "GET /warm-up HTTP/1.1\r\nHost: localhost\r\n\r\n".getBytes(StandardCharsets.US_ASCII);
    private static final int OWN_REQUESTS = 100;
    private static final long OWN_GAP_NS = 200_000;

    private SelfWarmUp() {}

    /** Answers every HTTP/1 request with an empty 200, and every Thrift call that may get an answer. */
    private static final class Responder extends ChannelInboundHandlerAdapter {
        private final ConnectionFramer framer = new ConnectionFramer(null, false);
        private final ThriftCallHead call = new ThriftCallHead();
        private boolean callBegun;

        @Override
        public void channelRead(ChannelHandlerContext ctx, Object message) {
            ByteBuf in = (ByteBuf) message;
            int at = in.readerIndex();
            while (at < in.writerIndex() && !framer.isOpaque()) {
                boolean begins = framer.isBetweenRequests();
                int from = at;
                at = framer.feed(in, at, in.writerIndex());
                boolean isHttp = framer.protocol() == Protocol.HTTP1;
                if (!isHttp) {
                    noteCall(begins, in, from, at);
                }
                if (framer.isBetweenRequests() && (isHttp || !callBegun || !call.isOneway())) {
                    ctx.write(Unpooled.wrappedBuffer(isHttp ? ANSWER : THRIFT_ANSWER), ctx.voidPromise());
                }
            }
            in.release();
            if (framer.isOpaque()) {
                ctx.close();
            }
        }

        private void noteCall(boolean begins, ByteBuf in, int from, int to) {
            if (begins) {
                callBegun = ThriftCallHead.reads(framer.protocol());
                if (callBegun) {
                    call.begin(framer.protocol());
                }
            }
            if (callBegun) {
                call.feed(in, from, to);
            }
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

    /**
     * Sends the capture's requests for this long, in a closed loop over a few connections, then at the recorded pace.
     * The responder speaks HTTP/1 and Thrift: for a capture of anything else requests of our own are sent.
     *
     * @param config of the run to come; its limits are not used
     * @param endpoints of its capture's requests
     * @return what came of the second half
     */
    static LoadCounts run(ReplayConfig config, Endpoints endpoints, long durationNs) {
        boolean isAnswered = isAnswered(config.capture());
        Capture capture = isAnswered ? config.capture() : ownCapture();
        Endpoints replayed = isAnswered ? endpoints : Endpoints.of(capture);
        EventLoopGroup loops = config.transport().eventLoops(1, "lockstep-self");
        try {
            Channel server = new ServerBootstrap()
                    .group(loops)
                    .channel(config.transport().serverSocketChannel())
                    .childHandler(new ChannelInitializer<>() {
                        @Override
                        protected void initChannel(Channel channel) {
                            channel.pipeline().addLast(new Responder());
                        }
                    })
                    .bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
                    .syncUninterruptibly()
                    .channel();
            InetSocketAddress address = (InetSocketAddress) server.localAddress();
            replay(config, capture, replayed, Pace.MAX, address, durationNs / 2);
            return replay(config, capture, replayed, steady(config.pace()), address, durationNs / 2);
        } finally {
            loops.shutdownGracefully(0, 1, TimeUnit.SECONDS).awaitUninterruptibly();
        }
    }

    /** A ramp's beginning would be too slow to warm anything up. */
    private static Pace steady(Pace pace) {
        return pace.length().isPresent() ? Pace.rate(pace.ratePerSec().getAsDouble()) : pace;
    }

    /** Tells whether the responder can answer the capture's requests, and a pool can send them. */
    private static boolean isAnswered(Capture capture) {
        Protocol found = null;
        for (int connection = 0; connection < capture.connectionCount(); connection++) {
            Protocol protocol = capture.protocol(connection);
            if (capture.requestCount(connection) > 0 && protocol != found) {
                if (found != null
                        || protocol == Protocol.THRIFT_MUX
                        || !protocol.isThrift() && protocol != Protocol.HTTP1) {
                    return false;
                }
                found = protocol;
            }
        }
        return found != null;
    }

    private static Capture ownCapture() {
        try {
            Path folder = Files.createTempDirectory("lockstep-warm-up");
            Path file = folder.resolve("capture.bin");
            long startNs = System.nanoTime();
            try (CaptureWriter writer = CaptureWriter.create(file, CaptureOptions.defaults())) {
                int connection = writer.openConnection(startNs, null, null);
                writer.protocol(connection, startNs, Protocol.HTTP1);
                for (int i = 0; i < OWN_REQUESTS; i++) {
                    writer.data(
                            connection,
                            startNs + i * OWN_GAP_NS,
                            RecordFlags.MESSAGE_START | RecordFlags.MESSAGE_END,
                            ByteBuffer.wrap(OWN_REQUEST));
                }
                writer.closeConnection(connection, startNs + OWN_REQUESTS * OWN_GAP_NS, CloseReason.CLIENT_FIN);
            }
            Capture capture = Capture.open(file);
            // It stays mapped.
            Files.delete(file);
            Files.delete(folder);
            return capture;
        } catch (IOException e) {
            throw new ReplayException(
                    "the warm-up of Lockstep itself needs room for a small file in "
                            + System.getProperty("java.io.tmpdir") + ": " + e.getMessage(),
                    e);
        }
    }

    private static LoadCounts replay(
            ReplayConfig config,
            Capture capture,
            Endpoints endpoints,
            Pace pace,
            InetSocketAddress address,
            long durationNs) {
        ReplayConfig own = ReplayConfig.builder(capture)
                .pace(pace)
                .speed(config.speed())
                .connections(pace.closedLoop() ? 4 : Math.min(config.connections(), 16))
                .durationNs(durationNs)
                .timeoutNs(1_000_000_000)
                .spinNs(config.spinNs())
                .transport(config.transport())
                .build();
        try (Replayer replayer = new Replayer(own, endpoints)) {
            TargetReplay target = replayer.addTarget("self", address);
            replayer.measure(List.of(target), 0, 1, Replayer.Progress.NONE);
            replayer.finish();
            return target.result().counts();
        }
    }
}
