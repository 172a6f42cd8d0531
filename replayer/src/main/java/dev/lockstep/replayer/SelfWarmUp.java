package dev.lockstep.replayer;

import dev.lockstep.measurement.LoadCounts;
import dev.lockstep.measurement.Pace;
import dev.lockstep.protocol.ConnectionFramer;
import dev.lockstep.protocol.StreamProtocol;
import dev.lockstep.protocol.ThriftCallHead;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.DefaultSelectStrategyFactory;
import io.netty.channel.EventLoopGroup;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Runs the replay loop against a responder of its own before any target is measured, so that classes are loaded and code
 * is compiled: a cold JVM would send the first requests tens of milliseconds late and blame nobody.
 */
final class SelfWarmUp {
    private static final byte[] ANSWER =
            "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n".getBytes(StandardCharsets.US_ASCII);

    /** A frame of THeader with a payload that nobody can read: an answer without a name, which fits every Thrift call. */
    private static final byte[] THRIFT_ANSWER = {0, 0, 0, 16, 0x0f, -1, 0, 0, 0, 0, 0, 0, 0, 1, 0, 1, 1, 0, 0, 0};

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
                boolean isHttp = framer.protocol() == StreamProtocol.HTTP1;
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
     *
     * @param config of the run to come; its limits are not used
     * @return what came of the second half
     */
    static LoadCounts run(ReplayConfig config, long durationNs) {
        EventLoopGroup loops = config.transport()
                .eventLoops(1, new DefaultThreadFactory("lockstep-self", true), DefaultSelectStrategyFactory.INSTANCE);
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
            replay(config, Pace.MAX, address, durationNs / 2);
            return replay(config, steady(config.pace()), address, durationNs / 2);
        } finally {
            loops.shutdownGracefully(0, 1, TimeUnit.SECONDS).awaitUninterruptibly();
        }
    }

    /** A ramp's beginning would be too slow to warm anything up. */
    private static Pace steady(Pace pace) {
        return pace.length().isPresent() ? Pace.rate(pace.ratePerSec().getAsDouble()) : pace;
    }

    private static LoadCounts replay(ReplayConfig config, Pace pace, InetSocketAddress address, long durationNs) {
        ReplayConfig own = ReplayConfig.builder(config.capture())
                .pace(pace)
                .speed(config.speed())
                .connections(pace.closedLoop() ? 4 : Math.min(config.connections(), 16))
                .durationNs(durationNs)
                .timeoutNs(1_000_000_000)
                .spinNs(config.spinNs())
                .transport(config.transport())
                .build();
        try (Replayer replayer = Replayer.launchCold(own)) {
            TargetReplay target = replayer.addTarget("self", address);
            replayer.measure(List.of(target), 0, 1, Replayer.Progress.NONE);
            replayer.finish();
            return target.result().counts();
        }
    }
}
