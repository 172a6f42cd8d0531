package dev.lockstep.recorder;

import io.netty.channel.ChannelConfig;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import java.util.concurrent.TimeUnit;

/**
 * Counts connections that could not be accepted, mostly because file descriptors ran out. Lets the listener rest for a
 * moment instead of failing in a tight loop; the clients wait in the kernel's queue.
 */
final class AcceptFailureHandler extends ChannelInboundHandlerAdapter {
    private static final long REST_MS = 100;

    private final ProxyCounters counters;

    AcceptFailureHandler(ProxyCounters counters) {
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
