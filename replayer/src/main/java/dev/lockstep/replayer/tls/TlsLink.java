package dev.lockstep.replayer.tls;

import dev.lockstep.net.Tls;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.handler.codec.DecoderException;
import io.netty.handler.ssl.SslHandler;
import io.netty.util.concurrent.Future;
import javax.net.ssl.SSLException;

/**
 * TLS of one channel. Stands between Netty's {@link SslHandler} and the socket, and so knows when encrypted bytes were
 * handed to it. Runs on the event loop.
 */
public final class TlsLink extends ChannelOutboundHandlerAdapter {
    private final SslHandler handler;
    private final String required;
    private ChannelHandlerContext context;
    private long flushedNs;
    private boolean abandoned;

    /** @param required what must be agreed on by ALPN, or null where nothing need be */
    TlsLink(SslHandler handler, String required) {
        this.handler = handler;
        this.required = required;
    }

    /** Sets up a new channel whose plain bytes go to this handler. */
    public ChannelHandler initializer(ChannelHandler plain) {
        return new ChannelInitializer<Channel>() {
            @Override
            protected void initChannel(Channel channel) {
                channel.pipeline().addLast(TlsLink.this, handler, plain);
            }
        };
    }

    /** Completes with the handshake, on the event loop. */
    public Future<Channel> handshake() {
        return handler.handshakeFuture();
    }

    /** Tells, after the handshake, whether the target agreed on the protocol to be spoken, where it must. */
    public boolean isAgreed() {
        // Netty's own applicationProtocol() is null for an engine that Netty did not make.
        return required == null || required.equals(handler.engine().getApplicationProtocol());
    }

    /** Notes that this side ends the connection before its handshake is over. */
    public void abandon() {
        abandoned = true;
    }

    public boolean isAbandoned() {
        return abandoned;
    }

    /** Ends our side behind all that was written; what the target still says is read. */
    public void endOutput() {
        handler.closeOutbound();
    }

    /** When encrypted bytes were last about to be handed to the socket, on the monotonic clock. */
    public long flushedNs() {
        return flushedNs;
    }

    /** Completes when the socket has taken all that was flushed before. */
    public ChannelFuture afterFlushed() {
        return context.writeAndFlush(Unpooled.EMPTY_BUFFER);
    }

    @Override
    public void handlerAdded(ChannelHandlerContext ctx) {
        context = ctx;
    }

    @Override
    public void flush(ChannelHandlerContext ctx) {
        flushedNs = System.nanoTime();
        ctx.flush();
    }

    /** Tells whether an exception comes from TLS and not from the socket. */
    public static boolean isTlsFailure(Throwable cause) {
        return cause instanceof SSLException
                || cause instanceof DecoderException && cause.getCause() instanceof SSLException;
    }

    /**
     * Says in one line why TLS failed. It shows nothing of what came instead of TLS, which may be a secret.
     *
     * @param failure null where the handshake ended well, but not as required
     */
    public String problem(Throwable failure) {
        if (failure == null) {
            return "the target did not agree on " + required + " by ALPN";
        }
        return Tls.problem(
                failure,
                "what the target answered is not TLS",
                "the target closed the connection during the handshake");
    }
}
