package dev.lockstep.app;

import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPromise;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpStatusClass;
import io.netty.handler.codec.http.LastHttpContent;

/**
 * Stops reading from a connection while many of its requests wait for an answer, or while its answers wait to be
 * written. Sits in front of Vert.x's handler; belongs to one connection and runs per request on its event loop.
 *
 * <p>Vert.x 4.5 reads on whatever the client does: a client that pipelines without end and does not read the answers
 * fills the heap, which is small here on purpose. With the gate the client's own writes come to a stand instead.
 */
final class PipelineGate extends ChannelDuplexHandler {
    private static final int MAX_WAITING = 64;

    private final OpenRequests openRequests;
    private int waiting;
    private boolean readHeldBack;

    PipelineGate(OpenRequests openRequests) {
        this.openRequests = openRequests;
    }

    /** Counts the requests of one event loop that have no complete answer yet; used on that loop only. */
    static final class OpenRequests {
        private int count;

        int count() {
            return count;
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
            readIfOpen(context);
        } else {
            context.write(message, promise);
        }
    }

    private static boolean isInterim(Object message) {
        return message instanceof HttpResponse
                && ((HttpResponse) message).status().codeClass() == HttpStatusClass.INFORMATIONAL;
    }

    @Override
    public void read(ChannelHandlerContext context) {
        if (isOpen(context)) {
            context.read();
        } else {
            readHeldBack = true;
        }
    }

    @Override
    public void channelWritabilityChanged(ChannelHandlerContext context) {
        context.fireChannelWritabilityChanged();
        readIfOpen(context);
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) {
        openRequests.count -= waiting;
        waiting = 0;
        context.fireChannelInactive();
    }

    private void readIfOpen(ChannelHandlerContext context) {
        if (readHeldBack && isOpen(context)) {
            readHeldBack = false;
            context.read();
        }
    }

    private boolean isOpen(ChannelHandlerContext context) {
        return waiting < MAX_WAITING && context.channel().isWritable();
    }
}
