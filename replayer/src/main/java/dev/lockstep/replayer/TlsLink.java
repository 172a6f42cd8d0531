package dev.lockstep.replayer;

import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.handler.codec.DecoderException;
import io.netty.handler.ssl.NotSslRecordException;
import io.netty.handler.ssl.SslHandler;
import io.netty.util.concurrent.Future;
import java.nio.channels.ClosedChannelException;
import java.security.cert.CertificateException;
import javax.net.ssl.SSLException;

/**
 * TLS of one channel. Stands between Netty's {@link SslHandler} and the socket, and so knows when encrypted bytes were
 * handed to it. Runs on the event loop.
 */
final class TlsLink extends ChannelOutboundHandlerAdapter {
    private static final int LONGEST_PROBLEM = 200;
    private static final int MAX_CAUSES = 16;

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

    /** Returns what sets up a new channel whose plain bytes are this handler's. */
    ChannelHandler initializer(ChannelHandler plain) {
        return new ChannelInitializer<Channel>() {
            @Override
            protected void initChannel(Channel channel) {
                channel.pipeline().addLast(TlsLink.this, handler, plain);
            }
        };
    }

    /** Returns what tells of the end of the handshake, on the event loop. */
    Future<Channel> handshake() {
        return handler.handshakeFuture();
    }

    /** Tells, after the handshake, whether the target agreed on the protocol to be spoken, where it must. */
    boolean isAgreed() {
        return required == null || required.equals(handler.applicationProtocol());
    }

    /** Notes that this side ends the connection before its handshake is over. */
    void abandon() {
        abandoned = true;
    }

    boolean isAbandoned() {
        return abandoned;
    }

    /** Ends our side behind all that was written; what the target still says is read. */
    void endOutput() {
        handler.closeOutbound();
    }

    /** Returns when encrypted bytes were last about to be handed to the socket, on the monotonic clock. */
    long flushedNs() {
        return flushedNs;
    }

    /** Returns what tells when the socket has taken all that was flushed before. */
    ChannelFuture afterFlushed() {
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
    static boolean isTlsFailure(Throwable cause) {
        return cause instanceof SSLException
                || cause instanceof DecoderException && cause.getCause() instanceof SSLException;
    }

    /**
     * Says in one line why TLS failed; of what came instead of TLS it shows nothing, which may be a secret.
     *
     * @param failure null where the handshake ended well, but not as required
     */
    String problem(Throwable failure) {
        if (failure == null) {
            return "the target did not agree on " + required + " by ALPN";
        }
        boolean certificate = false;
        Throwable root = failure;
        for (int depth = 0; depth < MAX_CAUSES; depth++) {
            if (root instanceof NotSslRecordException) {
                return "what the target answered is not TLS";
            }
            certificate |= root instanceof CertificateException;
            if (root.getCause() == null) {
                break;
            }
            root = root.getCause();
        }
        if (root instanceof ClosedChannelException || root.getMessage() == null) {
            return "the target closed the connection during the handshake";
        }
        String reason = root.getMessage().replaceAll("[\\s\\p{Cntrl}]+", " ").trim();
        String text = certificate ? "its certificate is not trusted: " + reason : reason;
        return text.length() <= LONGEST_PROBLEM ? text : text.substring(0, LONGEST_PROBLEM) + "...";
    }
}
