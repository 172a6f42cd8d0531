package dev.lockstep.app;

import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPromise;
import io.netty.channel.MaxMessagesRecvByteBufAllocator;
import io.netty.channel.RecvByteBufAllocator;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpStatusClass;
import io.netty.handler.codec.http.LastHttpContent;

/**
 * Stops reading from a connection while many of its requests wait for an answer, or while its answers wait to be
 * written. Sits in front of Vert.x's handler; belongs to one connection and runs per request on its event loop.
 *
 * <p>Vert.x 4.5 never stops reading: a client that pipelines endlessly and reads no answers would fill the heap, which
 * is small on purpose. With the gate such a client blocks on its own writes instead.
 */
final class PipelineGate extends ChannelDuplexHandler {
    private static final int MAX_WAITING = 64;
    /** Bounds what comes in before the gate is asked again, with reads of at most 64 KiB. */
    private static final int MAX_READS_IN_A_ROW = 4;

    private final OpenRequests openRequests;
    private int waiting;
    /** Whether the gate switched reading off. Vert.x does so too, for bodies, and must not be overruled. */
    private boolean closed;

    PipelineGate(OpenRequests openRequests) {
        this.openRequests = openRequests;
    }

    /** The requests of one event loop that have no complete answer yet. Used on that loop only. */
    static final class OpenRequests {
        private int count;

        int count() {
            return count;
        }
    }

    @Override
    public void handlerAdded(ChannelHandlerContext context) {
        RecvByteBufAllocator allocator = context.channel().config().getRecvByteBufAllocator();
        if (allocator instanceof MaxMessagesRecvByteBufAllocator) {
            ((MaxMessagesRecvByteBufAllocator) allocator).maxMessagesPerRead(MAX_READS_IN_A_ROW);
        }
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
        if (message instanceof HttpRequest) {
            waiting++;
            openRequests.count++;
        }
        context.fireChannelRead(message);
    }

    @Override
    public void write(ChannelHandlerContext context, Object message, ChannelPromise promise) {
        if (message instanceof LastHttpContent && !isInterim(message)) {
            waiting--;
            openRequests.count--;
            context.write(message, promise);
            reopen(context);
        } else {
            context.write(message, promise);
        }
    }

    private static boolean isInterim(Object message) {
        return message instanceof HttpResponse
                && ((HttpResponse) message).status().codeClass() == HttpStatusClass.INFORMATIONAL;
    }

    /** Called after every read that may be followed by another, and when Vert.x wants to go on. */
    @Override
    public void read(ChannelHandlerContext context) {
        if (mayRead(context)) {
            context.read();
        } else if (context.channel().config().isAutoRead()) {
            closed = true;
            context.channel().config().setAutoRead(false);
        }
    }

    @Override
    public void channelWritabilityChanged(ChannelHandlerContext context) {
        context.fireChannelWritabilityChanged();
        reopen(context);
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) {
        openRequests.count -= waiting;
        waiting = 0;
        context.fireChannelInactive();
    }

    private void reopen(ChannelHandlerContext context) {
        if (closed && mayRead(context)) {
            closed = false;
            context.channel().config().setAutoRead(true);
        }
    }

    private boolean mayRead(ChannelHandlerContext context) {
        return waiting < MAX_WAITING && context.channel().isWritable();
    }
}
