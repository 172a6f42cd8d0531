package dev.lockstep.replayer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.ThreadMXBean;
import dev.lockstep.capture.Capture;
import dev.lockstep.measurement.Pace;
import dev.lockstep.net.Transport;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.EventLoopGroup;
import io.netty.util.ResourceLeakDetector;
import java.lang.management.ManagementFactory;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Counts the heap that the event loop's thread allocates once its code is compiled. */
@Tag("full")
final class AllocationTest {
    private static final int REQUEST_BYTES = TestingCapture.get(0).length();
    private static final double MAX_BYTES_PER_REQUEST = 0.01;

    @TempDir
    Path directory;

    private ResourceLeakDetector.Level leakDetection;

    /** Answers every so many bytes with a response; the answers to what came at once go out at once. */
    private static final class Responder extends ChannelInboundHandlerAdapter {
        private static final byte[] ANSWER = ("HTTP/1.1 200 OK\r\nServer: responder\r\nContent-Type: text/plain\r\n"
                        + "Content-Length: 100\r\nConnection: keep-alive\r\n\r\n" + "x".repeat(100))
                .getBytes(StandardCharsets.US_ASCII);

        private long received;

        @Override
        public void channelRead(ChannelHandlerContext ctx, Object message) {
            ByteBuf in = (ByteBuf) message;
            long before = received / REQUEST_BYTES;
            received += in.readableBytes();
            in.release();
            for (long answered = before; answered < received / REQUEST_BYTES; answered++) {
                ctx.write(Unpooled.wrappedBuffer(ANSWER), ctx.voidPromise());
            }
        }

        @Override
        public void channelReadComplete(ChannelHandlerContext ctx) {
            ctx.flush();
        }
    }

    /**
     * Notes, once a second, what the loop's thread has allocated, from when enough was answered for its code to be
     * compiled. Where it allocates, it begins anew: a slow machine compiles late. Stops the run when it is content.
     */
    private static final class Allocations implements Replayer.Progress {
        private final ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        private final Replayer replayer;
        private final TargetReplay target;
        private final long thread;
        private final long warmUpRequests;
        private final long measuredRequests;
        private long firstBytes;
        private long firstAnswered;
        private String seen = "nothing";
        private boolean none;

        Allocations(Replayer replayer, TargetReplay target, long warmUpRequests, long measuredRequests)
                throws Exception {
            this.replayer = replayer;
            this.target = target;
            this.warmUpRequests = warmUpRequests;
            this.measuredRequests = measuredRequests;
            thread = target.loop().submit(() -> Thread.currentThread().getId()).get();
        }

        @Override
        public void tick() {
            long answered = target.answeredSoFar();
            if (none || answered < warmUpRequests) {
                return;
            }
            long bytes = threads.getThreadAllocatedBytes(thread);
            if (firstAnswered > 0 && answered - firstAnswered < measuredRequests) {
                return;
            }
            if (firstAnswered > 0) {
                seen = bytes - firstBytes + " bytes for " + (answered - firstAnswered) + " requests";
                none = bytes - firstBytes <= (answered - firstAnswered) * MAX_BYTES_PER_REQUEST;
            }
            if (none) {
                replayer.stop();
            }
            firstBytes = bytes;
            firstAnswered = answered;
        }
    }

    /** The build's leak detection makes an object for each buffer. */
    @BeforeEach
    void stopLeakDetection() {
        leakDetection = ResourceLeakDetector.getLevel();
        ResourceLeakDetector.setLevel(ResourceLeakDetector.Level.DISABLED);
    }

    @AfterEach
    void startLeakDetection() {
        ResourceLeakDetector.setLevel(leakDetection);
    }

    @Test
    void aClosedLoopAllocatesNothingPerRequest() throws Exception {
        run(Pace.MAX, 100_000, 100_000);
    }

    @Test
    void anOpenLoopAllocatesNothingPerRequest() throws Exception {
        run(Pace.rate(40_000), 100_000, 100_000);
    }

    private void run(Pace pace, long warmUp, long measured) throws Exception {
        EventLoopGroup loops = Transport.best().eventLoops(1, "responder");
        try (Capture capture = TestingCapture.gets(directory, 10, 1_000_000)) {
            assertEquals(REQUEST_BYTES, capture.requestLength(9));
            Channel server = new ServerBootstrap()
                    .group(loops)
                    .channel(Transport.best().serverSocketChannel())
                    .childHandler(new ChannelInitializer<>() {
                        @Override
                        protected void initChannel(Channel channel) {
                            channel.pipeline().addLast(new Responder());
                        }
                    })
                    .bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
                    .syncUninterruptibly()
                    .channel();
            ReplayConfig config = ReplayConfig.builder(capture)
                    .pace(pace)
                    .connections(50)
                    // Beside other tests one stretch of so many requests takes half a minute.
                    .durationNs(TimeUnit.SECONDS.toNanos(150))
                    .build();
            try (Replayer replayer = Replayer.launchCold(config)) {
                TargetReplay target = replayer.addTarget("responder", (InetSocketAddress) server.localAddress());
                Allocations allocations = new Allocations(replayer, target, warmUp, measured);
                replayer.measure(List.of(target), 0, 1, allocations);
                replayer.finish();

                assertTrue(allocations.none, allocations.seen);
                assertEquals(0, target.result().counts().errors());
            }
        } finally {
            loops.shutdownGracefully(0, 1, TimeUnit.SECONDS).awaitUninterruptibly();
        }
    }
}
