package dev.lockstep.recorder;

import io.netty.channel.ChannelConfig;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import java.util.concurrent.TimeUnit;

/**
 * Counts connections that could not be accepted, mostly for want of file descriptors, and lets the listener rest for a
 * moment instead of failing in a tight loop. The clients wait in the kernel's queue meanwhile.
 */
final class AcceptFailureHandler extends ChannelInboundHandlerAdapter {
    private static final long REST_MS = 100;

    private final TrafficCounters counters;

    AcceptFailureHandler(TrafficCounters counters) {
        this.counters = counters;
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
        counters.acceptFailures.increment();
        ChannelConfig config = ctx.channel().config();
        config.setAutoRead(false);
        ctx.executor().schedule(() -> config.setAutoRead(true), REST_MS, TimeUnit.MILLISECONDS);
    }
}
